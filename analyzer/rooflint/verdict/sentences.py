"""Verdicts in sentences: the first lines of a hover, and a file in one line.

Numbers and marks are those of ``words``: no door writes a second rounding of its own.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.terms import LimiterKind, TimeTerm
from rooflint.plugin_api.verdict import TimeRelation, Verdict, WeightOrigin
from rooflint.verdict.choose import ChosenHint, instances, is_worthwhile
from rooflint.verdict.combine import combine
from rooflint.verdict.figures import cycles_words, figure, seconds_text, share_text
from rooflint.verdict.totals import run_seconds, with_whole_share
from rooflint.verdict.words import (
    LONGEST_HINT,
    do_hints_differ,
    hint,
    instances_hint,
    middle_cut,
    resource_words,
)

SHARED: Final = (WeightOrigin.STATIC, WeightOrigin.FILE)
"""Origins of shares that nobody counted or measured."""
SEPARATOR: Final = " · "

_CAUSES: Final[Mapping[LimiterKind, str]] = MappingProxyType(
    {
        LimiterKind.CHAIN: "Each iteration waits for a result of the previous one",
        LimiterKind.PORT: "The {0} have the most work",
        LimiterKind.ISSUE: "The core cannot issue the instructions any faster",
        LimiterKind.WINDOW: "The core holds too few iterations to overlap them",
        LimiterKind.LINK: "Moving data from {0} takes the most time",
        LimiterKind.MISSES: "The addresses are known at run time only, and each read may miss",
        LimiterKind.PAGE_WALKS: "Translating addresses takes the most time",
        LimiterKind.MISPREDICTIONS: "Data decide a branch, and wrong guesses take the most time",
        LimiterKind.CALL: "Calls take the most time",
        LimiterKind.OVERHEAD: "Starting the loop takes the most time",
    }
)


def chosen_hint(chosen: ChosenHint) -> str:
    """The hint of a loop; of copies that differ and take time, what each is limited by."""
    if do_hints_differ(chosen.verdicts):
        return instances_hint(chosen.verdicts)
    return hint(with_whole_share(chosen.verdicts), chosen.rule)


def time_sentence(verdict: Verdict) -> str:
    """``4.0 → 1.7 cy per iteration · ≈ 9 % of the run · confidence medium``."""
    parts = [f"{cycles_range(verdict)} cy per iteration"]
    if verdict.time.now_cy is None:
        parts = ["not predicted"]
    if verdict.weight.share is not None:
        parts.append(share_sentence(verdict))
    if verdict.confidence is not None:
        parts.append(f"confidence {verdict.confidence}")
    return SEPARATOR.join(parts)


def cycles_range(verdict: Verdict) -> str:
    """``4.0 → 1.7``, ``≥ 41``, ``3–90``: cycles per iteration; ``–`` where none are known."""
    time = verdict.time
    if time.now_cy is None:
        return "–"
    if time.relation is TimeRelation.AT_LEAST:
        return f"≥ {figure(time.now_cy)}"
    if time.relation is TimeRelation.RANGE and time.high_cy is not None:
        return f"{cycles_words(time.now_cy)}–{cycles_words(time.high_cy)}"
    if verdict.advice is None or time.possible_cy is None:
        return figure(time.now_cy)
    return f"{figure(time.now_cy)} → {figure(time.possible_cy)}"


def share_sentence(verdict: Verdict) -> str:
    """``≈ 9 % of the run``, ``9 % of the file``."""
    mark = "≈ " if verdict.weight.origin in SHARED else ""
    whole = "file" if verdict.weight.origin is WeightOrigin.FILE else "run"
    return f"{mark}{share_text(verdict.weight.share or 0.0)} of the {whole}"


def cause_sentence(verdict: Verdict, advice: Advice | None = None) -> str:
    """Why the limit holds: the evidence of the advice that the verdict gives, else its limiter and
    the time that everything else would take.
    """
    if advice is not None and advice.evidence:
        return f"{advice.evidence[0].upper()}{advice.evidence[1:]}."
    limiter = verdict.limiter
    if limiter is None or limiter.kind not in _CAUSES:
        return ""
    cause = _CAUSES[limiter.kind].format(resource_words(limiter))
    rest = combine(_without(verdict, verdict.terms), _without(verdict, verdict.floors)).now_cy
    return f"{cause}; all else takes {figure(rest)} cy." if rest > 0 else f"{cause}."


def _without(verdict: Verdict, terms: Sequence[TimeTerm]) -> list[TimeTerm]:
    return [each for each in terms if each.resource != verdict.limiter]


def file_sentence(verdicts: Sequence[Verdict], refused: int = 0) -> str:
    """``51 loops, 3 worth a change (≈ 2.1 of 9.4 s)``: the verdicts of one machine.

    refused  loops of the source without a verdict
    """
    loops = instances(verdicts)
    count = len(loops) + refused
    worth = [each for each in loops if is_worthwhile(each[0])]
    text = f"{count} loop{'' if count == 1 else 's'}, {len(worth) or 'none'} worth a change"
    if worth:
        text += f" ({_saving(verdicts, worth)})"
    unpriced = sum(each[0].time.relation is TimeRelation.UNKNOWN for each in loops) + refused
    return f"{text}, {unpriced} not predicted" if unpriced else text


def _saving(verdicts: Sequence[Verdict], worth: Sequence[tuple[Verdict, ...]]) -> str:
    """``≈ 2.1 of 9.4 s``; a share where nobody knows how often functions are called."""
    total = run_seconds(verdicts)
    saved = total * sum([one.saved_share for loop in worth for one in loop])
    origins = {each.weight.origin for each in verdicts}
    mark = "≈ " if origins & set(SHARED) else ""
    if WeightOrigin.FILE in origins:
        return f"{mark}{share_text(saved / total if total else 0.0)} of its time"
    whole, _, part = seconds_text(total, saved).partition(" → ")
    number, _, unit = part.rpartition(" ")
    return f"{mark}{number} of {whole} {unit}"


def header_hint(name: str) -> str:
    """``not read: Eigen/Dense not found``: what a missing header hides."""
    begin, end = "not read: ", " not found"
    return begin + middle_cut(name, LONGEST_HINT - len(begin) - len(end)) + end
