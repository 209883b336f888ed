"""Time before a change over time after it: predicted, measured, and where one lies in the other."""

from collections.abc import Sequence
from enum import Enum
from statistics import median
from typing import Final

from msgspec import Struct

from rooflint.measure.confrontation.forecast import Forecast
from rooflint.measure.protocol import process_figure
from rooflint.measure.records import ProcessRun
from rooflint.plugin_api.advice import Gain, Numbers

TOLERANCE: Final = 0.1
"""Share by which a measured gain may lie outside of the predicted range and count as inside: two
harnesses agree within it on four kernels of five, with one program and one machine."""


class GainPlacement(Enum):
    """Where a measured gain lies."""

    INSIDE = "inside"
    BELOW = "below the predicted range"
    ABOVE = "above the predicted range"


class PredictedGain(Struct, frozen=True, kw_only=True):
    """The lowest and the highest gain that a model gives."""

    low: float
    high: float


class MeasuredGain(Struct, frozen=True, kw_only=True):
    """The median of the ``groups``, each its lowest time before over its lowest time after.

    The lowest of all groups would compare a version with lucky pages with one without: of unchanged
    code in L2, it was off by 3 % where the median was by 0.3 %.
    """

    ratio: float
    groups: tuple[float, ...]


def placement(measured: float, predicted: PredictedGain) -> GainPlacement:
    """Where the measured gain lies, with some tolerance."""
    if measured < predicted.low * (1 - TOLERANCE):
        return GainPlacement.BELOW
    if measured > predicted.high * (1 + TOLERANCE):
        return GainPlacement.ABOVE
    return GainPlacement.INSIDE


def gain_of_function(gain: Gain, numbers: Numbers | None) -> PredictedGain:
    """The gain of a whole function from that of one of its loops, as Amdahl's law has it."""
    whole = PredictedGain(low=gain.low, high=gain.high)
    if numbers is None or not numbers.before > numbers.after > 0:
        return whole
    share = min(1.0, numbers.share / (1 - numbers.after / numbers.before))
    return PredictedGain(low=_amdahl(gain.low, share), high=_amdahl(gain.high, share))


def _amdahl(gain: float, share: float) -> float:
    return 1 / (1 - share + share / gain)


def forecast_gain(before: Forecast, after: Forecast) -> PredictedGain | None:
    """The gain by every model that answers for both versions; None where none does."""
    later = {model.model: model.cycles for model in after.models}
    ratios = [
        model.cycles / cycles
        for model in before.models
        if model.cycles and (cycles := later.get(model.model))
    ]
    return PredictedGain(low=min(ratios), high=max(ratios)) if ratios else None


def measured_gain(
    before: Sequence[Sequence[ProcessRun]],
    after: Sequence[Sequence[ProcessRun]],
    clock_ghz: float | None = None,
) -> MeasuredGain | None:
    """Of groups of processes, each with one placement of the arrays, by cycles of the core or of
    ``clock_ghz``; None without batches."""
    pairs = [
        (lowest_cycles(one, clock_ghz), lowest_cycles(other, clock_ghz))
        for one, other in zip(before, after, strict=True)
    ]
    groups = [one / other for one, other in pairs if one is not None and other is not None]
    if not groups:
        return None
    return MeasuredGain(ratio=median(groups), groups=tuple(groups))


def lowest_cycles(runs: Sequence[ProcessRun], clock_ghz: float | None = None) -> float | None:
    """Cycles per call of the fastest process, of the core or of ``clock_ghz``."""
    figures = [process_figure(run.batches, clock_ghz=clock_ghz) for run in runs]
    return min([each.cycles.p10 for each in figures if each is not None], default=None)
