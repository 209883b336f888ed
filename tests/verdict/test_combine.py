"""The rule that makes one time of the models' terms and floors: its cases, and its laws."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, LimitSide, TimeTerm
from rooflint.verdict.combine import RENAMES, CombinedTime, at_high, combine

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "combined_times.json").read_text("utf-8")
)["cases"]
UNITS = {"divider": CoreUnit.DIVIDER, "fma": CoreUnit.MULTIPLY_ADD, "add": CoreUnit.MULTIPLY_ADD}

CHAIN = Limiter(LimiterKind.CHAIN)
PORT = Limiter(LimiterKind.PORT, unit=CoreUnit.MULTIPLY_ADD)
ISSUE = Limiter(LimiterKind.ISSUE)
CALL = Limiter(LimiterKind.CALL)
WALKS = Limiter(LimiterKind.PAGE_WALKS)
LEVELS = ("L1", "L2", "L3", "MEM")


def link(level: str) -> Limiter:
    return Limiter(LimiterKind.LINK, level=level)


def resource(kind: str, name: str) -> Limiter:
    if kind == "link":
        return link("MEM" if name == "DRAM" else name)
    if kind == "port":
        return Limiter(LimiterKind.PORT, unit=UNITS[name])
    return Limiter(LimiterKind(kind))


def terms_of(case: dict[str, Any]) -> list[TimeTerm]:
    return [
        TimeTerm(
            resource(each["kind"], each["name"]),
            float(each["cy"]),
            overlaps=each["group"] == "data" and case["links"] == "overlapping",
        )
        for each in case["terms"]
    ]


def floors_of(case: dict[str, Any]) -> list[TimeTerm]:
    return [
        TimeTerm(resource(each["kind"], each["name"]), float(each["cy"])) for each in case["floors"]
    ]


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_a_case(case: dict[str, Any]) -> None:
    expected = case["expect"]
    combined = combine(terms_of(case), floors_of(case))
    assert combined.estimate_cy == pytest.approx(expected["estimate_cy"], abs=1e-6)
    assert combined.floor_cy == pytest.approx(expected["floor_cy"], abs=1e-6)
    assert combined.now_cy == pytest.approx(expected["now_cy"], abs=1e-6)
    assert combined.raised_by_floor == expected["raised_by_floor"]
    limiter = expected["limiter"]
    assert combined.limiter == resource(limiter["kind"], limiter["name"])
    if expected["of_limit"] is not None:
        assert (combined.of_limit or 0.0) == pytest.approx(expected["of_limit"], abs=1e-6)


def test_no_case_is_left_out() -> None:
    assert len(CASES) == 28


@pytest.mark.parametrize(("above", "named"), [(-0.01, CHAIN), (0.01, link("MEM"))])
def test_a_floor_names_the_limiter_from_a_ratio_on(above: float, named: Limiter) -> None:
    estimate = TimeTerm(CHAIN, 2.0)
    floor = TimeTerm(link("MEM"), 2.0 * (RENAMES + above))
    assert combine([estimate], [floor]).limiter == named


def test_calls_wait_for_what_stands_beside_them() -> None:
    # two cycles of instructions and three of a function, one after the other; the chain runs on
    terms = [TimeTerm(CHAIN, 4.0), TimeTerm(PORT, 2.0), TimeTerm(CALL, 3.0)]
    assert combine(terms, []) == CombinedTime(5.0, 0.0, limiter=CALL)
    assert combine([terms[0]._replace(cycles=6.0), *terms[1:]], []).limiter == CHAIN
    # most of the sum is the loop's own
    assert combine([TimeTerm(PORT, 3.0), TimeTerm(CALL, 2.0)], []).limiter == PORT


def test_nothing_limits_nothing() -> None:
    assert combine([], []) == CombinedTime(0.0, 0.0)
    assert combine([TimeTerm(CHAIN, 0.0), TimeTerm(link("L1"), 0.0)], []).limiter is None
    assert combine([], []).of_limit is None


def test_unknown_addresses_raise_only_the_high_end() -> None:
    random = TimeTerm(link("MEM"), 1.0, high=8.0)
    assert combine([random], []).now_cy == 1.0
    assert combine([random], [], at_high).now_cy == 8.0
    # a high end is never below the low one
    assert combine([random._replace(high=0.5)], [], at_high).now_cy == 1.0


CYCLES = st.floats(0.0, 1e6, allow_subnormal=False)
CORE = st.builds(TimeTerm, st.sampled_from((CHAIN, PORT, ISSUE, CALL)), CYCLES)
DATA = st.builds(
    TimeTerm,
    st.sampled_from([*map(link, LEVELS), WALKS]),
    CYCLES,
    overlaps=st.booleans(),
)
TERMS = st.lists(st.one_of(CORE, DATA), max_size=9)
FLOORS = st.lists(
    st.builds(TimeTerm, st.sampled_from([*map(link, LEVELS), PORT]), CYCLES), max_size=4
)


@given(TERMS, FLOORS)
def test_now_is_no_less_than_either(terms: list[TimeTerm], floors: list[TimeTerm]) -> None:
    combined = combine(terms, floors)
    assert combined.floor_cy <= combined.now_cy
    assert combined.estimate_cy <= combined.now_cy
    assert combined.of_limit is None or 0 < combined.of_limit <= 1
    assert all(floor.cycles <= combined.now_cy for floor in floors)


@given(TERMS, FLOORS, st.integers(0, 8))
def test_a_free_term_never_raises_the_time(
    terms: list[TimeTerm], floors: list[TimeTerm], place: int
) -> None:
    now = combine(terms, floors)
    if place >= len(terms):
        return
    freed = terms[place]
    without = [*terms[:place], freed._replace(cycles=0.0), *terms[place + 1 :]]
    after = combine(without, floors)
    assert after.now_cy <= now.now_cy
    lost = now.limiter is not None and freed.resource.side is not now.limiter.side
    if lost and not now.raised_by_floor:
        assert after.now_cy == pytest.approx(now.now_cy, rel=1e-9)


@given(TERMS, FLOORS)
def test_slower_links_leave_a_data_limiter_one(
    terms: list[TimeTerm], floors: list[TimeTerm]
) -> None:
    now = combine(terms, floors)
    slower = [_slower(term) for term in terms]
    after = combine(slower, [_slower(floor) for floor in floors])
    assert after.now_cy >= now.now_cy
    if now.limiter is not None and now.limiter.side is LimitSide.DATA:
        assert after.limiter is not None
        assert after.limiter.side is LimitSide.DATA


@given(TERMS, FLOORS, st.randoms(use_true_random=False))
def test_order_changes_no_time(
    terms: list[TimeTerm], floors: list[TimeTerm], random: Random
) -> None:
    now = combine(terms, floors)
    shuffled, others = list(terms), list(floors)
    random.shuffle(shuffled)
    random.shuffle(others)
    after = combine(shuffled, others)
    assert after.now_cy == pytest.approx(now.now_cy, rel=1e-9)
    assert (after.limiter is None) == (now.limiter is None)


@given(TERMS, FLOORS, st.floats(1.0, 100.0))
def test_faster_parts_never_raise_the_time(
    terms: list[TimeTerm], floors: list[TimeTerm], factor: float
) -> None:
    faster = [term._replace(cycles=term.cycles / factor) for term in terms]
    below = [floor._replace(cycles=floor.cycles / factor) for floor in floors]
    assert combine(faster, below).now_cy <= combine(terms, floors).now_cy


def _slower(term: TimeTerm) -> TimeTerm:
    """At half the rate, if it is a link's."""
    if term.resource.kind is LimiterKind.LINK:
        return term._replace(cycles=2 * term.cycles)
    return term


def test_wrong_guesses_are_added_to_the_core() -> None:
    """Nothing of the core overlaps them: 2 cycles of a chain and 8 of guesses are 10, and name the
    limiter from where they are the larger part; data overlaps them."""
    guesses = Limiter(LimiterKind.MISPREDICTIONS)

    def high(cycles: float, data: float = 0.0) -> CombinedTime:
        terms = [
            TimeTerm(CHAIN, 2.0),
            TimeTerm(PORT, 1.0),
            TimeTerm(guesses, 0.0, cycles),
            TimeTerm(link("MEM"), data),
        ]
        assert combine(terms, []).limiter == (CHAIN if data < 2 else link("MEM"))
        return combine(terms, [], at_high)

    assert (high(8.0).now_cy, high(8.0).limiter) == (10.0, guesses)
    assert (high(1.9).now_cy, high(1.9).limiter) == (3.9, CHAIN)
    assert (high(8.0, 11.0).now_cy, high(8.0, 11.0).limiter) == (11.0, link("MEM"))
