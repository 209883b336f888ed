"""Values that a program gives to the sizes of its files, each with its origin."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from rooflint.facts.affine import own_size, trip_name
from rooflint.ir import CallCost, Function, Loop, Node, Poly, SourceFunction, Span, walk
from rooflint.records import NamedTuple
from rooflint.scenario.roles import SizeRole

ValueOrigin: TypeAlias = Literal[
    "command line", "comment", "configuration", "source", "source default", "callers", "role"
]
"""``source``: the one value that the source gives; ``source default``: one that input may replace;
``callers``: one of several that callers and assignments give; ``role``: a typical value of the
roles that names have, or computed from such; ``command line``, ``comment`` and ``configuration``:
computed from a value that was set there."""

DECIDED: Final[tuple[ValueOrigin, ...]] = (
    "command line", "comment", "configuration", "source", "source default",
)  # fmt: skip
"""Origins of values that hold before the extents of arrays."""
SEVERAL: Final[tuple[ValueOrigin, ...]] = ("callers",)
GUESSED: Final[tuple[ValueOrigin, ...]] = ("role",)


ValueSetting: TypeAlias = tuple[str, str, int, tuple[int, int] | None, int, int]
"""Name and origin of a value, its low end, quartiles, typical value and high end."""

MAX_SECONDS: Final = 600.0
"""That guesses may make a whole program last: a run that somebody makes to see how fast it is takes
no longer (judged)."""


class GuessedRange(NamedTuple):
    """A guessed size: ``quartiles`` enclose half of the programs measured, the ends nearly all.

    role  that the range is of, or of the size that decides it; None of values of callers
    """

    name: str
    low: int
    quartiles: tuple[int, int]
    typical: int
    high: int
    role: SizeRole | None = None


class ChainStep(NamedTuple):
    """A name that gets a value at ``place``, ``file.c:12``; empty where that is not known."""

    name: str
    value: int
    place: str = ""

    def __str__(self) -> str:
        return f"{self.name} = {self.value}{self.place and ', '}{self.place}"


class ScenarioValue(NamedTuple):
    """The value of a name of the program.

    scope      the function or the type that the name belongs to; empty for one of the whole program
    chain      the steps that lead to the typical value, the first one first
    quartiles  of a guessed value; they enclose half of the sizes of its role
    role       of a guessed value, or of the size that decides its range
    shrunk_from  the typical value, where a run of it would take too long or be too short; else 0
    """

    scope: str
    name: str
    low: int
    typical: int
    high: int
    origin: ValueOrigin
    chain: tuple[ChainStep, ...] = ()
    quartiles: tuple[int, int] | None = None
    role: SizeRole | None = None
    shrunk_from: int = 0

    @property
    def begin(self) -> str:
        """The first step in words; empty where there is none."""
        return str(self.chain[0]) if self.chain else ""


class CountedLoop(NamedTuple):
    """How often a loop began and its body ran in a run of the program, over all calls.

    origin      of the loop's node
    executions  None where the profile does not tell
    early_exit  whether a jump may leave the loop, so that its bound may lie above its trips
    inlined     whether it belongs to another function, whose other calls are counted too
    """

    origin: int
    executions: int | None
    iterations: int
    early_exit: bool = False
    inlined: bool = False

    @property
    def whole_trips(self) -> int:
        """Iterations of one execution as a size: the nearest whole number from 1; 0: unknown."""
        if not self.executions or not self.iterations:
            return 0
        return max(1, (2 * self.iterations + self.executions) // (2 * self.executions))

    @property
    def words(self) -> str:
        """``34 iterations in 10 executions``."""
        return f"{self.iterations} iterations in {self.executions} executions"


class NamesOfFunction(NamedTuple):
    """Parameters and variables of the function at ``span``: positions of their values."""

    span: Span
    names: Mapping[str, int]


class LoopValue(NamedTuple):
    """The position of the value of a loop's trip count.

    ``resumes``: the loop goes on where the call before left off, so that its bounds tell no count.
    """

    span: Span
    value: int
    resumes: bool = False


_span_of: Final = attrgetter("span")


class WeighedPlaces(NamedTuple):
    """Places of a file whose share of the program's time is known.

    functions  that the program reaches
    cold       of them and of their loops, those with less of the time than a finding has to have
    unreached  functions that no entry of the program leads to
    """

    functions: tuple[Span, ...] = ()
    cold: tuple[Span, ...] = ()
    unreached: tuple[Span, ...] = ()


NO_PLACES: Final = WeighedPlaces()


class FileScenario(NamedTuple):
    """The part of a scenario that concerns one file.

    functions  names of each function; ``inner`` those of one function alone, wherever that is
               called
    shared     names of the program: ``n`` of a variable, ``.n`` of a member, ``n()`` of a result
    loops      in the order of their spans; those that a macro makes share one, and its first value
    matched    names that were set and that the program has
    calls      costs of calls by their targets, as ``ir.Call`` has them
    in_teams   functions that mostly run inside of parallel loops, by way of their callers
    weighed    places with a share of the time, for a lint
    """

    values: tuple[ScenarioValue, ...] = ()
    functions: tuple[NamesOfFunction, ...] = ()
    inner: Mapping[str, int] = {}
    shared: Mapping[str, int] = {}
    loops: tuple[LoopValue, ...] = ()
    matched: frozenset[str] = frozenset()
    calls: Mapping[str, CallCost] = {}
    in_teams: tuple[Span, ...] = ()
    weighed: WeighedPlaces = NO_PLACES

    def of(self, source: SourceFunction) -> "FunctionScenario":
        """The values of a function's names and loops."""
        weighed = self.weighed
        if not (self.values or weighed.functions or weighed.unreached or self.in_teams):
            return NO_VALUES
        return FunctionScenario(
            file=self, spans=source.spans, own=self._own_names(source.span), span=source.span
        )

    def named(self, name: str, own: Mapping[str, int]) -> ScenarioValue | None:
        """The value of a size as the IR spells it, in a function with its ``own`` names."""
        position = self._position(name, own)
        return None if position is None else self.values[position]

    def counted(self, span: Span) -> ScenarioValue | None:
        """The trip count of the loop at ``span``."""
        loop = self._loop_at(span)
        return None if loop is None else self.values[loop.value]

    def resumes(self, span: Span) -> bool:
        """Whether the loop at ``span`` goes on where the call before left off."""
        loop = self._loop_at(span)
        return loop is not None and loop.resumes

    def _loop_at(self, span: Span) -> LoopValue | None:
        position = bisect_left(self.loops, span, key=_span_of)
        loop = self.loops[position] if position < len(self.loops) else None
        return loop if loop is not None and loop.span == span else None

    def _own_names(self, span: Span) -> Mapping[str, int]:
        return next((each.names for each in self.functions if each.span == span), {})

    def _position(self, name: str, own: Mapping[str, int]) -> int | None:
        plain = _without_number(name).replace("->", ".")
        outer, dot, last = plain.rpartition(".")
        if not last or not last[0].isidentifier():
            return None
        last = _subscripted(last)
        if dot:
            return self._member_position(outer, last, own)
        places = (
            (own, last),
            (own, f".{last}"),
            (self.shared, last),
            (self.shared, f".{last}"),
            (self.inner, last),
        )
        return next((names[key] for names, key in places if key in names), None)

    def _member_position(self, outer: str, last: str, own: Mapping[str, int]) -> int | None:
        """The value of ``outer.last``: that of the container or the member of this name."""
        keys = [f"{outer.rpartition('.')[2]}.{last}"] if last == "size()" else []
        keys.append(f".{last}")
        found = [names[key] for key in keys for names in (own, self.shared) if key in names]
        if not found and "(" in last:
            return self.shared.get(last)
        return found[0] if found else None


