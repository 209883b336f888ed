"""The result of a run, as renderers get it: the same tree as the JSON contract, typed.

Columns are 1-based UTF-8 bytes. Bytes and flops of a kernel are per iteration of its own loop;
``Totals`` cover all iterations of everything in a function. Unknown or infinite is None.
Traffic, regimes and misses are those of ``rooflint.memory``, which plugins import from here.
The types are tuples because sixteen dataclasses cost a tenth of what analysing a small file may.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

from rooflint.ir import Diagnostic, Reason, ReasonKind, Refusal
from rooflint.machine.parts import Pattern
from rooflint.memory.conflicts import ArrayConflict as ArrayConflict
from rooflint.memory.conflicts import MissKinds as MissKinds
from rooflint.memory.regimes import Block as Block
from rooflint.memory.regimes import Condition as Condition
from rooflint.memory.regimes import CountedLink as CountedLink
from rooflint.memory.regimes import Regime as Regime
from rooflint.memory.traffic import LineTotals as LineTotals
from rooflint.memory.traffic import LinkTraffic as LinkTraffic
from rooflint.plugin_api.advice import Advice, Silence
from rooflint.plugin_api.advice import RuleText as RuleText
from rooflint.plugin_api.machine_report import BandwidthRoof as BandwidthRoof
from rooflint.plugin_api.machine_report import ComputeRoof as ComputeRoof
from rooflint.plugin_api.machine_report import DoubtfulFigure as DoubtfulFigure
from rooflint.plugin_api.machine_report import MachineReport as MachineReport
from rooflint.plugin_api.prediction import LimitShare, Prediction
from rooflint.plugin_api.prediction import ModelText as ModelText
from rooflint.plugin_api.program_report import COUNTS as COUNTS
from rooflint.plugin_api.program_report import COUNTS_AND_SIZES as COUNTS_AND_SIZES
from rooflint.plugin_api.program_report import PROFILE as PROFILE
from rooflint.plugin_api.program_report import STATIC as STATIC
from rooflint.plugin_api.program_report import BranchCountsReport as BranchCountsReport
from rooflint.plugin_api.program_report import CountGapReport as CountGapReport
from rooflint.plugin_api.program_report import FileCountsReport as FileCountsReport
from rooflint.plugin_api.program_report import GuessBasis as GuessBasis
from rooflint.plugin_api.program_report import LimiterReport as LimiterReport
from rooflint.plugin_api.program_report import LoopCountsReport as LoopCountsReport
from rooflint.plugin_api.program_report import LoopWeight as LoopWeight
from rooflint.plugin_api.program_report import ShareOrigin as ShareOrigin
from rooflint.plugin_api.program_report import SizeDoubt as SizeDoubt
from rooflint.plugin_api.program_report import SizeRange as SizeRange
from rooflint.plugin_api.program_report import SizeValue as SizeValue
from rooflint.plugin_api.program_report import share_words as share_words
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.scenario import EntryOrigin, EntryState


class LoopHeader(NamedTuple):
    """An enclosing loop: ``trip_count`` and ``step`` in closed form as text."""

    index: str  # type: ignore[assignment]  # hides tuple.index, which nobody calls here
    line: int
    trip_count: str
    step: str


class WorkReport(NamedTuple):
    """Per iteration. ``operations``: ``{"add.f64": 3}``; flops counted as written, fma = 2."""

    type: str
    flops: float
    operations: Mapping[str, float]
    loads: float
    stores: float


class CoverageGap(NamedTuple):
    """Something in the kernel that the numbers leave out."""

    line: int
    reason: Reason


class SkippedModel(NamedTuple):
    """A model that did not answer for this kernel: not applicable, or it failed (``failed``)."""

    model: str
    reason: str
    failed: bool = False


class VectorReport(NamedTuple):
    """Iterations that the compiler runs at once, and why only one where it is one."""

    width: int
    reason: str | None
    compiler: str = ""


class PaddingReport(NamedTuple):
    """``more_bytes`` at the end of each row of an array leave ``level`` so many ``misses``."""

    array: str
    row_bytes: int
    more_bytes: int
    level: str
    misses: float


class ReuseReport(NamedTuple):
    """Reuse of a kernel: layers that stay in caches, misses, and remedies."""

    regimes: tuple[Regime, ...] = ()
    blocks: tuple[Block, ...] = ()
    misses: tuple[MissKinds, ...] = ()
    padding: PaddingReport | None = None
    conditions: tuple[Condition, ...] = ()


class EntryPrediction(NamedTuple):
    """A model with the caches in the other state when the function is called."""

    model: str
    headline: str
    cycles_per_iteration: float | None


class EntryReport(NamedTuple):
    """The state of the caches when the function is called, and what decided it.

    level     the nearest level that still holds the kernel's data; None where caches are cold
    opposite  the models whose prediction is another in the other state
    """

    state: EntryState
    origin: EntryOrigin
    level: str | None = None
    opposite: tuple[EntryPrediction, ...] = ()


class MachineResult(NamedTuple):
    """Everything said of one kernel on one machine; ``trips`` per loop, outermost first.

    ``vector`` is None where no model asked how the loop is compiled. ``pattern`` is the mix of
    loads and stores whose bandwidths hold for it. ``doubtful`` are the machine's, by dotted path.
    ``limits``: how near a measured loop comes to the models' predictions.
    ``entry`` is None where no cache is modelled, ``limiter`` where no guessed size is tried.
    ``estimates``: answers for the verdict alone. ``calls``: cycles of an iteration in calls, by
    function: of its body, with parallel regions on the machine's cores, or the library's times.
    ``arm_shares``: per loop, the part of the executions of the code around it that reach it; the
    arms of a branch share them out, so that sums over a function count one of them.
    """

    machine: str
    cores: int
    cores_origin: str
    sizes: Mapping[str, SizeValue]
    trips: tuple[float | None, ...]
    traffic: tuple[LinkTraffic, ...]
    predictions: tuple[Prediction, ...]
    skipped: tuple[SkippedModel, ...] = ()
    advice: tuple[Advice, ...] = ()
    assumptions: tuple[str, ...] = ()
    vector: VectorReport | None = None
    reuse: ReuseReport = ReuseReport()
    pattern: Pattern | None = None
    doubtful: tuple[str, ...] = ()
    limits: tuple[LimitShare, ...] = ()
    entry: EntryReport | None = None
    limiter: LimiterReport | None = None
    estimates: tuple[Prediction, ...] = ()
    calls: Mapping[str, float] = {}
    arm_shares: tuple[float, ...] = ()


class StreamReport(NamedTuple):
    """How the references to an array that move alike walk: ``stride`` is bytes per iteration.

    stride     in closed form as text; None where unknown
    pattern    ``contiguous``, ``strided``, ``invariant`` (stays in a register) or ``gather``
    backwards  towards lower addresses, as far as the source tells
    """

    array: str
    stride: str | None
    pattern: str
    backwards: bool = False


class KernelReport(NamedTuple):
    """A kernel and its results, one per machine in the order asked for.

    weight        None where the program does not reach the loop
    end_line      that of its loop
    """

    id: str
    line: int
    column: int
    innermost: bool
    loops: tuple[LoopHeader, ...]
    work: WorkReport
    not_covered: tuple[CoverageGap, ...]
    results: tuple[MachineResult, ...]
    streams: tuple[StreamReport, ...] = ()
    weight: LoopWeight | None = None
    end_line: int = 0


class NestReport(NamedTuple):
    """An outermost loop and its kernels."""

    line: int
    end_line: int
    kernels: tuple[KernelReport, ...]


class Totals(NamedTuple):
    """Everything in a function over all iterations, on one machine; flops None: not countable."""

    machine: str
    cores: int
    flops: int | None
    traffic: tuple[LineTotals, ...]


MeasurementStanding: TypeAlias = Literal["exact", "other conditions", "before a change"]
"""``exact``: the code, flags, compiler, processor and sizes of the measurement are those of the
report. ``before a change``: the code, its flags or the compiler are others now."""


class MeasuredPrediction(NamedTuple):
    """A model at the point of a measurement."""

    model: str
    cycles_per_iteration: float


class MeasuredLoop(NamedTuple):
    """A measurement of a function, or of the nest on ``line``, that the user made before.

    machine      whose models were held against it, with the data in ``level``
    """

    standing: MeasurementStanding
    line: int | None
    machine: str
    cores: int
    level: str
    cycles_per_iteration: float
    sizes: Mapping[str, int]
    cpu: str
    compiler: str
    predictions: tuple[MeasuredPrediction, ...]


class FunctionReport(NamedTuple):
    """One function with its loop nests; ``assumptions`` hold for all of it.

    measured  what the user's store has of it; a run that reads no store leaves it empty
    weight    its calls, and its share of the time with all loops inside, without its callees
    values    those of its sizes, a name once unless its nests differ
    """

    name: str
    line: int
    column: int
    nests: tuple[NestReport, ...]
    totals: tuple[Totals, ...]
    assumptions: tuple[str, ...] = ()
    measured: tuple[MeasuredLoop, ...] = ()
    weight: LoopWeight | None = None
    end_line: int = 0
    values: tuple[SizeRange, ...] = ()

    def kernels(self) -> Iterator[KernelReport]:
        """All kernels, in the order of the source."""
        for nest in self.nests:
            yield from nest.kernels

    def has_own(self, kernel: KernelReport) -> bool:
        """Whether a kernel is the function's own text, and no callee's that was inlined."""
        return self.line <= kernel.line <= self.end_line

    def with_kernels(self, change: Callable[[KernelReport], KernelReport]) -> "FunctionReport":
        """The function with each of its kernels changed."""
        nests = [nest._replace(kernels=tuple(map(change, nest.kernels))) for nest in self.nests]
        return self._replace(nests=tuple(nests))


class SourceExcerpt(NamedTuple):
    """Consecutive lines as they were when the file was analysed; ``line`` is the first one's."""

    line: int
    lines: tuple[str, ...]


