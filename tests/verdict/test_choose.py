"""Which loops a reader sees: rules of hints on both sides of their limits, and the order."""

import pytest
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind
from rooflint.plugin_api.verdict import (
    Action,
    ActionKind,
    Applicability,
    BestAdvice,
    LoopFloor,
    LoopTime,
    MeasuredTime,
    MeasurementState,
    TimeRelation,
    Verdict,
    VerdictPlace,
    VerdictWeight,
    WeightOrigin,
)
from rooflint.scenario.sensitivity import BreakEven, Sensitivity, Stability
from rooflint.verdict.choose import (
    HOT,
    MOST_HINTS,
    NEAR_LIMIT,
    NEGLIGIBLE,
    UNPRICED,
    WORTH_GAIN,
    WORTH_SAVING,
    HintRule,
    default_hints,
    hint_rule,
    instances,
    is_worthwhile,
    ranked_loops,
)

DIVIDER = Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER)


def loop(share: float, line: int = 10, of_limit: float = 0.4) -> Verdict:
    return Verdict(
        id=f"a.c:f/{line}",
        place=VerdictPlace(path="a.c", line=line, function="f"),
        machine="m",
        cores=1,
        time=LoopTime(TimeRelation.EQUALS, clock_ghz=1.0, now_cy=4.0, possible_cy=4.0),
        limiter=DIVIDER,
        floor=LoopFloor(1.6, DIVIDER, of_limit),
        weight=VerdictWeight(1.0, share, WeightOrigin.STATIC),
        confidence="high",
    )


def gaining(each: Verdict, gain: float) -> Verdict:
    advice = BestAdvice(
        rule="RL202",
        gain=gain,
        applicability=Applicability.CHECK,
        confidence="high",
        action=Action(ActionKind.HOIST),
    )
    return each._replace(advice=advice, time=each.time._replace(possible_cy=4.0 / gain))


@pytest.mark.parametrize(("more", "worthwhile"), [(-0.01, False), (0.01, True)])
def test_a_gain_is_worthwhile_from_a_ratio_on(more: float, worthwhile: bool) -> None:
    assert is_worthwhile(gaining(loop(0.5), WORTH_GAIN + more)) == worthwhile


@pytest.mark.parametrize(("factor", "worthwhile"), [(0.99, False), (1.01, True)])
def test_a_gain_is_worthwhile_from_a_saving_on(factor: float, worthwhile: bool) -> None:
    # a gain of 2 saves half of the share
    assert is_worthwhile(gaining(loop(2 * WORTH_SAVING * factor), 2.0)) == worthwhile


def test_low_confidence_needs_its_break_even() -> None:
    unsure = gaining(loop(0.5), 2.0)._replace(confidence="low")
    assert not is_worthwhile(unsure)
    sized = Sensitivity(Stability.PARTLY, (BreakEven("n", "from", 9, 8),))
    assert is_worthwhile(unsure._replace(sensitivity=sized))
    assert not is_worthwhile(unsure._replace(sensitivity=Sensitivity(Stability.PARTLY)))


@pytest.mark.parametrize(("factor", "rule"), [(0.99, HintRule.REST), (1.01, HintRule.HOT)])
def test_a_hot_loop_has_a_hint(factor: float, rule: HintRule) -> None:
    assert hint_rule(loop(HOT * factor)) is rule


@pytest.mark.parametrize(("factor", "rule"), [(0.99, HintRule.HOT), (1.01, HintRule.NEAR_LIMIT)])
def test_a_hot_loop_near_its_limit(factor: float, rule: HintRule) -> None:
    assert hint_rule(loop(0.5, of_limit=NEAR_LIMIT * factor)) is rule


@pytest.mark.parametrize("relation", [TimeRelation.UNKNOWN, TimeRelation.AT_LEAST])
def test_a_missing_number_has_a_hint_where_it_matters(relation: TimeRelation) -> None:
    def of(share: float, hottest: bool = False) -> HintRule:
        each = loop(share)
        return hint_rule(each._replace(time=each.time._replace(relation=relation)), hottest)

    assert of(UNPRICED * 1.01) is HintRule.UNPRICED
    assert of(UNPRICED * 0.99) is HintRule.REST
    assert of(UNPRICED * 0.99, hottest=True) is HintRule.UNPRICED


def test_a_measured_loop() -> None:
    def of(state: MeasurementState, share: float) -> HintRule:
        return hint_rule(loop(share)._replace(measured=MeasuredTime(state, 4.0, 1.0)))

    assert of(MeasurementState.REFUTES, 0.001) is HintRule.MEASURED
    assert of(MeasurementState.AGREES, HOT * 1.01) is HintRule.MEASURED
    assert of(MeasurementState.AGREES, HOT * 0.99) is HintRule.REST
    assert of(MeasurementState.DISTURBED, 0.5) is HintRule.HOT


def test_at_most_a_quarter_of_the_loops_have_a_hint_and_the_hottest_keep_theirs() -> None:
    verdicts = [loop(0.06 + line / 1000, line) for line in range(12)]
    chosen = default_hints(verdicts)
    assert [each.verdicts[0].place.line for each in chosen] == [9, 10, 11]
    assert len(chosen) == MOST_HINTS * len(verdicts)
    # a file of few loops has one all the same
    assert len(default_hints(verdicts[:2])) == 1
    assert default_hints([loop(0.01)]) == []


def test_of_loops_of_equal_time_the_one_with_a_change_has_the_hint() -> None:
    plain, advised = loop(0.504, 10), gaining(loop(0.496, 11), 2.0)
    assert [each.verdicts[0] for each in default_hints([plain, advised])] == [advised]
    hotter = loop(0.506, 12)  # prints as 51 %
    assert [each.verdicts[0] for each in default_hints([hotter, advised])] == [hotter]


def test_instances_are_one_loop_by_place_and_machine() -> None:
    first = loop(0.1)
    second = first._replace(id="a.c:f/10#2", weight=first.weight._replace(share=0.3))
    groups = instances([first, second, first._replace(machine="x"), loop(0.1, 11)])
    assert [len(each) for each in groups] == [2, 1, 1]
    assert groups[0][0] is second


@pytest.mark.parametrize(("factor", "negligible"), [(0.99, 1), (1.01, 0)])
def test_small_loops_are_counted_and_not_listed(factor: float, negligible: int) -> None:
    small = loop(NEGLIGIBLE * factor, 11)
    loops = ranked_loops([loop(0.99), small], 20)
    assert loops.negligible == negligible
    assert loops.beyond == 1 - negligible
    assert [each[0].place.line for each in loops.shown] == [10]


def test_the_list_ends_at_its_share_of_the_time() -> None:
    every = [loop(0.5, 1), loop(0.4, 2), loop(0.06, 3), loop(0.04, 4)]
    loops = ranked_loops(every, 20)
    assert [each[0].place.line for each in loops.shown] == [1, 2, 3]
    assert (loops.to_share, loops.beyond) == (0, 1)
    assert ranked_loops(every, 2).to_share == 1
    lost = loop(0.0, 9)._replace(time=LoopTime(TimeRelation.UNKNOWN))
    assert ranked_loops([*every, lost], 20).unpredictable == (lost,)
