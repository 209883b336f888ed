"""The time of a whole run, by the verdicts on its loops."""

from collections.abc import Iterable

from rooflint.plugin_api.terms import LimiterKind
from rooflint.plugin_api.verdict import Verdict


def run_seconds(verdicts: Iterable[Verdict]) -> float:
    """Seconds of a run on one machine, with the code outside of loops: loops take their shares.

    The time of a loop that waits for calls may hold that of other loops, while its share does not.
    """
    timed = [each for each in verdicts if each.run_s is not None and each.weight.share]
    own = [each for each in timed if not _waits_for_call(each)] or timed
    share = sum([each.weight.share or 0.0 for each in own])
    return sum([each.run_s or 0.0 for each in own]) / share if share > 0 else 0.0


def _waits_for_call(verdict: Verdict) -> bool:
    return verdict.limiter is not None and verdict.limiter.kind is LimiterKind.CALL
