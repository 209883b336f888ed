"""Codes that do what is left of a loop after its vectors: narrower vectors, then scalar code."""

from functools import cached_property

from rooflint.core.code import Code, CorePlan, VectorPlan
from rooflint.core.issue.lane_steps import lane_plan
from rooflint.core.plan import Planner
from rooflint.core.vectorize.target import lane_target


class RestCodes:
    """The codes for what a loop leaves, widest first; made when somebody asks for them."""

    def __init__(self, planner: Planner, plan: CorePlan) -> None:
        self._planner, self._plan = planner, plan

    def behind(self, code: Code) -> tuple[Code, ...]:
        """The codes for what ``code`` leaves: the plan's, or the scalar one that runs where the
        checks before the vectors fail, which leaves single iterations of its bodies. What a loop
        without vectors leaves takes no longer than the rest of it, in loops of our own."""
        if code.vector.width > 1:
            return self._behind_vectors
        unrolled = code.vector.unroll > 1 and self._planner.compiler.traits.interleaves
        return (self._single,) if unrolled and self._plan.code.vector.width > 1 else ()

    @cached_property
    def _behind_vectors(self) -> tuple[Code, ...]:
        vector = self._plan.code.vector
        width = self._planner.vectorizer.epilogue_width(vector, self._planner.pragmas)
        narrower = () if width < 2 else (self._narrower(vector, width),)
        return (*narrower, self._single)

    def _narrower(self, vector: VectorPlan, width: int) -> Code:
        planner = self._planner
        assert vector.register_bytes is not None
        register = max(16, vector.register_bytes * width // vector.width)
        loop = planner.vector_loop()
        shape = loop.shape(width, register)
        lanes = lane_target(planner.target, planner.compiler, width, register)
        shape = shape._replace(
            in_register=shape.in_register | planner.forwarded_values.handed_on(width),
            lanes=lane_plan(planner.graph, lanes),
            beside=planner.other_arms(loop, shape),
        )
        return planner.code(VectorPlan(width, 1, register, checks=vector.checks), shape)

    @cached_property
    def _single(self) -> Code:
        """One iteration at a time, even where the compiler unrolls a loop that has no vectors."""
        scalar = self._plan.scalar
        unroll = scalar.vector.unroll
        if unroll == 1:
            return scalar
        shape = self._planner.shapes[1, unroll]._replace(unroll=1)
        return self._planner.code(scalar.vector._replace(unroll=1), shape)