class FileReport(NamedTuple):
    """One source file. status: ``ok``, ``partial`` (something refused) or ``failed``.

    source    the loops' lines and a few around them, in order, for formats that show code
    findings  what the lint says, those of the most time saved first; empty where nothing lints
    silent    what matched and is no finding, and why
    counts    of a run; None where no profile covers the file
    entries   functions that a run of the program begins with, which in a library are several; 0
              where that is unknown, or a run was measured
    """

    path: str
    status: str
    functions: tuple[FunctionReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    assumptions: tuple[str, ...] = ()
    source: tuple[SourceExcerpt, ...] = ()
    findings: tuple[Advice, ...] = ()
    silent: tuple[Silence, ...] = ()
    counts: FileCountsReport | None = None
    entries: int = 0

    def kernels(self) -> Iterator[KernelReport]:
        """All kernels, in the order of the source."""
        for function in self.functions:
            yield from function.kernels()

    def failed_models(self) -> Iterator[tuple[int, SkippedModel]]:
        """The models that failed, each with the line of its kernel."""
        for kernel in self.kernels():
            for result in kernel.results:
                for skipped in result.skipped:
                    if skipped.failed:
                        yield kernel.line, skipped


class Summary(NamedTuple):
    """Loops seen, analysed, and refused by kind of reason. loops = analysed + sum(refused)."""

    loops: int
    analysed: int
    refused: Mapping[ReasonKind, int] = {}


class VariationStop(NamedTuple):
    """A run with another value of one size, or on another number of cores."""

    value: int
    report: "Report"


class Variation(NamedTuple):
    """Runs that differ from the report's in one quantity: a size by its name, or ``cores``.

    own  its value in the report; None for cores that the code decides
    """

    name: str
    own: int | None
    stops: tuple[VariationStop, ...]


class Report(NamedTuple):
    """A whole run, files in the order they were named or found.

    ``rules`` and ``models``: those that ran, for formats that explain them. ``scenario``: the named
    one whose sizes hold; empty: none. ``doubts``: guesses that decide most, the first most of all.
    ``verdicts``: one for each kernel and machine, in the order of the files. ``what_if``: runs at
    other values, for a page with sliders.
    """

    version: str
    machines: tuple[MachineReport, ...]
    files: tuple[FileReport, ...]
    summary: Summary
    plugin_failures: tuple[str, ...] = ()
    rules: tuple[RuleText, ...] = ()
    models: tuple[ModelText, ...] = ()
    scenario: str = ""
    doubts: tuple[SizeDoubt, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    what_if: tuple[Variation, ...] = ()

    def missing_headers(self) -> tuple[str, ...]:
        """The headers that no file found, each once."""
        found = {
            diagnostic.subject
            for file in self.files
            for diagnostic in file.diagnostics
            if diagnostic.kind == "missing-header"
        }
        return tuple(sorted(found))
