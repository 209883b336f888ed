"""What a run of the lint is asked for, the same for all functions of a file."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from rooflint.advice import Confidence, Severity

Shown: TypeAlias = frozenset[str]

MIN_GAIN = 1.2
"""Below it a change is not worth anybody's time: timings of the same code differ by a tenth."""
MIN_TIME_S = 10e-6
WARNING_GAIN = 1.5
WARNING_SHARE = 0.05
"""Of the function's time that a warning has to save."""


class Settings(NamedTuple):
    """Thresholds and rules of one file.

    codes        of the rules that are asked
    structural   the pattern is enough: no thresholds, and guards that are no part of it are off
    severity     by code, where the configuration overrules the numbers
    show_skipped loops that are not modelled are findings too (RL002)
    hints        hints are said too (RL003): an editor's part
    """

    codes: Shown
    min_gain: float = MIN_GAIN
    min_time_s: float = MIN_TIME_S
    min_confidence: Confidence = "low"
    structural: bool = False
    severity: Mapping[str, Severity] = {}
    show_skipped: bool = False
    hints: bool = False


FailOn: TypeAlias = Literal["note", "warning", "error", "never"]
