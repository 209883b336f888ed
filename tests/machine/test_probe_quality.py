"""When recorded rounds settle a figure of the probe: limits on both sides."""

import pytest
from rooflint.machine.probe.quality import RoundSample, Sentinels, StepKey, settle


@pytest.mark.parametrize(
    ("place", "second", "doubtful"),
    [
        ("L2", 95.1, False),
        ("L2", 94.9, True),
        ("MEM", 90.1, False),
        ("MEM", 89.9, True),
    ],
)
def test_how_far_the_two_best_may_be_apart(place: str, second: float, doubtful: bool) -> None:
    rounds = [RoundSample(figure, 1.0, 1.0, 1.0, 3.0) for figure in (50.0, second, 100.0)]
    found = settle(StepKey(place, "load", 1), rounds, Sentinels(clock_ghz=3.0))
    assert (found.figure, found.quality.doubtful) == (100.0, doubtful)


@pytest.mark.parametrize(("clock", "doubtful"), [(2.86, False), (2.84, True)])
def test_rounds_at_a_slow_clock_do_not_count(clock: float, doubtful: bool) -> None:
    rounds = [RoundSample(100.0, 1.0, 1.0, 1.0, 3.0), RoundSample(100.0, 1.0, 1.0, 1.0, clock)]
    assert (
        settle(StepKey("L2", "load", 1), rounds, Sentinels(clock_ghz=3.0)).quality.doubtful
        == doubtful
    )
