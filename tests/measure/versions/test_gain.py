"""Gains from recorded samples, of loops in functions, and where they lie."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.measure.records import ProcessRun
from rooflint.measure.versions.gain import (
    TOLERANCE,
    GainPlacement,
    MeasuredGain,
    PredictedGain,
    gain_of_function,
    measured_gain,
    placement,
)
from rooflint.plugin_api.advice import Gain, Numbers

MakeRun = Callable[..., ProcessRun]
Samples = Callable[[str], tuple[ProcessRun, ...]]
WIDE = PredictedGain(low=2.0, high=4.0)


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (2.0 * (1 - TOLERANCE) - 0.01, GainPlacement.BELOW),
        (2.0 * (1 - TOLERANCE) + 0.01, GainPlacement.INSIDE),
        (4.0 * (1 + TOLERANCE) - 0.01, GainPlacement.INSIDE),
        (4.0 * (1 + TOLERANCE) + 0.01, GainPlacement.ABOVE),
    ],
)
def test_placement(measured: float, expected: GainPlacement) -> None:
    assert placement(measured, WIDE) is expected


def numbers(before: float, after: float, share: float) -> Numbers:
    return Numbers(
        model="ecm", before=before, after=after, unit="cy/it", saved_seconds=1e-6, share=share
    )


def test_a_loop_that_is_half_of_its_function() -> None:
    """4 times as fast saves 3/8 of the function: 1 / (1/2 + 1/8)."""
    found = gain_of_function(Gain(4.0, 4.0), numbers(4.0, 1.0, 0.375))
    assert (found.low, found.high) == pytest.approx((1.6, 1.6))


def test_a_loop_that_is_all_of_it() -> None:
    assert gain_of_function(Gain(2.0, 8.0), numbers(4.0, 1.0, 0.75)) == PredictedGain(
        low=2.0, high=8.0
    )


@pytest.mark.parametrize("known", [None, numbers(1.0, 1.0, 0.0)])
def test_without_numbers_the_gain_is_that_of_the_loop(known: Numbers | None) -> None:
    assert gain_of_function(Gain(2.0, 4.0), known) == WIDE


@given(st.floats(1.01, 50), st.floats(0.01, 1))
def test_a_function_never_gains_more_than_its_loop(gain: float, share: float) -> None:
    saved = share * (1 - 1 / gain)
    found = gain_of_function(Gain(gain, gain), numbers(gain, 1.0, saved))
    assert 1 <= found.low <= gain * (1 + 1e-9)


def test_lowest_over_lowest_in_the_median_group(made_up_run: MakeRun) -> None:
    before = [[220, 200], [300, 210], [150, 400]]
    after = [[110, 120], [100, 100], [150, 150]]  # one group met lucky pages before the change
    found = measured_gain(
        [list(map(made_up_run, group)) for group in before],
        [list(map(made_up_run, group)) for group in after],
    )
    assert found is not None
    assert found.groups == pytest.approx((200 / 110, 2.1, 1.0))
    assert found.ratio == pytest.approx(200 / 110)


def test_the_gain_of_far_data_is_one_of_time(made_up_run: MakeRun) -> None:
    before, after = [[made_up_run(300, ghz=3.0)]], [[made_up_run(200, ghz=2.0)]]
    own, far = measured_gain(before, after), measured_gain(before, after, clock_ghz=2.4)
    assert own is not None
    assert far is not None
    assert (own.ratio, far.ratio) == pytest.approx((1.5, 1.0))


def test_nothing_timed() -> None:
    assert measured_gain([[ProcessRun()]], [[ProcessRun()]]) is None


def test_recorded_processes(samples: Samples) -> None:
    """A triad against itself, and against a smaller one."""
    triad, half = samples("triad_l1"), samples("triad_half")
    groups = [[run] for run in triad]
    assert measured_gain(groups, groups) == MeasuredGain(ratio=1.0, groups=(1.0,) * len(triad))
    found = measured_gain(groups, [[run] for run in half])
    assert found is not None
    assert found.ratio == pytest.approx(1.5187, abs=1e-4)
    assert found.groups == pytest.approx((1.5187, 2.0158, 1.2551), abs=1e-4)
