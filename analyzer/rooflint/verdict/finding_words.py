"""The sentence of a finding, the same wherever it is shown: limiter, evidence, change, gain.

latency chain: s += ... waits for itself; 4 sums: 4.0 → 1.7 cy per iteration, 2.4×
"""

from rooflint.plugin_api.advice import Advice, gain_text
from rooflint.plugin_api.terms import Limiter
from rooflint.plugin_api.verdict import TimeRelation, Verdict, WeightOrigin
from rooflint.verdict.advise import gain_on
from rooflint.verdict.figures import figure, share_text
from rooflint.verdict.words import resource_words


def evidence_words(limiter: Limiter | None, evidence: str) -> str:
    """``latency chain: s += ... waits for itself``: the limiter of the loop, and what it does."""
    return evidence if limiter is None else f"{resource_words(limiter)}: {evidence}"


def change_words(change: str, now_cy: float | None, gain: float, most: float = 0.0) -> str:
    """``4 sums: 4.0 → 1.7 cy per iteration, 2.4×``; the gain alone where no time is known.

    most  the gain with the data that favour the change; it is named where others make it none
    """
    claim = gain_text(gain)
    if gain <= 1 < most:
        return f"{change or 'the change'}: {claim} to {gain_text(most)}, as the data decide"
    if now_cy is not None:
        claim = f"{figure(now_cy)} → {figure(now_cy / gain)} cy per iteration, {claim}"
    return f"{change or 'the change'}: {claim}"


def finding_sentence(verdict: Verdict, advice: Advice) -> str:
    """A finding in one line: the rule, the limiter, the evidence, the change and its gain.

    The time that the change makes possible is that of the verdict, also where another change is
    the best one.
    """
    evidence = evidence_words(verdict.limiter, advice.evidence or advice.message)
    gain, time = gain_on(advice, verdict), verdict.time
    text = f"{advice.code} {evidence}"
    if gain <= 1:
        return text
    now_cy = time.now_cy if time.relation is TimeRelation.EQUALS else None
    if advice.numbers is not None:
        now_cy = advice.numbers.now_cy(now_cy)
    return f"{text}; {change_words(advice.change, now_cy, gain)}{_notes(verdict, advice)}"


def _notes(verdict: Verdict, advice: Advice) -> str:
    is_best = verdict.advice is not None and verdict.advice.rule == advice.code
    known = verdict.sensitivity if is_best else advice.trial
    notes = []
    if verdict.weight.share is not None:
        notes.append(f"{share_text(verdict.weight.share)} of the {_whole(verdict)}")
    notes += [str(each) for each in (known.break_evens if known is not None else ())[:1]]
    return f" ({', '.join(notes)})" if notes else ""


def _whole(verdict: Verdict) -> str:
    return "file" if verdict.weight.origin is WeightOrigin.FILE else "run"
