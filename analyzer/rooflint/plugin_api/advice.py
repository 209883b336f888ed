"""Results of the lint: findings with their price, and matches that a guard keeps silent.

Lines and columns count from 1, columns in UTF-8 bytes, ends exclusive, as in ``ir.Span``.
"""

from collections.abc import Callable, Iterable
from math import sqrt
from typing import Final, Literal, TypeAlias, TypeVar

from rooflint.ir import Span
from rooflint.plugin_api.action import Action, ActionKind, Confidence, Severity
from rooflint.plugin_api.program_report import BreakPoint, ShareOrigin
from rooflint.plugin_api.terms import Limiter
from rooflint.records import NamedTuple
from rooflint.scenario.sensitivity import Sensitivity

Item = TypeVar("Item")
Safety: TypeAlias = Literal["safe", "unsafe", "sketch"]
"""``safe``: the same bits come out. ``unsafe``: rounding changes, or a promise is made. ``sketch``:
text for a person, nothing to apply."""


class Edit(NamedTuple):
    """Replaces a range of the source by ``text``; an empty range inserts."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    @property
    def span(self) -> Span:
        """The range that is replaced."""
        return Span(
            line=self.line, column=self.column, end_line=self.end_line, end_column=self.end_column
        )


class Fix(NamedTuple):
    """How to make the change: ``edits`` that do not overlap, or a ``sketch`` of the new code."""

    safety: Safety
    title: str
    edits: tuple[Edit, ...] = ()
    sketch: str = ""


class RelatedPlace(NamedTuple):
    """Another place that a finding speaks of: an access, the second loop."""

    span: Span
    message: str


class Gain(NamedTuple):
    """Time now over the time that the change makes possible, by the rule of verdicts.

    The ends differ for advice of models that no verdict is made of: the lowest and the highest.
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The lowest gain; where data decide whether there is one, the geometric mean of both."""
        return self.low if self.low > 1 else sqrt(max(0.0, self.low * self.high))


class MachineGain(NamedTuple):
    """The gain of a finding on one of several machines; ``gain`` is None for a note."""

    machine: str
    gain: Gain | None


class AdvisedLoop(NamedTuple):
    """The verdict on the loop that a finding is about, the hottest of several.

    loop      the identifier of its verdict
    limiter   None where nothing is predicted
    now_cy    cycles per iteration; None where they are a bound, a range or unknown
    span      of the loop where it is a copy of another function's, whose time it is; else None
    """

    loop: str
    limiter: Limiter | None = None
    now_cy: float | None = None
    span: Span | None = None


BY_VERDICT: Final = "verdict"
"""The model of numbers that are those of verdicts."""


class Numbers(NamedTuple):
    """The price of a change.

    model           ``verdict``: by the rule of verdicts; else the model that prices it
    before, after   in ``unit``: ``cy/it`` (per iteration of the loop as it was) or ``us`` (a call)
    saved_seconds   of one call of the function
    share           of the function's predicted time that the gain saves, 0 to 1
    run_share       of the program's time that it saves; None where that does not reach the function
    run_origin      where ``run_share`` is from: a profile, counts of a run, or the source alone
    """

    model: str
    before: float
    after: float
    unit: str
    saved_seconds: float
    share: float
    run_share: float | None = None
    run_origin: ShareOrigin = ""

    def now_cy(self, of_verdict: float | None) -> float | None:
        """Cycles per iteration before the change, ``of_verdict`` where the price is the verdict's.

        None where the price is per call.
        """
        if self.model == BY_VERDICT:
            return of_verdict
        return self.before if self.unit == "cy/it" else None


class Advice(NamedTuple):
    """A finding.

    message      one line of at most 200 characters; its first sentence stands by itself
    severity     from the numbers, not from the rule
    span         of the loop's header, or of what the rule points at
    loop         the place as ``transform.sites`` names it; empty: the function, or the file
    fingerprint  the same after edits elsewhere: no line numbers in it
    gain         None for a note without a change
    doubts       why confidence is not ``high``
    sensitivity  guessed sizes from which, or up to which, it is a finding
    trial        the same as it was tried, with the caches' state and the flags; None: it was not
    assumptions  what the numbers rest on, each with where it comes from
    chain        codes in the order they are applied, where the gain needs more than one
    machine      what the numbers are of
    machines     where several were asked, those that it holds on
    action       the change in its shortest form
    evidence     what the code does, without change and gain; empty where ``message`` says no more
    change       the change in words; of a chain, its first
    about        the loop's verdict; None for a note, and where no model of verdicts answers
    """

    code: str
    slug: str
    message: str
    severity: Severity
    span: Span
    function: str
    loop: str
    fingerprint: str
    machine: str = ""
    cores: int = 1
    gain: Gain | None = None
    confidence: Confidence = "high"
    doubts: tuple[str, ...] = ()
    numbers: Numbers | None = None
    related: tuple[RelatedPlace, ...] = ()
    assumptions: tuple[str, ...] = ()
    fix: Fix | None = None
    chain: tuple[str, ...] = ()
    machines: tuple[MachineGain, ...] = ()
    evidence: str = ""
    action: Action = Action()
    sensitivity: tuple[BreakPoint, ...] = ()
    trial: Sensitivity | None = None
    change: str = ""
    about: AdvisedLoop | None = None

    @property
    def possible_cy(self) -> float | None:
        """Cycles per iteration of the loop with the change; None where those now are unknown."""
        if self.about is None or self.about.now_cy is None or self.gain is None:
            return None
        return self.about.now_cy / self.gain.low


def value_order(advice: Advice) -> tuple[float, float]:
    """Orders findings: those first that save most of the program's time, then most of a call."""
    numbers = advice.numbers
    return (0.0, 0.0) if numbers is None else (-(numbers.run_share or 0), -numbers.saved_seconds)