NO_SCENARIO: Final = FileScenario()
NO_SPAN: Final = Span(line=0, column=0, end_line=0, end_column=0)


class FunctionScenario(NamedTuple):
    """The values of a function: of sizes by their names, of trip counts by node."""

    file: FileScenario
    spans: Sequence[Span]
    own: Mapping[str, int]
    span: Span = NO_SPAN

    @property
    def in_team(self) -> bool:
        """Whether threads of a team each run the function's code, that of its serial loops too."""
        return self.span in self.file.in_teams

    @property
    def is_weighed(self) -> bool:
        """Whether the share of the function, and of each of its loops, is known."""
        return self.span in self.file.weighed.functions

    @property
    def is_unreached(self) -> bool:
        """Whether no run of the program calls the function."""
        return self.span in self.file.weighed.unreached

    def is_cold(self, origin: int) -> bool:
        """Whether a node, or the function (-1), has so small a share that nothing there counts.

        Shares are those of a function without what it calls. Where it has copies of code that
        counts in a function of its own, nothing but these tells what its loops take.
        """
        return self.has_small_share(origin) and not self._has_warm_copies

    def has_small_share(self, origin: int) -> bool:
        """The same without what the function has copies of."""
        cold = self.file.weighed.cold
        if self.span in cold or self.is_unreached:
            return True
        return 0 <= origin < len(self.spans) and self.spans[origin] in cold

    @property
    def _has_warm_copies(self) -> bool:
        """Whether nodes come from other functions of the file that take some of the time."""
        weighed = self.file.weighed
        others = {each for each in self.spans if not each.lies_in(self.span)}
        return bool(others) and any(
            function not in weighed.cold
            for function in weighed.functions
            if any(copied.lies_in(function) for copied in others)
        )

    @property
    def cold(self) -> tuple[int, ...]:
        """Nodes of such loops, and -1 for such a function."""
        cold = frozenset(self.file.weighed.cold)
        places = enumerate((self.span, *self.spans), start=-1)
        whole = self.span in cold or self.is_unreached
        small = tuple([node for node, span in places if whole or span in cold])
        return () if small and self._has_warm_copies else small

    def named(self, name: str) -> ScenarioValue | None:
        """The value of a size as the IR spells it."""
        return self.file.named(name, self.own) if self.file.values else None

    def trips(self, origin: int) -> ScenarioValue | None:
        """The trip count of the loop that is this node."""
        if self.file.loops and 0 <= origin < len(self.spans):
            return self.file.counted(self.spans[origin])
        return None

    def resumed_trips(self, origin: int) -> ScenarioValue | None:
        """The trip count of the loop that is this node, if it goes on where a call left off."""
        if 0 <= origin < len(self.spans) and self.file.resumes(self.spans[origin]):
            return self.trips(origin)
        return None

    def settings(self, function: Function) -> Iterator[ValueSetting]:
        """All that results of the function rest on: values without the way to them."""
        if not self.file.values:
            return
        found = [(name, self.named(name)) for name in size_names(function)]
        for node in walk(function.body):
            if isinstance(node, Loop) and (own_size(node) or self.resumed_trips(node.origin)):
                found.append((f"#{node.origin}", self.trips(node.origin)))
        for key, value in found:
            if value is not None:
                yield str(key), value.origin, value.low, value.quartiles, value.typical, value.high


