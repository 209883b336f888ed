"""The instances of a loop together: share and times, with and without copies nobody runs."""

import pytest
from rooflint.plugin_api.terms import Limiter, LimiterKind
from rooflint.plugin_api.verdict import (
    Action,
    ActionKind,
    Applicability,
    BestAdvice,
    LoopTime,
    TimeRelation,
    Verdict,
    VerdictPlace,
    VerdictWeight,
    WeightOrigin,
)
from rooflint.verdict.choose import COUNTING_COPY
from rooflint.verdict.totals import time_column, total_time, totals_of, with_whole_share
from rooflint.verdict.words import do_hints_differ, instances_words

CHAIN = Limiter(LimiterKind.CHAIN)
DRAM = Limiter(LimiterKind.LINK, level="MEM")


def copy(
    share: float | None,
    now_ms: float | None = 2.0,
    gain: float = 1.0,
    relation: TimeRelation = TimeRelation.EQUALS,
    limiter: Limiter = CHAIN,
) -> Verdict:
    """One instance: 1e6 iterations at 1 GHz, so a cycle of each is a millisecond."""
    advice = BestAdvice("RL201", gain, Applicability.CHECK, "high", Action(ActionKind.PARTIAL_SUMS))
    possible = None if now_ms is None else now_ms / gain
    high = None if now_ms is None else 3 * now_ms
    return Verdict(
        id="a.c:f/i",
        place=VerdictPlace(path="a.c", line=1, function="f"),
        machine="toy",
        cores=1,
        time=LoopTime(relation, 1.0, 1e6, now_ms, possible, now_ms, high),
        limiter=limiter,
        weight=VerdictWeight(executions=1.0, share=share, origin=WeightOrigin.STATIC),
        advice=advice if gain > 1 else None,
    )


def test_shares_and_times_add_up() -> None:
    totals = totals_of([copy(0.25, 2.0, gain=2.0), copy(0.125, 1.0)])
    assert totals.share == 0.375
    assert totals.now_s == pytest.approx(3e-3)
    assert totals.possible_s == pytest.approx(2e-3)  # the other copy stays as it is
    assert total_time([copy(0.25, 2.0, gain=2.0), copy(0.125, 1.0)]) == "3.0 → 2.0 ms"


def test_a_copy_that_no_run_reaches_adds_nothing() -> None:
    """Of a function of which every call is inlined: both are the same executions."""
    reached, unreached = copy(0.25, 2.0), copy(None, 64.0)
    assert totals_of([reached, unreached]) == totals_of([reached])
    assert total_time([reached, unreached]) == time_column(reached) == "2.0 ms"
    # where nobody knows what runs, all count
    assert total_time([copy(None, 1.0), copy(None, 2.0)]) == "3.0 ms"


def test_one_lower_bound_makes_the_sum_one() -> None:
    bound = copy(0.5, 2.0, relation=TimeRelation.AT_LEAST)
    assert total_time([bound, copy(0.5, 1.0)]) == "≥3.0 ms"
    unknown = copy(0.0, None, relation=TimeRelation.UNKNOWN)
    assert total_time([copy(0.5, 1.0), unknown]) == "≥1.0 ms"
    assert total_time([unknown]) == "–"
    ranging = copy(0.5, 2.0, relation=TimeRelation.RANGE)
    assert total_time([ranging, copy(0.5, 1.0)]) == "3.0–9.0 ms"


def test_the_first_copy_stands_for_the_loop_with_the_share_of_all() -> None:
    first = copy(0.25)
    whole = with_whole_share([first, copy(0.125), copy(None)])
    assert whole == first._replace(weight=first.weight._replace(share=0.375))
    assert with_whole_share([copy(None)]).weight.share is None


@pytest.mark.parametrize(("factor", "differ"), [(1.01, True), (0.99, False)])
def test_a_copy_of_next_to_no_time_says_nothing(factor: float, differ: bool) -> None:
    copies = [copy(0.5), copy(0.5 * COUNTING_COPY * factor, limiter=DRAM)]
    assert do_hints_differ(copies) is differ
    assert instances_words(copies) == f"{2 if differ else 1} instances"
