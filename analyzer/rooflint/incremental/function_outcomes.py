"""Functions that were analysed before, wherever they stand now.

They are known by what they are, not by where they stand, so an edit of a file costs the functions
that it changed: code that moves, a comment, another header or another ``#ifdef`` costs a look-up.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from rooflint.config.comments import Scope
from rooflint.incremental.store import ContentKey, DigestStore, MemoryStore, content_key
from rooflint.ir import Function, SourceFunction, walk
from rooflint.plugin_api.report import FunctionReport
from rooflint.records import NamedTuple
from rooflint.scenario.values import NO_VALUES, CountedLoop, FunctionScenario, ValueSetting
from rooflint.workers.storage import compress, decompress
from rooflint.workers.wire import Codec, WireError

MAX_FUNCTIONS: Final = 10_000
"""Of one file; a message with the reports of so many would be too large."""

Answer = TypeVar("Answer")
SizeSettings = tuple[tuple[str, int], ...]


class FunctionCounts(NamedTuple):
    """The counts of a function in a run of the program; ``calls`` is None where no profile tells.

    ``loops``: from the one whose trips tell most of its bound to the one that tells least.
    """

    calls: int | None = None
    loops: tuple[CountedLoop, ...] = ()


NO_COUNTS: Final = FunctionCounts()


class FunctionInputs(NamedTuple):
    """All that the report of a function rests on beside machines, models and the compiler.

    origins  numbers of its nodes: a report refers to them, and equality of functions does not
    off      nodes that a comment takes out of the report
    values   sizes and trip counts that the program decides
    in_team  threads of a team each run it
    """

    function: Function
    origins: tuple[int, ...]
    sizes: SizeSettings
    trips: SizeSettings
    noalias: tuple[tuple[str, ...], ...]
    threads: int | None
    off: tuple[int, ...]
    counts: FunctionCounts = NO_COUNTS
    values: tuple[ValueSetting, ...] = ()
    in_team: bool = False


class FunctionOutcome(NamedTuple):
    """A function's report with numbers for lines, None without kernels; names that can be set."""

    report: FunctionReport | None
    names: frozenset[str]


INPUTS: Final = Codec[FunctionInputs](FunctionInputs)
OUTCOMES: Final = Codec[dict[str, FunctionOutcome]](dict[str, FunctionOutcome])


class FunctionQuestion(NamedTuple):
    """A function, and what its report rests on beside machines, models and the compiler.

    ``off``: nodes that a comment takes out of the report.
    """

    source: SourceFunction
    scope: Scope
    off: frozenset[int] = frozenset()
    counts: FunctionCounts = NO_COUNTS
    values: FunctionScenario = NO_VALUES

    @property
    def inputs(self) -> FunctionInputs:
        """Its contents, wherever the function stands."""
        function = self.source.function
        return FunctionInputs(
            function=function,
            origins=tuple([node.origin for node in walk(function.body)]),
            sizes=tuple(sorted(self.scope.sizes.items())),
            trips=tuple(sorted(self.scope.trips.items())),
            noalias=self.scope.noalias,
            threads=self.scope.threads,
            off=tuple(sorted(self.off)),
            counts=self.counts,
            values=tuple(self.values.settings(function)),
            in_team=self.values.in_team,
        )


class FunctionMemo(Protocol):
    """Knows functions that were analysed before."""

    def outcome(
        self, question: FunctionQuestion, compute: Callable[[], FunctionOutcome]
    ) -> FunctionOutcome:
        """The stored outcome, else that of ``compute``, whose errors are not stored."""


class AboutFunction(NamedTuple):
    """A function, the values of its sizes, and the conditions of an answer about it."""

    source: SourceFunction
    values: FunctionScenario
    conditions: object


class KnownAnswers:
    """Knows answers about functions from one text of a file to the next: here none."""

    def answer(self, question: AboutFunction, compute: Callable[[], Answer]) -> Answer:
        """The answer about the very same function with the same values and under equal conditions,
        else that of ``compute``."""
        return compute()


NOTHING_KNOWN: Final = KnownAnswers()


class FunctionOutcomes:
    """The functions of one analysis of a file, taken from a store where it has them.

    ``settings`` are contents that all of them rest on besides.

    computed  how many had to be analysed
    """

    def __init__(self, store: DigestStore[FunctionOutcome], *settings: str) -> None:
        self.computed = 0
        self._store = store
        self._settings = settings
        self._used: dict[str, FunctionOutcome] = {}

    def outcome(
        self, question: FunctionQuestion, compute: Callable[[], FunctionOutcome]
    ) -> FunctionOutcome:
        """As FunctionMemo has it."""
        key = content_key(*self._settings, INPUTS.canonical(question.inputs))
        outcome = self._store.get(key)
        if outcome is None:
            self.computed += 1
            outcome = compute()
            self._store.put(key, outcome)
        self._used[key] = outcome
        return outcome

    def packed(self) -> bytes:
        """The functions of this analysis for the next one; empty where that has them already, or
        where they are too many."""
        if not self.computed:
            return b""
        try:
            return compress(OUTCOMES, self._used)
        except WireError:
            return b""


def unpacked_outcomes(packed: bytes) -> MemoryStore[FunctionOutcome]:
    """The functions that an earlier analysis has packed; empty for anything else."""
    store = MemoryStore[FunctionOutcome](MAX_FUNCTIONS)
    try:
        outcomes = decompress(OUTCOMES, packed) if packed else {}
    except WireError:
        outcomes = {}
    for key, outcome in outcomes.items():
        store.put(ContentKey(key), outcome)
    return store
