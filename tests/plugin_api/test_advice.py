"""Gains in words, on both sides of where the words change."""

import pytest
from rooflint.plugin_api.advice import Gain, gain_words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        # two models that differ by less than 30 % agree: the lower one is said
        (2.0, 2.0, "2.0x"),
        (2.0, 2.59, "2.0x"),
        (2.0, 2.6, "2.0–2.6x"),
        (10.0, 12.9, "10x"),
        (10.0, 13.0, "10–13x"),
        # one digit behind the point as long as two digits are shown
        (9.94, 9.94, "9.9x"),
        (9.95, 9.95, "10x"),
        # no model is sure beyond 50
        (49.0, 50.0, "49x"),
        (30.0, 50.0, "30–50x"),
        (30.0, 50.1, "30–>50x"),
        (50.0, 50.0, ">50x"),
        (49.9, 49.9, "50x"),
    ],
)
def test_gains(low: float, high: float, words: str) -> None:
    assert gain_words(Gain(low, high)) == words
