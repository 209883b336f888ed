"""The instances of a loop together, as one row of a table."""

from collections.abc import Callable, Sequence

from rooflint.plugin_api.verdict import TimeRelation, Verdict
from rooflint.verdict.figures import seconds_text


def total_time(verdicts: Sequence[Verdict]) -> str:
    """The times of a loop's instances together, as of one."""
    now = _sum(verdicts, lambda each: each.run_s)
    relation = _relation(verdicts)
    if now <= 0:
        return "–"
    if relation is TimeRelation.AT_LEAST:
        return f"≥{seconds_text(now)}"
    if relation is TimeRelation.RANGE:
        high = _sum(verdicts, lambda each: each.of_run(each.time.high_cy))
        return seconds_text(now, high, between="–")
    possible = _sum(verdicts, lambda each: each.of_run(each.time.possible_cy))
    gains = any(each.advice is not None for each in verdicts)
    return seconds_text(now, possible) if gains else seconds_text(now)


def _relation(verdicts: Sequence[Verdict]) -> TimeRelation:
    """A lower bound where some instance is one, or has no time."""
    relations = {each.time.relation for each in verdicts}
    if relations & {TimeRelation.AT_LEAST, TimeRelation.UNKNOWN}:
        return TimeRelation.AT_LEAST
    return TimeRelation.RANGE if TimeRelation.RANGE in relations else TimeRelation.EQUALS


def _sum(verdicts: Sequence[Verdict], time: Callable[[Verdict], float | None]) -> float:
    return sum([time(each) or 0.0 for each in verdicts])
