"""How far a finding can be trusted: whether it is still one in the runs that nobody rules out.

Guessed sizes, an unknown state of the caches and unknown flags are tried: what does not change the
finding costs no confidence. What cannot be tried is a caveat: it caps the level, however many
others there are, and is stated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from math import inf, log
from typing import Final, Protocol

from rooflint.config.lint_settings import LintSettings
from rooflint.dependence import Assumption, NoOverlap
from rooflint.facts import KernelFacts
from rooflint.library.mathematics import CALL_CYCLES
from rooflint.lint.context import FunctionContext
from rooflint.lint.proposals import Proposal, proposed_change
from rooflint.pipeline.on_machine import OtherRun
from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.program_report import BreakPoint
from rooflint.pricing.kernel_times import uncovered_work
from rooflint.pricing.whatif import Option
from rooflint.records import NamedTuple
from rooflint.rule_kit.queries import kernels_in
from rooflint.scenario import COLD_ENTRY, EntryOrigin
from rooflint.scenario.sensitivity import (
    Circumstance,
    Sensitivity,
    Stability,
    sensitivity_of,
)
from rooflint.scenario.sizes import Size
from rooflint.scenario.values import GuessedRange

LEVELS: Final[Mapping[Stability, Confidence | None]] = {
    Stability.EVERYWHERE: "high",
    Stability.WITHIN_QUARTILES: "medium",
    Stability.PARTLY: "low",
    Stability.NOWHERE_ELSE: None,
}
"""By where in the guessed ranges a finding is one; None: it is none."""
ORDER: Final[tuple[Confidence, ...]] = ("low", "medium", "high")
MOST_SIZES: Final = 3
"""Guessed sizes that are tried: those of the largest effect. More than two thirds of the kernels
with guesses have fewer, and each costs up to 14 prices."""
SMALL_GAIN: Final = 1e-3
"""A gain below it counts as this one where the effects of sizes are compared."""
USUAL_CALL_CY: Final = max(max(cycles) for cycles in CALL_CYCLES.values())
"""Cycles of a call that is not priced: as many as the dearest of the mathematical functions."""
LONG_CALL_CY: Final = 1000.0
"""The same of one that formats, allocates or enters the kernel (judged)."""


class Caveat(NamedTuple):
    """A reason that no other run can try, and the level that it caps confidence at."""

    most: Confidence
    reason: str


class ParseState(Enum):
    """How much of a function the front end could read."""

    WHOLE = auto()
    HEADERS_MISSING = auto()
    WITH_ERRORS = auto()
    """The function's own code has errors: statements, or the ends of its loops, may be missing."""


PARSE_CAVEATS: Final[Mapping[ParseState, Caveat]] = {
    ParseState.HEADERS_MISSING: Caveat("medium", "headers are missing"),
    ParseState.WITH_ERRORS: Caveat("low", "the function has errors"),
}


