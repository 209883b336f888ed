"""Rows of the ranked report: one for a nest, and one for nests of a function that are alike."""

import pytest
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind
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
from rooflint.verdict.choose import NestKey, ranked_loops

DIVIDER = Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER)
CHAIN = Limiter(LimiterKind.CHAIN)
ADVICE = BestAdvice(
    rule="RL202",
    gain=2.0,
    applicability=Applicability.CHECK,
    confidence="high",
    action=Action(ActionKind.HOIST),
)


def loop(line: int, share: float, limiter: Limiter = CHAIN, function: str = "f") -> Verdict:
    return Verdict(
        id=f"a.c:{line}",
        place=VerdictPlace(path="a.c", line=line, function=function),
        machine="toy",
        cores=1,
        time=LoopTime(
            relation=TimeRelation.EQUALS,
            clock_ghz=1.0,
            iterations=1.0,
            now_cy=4.0,
            possible_cy=4.0,
            low_cy=4.0,
            high_cy=4.0,
        ),
        limiter=limiter,
        weight=VerdictWeight(executions=1.0, share=share, origin=WeightOrigin.STATIC),
    )


def rows(*verdicts: Verdict, nests: dict[int, int]) -> list[list[int]]:
    """Lines of the loops of each row; ``nests``: the number of a line's nest."""
    keys: dict[str, NestKey] = {
        each.id: ("a.c", each.place.function, nests[each.place.line]) for each in verdicts
    }
    ranked = ranked_loops(verdicts, None, all_of=True, nests=keys)
    return [
        [loop[0].place.line, *(other[0].place.line for other in others)]
        for loop, others in zip(ranked.shown, ranked.others, strict=True)
    ]


def test_loops_of_a_nest_are_one_row_that_the_hottest_stands_for() -> None:
    both = loop(1, 0.3, DIVIDER), loop(2, 0.4), loop(9, 0.2, DIVIDER)
    assert rows(*both, nests={1: 0, 2: 0, 9: 1}) == [[2, 1], [9]]


def test_rows_are_ranked_by_all_of_their_loops() -> None:
    every = loop(1, 0.3, DIVIDER), loop(2, 0.2), loop(9, 0.4, DIVIDER, "g")
    assert rows(*every, nests={1: 0, 2: 0, 9: 0}) == [[1, 2], [9]]


def test_sweeps_of_a_function_that_are_alike_are_one_row() -> None:
    every = loop(1, 0.2), loop(2, 0.1), loop(5, 0.2), loop(6, 0.1)
    assert rows(*every, nests={1: 0, 2: 0, 5: 1, 6: 1}) == [[1, 2, 5, 6]]


@pytest.mark.parametrize(
    "other",
    [
        loop(5, 0.2, DIVIDER),
        loop(5, 0.2, function="g"),
        loop(5, 0.2)._replace(advice=ADVICE),
        loop(5, 0.2)._replace(time=loop(5, 0.2).time._replace(relation=TimeRelation.AT_LEAST)),
    ],
    ids=["limiter", "function", "advice", "lower bound"],
)
def test_nests_that_differ_have_a_row_each(other: Verdict) -> None:
    assert rows(loop(1, 0.4), other, nests={1: 0, 5: 1}) == [[1], [5]]


def test_without_nests_each_loop_is_a_row() -> None:
    ranked = ranked_loops([loop(1, 0.4), loop(2, 0.4)], None, all_of=True)
    assert [each[0].place.line for each in ranked.shown] == [1, 2]
    assert ranked.others == ((), ())


def test_loops_that_are_not_shown_are_counted_one_by_one() -> None:
    every = [loop(line, 0.3 - line / 100, function=f"f{line // 2}") for line in range(8)]
    nests: dict[str, NestKey] = {each.id: ("a.c", each.place.function, 0) for each in every}
    ranked = ranked_loops(every, 2, nests=nests)
    assert [len(each) for each in ranked.others] == [1, 1]
    assert ranked.to_share + ranked.beyond == 4