NO_VALUES: Final = FunctionScenario(NO_SCENARIO, (), {})


def _without_number(name: str) -> str:
    """``n`` for ``n'2``, the second variable of that name."""
    return name.partition("'")[0]


def _subscripted(name: str) -> str:
    """``p[*]`` for ``p[i]``: the name of elements at an index that varies."""
    base, bracket, index = name.partition("[")
    if not bracket or "]" in index[:-1]:  # row[i+1]-row[i]
        return name
    return name if index[:-1].isdecimal() else f"{base}[*]"


def size_names(function: Function) -> list[str]:
    """Names that the loops and accesses of a function may need a value for."""
    names: dict[str, None] = {}
    indices: set[str] = set()
    for node in walk(function.body):
        if isinstance(node, Loop):
            indices.add(node.index)
            names[str(trip_name(node))] = None
        for poly in _sizes_of(node):
            names.update(dict.fromkeys(sorted(poly.names())))
    for array in function.arrays:
        for extent in filter(None, array.extents):
            names.update(dict.fromkeys(sorted(extent.names())))
    return [name for name in names if name and name not in indices]


def _sizes_of(node: Node) -> Iterable[Poly]:
    if isinstance(node, Loop):
        return node.lower, node.upper, node.step
    return [access.offset for access in getattr(node, "accesses", ())]
