"""Verdicts asked again at the ends of guessed ranges."""

from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.scenario.sensitivity import (
    MAX_BISECTIONS,
    BreakEven,
    Circumstance,
    Corner,
    Stability,
    sensitivity_of,
)
from rooflint.scenario.values import GuessedRange

N = GuessedRange(name="n", low=10, quartiles=(100, 1000), typical=250, high=6000)
M = GuessedRange(name="m", low=1, quartiles=(4, 16), typical=8, high=100)


def test_a_verdict_that_no_size_changes_is_stable_everywhere() -> None:
    found = sensitivity_of([N, M], lambda at: True)
    assert (found.stability, found.break_evens) == (Stability.EVERYWHERE, ())


def test_without_guessed_sizes_nothing_is_asked() -> None:
    def unasked(at: Mapping[str, int]) -> bool:
        raise AssertionError(at)

    assert sensitivity_of([], unasked).stability is Stability.EVERYWHERE


@pytest.mark.parametrize(
    ("least", "stability"),
    [(10, Stability.EVERYWHERE), (11, Stability.WITHIN_QUARTILES),
     (100, Stability.WITHIN_QUARTILES), (101, Stability.PARTLY)],
)  # fmt: skip
def test_the_range_in_which_it_holds_decides(least: int, stability: Stability) -> None:
    found = sensitivity_of([N], lambda at: at["n"] >= least)
    assert found.stability is stability
    if stability is not Stability.EVERYWHERE:
        (found_at,) = found.break_evens
        assert (found_at.side, found_at.size, found_at.fails_at) == ("from", least, least - 1)


@pytest.mark.parametrize(
    ("most", "stability"),
    [(6000, Stability.EVERYWHERE), (5999, Stability.WITHIN_QUARTILES),
     (1000, Stability.WITHIN_QUARTILES), (999, Stability.PARTLY)],
)  # fmt: skip
def test_the_same_from_above(most: int, stability: Stability) -> None:
    assert sensitivity_of([N], lambda at: at["n"] <= most).stability is stability


def test_a_verdict_of_the_typical_point_alone_is_worth_nothing() -> None:
    found = sensitivity_of([N], lambda at: 200 < at["n"] < 300)
    assert found.stability is Stability.NOWHERE_ELSE


def test_small_sizes_may_change_it_together_only() -> None:
    found = sensitivity_of([N, M], lambda at: at["n"] * at["m"] >= 50)
    assert (found.stability, found.break_evens) == (Stability.WITHIN_QUARTILES, ())
    assert found.corners == (Corner.SMALL,)
    assert found.words == "not with small n, m"


def test_large_sizes_together_have_their_words() -> None:
    found = sensitivity_of([N, M], lambda at: at["n"] * at["m"] <= 50_000)
    assert (found.corners, found.words) == ((Corner.LARGE,), "not with large n, m")


@pytest.mark.parametrize("unless", [(), (Circumstance.COLD_CACHES,), tuple(Circumstance)])
def test_another_circumstance_is_an_end_of_a_range(unless: tuple[Circumstance, ...]) -> None:
    found = sensitivity_of([N], lambda at: True).except_in(unless)
    stable = Stability.WITHIN_QUARTILES if unless else Stability.EVERYWHERE
    assert (found.stability, found.unless) == (stable, unless)
    # what sizes change already is no more certain for it
    partly = sensitivity_of([N], lambda at: at["n"] >= 200)
    assert partly.except_in(unless).stability is Stability.PARTLY


def test_the_words_name_sizes_before_circumstances() -> None:
    found = sensitivity_of([N, M], lambda at: at["n"] >= 200 and at["m"] <= 50)
    found = found.except_in(tuple(Circumstance))
    assert found.words == "from n >= 200 and up to m <= 50, not with cold caches, not with -O2"
    assert sensitivity_of([N], lambda at: True).words == ""


def test_a_break_even_is_rounded_towards_where_it_holds() -> None:
    assert str(break_even("from", 1234)) == "from n >= 1300"
    assert str(break_even("from", 1300)) == "from n >= 1300"
    assert str(break_even("up to", 1299)) == "up to n <= 1200"
    assert str(break_even("up to", 7)) == "up to n <= 7"


def break_even(side: Literal["from", "up to"], size: int) -> BreakEven:
    fails_at = size - 1 if side == "from" else size + 1
    return BreakEven(name="n", side=side, size=size, fails_at=fails_at)


def test_fewer_bisections_enclose_the_break_even() -> None:
    (found,) = sensitivity_of([N], lambda at: at["n"] >= 37, 3).break_evens
    assert N.low <= found.fails_at < 37 <= found.size < N.typical


@given(st.integers(11, 250))
def test_a_break_even_holds_and_costs_few_evaluations(least: int) -> None:
    asked: list[int] = []

    def holds(at: Mapping[str, int]) -> bool:
        asked.append(at["n"])
        return at["n"] >= least

    (found,) = sensitivity_of([N], holds).break_evens
    assert found.size >= least
    assert found.size - least <= 1 + least // 500
    assert len(asked) == len(set(asked)) <= MAX_BISECTIONS + 3