def takes_threads(advice: Advice) -> bool:
    """Whether it is a priced change that has more cores work."""
    return advice.action.kind is ActionKind.THREADS and advice.gain is not None


def threads_last(
    found: Iterable[Item], advice_of: Callable[[Item], Advice], group_of: Callable[[Item], object]
) -> list[Item]:
    """The same order, but threads behind the other priced changes of the same group."""
    items = list(found)
    last: dict[object, int] = {}
    for number, item in enumerate(items):
        advice = advice_of(item)
        if advice.gain is not None and not takes_threads(advice):
            last[group_of(item)] = number
    held: dict[int, list[Item]] = {}
    ordered: list[Item] = []
    for number, item in enumerate(items):
        behind = last.get(group_of(item), -1)
        if behind > number and takes_threads(advice_of(item)):
            held.setdefault(behind, []).append(item)
        else:
            ordered += (item, *held.pop(number, ()))
    return ordered


class Silence(NamedTuple):
    """A match that is no finding, and the guard that says why: ``RL202 matched, silent: ...``.

    guard   a name of the rule's guards, or of the engine's (``docs/lint.md`` lists them)
    machine on which; empty where it is silent on all that were asked
    """

    code: str
    slug: str
    span: Span
    function: str
    loop: str
    evidence: str
    guard: str
    reason: str
    machine: str = ""


def silence_of(advice: Advice, guard: str, reason: str) -> Silence:
    """A finding that is none after all."""
    return Silence(
        code=advice.code,
        slug=advice.slug,
        span=advice.span,
        function=advice.function,
        loop=advice.loop,
        evidence=advice.evidence or advice.message,
        guard=guard,
        reason=reason,
    )


MOST = 50.0
"""A ratio; larger gains print as ``>50x``, for no model is that precise."""


def gain_words(gain: Gain) -> str:
    """``5.4x``, or ``4-6x`` where models disagree by 30 % or more, or ``>50x``."""
    if gain.low >= MOST:
        return f">{MOST:g}x"
    if gain.high < 1.3 * gain.low:
        return f"{_two(gain.low)}x"
    high = f">{MOST:g}" if gain.high > MOST else _two(gain.high)
    return f"{_two(gain.low)}–{high}x"


def gain_text(gain: float) -> str:
    """``1.6×``, ``17×``: as every door prints the gain of a verdict."""
    return f"{gain:.1f}×" if gain < 9.95 else f"{gain:.0f}×"


def _two(value: float) -> str:
    """Two digits: ``1.3``, ``5.4``, ``12``."""
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


class RuleText(NamedTuple):
    """A rule in words: its summary in one line, its page in Markdown."""

    code: str
    slug: str
    summary: str
    page: str = ""
