"""The verdict on a loop: the one record that every report, hint, page and finding shows.

Times are cycles per iteration, of one core at the record's clock, all active cores together; their
seconds follow from the iterations. Kinds, reasons and states are enums: words are made where people
read them. A later step of making a verdict fills absent fields and changes no present one.
"""

from enum import Enum
from math import isfinite

from rooflint.plugin_api.action import Action as Action
from rooflint.plugin_api.action import ActionKind as ActionKind
from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.terms import Limiter, TimeTerm
from rooflint.records import NamedTuple
from rooflint.scenario import EntryState
from rooflint.scenario.sensitivity import Sensitivity, Stability


class TimeRelation(Enum):
    """How the time of a verdict relates to that of the loop."""

    EQUALS = "equals"
    AT_LEAST = "at_least"
    RANGE = "range"
    UNKNOWN = "unknown"


class VerdictReason(Enum):
    """A reason for a limiter, for a doubt, or for a missing number."""

    FLOOR_ABOVE_ESTIMATE = "floor_above_estimate"
    MODELS_DIFFER = "models_differ"
    NO_ESTIMATE = "no_estimate"
    NOT_PREDICTED = "not_predicted"
    CODE_NOT_COUNTED = "code_not_counted"
    UNKNOWN_ADDRESSES = "unknown_addresses"
    UNKNOWN_BRANCHES = "unknown_branches"
    SIZE_GUESSED = "size_guessed"
    SIZE_DECIDES = "size_decides"
    GENERIC_MACHINE = "generic_machine"
    ADVICE_DOUBTED = "advice_doubted"
    MEASUREMENT_REFUTES = "measurement_refutes"
    INTERNAL = "internal"


class WeightOrigin(Enum):
    """The source of a share of the time; ``FILE``: of the file's loops, each function once."""

    COUNTS = "counts"
    PROFILE = "profile"
    STATIC = "static"
    FILE = "file"


class Applicability(Enum):
    """How a fix is applied: as it is, after a check, or by hand."""

    SAFE = "safe"
    CHECK = "check"
    MANUAL = "manual"


class MeasurementState(Enum):
    """How a measured time agrees with the verdict's; ``DISTURBED``: of other code or sizes."""

    AGREES = "agrees"
    DIFFERS = "differs"
    REFUTES = "refutes"
    DISTURBED = "disturbed"


class GapKind(Enum):
    """The kind of code that a verdict leaves out."""

    CALL = "call"
    HEADER = "header"
    ACCESS = "access"
    SIZE = "size"
    REFUSAL = "refusal"


class VerdictPlace(NamedTuple):
    """A loop in the source; ``instance`` tells copies of it apart: a type, or a number."""

    path: str
    line: int
    function: str
    instance: str = ""
    column: int = 0


class LoopTime(NamedTuple):
    """Time of a loop; None for what is unknown, or not asked.

    iterations  of one execution of the loop
    possible    with the best advice; as ``now`` without any
    low, high   ends of a range; as ``now`` where it is one number
    """

    relation: TimeRelation
    clock_ghz: float = 0.0
    iterations: float = 1.0
    now_cy: float | None = None
    possible_cy: float | None = None
    low_cy: float | None = None
    high_cy: float | None = None

    def seconds(self, cycles: float | None) -> float | None:
        """Seconds of one execution at these cycles per iteration."""
        if cycles is None or self.clock_ghz <= 0:
            return None
        return cycles * self.iterations / (self.clock_ghz * 1e9)

    @property
    def gain(self) -> float:
        """Time now over the time that is possible; 1 where nothing is known to gain."""
        if not self.now_cy or not self.possible_cy:
            return 1.0
        return self.now_cy / self.possible_cy


class LoopFloor(NamedTuple):
    """The highest floor under a loop's time; ``of_limit`` is its part in the time, in (0, 1]."""

    cycles: float
    resource: Limiter
    of_limit: float | None