class Trust(NamedTuple):
    """How far a finding can be trusted; level None: it holds at the typical sizes alone."""

    level: Confidence | None
    sensitivity: Sensitivity
    caveats: tuple[Caveat, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the level is not ``high``, a sentence each."""
        alone = self.level is None
        words = "at the assumed sizes only" if alone else self.sensitivity.words
        return (*((words,) if words else ()), *[each.reason for each in self.caveats])


CERTAIN: Final = Trust("high", Sensitivity(Stability.EVERYWHERE))
"""Of a defect, which no size and no flag excuses."""


Holds = Callable[[OtherRun], bool]
"""Whether a finding is one in another run."""


class OtherRuns(Protocol):
    """Looks for findings in runs other than the one assumed."""

    def holds(self, option: Option, other: OtherRun) -> bool:
        """Whether the finding of an option is one there."""

    def matches(self, proposed: Proposal, other: OtherRun) -> bool:
        """Whether a rule matches the same there."""

    def least_gain(self, option: Option, other: OtherRun) -> float:
        """The gain of the same change there, the lowest that a model gives."""


class Trials:
    """Tries the findings of a function in other runs; the settings say what makes one."""

    def __init__(
        self,
        context: FunctionContext,
        others: OtherRuns,
        settings: LintSettings,
        parsed: ParseState,
    ) -> None:
        self.context, self.others, self.settings = context, others, settings
        self.parsed = parsed

    def of_option(self, option: Option, holds: Holds | None = None) -> Trust:
        """That of a priced change; ``holds`` tries it if it is not one of the function alone."""
        place = proposed_change(option.candidates[0]).proposed.match.place
        doubts: dict[str, None] = {}
        for each in option.candidates:
            way = proposed_change(each)
            doubts.update(dict.fromkeys((*way.proposed.match.doubts, *way.change.doubts)))
        caveats = [*self._caveats(place, option.result.assumes, doubts)]
        uncovered = uncovered_caveat(self.context, option, self.settings.min_gain)
        caveats += [uncovered] if uncovered is not None else []
        if capped := self._capped(caveats):
            return capped
        if holds is not None:
            return self._tried((), caveats, holds)
        tried = self._largest(guessed_ranges(self.sizes(place)), option)
        return self._tried(tried, caveats, lambda other: self.others.holds(option, other))

    def _capped(self, caveats: Sequence[Caveat]) -> Trust | None:
        """The trust that caveats leave, where it is too little whatever other runs say.

        None where these have to be tried: a match that is listed states all its reasons.
        """
        levels: list[Confidence] = ["high", *[each.most for each in caveats]]
        lowest = min(levels, key=ORDER.index)
        if self.settings.silences or at_least(lowest, self.settings.min_confidence):
            return None
        return Trust(lowest, Sensitivity(Stability.EVERYWHERE), tuple(caveats))

    def of_match(self, proposed: Proposal) -> Trust:
        """That of a match without a change."""
        tried = guessed_ranges(self.sizes(proposed.match.place))[:MOST_SIZES]
        caveats = [*self._caveats(proposed.match.place, (), proposed.match.doubts)]
        return self._tried(tried, caveats, lambda other: self.others.matches(proposed, other))

    def untried(self, proposed: Proposal) -> Trust:
        """That of a pattern that no run has to confirm."""
        caveats = self._caveats(proposed.match.place, (), proposed.match.doubts)
        return Trust("low", Sensitivity(Stability.EVERYWHERE), tuple(caveats))

    def kernels(self, place: str) -> Sequence[KernelFacts]:
        """The kernels of the loop at ``place``; all for the function as a whole."""
        return (
            kernels_in(self.context, place) if place in self.context.sites else self.context.facts
        )

    def sizes(self, place: str) -> list[tuple[str, Size]]:
        """The sizes that the kernels at ``place`` rest on."""
        found: dict[str, Size] = {}
        for facts in self.kernels(place):
            by_name: Mapping[str, Size] = self.context.kernel(facts).sizes.by_name
            own = {*facts.names, *[name for name, _ in facts.run_time]}
            found.update({name: size for name, size in by_name.items() if name in own})
        return list(found.items())

    def _tried(
        self, ranges: Sequence[GuessedRange], caveats: Sequence[Caveat], holds: Holds
    ) -> Trust:
        typical = {each.name: each.typical for each in ranges}

        def holds_at(at: Mapping[str, int]) -> bool:
            # sizes that follow from one that is tried, as a stride does, follow here too
            return holds(OtherRun(sizes={n: size for n, size in at.items() if size != typical[n]}))

        found = sensitivity_of(ranges, holds_at)
        unless = []
        if found.stability is not Stability.NOWHERE_ELSE:
            others = other_circumstances(self.context)
            unless = [each for each, other in others.items() if not holds(other)]
        found = found.except_in(unless)
        levels = [LEVELS[found.stability], *[each.most for each in caveats]]
        known = [level for level in levels if level is not None]
        lowest = min(known, key=ORDER.index) if len(known) == len(levels) else None
        return Trust(lowest, found, tuple(caveats))

    def _largest(self, ranges: Sequence[GuessedRange], option: Option) -> Sequence[GuessedRange]:
        """Of many sizes, those that move the gain of an option most."""
        if len(ranges) <= MOST_SIZES:
            return ranges

        def effect(size: GuessedRange) -> float:
            ends = [OtherRun(sizes={size.name: end}) for end in (size.low, size.high)]
            gains = [max(self.others.least_gain(option, other), SMALL_GAIN) for other in ends]
            return max([abs(log(gain / option.gains[0])) for gain in gains])

        return sorted(ranges, key=effect, reverse=True)[:MOST_SIZES]

    def _caveats(
        self, place: str, assumes: Iterable[Assumption], doubts: Iterable[str]
    ) -> Iterator[Caveat]:
        """The assumptions of a finding besides sizes, flags and caches."""
        machine = self.context.machine
        if needed := self._doubtful(place, assumes):
            yield Caveat("medium", f"assumption: {needed[0]}")
        if machine.core is None:
            yield Caveat("medium", f"machine {machine.name} has no core section")
        if self.parsed is not ParseState.WHOLE:
            yield PARSE_CAVEATS[self.parsed]
        yield from [Caveat("medium", doubt) for doubt in doubts]

    def _doubtful(self, place: str, assumes: Iterable[Assumption]) -> list[Assumption]:
        """The assumptions of a change that neither the code nor a comment supports."""
        kernels, noalias = self.kernels(place), self.context.noalias
        given = {sentence for facts in kernels for sentence in facts.kernel.assumptions}
        needed = [each for each in assumes if each not in given]
        return [each for each in needed if not _is_granted(each, noalias)]


def other_circumstances(context: FunctionContext) -> Mapping[Circumstance, OtherRun]:
    """The other values of a run's unknown circumstances."""
    found = {}
    if context.on.entry.origin is EntryOrigin.REPEATED_CALLS:
        found[Circumstance.COLD_CACHES] = OtherRun(entry=COLD_ENTRY)
    if context.compiler.assumed:
        plain = context.compiler._replace(level=2, baseline=True)
        found[Circumstance.PLAIN_FLAGS] = OtherRun(compiler=plain)
    return found


def at_least(level: Confidence, wanted: Confidence) -> bool:
    """Whether ``level`` is ``wanted`` or more."""
    return ORDER.index(level) >= ORDER.index(wanted)


def guessed_ranges(sizes: Iterable[tuple[str, Size]]) -> list[GuessedRange]:
    """The ranges of the sizes that nobody set, and of those that callers give several values.

    Callers' values are ends: the one in the middle decides, and all of them are run.
    """
    ranges = [(name, size.range or _of_callers(name, size)) for name, size in sizes]
    found = [each._replace(name=name) for name, each in ranges if each is not None]
    return [each for each in found if each.low < each.high]


def _of_callers(name: str, size: Size) -> GuessedRange | None:
    if size.several is None:
        return None
    low, high = size.several
    low = low if low > 0 else size.value  # 0 until input brings another; no loop runs that often
    at = (size.value, size.value)
    return GuessedRange(name=name, low=low, quartiles=at, typical=size.value, high=high)


def assumed_sizes(sizes: Iterable[tuple[str, Size]]) -> list[str]:
    """``n = 4096`` of each size that nobody set."""
    return [f"{name} = {size.value}" for name, size in sizes if size.origin == "role"]


def break_points(sensitivity: Sensitivity, code: str) -> tuple[BreakPoint, ...]:
    """The sizes at which the finding of a rule appears, or goes."""
    return tuple(
        [
            BreakPoint(
                name=each.name,
                breaks_at=each.size,
                verdict_below=None if each.side == "from" else code,
                verdict_above=code if each.side == "from" else None,
            )
            for each in sensitivity.break_evens
        ]
    )


def uncovered_caveat(context: FunctionContext, option: Option, min_gain: float) -> Caveat | None:
    """Parts of the loop without a price: each execution may take so long that no gain is left.

    The longest that it may take decides: for code, confidence is low up to USUAL_CALL_CY and
    medium up to LONG_CALL_CY; for an access at an unknown place, low up to a line's time at the
    memory's bandwidth and medium up to its latency. A change that leaves out as many executions as
    it has to gain needs no such bound.
    """
    setup = proposed_change(option.candidates[0]).change.setup
    kernels = context.pricer.differing(option.result.function, setup)
    gone = [kernels.before[key] for key in kernels.gone]
    reasons = [str(gap.reason) for each in gone for gap in each.gaps]
    if not reasons:
        return None
    was = uncovered_work(gone)
    now = uncovered_work([kernels.after[key] for key in kernels.new])
    code_cy = _bearable(context, option, min_gain, min_gain * now.code - was.code)
    place_cy = _bearable(context, option, min_gain, min_gain * now.places - was.places)
    of_code = level_with(code_cy, USUAL_CALL_CY, LONG_CALL_CY)
    of_places = level_with(place_cy, *_line_cycles(context))
    most, lost = of_places, ", no gain if its data come from memory"
    if of_code != "high":
        most, lost = of_code, f", no gain if it takes more than {max(0.0, code_cy):.0f} cycles"
    return Caveat(most, f"not covered: {min(reasons)}{lost if most != 'high' else ''}")


def _bearable(
    context: FunctionContext, option: Option, min_gain: float, executions: float
) -> float:
    """Cycles of each of so many more executions until a model predicts less than ``min_gain``."""
    left_s = [
        option.before[model] - min_gain * after
        for model, after in option.after.items()
        if model in option.before
    ]
    if executions <= 0.0 or not left_s:
        return inf
    return min(left_s) * context.machine.clock_ghz * 1e9 / executions


def level_with(bearable_cy: float, usual_cy: float, long_cy: float) -> Confidence:
    """The level with code without a price that may take so many cycles, and no more."""
    if bearable_cy >= long_cy:
        return "high"
    return "medium" if bearable_cy > usual_cy else "low"


def _line_cycles(context: FunctionContext) -> tuple[float, float]:
    """Cycles for a line from memory, one after another and alone; 0 for what nobody states."""
    machine = context.machine
    cores = context.on.cores(context.facts[0]).number
    rate = context.on.setup.rates_of(machine, cores).highest(f"{machine.levels[-2]}-MEM") or inf
    latency_cy = (machine.memory.latency_ns or 0.0) * machine.clock_ghz
    return machine.line_bytes * machine.clock_ghz / rate, latency_cy


def _is_granted(assumption: Assumption, noalias: Iterable[tuple[str, ...]]) -> bool:
    if not isinstance(assumption, NoOverlap):
        return False
    pair = {assumption.first, assumption.second}
    return assumption.by_type or any(pair <= set(names) for names in noalias)
