"""The statements of a file as they are collected, function by function."""

from itertools import chain

from msgspec.structs import replace

from rooflint.frontend.equations.callees.targets import FunctionTargets
from rooflint.frontend.equations.counters import CounterTable
from rooflint.frontend.equations.position import CodePosition
from rooflint.frontend.equations.quantities import QuantityTable, element_equations
from rooflint.frontend.equations.tables import TableReader
from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.equations.work import WorkCounter
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.ir import Comment
from rooflint.ir.equations import (
    Accessor,
    BoundedLoop,
    BranchSite,
    CounterStep,
    DefinedFunction,
    Equation,
    Equations,
    UpperEnd,
)
from rooflint.records import NamedTuple


class PartMarks(NamedTuple):
    """How many records of each kind there are where the part of a function begins.

    ``steps``: of counters, also of those that never grow.
    """

    quantities: int = 0
    equations: int = 0
    accessors: int = 0
    functions: int = 0
    loops: int = 0
    calls: int = 0
    branches: int = 0
    pointer_calls: int = 0
    addresses: int = 0
    pointer_flows: int = 0
    work: int = 0
    tables: int = 0
    steps: int = 0


class FunctionPart(NamedTuple):
    """The part of a file's equations that one function has.

    function   the key of the declaration's cursor
    marks      where its records begin; they end where those of the next function begin
    ends       its own upper ends, also those that other functions have too
    mentioned  positions of all quantities that it speaks of
    """

    function: int
    marks: PartMarks
    ends: tuple[UpperEnd, ...] = ()
    mentioned: frozenset[int] = frozenset()


class CollectedEquations:
    """The records of one file so far; ``parts`` are those of its functions."""

    def __init__(self, context: LoweringContext, path: str) -> None:
        self._path = path
        self.position = CodePosition()
        self.table = QuantityTable(context.unit, path)
        self.reader = TermReader(context, self.table)
        self.tables = TableReader(self.reader, self.position)
        self.targets = FunctionTargets(self.table, context.unit.source, self.position)
        self.work = WorkCounter(context.unit, self.position)
        self.counters = CounterTable(self.position)
        self.records: dict[Equation, None] = {}
        self.accessors: list[Accessor] = []
        self.functions: list[DefinedFunction] = []
        self.loops: list[BoundedLoop] = []
        self.branches: list[BranchSite] = []
        self.upper_ends: dict[UpperEnd, None] = {}
        self.parts: list[FunctionPart] = []
        self._begun = PartMarks()

    def begin_part(self) -> None:
        """A function begins."""
        self._begun = self.marks()
        self.upper_ends = {}
        self.table.mentioned.clear()

    def end_part(self, function: int) -> None:
        """The function ends; ``function`` is its key."""
        self.parts.append(
            FunctionPart(
                function=function,
                marks=self._begun,
                ends=tuple(self.upper_ends),
                mentioned=frozenset(self.table.mentioned),
            )
        )

    def marks(self) -> PartMarks:
        """How many records there are so far."""
        return PartMarks(
            quantities=len(self.table.quantities),
            equations=len(self.records),
            accessors=len(self.accessors),
            functions=len(self.functions),
            loops=len(self.loops),
            calls=len(self.targets.calls),
            branches=len(self.branches),
            pointer_calls=len(self.targets.pointer_calls),
            addresses=len(self.targets.addresses),
            pointer_flows=len(self.targets.pointers.flows),
            work=self.work.count_of_sites,
            tables=len(self.tables.accesses),
            steps=self.counters.count,
        )

    def equations(self, comments: tuple[Comment, ...]) -> Equations:
        """All that was collected, and what it leaves to be said of elements."""
        return with_elements(self.statements(comments))

    def statements(self, comments: tuple[Comment, ...]) -> Equations:
        """All that was collected."""
        return Equations(
            path=self._path,
            quantities=tuple(self.table.quantities),
            equations=tuple(self.records),
            accessors=tuple(self.accessors),
            functions=tuple(self.functions),
            loops=tuple(self.loops),
            calls=tuple(self.targets.calls),
            branches=tuple(self.branches),
            pointer_calls=tuple(self.targets.pointer_calls),
            addresses=tuple(self.targets.addresses),
            pointer_flows=tuple(self.targets.pointers.flows),
            work=self.work.sites(),
            counters=growing_steps(self.counters.all_steps),
            upper_ends=joined_ends(self.parts),
            comments=comments,
            tables=tuple(self.tables.accesses),
        )


def with_elements(equations: Equations) -> Equations:
    """With the equations of elements that none sets, behind those of all functions."""
    known = {each.target for each in equations.equations}
    elements = element_equations(equations.quantities, known)
    return replace(equations, equations=(*equations.equations, *elements))


def growing_steps(steps: "tuple[CounterStep, ...]") -> tuple[CounterStep, ...]:
    """Those of quantities that grow anywhere in the file."""
    growing = {each.target for each in steps if each.grows}
    return tuple([each for each in steps if each.target in growing])


def joined_ends(parts: "list[FunctionPart] | tuple[FunctionPart, ...]") -> tuple[UpperEnd, ...]:
    """The upper ends of all functions, each once."""
    return tuple(dict.fromkeys(chain.from_iterable([part.ends for part in parts])))