class VerdictWeight(NamedTuple):
    """Executions in a run, and the share of the run's time; None where nobody knows.

    inclusive_share  with the functions that the loop calls
    own_part         of the time that the models predict; the rest is in functions that the loop
                     calls and whose loops have shares of their own
    """

    executions: float | None = None
    share: float | None = None
    origin: WeightOrigin = WeightOrigin.FILE
    inclusive_share: float | None = None
    own_part: float = 1.0


class BestAdvice(NamedTuple):
    """The advice that saves most; ``others`` are the codes of the rest.

    sensitivity      how it depends on guessed sizes; None: it was not tried
    unlocks_vectors  the loop is scalar without the change, and vectorised with it
    cores            all that the change uses, where it shares the work
    """

    rule: str
    gain: float
    applicability: Applicability
    confidence: Confidence
    action: Action
    title: str = ""
    others: tuple[str, ...] = ()
    sensitivity: Sensitivity | None = None
    unlocks_vectors: bool = False
    cores: int = 0


class MeasuredTime(NamedTuple):
    """A measured time of the loop; ``ratio`` is measured over predicted."""

    state: MeasurementState
    cycles: float
    ratio: float
    share: float | None = None


class VerdictGap(NamedTuple):
    """Code that the time leaves out; ``share`` of the loop's operations."""

    kind: GapKind
    name: str
    line: int
    share: float | None = None


class CallShare(NamedTuple):
    """A called function that has ``share`` of the loop's time, and the line of its definition.

    The line is 0 where the definition stands in another file.
    """

    function: str
    line: int
    share: float


class Verdict(NamedTuple):
    """Everything that is said of one loop on one machine with a number of cores.

    state        of the caches when the function is called; None where no cache is modelled
    limiter      None where nothing is predicted
    confidence   None until it was asked for
    saturation   cores that saturate the memory of their domain
    callee       of a loop whose time is in a function that it calls
    terms        what the time is made of, and ``floors`` under it
    """

    id: str
    place: VerdictPlace
    machine: str
    cores: int
    time: LoopTime
    limiter: Limiter | None = None
    floor: LoopFloor | None = None
    weight: VerdictWeight = VerdictWeight()
    advice: BestAdvice | None = None
    confidence: Confidence | None = None
    reasons: tuple[VerdictReason, ...] = ()
    sensitivity: Sensitivity | None = None
    measured: MeasuredTime | None = None
    gaps: tuple[VerdictGap, ...] = ()
    terms: tuple[TimeTerm, ...] = ()
    floors: tuple[TimeTerm, ...] = ()
    compiler: str = ""
    state: EntryState | None = None
    saturation: int | None = None
    callee: CallShare | None = None
    cores_of_machine: int = 0

    @property
    def sensitive(self) -> bool:
        """Whether the verdict changes within the sizes that half of all programs have."""
        known = self.sensitivity
        return known is not None and known.stability in (Stability.PARTLY, Stability.NOWHERE_ELSE)

    @property
    def run_s(self) -> float | None:
        """Seconds of all executions in a run, of which the share is a part; a loop whose executions
        are unknown counts once."""
        return self.of_run(self.time.now_cy)

    @property
    def with_calls_s(self) -> float | None:
        """The same with all functions that the loop calls."""
        return self._executed(self.time.now_cy)

    def of_run(self, cycles: float | None) -> float | None:
        """Seconds of all executions in a run at these cycles per iteration, without functions that
        have shares of their own."""
        whole = self._executed(cycles)
        return None if whole is None else whole * self.weight.own_part

    def _executed(self, cycles: float | None) -> float | None:
        seconds = self.time.seconds(cycles)
        if seconds is None:
            return None
        executions = self.weight.executions
        whole = seconds * (1.0 if executions is None else executions)
        return whole if isfinite(whole) else None  # of guesses beyond every number

    @property
    def saved_share(self) -> float:
        """The part of the run's time that the best advice saves."""
        share = self.weight.share or 0.0
        return share * (1 - 1 / self.time.gain)
