"""Results of a measurement: its points, the conditions they were taken under, and the models."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from rooflint.machine.probe.host_load import HostLoad
from rooflint.measure.confrontation.comparison import ModelComparison, SlopeTerm
from rooflint.measure.confrontation.course import Course
from rooflint.measure.confrontation.forecast import Forecast, Forecaster
from rooflint.measure.counters.counting import CallCounts, CountObstacle
from rooflint.measure.counters.tools import CounterAbsence
from rooflint.measure.program import IndexFill, MeasureMode, MemoryState, Program
from rooflint.measure.protocol import Figure, MeasureVerdict
from rooflint.measure.records import Batch, ProcessRun, SandboxRecord
from rooflint.measure.refusals import MeasureRefusal
from rooflint.measure.sizes.host import Host

PerIteration: TypeAlias = Literal["slope", "call"]
"""How cycles per iteration come about: from two sizes, or from calls divided by iterations."""


class RunConditions(Struct, frozen=True, kw_only=True):
    """Conditions while the processes ran.

    load         the larger one of before and after
    steal_s      that the hypervisor gave to others meanwhile, on all cores
    waited_s     wall time minus processor time of the batches: another job had the core
    switches     involuntary ones, in batches
    clock_ghz, adds_per_cy, stream_gb_s  the best of the references; None where they did not run
    """

    load: float
    steal_s: float
    waited_s: float
    switches: int
    clock_ghz: float | None
    adds_per_cy: float | None
    stream_gb_s: float | None
    sandbox: SandboxRecord | None


class ModelScaling(Struct, frozen=True, kw_only=True):
    """A model's performance of several cores over that of one; None where it says nothing.

    saturation_cores  cores that saturate the memory of their domain: n_S
    """

    model: str
    speedup: float | None
    saturation_cores: int | None


class CoreScaling(Struct, frozen=True, kw_only=True):
    """Performance of several cores over that of one, with the data in the same level."""

    speedup: float
    models: tuple[ModelScaling, ...]


class PointMeasurement(Struct, frozen=True, kw_only=True):
    """A function at one point.

    cores          that run it at once, each with data of its own: figures per call and per
                   iteration are those of all cores together, ``touched_bytes`` those of one
    scaling        where several do, and one core was measured too
    counted        by hardware counters, or why not; None where there are none
    target         level that the sizes were to put the data into; empty where sizes were given
    limited        the memory of this computer or the limit of the run allows no larger data
    level          the nearest that holds what a call touches
    iterations     of the loop that runs most often, per call
    cy_per_iteration  and how it came about; ``spread`` of a slope, as a share of it, and the sizes
                   of the slope
    refusal        in place of a figure
    """

    sizes: dict[str, int]
    cores: int
    state: MemoryState
    level: str
    target: str = ""
    limited: bool = False
    touched_bytes: int = 0
    iterations: float | None = None
    cy_per_iteration: float | None = None
    per_iteration: PerIteration = "call"
    spread: float | None = None
    slope: tuple[SlopeTerm, ...] = ()
    figure: Figure | None = None
    refusal: MeasureRefusal | None = None
    conditions: RunConditions | None = None
    forecast: Forecast | None = None
    models: tuple[ModelComparison, ...] = ()
    scaling: CoreScaling | None = None
    counted: CallCounts | CountObstacle | None = None
    seconds: float = 0.0

    @property
    def verdict(self) -> MeasureVerdict:
        """Of the figure; ``REFUSED`` without one."""
        return self.figure.verdict if self.figure is not None else MeasureVerdict.REFUSED


class BuildFacts(Struct, frozen=True, kw_only=True):
    """How a program was built, where it ran, and whose models predict.

    cpu              name of the processor
    machine          whose models predict; ``is_host``: it describes this computer's core
    compiler, flags  its version line, and those of the flags that shape code
    stubs            functions that stubs replace
    notes            sentences about the data
    doubtful         figures of the machine, by dotted path
    indices          how integers in arrays are filled
    no_counters      why no tool counts events of the hardware; empty where one does, or where
                     nobody asked
    """

    cpu: str
    machine: str
    is_host: bool
    compiler: str
    flags: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    indices: IndexFill = "near"
    no_counters: CounterAbsence = ()


class MeasurementReport(Struct, frozen=True, kw_only=True):
    """All points of one function or nest; ``course``: predictions along a sweep, for pictures."""

    path: str
    function: str
    line: int
    mode: MeasureMode
    build: BuildFacts
    points: tuple[PointMeasurement, ...]
    seconds: float
    course: Course | None = None

    @property
    def id(self) -> str:
        """Of the function in its file; of a nest with its line."""
        place = f":{self.line}" if self.mode is MeasureMode.MARKS else ""
        return f"{self.path}:{self.function}{place}"


def build_facts(
    program: Program,
    forecaster: Forecaster,
    host: Host,
    indices: IndexFill,
    no_counters: CounterAbsence = (),
) -> BuildFacts:
    """The facts of a program that runs on ``host``."""
    return BuildFacts(
        cpu=host.cpu,
        machine=forecaster.machine.name,
        is_host=forecaster.describes(host.core),
        compiler=program.compiler,
        flags=_shown_flags(program.flags),
        stubs=program.stubs,
        notes=program.notes,
        doubtful=forecaster.machine.doubtful,
        indices=indices,
        no_counters=no_counters,
    )


def _shown_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Those that shape code: the language and the folder of headers follow from the file."""
    languages = {place + 1 for place, flag in enumerate(flags) if flag == "-x"}
    shown = [f for place, f in enumerate(flags) if f != "-x" and place not in languages]
    return tuple([flag for flag in shown if not flag.startswith("-iquote")])


def conditions_of(runs: Sequence[ProcessRun], before: HostLoad, after: HostLoad) -> RunConditions:
    """Records of the processes and the system, summed up."""
    batches = [batch for run in runs for batch in run.batches]
    sentinels = [each for run in runs for each in run.sentinels]
    sandboxes = [run.sandbox for run in runs]
    return RunConditions(
        load=max(before.load, after.load),
        steal_s=max(0.0, after.steal_s - before.steal_s),
        waited_s=sum(map(_waited_s, batches)),
        switches=sum([batch.switches for batch in batches]),
        clock_ghz=_best([each.ghz for each in sentinels]),
        adds_per_cy=_best([each.adds_per_cy for each in sentinels]),
        stream_gb_s=_best([each.stream_gb_s for each in sentinels]),
        sandbox=next(filter(None, sandboxes), None),
    )


def _waited_s(batch: Batch) -> float:
    return max(0.0, batch.wall_s - batch.processor_s)


def _best(rates: Sequence[float]) -> float | None:
    """The highest; None where the reference did not run."""
    return max(rates, default=0.0) or None
