"""The core plan of a kernel, and its loops as compiled, made when somebody first asks for it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rooflint.core.compiler import Compiler
from rooflint.core.external.cycles import ExternalCoreCycles
from rooflint.facts import KernelFacts
from rooflint.facts.affine import number
from rooflint.ir import Function, IdentityKey
from rooflint.machine import Machine
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    from rooflint.core.code import BetweenExecutions, Code, CorePlan, RowSpace
    from rooflint.core.instructions import CompiledBody
    from rooflint.core.plan import Planner
    from rooflint.core.rests import RestCodes

DEFAULT_COMPILER = Compiler()


def as_compiled(
    function: Function, facts: Sequence[KernelFacts], compiler: Compiler
) -> tuple[KernelFacts, ...]:
    """The kernels with their loops in the order that the compiler makes."""
    if not compiler.interchanges:
        return tuple(facts)
    from rooflint.core.passes import with_interchanges

    return with_interchanges(function, facts, compiler)


def kernels_beside(facts: KernelFacts, nest: Sequence[KernelFacts]) -> tuple[KernelFacts, ...]:
    """The kernels of ``nest`` that run once for each execution of this one: statements of the loop
    around, and innermost loops in it."""
    around = [IdentityKey(loop) for loop in facts.kernel.loops[:-1]]
    if not around:
        return ()
    found = []
    for each in nest:
        loops = [IdentityKey(loop) for loop in each.kernel.loops]
        if each is not facts and around in (loops, loops[:-1]):
            found.append(each)
    return tuple(found)


class KernelPlan(NamedTuple):
    """The plan of a kernel, what has made it, and the codes for what its vectors leave."""

    planner: "Planner"
    plan: "CorePlan"
    rests: "RestCodes"


class PlanCache:
    """Core plans on one machine, made once for kernels of the same code."""

    def __init__(self) -> None:
        self._made: dict[object, KernelPlan] = {}

    def of(
        self, function: Function, facts: KernelFacts, machine: Machine, compiler: Compiler
    ) -> KernelPlan:
        """The plan of a kernel."""
        kernel = facts.kernel
        outer = compiler.vectorises_outer_loops
        key = (
            kernel.loops[-2:] if outer else kernel.loops[-1],
            kernel.statements,
            kernel.innermost,
            kernel.regions,
            kernel.calls,
            kernel.priced,
            tuple([gap.reason for gap in kernel.not_covered]),
            kernel.arrays_of(function),
            compiler,
        )
        plans = self._made.get(key)
        if plans is None:
            # importing the planner takes longer than analysing a small file without it
            from rooflint.core.plan import Planner
            from rooflint.core.rests import RestCodes

            planner = Planner(function, facts, machine, compiler)
            plan = planner.plan()
            plans = self._made[key] = KernelPlan(planner, plan, RestCodes(planner, plan))
        return plans


class LazyPlan:
    """The core plan that all models of one kernel share; free where none of them asks for it.

    ``beside``: the kernels of the loop around it, but for those of loops in other loops there.
    """

    __slots__ = (
        "_external",
        "_made",
        "_measure",
        "_plans",
        "beside",
        "compiler",
        "facts",
        "function",
        "machine",
    )

    def __init__(
        self,
        function: Function,
        facts: KernelFacts,
        machine: Machine,
        compiler: Compiler = DEFAULT_COMPILER,
        measure: Callable[[], ExternalCoreCycles] | None = None,
        plans: PlanCache | None = None,
        beside: Sequence[KernelFacts] = (),
    ) -> None:
        self.function = function
        self.facts = facts
        self.machine = machine
        self.compiler = compiler
        self.beside = beside
        self._made: KernelPlan | None = None
        self._plans = plans or PlanCache()
        self._measure = measure
        self._external: ExternalCoreCycles | None = None

    @property
    def external(self) -> ExternalCoreCycles | None:
        """Cycles from a compiler's assembly, measured on first use; None: nobody wants any."""
        if self._external is None and self._measure is not None:
            self._external = self._measure()
        return self._external

    @property
    def plan_if_made(self) -> "CorePlan | None":
        """The plan if somebody has asked for it."""
        return None if self._made is None else self._made.plan

    @property
    def plan(self) -> "CorePlan":
        """The plan; raises ValueError for a machine whose file has no ``core``."""
        return self.made.plan

    @property
    def made(self) -> KernelPlan:
        """The plan with its planner; raises ValueError for a machine whose file has no ``core``."""
        if self._made is None:
            self._made = self._plans.of(self.function, self.facts, self.machine, self.compiler)
        return self._made

    def code_for(self, rows: "RowSpace") -> "tuple[Code, tuple[str, ...]]":
        """The code of the mean execution of the loop, with its assumptions."""
        from rooflint.core.rows import row_code

        made = self.made
        plan = made.plan.at(rows.values)
        _, notes = plan.code_for(rows.space.trips[-1])
        code = row_code(made.planner, plan, made.rests, rows)
        return code, plan.assumptions if code.vector.width > 1 else notes

    def body(self, code: "Code") -> "CompiledBody":
        """The instructions of ``code``, which is one of the plan's."""
        from rooflint.core.instructions import body_of

        return body_of(self.made.planner, code)

    def wrong_guesses(self, code: "Code") -> float:
        """Branches of an iteration of ``code``, which is one of the plan's, that are guessed wrong
        at most."""
        from rooflint.core.data_branches import wrong_guesses

        return wrong_guesses(self.facts.kernel, self.plan, code)

    def with_overlap(self, code: "Code", rows: "RowSpace") -> "Code":
        """``code`` of the plan, with what its chains cost where executions of the loop overlap."""
        trips = rows.space.trips[-1]
        if trips <= 0 or rows.space.executions <= trips:
            return code
        from rooflint.core.executions import execution_cy

        code = self._overlapped(code, rows)
        least = execution_cy(self.made.planner, code, rows) / trips
        return code._replace(recurrence_cy=least) if least > code.recurrence_cy else code

    def _between(self, rows: "RowSpace") -> "BetweenExecutions":
        """The room in the reorder buffer of the loops beside this one and of statements around it,
        and the entries of schedulers where they need what it makes. Trips that vary are taken as
        its own.
        """
        from rooflint.core.code import BetweenExecutions
        from rooflint.core.executions import needs_result, waiting_share

        micro_ops = held = 0.0
        for facts in self.beside:
            trips = 1.0
            if len(facts.kernel.loops) == len(self.facts.kernel.loops):
                count = number(facts.kernel.loops[-1].trip_count, rows.values)
                trips = rows.space.trips[-1] if count is None else count
            made = self._plans.of(self.function, facts, self.machine, self.compiler)
            code = made.plan.code_for(trips)[0]
            micro_ops += code.micro_ops * trips
            if needs_result(facts.kernel, self.made.planner):
                held += waiting_share(code, made.planner) * trips
        return BetweenExecutions(micro_ops=micro_ops, held=held)

    def _overlapped(self, code: "Code", rows: "RowSpace") -> "Code":
        """``code`` with the part of its chains that is left where executions overlap."""
        loops, core = self.facts.kernel.loops, self.machine.core
        if len(loops) < 2 or code.recurrence_cy <= 0:
            return code
        assert core is not None
        from rooflint.core.code import overlapped_chain_cy
        from rooflint.core.executions import begins_with_last
        from rooflint.core.graph.dependences import resumed_values
        from rooflint.core.rows import execution_lengths

        graph, flows = self.made.planner.graph, self.made.planner.memory.flows
        lengths = execution_lengths(rows)
        chain = overlapped_chain_cy(code, core, rows.space, lengths, self._between(rows))
        resumed = next(resumed_values(graph, flows, loops[-2]), None)
        if chain is None or resumed is not None or begins_with_last(self.made.planner):
            return code
        return code._replace(recurrence_cy=chain)
