"""The sentences of a verdict: one table of words for hints, reports, findings and pages.

Two significant digits below 10, integers from there; one unit in a sentence. ``≥`` is a lower
bound, ``a–b`` a range, ``~`` a verdict that a guessed size changes, ``≈`` a static share.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from rooflint.plugin_api.advice import gain_text
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind
from rooflint.plugin_api.verdict import (
    ActionKind,
    BestAdvice,
    GapKind,
    LoopFloor,
    MeasurementState,
    TimeRelation,
    Verdict,
    VerdictGap,
    WeightOrigin,
)
from rooflint.scenario.sensitivity import BreakEven
from rooflint.verdict.choose import HintRule, counting_copies
from rooflint.verdict.figures import (
    LEAST_SHARE,
    cycles_words,
    share_text,
    whole_number,
)

LONGEST_HINT: Final = 40
"""Characters: VS Code cuts at 43 a line, over the hints of all extensions."""
AT_LIMIT: Final = 0.995
"""Part of the limit that prints as all of it."""

UNIT_WORDS: Final[Mapping[CoreUnit, str]] = MappingProxyType(
    {
        CoreUnit.MULTIPLY_ADD: "multiply-add units",
        CoreUnit.INTEGER: "integer units",
        CoreUnit.DIVIDER: "divider",
        CoreUnit.SHUFFLE: "shuffle units",
        CoreUnit.LOAD: "load units",
        CoreUnit.STORE: "store units",
        CoreUnit.BRANCH: "branch units",
        CoreUnit.OTHER: "core",
    }
)
KIND_WORDS: Final[Mapping[LimiterKind, str]] = MappingProxyType(
    {
        LimiterKind.CHAIN: "latency chain",
        LimiterKind.PORT: "core",
        LimiterKind.ISSUE: "instruction issue",
        LimiterKind.WINDOW: "reorder buffer",
        LimiterKind.LINK: "link",
        LimiterKind.MISSES: "random reads",
        LimiterKind.PAGE_WALKS: "page walks",
        LimiterKind.MISPREDICTIONS: "wrong guesses",
        LimiterKind.CALL: "call",
        LimiterKind.OVERHEAD: "start-up",
        LimiterKind.UNKNOWN: "unknown",
    }
)
SHORT_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "latency chain": "chain",
        "multiply-add units": "multiply",
        "integer units": "integer",
        "shuffle units": "shuffle",
        "load units": "loads",
        "store units": "stores",
        "branch units": "branches",
        "instruction issue": "issue",
        "reorder buffer": "buffer",
        "random reads": "random",
        "page walks": "walks",
    }
)
_WITH: Final[Mapping[ActionKind, tuple[str, str]]] = MappingProxyType(
    {
        ActionKind.PARTIAL_SUMS: ("with {0} sums", "with partial sums"),
        ActionKind.HOIST: ("by hoisting {0}", "by hoisting the divisor"),
        ActionKind.SWAP: ("with {0} swapped", "with loops swapped"),
        ActionKind.FUSE: ("fused with line {0}", "fused"),
        ActionKind.BLOCK: ("with {0} blocked", "blocked"),
        ActionKind.RESTRICT: ("with restrict on {0}", "with restrict"),
        ActionKind.FLAG: ("with {0}", "with other flags"),
        ActionKind.THREADS: ("with threads", "with threads"),
        ActionKind.HUGE_PAGES: ("with huge pages", "with huge pages"),
        ActionKind.OTHER: ("with {0}", "with a change"),
    }
)
"""How a hint goes on after the gain: with the subject of the action, and without one."""
_DO: Final[Mapping[ActionKind, tuple[str, str]]] = MappingProxyType(
    {
        ActionKind.PARTIAL_SUMS: ("{0} sums", "partial sums"),
        ActionKind.HOIST: ("hoist {0}", "hoist divisor"),
        ActionKind.SWAP: ("swap {0}", "swap loops"),
        ActionKind.FUSE: ("fuse {0}", "fuse"),
        ActionKind.BLOCK: ("block {0}", "block"),
        ActionKind.RESTRICT: ("restrict {0}", "restrict"),
        ActionKind.FLAG: ("{0}", "flags"),
        ActionKind.THREADS: ("threads", "threads"),
        ActionKind.HUGE_PAGES: ("huge pages", "huge pages"),
        ActionKind.OTHER: ("{0}", ""),
    }
)
"""The same as an imperative, for a column of a table."""


def resource_words(resource: Limiter) -> str:
    """The name of a limiter, as ``rooflint explain`` has it."""
    if resource.kind is LimiterKind.LINK:
        return "DRAM" if resource.level == "MEM" else resource.level
    if resource.kind is LimiterKind.PORT and resource.unit is not None:
        return UNIT_WORDS[resource.unit]
    return KIND_WORDS[resource.kind]


def short_resource(resource: Limiter) -> str:
    """The same in a column of a table."""
    name = resource_words(resource)
    return SHORT_WORDS.get(name, name)


def limit_sentence(verdict: Verdict) -> str:
    """The limit of a loop; of one whose time is in a function that it calls, that function."""
    limiter = verdict.limiter
    if limiter is None:
        return KIND_WORDS[LimiterKind.UNKNOWN]
    if limiter.kind is not LimiterKind.CALL:
        return of_limit_words(limiter, verdict.floor)
    callee = verdict.callee
    if callee is None:
        return f"calls: {_spent_share(verdict, limiter)} of the time"
    line = f", line {callee.line}" if callee.line else ""
    return f"{share_text(callee.share)} of the time in {callee.function}(){line}"


def of_limit_words(resource: Limiter, floor: LoopFloor | None) -> str:
    """``DRAM, at its limit``; ``L2, 92 % of its limit``."""
    name = _hint_name(resource)
    if floor is None or floor.of_limit is None:
        return name
    its = "their" if resource.unit is not None and name.endswith("units") else "its"
    if floor.of_limit >= AT_LIMIT:
        return f"{name}, at {its} limit"
    return f"{name}, {share_text(floor.of_limit)} of {its} limit"


def hint(verdict: Verdict, rule: HintRule) -> str:
    """The loop in at most ``LONGEST_HINT`` characters, by the rule that chose it."""
    if rule is HintRule.UNPRICED or verdict.limiter is None:
        return _unpriced_hint(verdict)
    if rule is HintRule.MEASURED and verdict.measured is not None:
        return _measured_hint(verdict)
    if rule is HintRule.GAIN and verdict.advice is not None:
        return _gain_hint(verdict, verdict.advice)
    return _plain_hint(verdict, verdict.limiter)


def instances_hint(verdicts: Sequence[Verdict]) -> str:
    """``2 instances: double L2, float L1``: copies of a loop that differ."""
    counting = counting_copies(verdicts)
    known = [(each.place.instance, each.limiter) for each in counting]
    # a number tells nobody which of the copies it is
    named = ["" if n.isdigit() else f"{n} " for n, _ in known]
    named = [f"{n}{_hint_name(r)}".lstrip() for n, (_, r) in zip(named, known, strict=True) if r]
    return _fit(f"{instances_words(verdicts)}: {', '.join(dict.fromkeys(named))}")


def instances_words(verdicts: Sequence[Verdict]) -> str:
    """``2 instances``: how many copies of a loop take time."""
    return f"{len(counting_copies(verdicts))} instances"


def do_hints_differ(verdicts: Sequence[Verdict]) -> bool:
    """Whether those copies of a loop that take time have different limiters."""
    return len({each.limiter for each in counting_copies(verdicts)}) > 1


def _unpriced_hint(verdict: Verdict) -> str:
    gap = verdict.gaps[0] if verdict.gaps else None
    now = verdict.time.now_cy
    if now is not None:
        begin, end = f"≥ {cycles_words(now)} cy/it", " not counted"
        return begin if gap is None else _named(f"{begin}, ", _gap_name(gap), end)
    if gap is None:
        return "not predicted"
    if gap.kind is GapKind.HEADER:
        return _named("not read: ", gap.name, " not found")
    return _named("not predicted: ", gap_words(gap), "")


def _measured_hint(verdict: Verdict) -> str:
    measured, limiter = verdict.measured, verdict.limiter
    assert measured is not None and limiter is not None
    if measured.state is MeasurementState.REFUTES:
        return f"measured {gain_text(measured.ratio)} the prediction"
    share = measured.share if measured.share is not None else verdict.weight.share
    begin = "measured" if share is None else f"measured {share_text(share)}"
    return _fit(f"{begin}: {of_limit_words(limiter, verdict.floor)}")


def _gain_hint(verdict: Verdict, advice: BestAdvice) -> str:
    assert verdict.limiter is not None
    about = _hint_name(verdict.limiter)
    if advice.action.kind is ActionKind.THREADS and advice.cores:
        about = f"{verdict.cores} of {advice.cores} cores"
    elif advice.unlocks_vectors:
        about = "scalar"
    begin = f"{about}: {gain_text(verdict.time.gain)} "
    if verdict.sensitive:
        known = verdict.sensitivity
        breaks = known.break_evens if known is not None else ()
        size = f", {_break_words(breaks[0])}" if breaks else ""
        return _fit(f"~{begin}{_WITH[advice.action.kind][1]}{size}")
    return _with_action(begin, advice)


def _with_action(begin: str, advice: BestAdvice) -> str:
    kind, subject = advice.action
    if kind is ActionKind.OTHER and not subject:
        subject = advice.rule
    with_subject, without = _WITH[kind]
    head, place, tail = with_subject.partition("{0}")
    if not subject or not place:
        return _fit(begin + without)
    return _named(begin + head, subject, tail)


def _plain_hint(verdict: Verdict, limiter: Limiter) -> str:
    callee = verdict.callee
    if callee is not None:
        line = f"(), line {callee.line}" if callee.line else "()"
        return _named(f"{share_text(callee.share)} in ", callee.function, line)
    if limiter.kind is LimiterKind.MISSES:
        return _misses_hint(verdict, limiter)
    if limiter.kind is LimiterKind.OVERHEAD:
        trips = cycles_words(verdict.time.iterations)
        return f"{trips} iterations: start-up is {_spent_share(verdict, limiter)}"
    if limiter.kind is LimiterKind.CALL:
        return f"calls: {_spent_share(verdict, limiter)} of the time"
    return _fit(("~" if verdict.sensitive else "") + _limit_hint(verdict, limiter))


def _limit_hint(verdict: Verdict, limiter: Limiter) -> str:
    if _is_saturated(verdict, limiter):
        total = verdict.cores_of_machine or verdict.cores
        return f"DRAM, full from {verdict.saturation} of {total} cores"
    if limiter.kind is LimiterKind.CHAIN and verdict.advice is None:
        return f"{resource_words(limiter)}, no known change"
    return of_limit_words(limiter, verdict.floor)


def _is_saturated(verdict: Verdict, limiter: Limiter) -> bool:
    cores = verdict.saturation
    on_memory = limiter.kind is LimiterKind.LINK and limiter.level == "MEM"
    return on_memory and cores is not None and 1 < verdict.cores >= cores


def _misses_hint(verdict: Verdict, limiter: Limiter) -> str:
    low, high = verdict.time.low_cy or 0.0, verdict.time.high_cy or 0.0
    cycles = f": {cycles_words(low)}–{cycles_words(high)} cy each"
    return _named("random reads of ", limiter.array or "an array", cycles)


def _spent_share(verdict: Verdict, limiter: Limiter) -> str:
    spent = sum([t.cycles for t in verdict.terms if t.resource.kind is limiter.kind])
    return share_text(min(1.0, spent / (verdict.time.now_cy or 1.0)))


def _hint_name(resource: Limiter) -> str:
    return "issue" if resource.kind is LimiterKind.ISSUE else resource_words(resource)


def gap_words(gap: VerdictGap) -> str:
    """``calls read()``: why a loop has no number."""
    return f"calls {gap.name}()" if gap.kind is GapKind.CALL else gap.name


def _gap_name(gap: VerdictGap) -> str:
    return f"{gap.name}()" if gap.kind is GapKind.CALL else gap.name


def _break_words(break_even: BreakEven) -> str:
    return f"{break_even.side} {break_even.name} = {whole_number(break_even.size)}"


def _named(begin: str, name: str, end: str) -> str:
    """The parts together, the name shortened in the middle where a hint would be too long."""
    return _fit(begin + middle_cut(name, LONGEST_HINT - len(begin) - len(end)) + end)


def middle_cut(text: str, length: int) -> str:
    """``text`` in ``length`` characters: its ends matter more than its middle."""
    if len(text) <= length:
        return text
    left = max(0, length - 1)
    return text[: left - left // 2] + "…" + (text[-(left // 2) :] if left // 2 else "")


def left_cut(text: str, length: int) -> str:
    """``text`` in ``length`` characters without its beginning: of a path the end tells most."""
    return text if len(text) <= length else "…" + text[len(text) - length + 1 :]


def right_cut(text: str, length: int) -> str:
    """``text`` in ``length`` characters without its end."""
    return text if len(text) <= length else text[: max(0, length - 1)].rstrip() + "…"


def _fit(text: str) -> str:
    return right_cut(text, LONGEST_HINT)


def limit_column(verdict: Verdict, length: int = LONGEST_HINT) -> str:
    """``divider 88 %``, the name cut where room lacks; a lower bound has no part of a limit."""
    if verdict.limiter is None:
        return "–"
    name = short_resource(verdict.limiter)
    of_limit = verdict.floor.of_limit if verdict.floor is not None else None
    share = "" if of_limit is None else f" {share_text(of_limit)}"
    return right_cut(name, length - len(share)) + share


def share_column(verdict: Verdict, share: float) -> str:
    """``≈35 %``, ``~≈9 %``, ``≥8 %``: the share with what makes it uncertain."""
    if verdict.time.relation is TimeRelation.AT_LEAST:
        return f"≥{share_text(share)}"
    if share < LEAST_SHARE:  # says itself that it is no exact figure
        return share_text(share)
    static = verdict.weight.origin in (WeightOrigin.STATIC, WeightOrigin.FILE)
    return f"{'~' if verdict.sensitive else ''}{'≈' if static else ''}{share_text(share)}"


def do_column(verdict: Verdict, length: int) -> str:
    """``RL201 4 sums 2.4×``; the gap of a lower bound; ``–`` where nothing is known to do."""
    advice = verdict.advice
    if advice is None:
        if verdict.time.relation is TimeRelation.AT_LEAST and verdict.gaps:
            tail = " uncounted"
            return middle_cut(_gap_name(verdict.gaps[0]), length - len(tail)) + tail
        callee = verdict.callee
        if callee is not None:
            return f"in {middle_cut(callee.function, length - len('in ()'))}()"
        return "–"
    with_subject, without = _DO[advice.action.kind]
    subject = advice.action.subject
    what = with_subject.format(subject) if subject else without
    gain = gain_text(verdict.time.gain)
    what = right_cut(what, length - len(advice.rule) - len(gain) - 2)
    return " ".join([part for part in (advice.rule, what, gain) if part])
