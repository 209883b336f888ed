"""Suspects fitted to figures over levels; gaps are worked out in the comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.measure.confrontation.suspects import (
    RIGHT,
    SAME_GAP,
    Observation,
    Suspect,
    SuspectTerm,
    suspects,
)

LEVELS = ("L1", "L2", "L3", "MEM")


def seen(level: str, measured: float, predicted: float, **kind: bool) -> Observation:
    return Observation(level=level, measured=measured, predicted=predicted, **kind)


def terms(*observations: Observation) -> list[SuspectTerm | None]:
    return [each.term if each is not None else None for each in suspects(observations, LEVELS)]


def test_models_that_are_right_have_no_suspect() -> None:
    assert terms(seen("L1", 2.0, 2.1), seen("L2", 4.0, 3.6)) == [None, None]


@pytest.mark.parametrize("factor", [RIGHT * 0.999, RIGHT * 1.001])
def test_right_is_a_factor_both_ways(factor: float) -> None:
    is_right = factor < RIGHT
    assert seen("L1", factor, 1.0).is_right is is_right
    assert seen("L1", 1.0, factor).is_right is is_right


def test_the_core_is_off_by_the_same_cycles_at_all_levels() -> None:
    """A stencil of five points: 3.3, 3.4 and 4.0 cycles are missing."""
    found = terms(seen("L1", 7.3, 4.0), seen("L2", 7.5, 4.1), seen("L3", 8.0, 4.0))
    assert found == [SuspectTerm.CORE] * 3


def test_a_gap_that_appears_with_a_level_is_the_link_in_front_of_it() -> None:
    found = suspects((seen("MEM", 30.0, 10.0), seen("L1", 2.0, 2.0), seen("L3", 8.0, 7.5)), LEVELS)
    assert found == (Suspect(term=SuspectTerm.LINK, link="L3-MEM"), None, None)
    found = suspects((seen("L1", 2.0, 2.0), seen("L2", 8.0, 4.0), seen("L3", 12.0, 8.0)), LEVELS)
    assert found[1:] == (Suspect(term=SuspectTerm.LINK, link="L1-L2"),) * 2


def test_a_link_on_top_of_the_core() -> None:
    """3 cycles are missing in L1 and L2, 17 in memory."""
    observations = (seen("L1", 7.0, 4.0), seen("L2", 7.0, 4.0), seen("MEM", 37.0, 20.0))
    assert suspects(observations, LEVELS) == (
        Suspect(term=SuspectTerm.CORE),
        Suspect(term=SuspectTerm.CORE),
        Suspect(term=SuspectTerm.LINK, link="L3-MEM"),
    )


@pytest.mark.parametrize(("share", "term"), [(0.99, SuspectTerm.CORE), (1.01, SuspectTerm.LINK)])
def test_gaps_are_the_same_up_to_a_share_of_the_measurement(
    share: float, term: SuspectTerm
) -> None:
    more = share * SAME_GAP * 20.0
    found = terms(seen("L1", 8.0, 4.0), seen("L2", 20.0, 20.0 - 4.0 - more))
    assert found[1] in (None, term)
    far = suspects((seen("L1", 8.0, 4.0), seen("L2", 20.0, 20.0 - 4.0 - more)), LEVELS)[1]
    assert far is not None
    assert far.term is term


def test_without_l1_nothing_is_decided() -> None:
    assert terms(seen("L2", 8.0, 4.0), seen("MEM", 30.0, 10.0)) == [SuspectTerm.UNDECIDED] * 2


def test_memory_alone_is_off_and_was_disturbed() -> None:
    shared = seen("MEM", 30.0, 10.0, is_disturbed=True)
    assert terms(seen("L1", 2.0, 2.0), shared)[1] is SuspectTerm.MEASUREMENT
    assert terms(seen("L1", 4.0, 2.0), shared)[1] is not SuspectTerm.MEASUREMENT
    quiet = seen("MEM", 30.0, 10.0)
    assert terms(seen("L1", 2.0, 2.0), quiet)[1] is SuspectTerm.LINK


def test_only_powers_of_two_are_off() -> None:
    near, power = seen("L1", 2.0, 2.0), seen("L2", 9.0, 4.0, is_power=True)
    assert terms(near, power, seen("L2", 4.1, 4.0))[1] is SuspectTerm.CONFLICTS
    # without another size in the level, or where that is off too, nothing tells them apart
    assert terms(near, power)[1] is SuspectTerm.LINK
    assert terms(near, power, seen("L2", 9.0, 4.0))[1] is SuspectTerm.LINK
    assert terms(near, power, seen("L2", 4.1, 4.0, is_power=True))[1] is SuspectTerm.LINK


def test_only_sizes_near_a_layer_condition_are_off() -> None:
    core, near = seen("L1", 2.0, 2.0), seen("L3", 14.0, 8.0, near_limit=True)
    assert terms(core, near, seen("L3", 8.0, 8.0))[1] is SuspectTerm.LAYER_CONDITION
    assert terms(core, near)[1] is SuspectTerm.LINK
    assert terms(near, seen("L3", 14.0, 8.0), core)[0] is SuspectTerm.LINK


OBSERVATIONS = st.lists(
    st.builds(
        Observation,
        level=st.sampled_from(LEVELS),
        measured=st.floats(0.1, 100),
        predicted=st.floats(0.1, 100),
        is_disturbed=st.booleans(),
        near_limit=st.booleans(),
        is_power=st.booleans(),
    ),
    max_size=6,
)


@given(OBSERVATIONS)
def test_a_suspect_is_named_exactly_where_a_model_is_wrong(observations: list[Observation]) -> None:
    found = suspects(observations, LEVELS)
    assert [each is None for each in found] == [each.is_right for each in observations]
    assert all(bool(e.link) is (e.term is SuspectTerm.LINK) for e in found if e is not None)


@given(OBSERVATIONS, st.integers(-3, 3))
def test_the_unit_of_cycles_does_not_matter(observations: list[Observation], power: int) -> None:
    factor = 2.0**power
    scaled = [
        Observation(
            level=each.level,
            measured=each.measured * factor,
            predicted=each.predicted * factor,
            is_disturbed=each.is_disturbed,
            near_limit=each.near_limit,
            is_power=each.is_power,
        )
        for each in observations
    ]
    assert suspects(scaled, LEVELS) == suspects(observations, LEVELS)
