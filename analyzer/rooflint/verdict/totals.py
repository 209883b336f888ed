"""The instances of a loop together, for tables that have it once; and the time of a whole run.

A copy that the run does not reach, such as a function of which every call is inlined, adds nothing
to a loop of which other copies are reached.
"""

from collections.abc import Callable, Iterable, Sequence

from rooflint.plugin_api.report import Report
from rooflint.plugin_api.terms import LimiterKind
from rooflint.plugin_api.verdict import TimeRelation, Verdict
from rooflint.records import NamedTuple
from rooflint.scenario.values import MAX_SECONDS
from rooflint.verdict.figures import seconds_text


class LoopTotals(NamedTuple):
    """Of all instances: the share of the run's time, and its seconds; None for what is unknown.

    high_s      the other end of a range
    possible_s  where some instance has advice
    """

    relation: TimeRelation
    share: float | None = None
    now_s: float | None = None
    high_s: float | None = None
    possible_s: float | None = None


def totals_of(verdicts: Sequence[Verdict]) -> LoopTotals:
    """Those of the instances of one loop on one machine."""
    reached = [each for each in verdicts if each.weight.share is not None]
    counting = reached or verdicts
    relation = _relation(counting)
    is_range = relation is TimeRelation.RANGE
    is_advised = any(each.advice is not None for each in counting)
    return LoopTotals(
        relation=relation,
        share=_sum(reached, lambda each: each.weight.share),
        now_s=_sum(counting, lambda each: each.run_s),
        high_s=_sum(counting, lambda each: each.of_run(each.time.high_cy)) if is_range else None,
        possible_s=_sum(counting, _possible_s) if is_advised else None,
    )


def _possible_s(verdict: Verdict) -> float | None:
    return verdict.of_run(verdict.time.possible_cy)


def with_whole_share(verdicts: Sequence[Verdict]) -> Verdict:
    """The first of them, which stands for the loop, with the share of all."""
    first = verdicts[0]
    return first._replace(weight=first.weight._replace(share=totals_of(verdicts).share))


def total_time(verdicts: Sequence[Verdict]) -> str:
    """``3.3 → 2.1 s`` of the whole run; ``≥0.75 s``, ``0.5–2.0 s``, ``1.0 s``."""
    totals = totals_of(verdicts)
    if totals.now_s is None:
        return "–"
    if totals.relation is TimeRelation.AT_LEAST:
        return f"≥{seconds_text(totals.now_s)}"
    if totals.high_s is not None:
        return seconds_text(totals.now_s, totals.high_s, between="–")
    if totals.possible_s is None:
        return seconds_text(totals.now_s)
    return seconds_text(totals.now_s, totals.possible_s)


def time_column(verdict: Verdict) -> str:
    """The time of one instance, as ``total_time`` has that of all."""
    return total_time((verdict,))


def _relation(verdicts: Sequence[Verdict]) -> TimeRelation:
    """A lower bound where some instance is one, or has no time."""
    relations = {each.time.relation for each in verdicts}
    if relations & {TimeRelation.AT_LEAST, TimeRelation.UNKNOWN}:
        return TimeRelation.AT_LEAST
    return TimeRelation.RANGE if TimeRelation.RANGE in relations else TimeRelation.EQUALS


def _sum(verdicts: Sequence[Verdict], number: Callable[[Verdict], float | None]) -> float | None:
    """None where no copy has such a number."""
    known = [value for value in map(number, verdicts) if value is not None]
    return sum(known) if known else None


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


def budget_used(report: Report) -> float | None:
    """The predicted time on the first machine, in parts of the time that guesses may make the runs
    of all entries last; None where a run was measured, or nothing has a time."""
    entries = max([file.entries for file in report.files], default=0)
    first = report.verdicts[0].machine if report.verdicts else ""
    own = [each for each in report.verdicts if each.machine == first]
    priced = [each for each in own if each.time.relation is not TimeRelation.UNKNOWN]
    return run_seconds(priced) / (MAX_SECONDS * entries) if entries and priced else None
