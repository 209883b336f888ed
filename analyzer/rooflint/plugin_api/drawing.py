"""A model's drawing of a loop: its place under a roof, bounds over all intensities, its time by
contributions.

Any model fills ``Prediction.plot``; ``rooflint.plot`` draws it and reads no model's own data. Rates
are in 1e9 work per second, data rates in GB/s, intensities in work per byte.
"""

from collections.abc import Iterable
from math import isfinite
from typing import Literal, TypeAlias

from rooflint.records import NamedTuple

Side: TypeAlias = Literal["compute", "memory"]


class RoofCeiling(NamedTuple):
    """A ceiling: ``value`` in 1e9 work/s for compute, in GB/s for memory."""

    name: str
    side: Side
    value: float
    broken: bool = False


class LinkRoof(NamedTuple):
    """A roof over a link; the kernel's work per byte there, None if roofs share one value.

    ``pattern``: the access pattern of the rate, if other patterns have another rate.
    """

    link: str
    gb_s: float
    intensity_per_byte: float | None = None
    pattern: str = ""


class CeilingStep(NamedTuple):
    """A step of a point towards the roof: its name, the rate that it reaches, its gain."""

    name: str
    g_per_s: float
    factor: float


class PlotPoint(NamedTuple):
    """A place on the plot."""

    intensity_per_byte: float
    g_per_s: float


class RoofPlot(NamedTuple):
    """A loop as a point under a roof.

    metric                the unit of work: ``flop``
    g_per_s               the rate that the loop attains
    intensity_per_byte    over ``link``; None if it has no position on that axis
    core_intensity_per_byte  work per byte that the core requests, the cache-aware axis
    peak_g_per_s, bandwidth_gb_s  the roof; a missing side is None
    levels                all links with a rate, nearest first
    cores                 of the roof; None: those of the result
    lines, steps          ceilings under the roof, and the steps up through them
    limit                 the origin of the roof above the last step: ``compute`` or a link; of
                          two plots of a loop, the one that names it is drawn
    compute_now_g_per_s, memory_now_gb_s  the rates that the ceilings allow the current loop
    compulsory            its position if every line moved only once
    """

    metric: str
    g_per_s: float
    intensity_per_byte: float | None
    core_intensity_per_byte: float | None = None
    peak_g_per_s: float | None = None
    bandwidth_gb_s: float | None = None
    link: str = ""
    levels: tuple[LinkRoof, ...] = ()
    cores: int | None = None
    lines: tuple[RoofCeiling, ...] = ()
    steps: tuple[CeilingStep, ...] = ()
    limit: str = ""
    compute_now_g_per_s: float | None = None
    memory_now_gb_s: float | None = None
    compulsory: PlotPoint | None = None


class BoundLine(NamedTuple):
    """A bound over the intensity; ``of`` is its resource, empty for overlaps.

    flat   work per time at high intensities;  slope  bytes per time at low ones
    alpha  share of the shorter of both times that overlaps, if there are both
    """

    name: str
    kind: str
    of: str = ""
    flat: float | None = None
    slope: float | None = None
    alpha: float | None = None


class BoundLevel(NamedTuple):
    """A memory level, and the work per byte that it moves itself."""

    name: str
    intensity_per_byte: float


class BoundsPlot(NamedTuple):
    """A loop under bounds over its intensity, with all levels' bytes; ``rate`` is in ``unit``."""

    metric: str
    unit: str
    intensity_per_byte: float
    rate: float
    lines: tuple[BoundLine, ...]
    levels: tuple[BoundLevel, ...] = ()


class TimeShare(NamedTuple):
    """A contribution to a time, in core cycles; ``overlaps``: it is not added to the others."""

    name: str
    cycles: float
    overlaps: bool = False


class TimePlot(NamedTuple):
    """The time of an iteration by its contributions, on one core.

    cycles               of all contributions together
    shares               nearest to the core first
    iterations_per_line  iterations that make one cache line of work
    by_cores             cycles of 1, 2, … cores together; None where the limit is unknown
    saturation_cores     cores that saturate the memory of their domain
    """

    cycles: float
    shares: tuple[TimeShare, ...]
    iterations_per_line: float
    by_cores: tuple[float | None, ...] = ()
    saturation_cores: int | None = None


class PlotData(NamedTuple):
    """The drawing of a prediction; any part may be missing."""

    roof: RoofPlot | None = None
    bounds: BoundsPlot | None = None
    times: TimePlot | None = None


def mistake_in(plot: object) -> str:
    """Why this cannot be drawn; empty if it can be. Plots of plugins may contain anything."""
    if plot is None:
        return ""
    if not isinstance(plot, PlotData):
        return _wrong_type("plot", plot, PlotData)
    return (
        _mistake_in_roof(plot.roof)
        or _mistake_in_bounds(plot.bounds)
        or _mistake_in_times(plot.times)
    )


def _mistake_in_roof(roof: object) -> str:
    if roof is None:
        return ""
    if not isinstance(roof, RoofPlot):
        return _wrong_type("plot.roof", roof, RoofPlot)
    if not (roof.compulsory is None or isinstance(roof.compulsory, PlotPoint)):
        return _wrong_type("plot.roof.compulsory", roof.compulsory, PlotPoint)
    parts = (("levels", LinkRoof), ("lines", RoofCeiling), ("steps", CeilingStep))
    return _mistake_of_parts(roof, parts) or _mistake_of_rates(
        "plot.roof", roof, ("g_per_s",), ("intensity_per_byte", *_ROOF_RATES)
    )


def _mistake_in_bounds(bounds: object) -> str:
    if bounds is None:
        return ""
    if not isinstance(bounds, BoundsPlot):
        return _wrong_type("plot.bounds", bounds, BoundsPlot)
    return _mistake_of_parts(bounds, (("lines", BoundLine), ("levels", BoundLevel))) or (
        _mistake_of_rates("plot.bounds", bounds, ("intensity_per_byte", "rate"), ())
    )


def _mistake_in_times(times: object) -> str:
    """Times start at 0: a link that nothing moves over takes none."""
    if times is None:
        return ""
    if not isinstance(times, TimePlot):
        return _wrong_type("plot.times", times, TimePlot)
    return (
        _mistake_of_parts(times, (("shares", TimeShare),))
        or _mistake_of_cycles(times)
        or _mistake_of_rates("plot.times", times, ("iterations_per_line",), ("saturation_cores",))
    )


def _mistake_of_cycles(times: TimePlot) -> str:
    cycles = [times.cycles, *[share.cycles for share in times.shares]]
    if not all(each == 0 or _is_rate(each) for each in cycles):
        return "plot.times: cycles have to be 0 or more"
    if not isinstance(times.by_cores, tuple):
        return "plot.times: by_cores is no tuple"
    known = [each for each in times.by_cores if each is not None]
    return "" if all(map(_is_rate, known)) else "plot.times: by_cores has to be positive numbers"


def _wrong_type(where: str, value: object, expected: type) -> str:
    return f"{where} is a {type(value).__name__}, expected a {expected.__name__}"


_ROOF_RATES = (
    "core_intensity_per_byte", "peak_g_per_s", "bandwidth_gb_s", "compute_now_g_per_s",
    "memory_now_gb_s",
)  # fmt: skip
_PART_RATES: dict[type, tuple[tuple[str, ...], tuple[str, ...]]] = {
    LinkRoof: (("gb_s",), ("intensity_per_byte",)),
    RoofCeiling: (("value",), ()),
    CeilingStep: (("g_per_s", "factor"), ()),
    BoundLine: ((), ("flat", "slope")),
    BoundLevel: (("intensity_per_byte",), ()),
    TimeShare: ((), ()),
}
"""Fields of parts that have to be positive, and those that may be None as well."""


def _mistake_of_parts(
    plot: RoofPlot | BoundsPlot | TimePlot, parts: Iterable[tuple[str, type]]
) -> str:
    for field, kind in parts:
        items = getattr(plot, field)
        if not isinstance(items, tuple) or not all(isinstance(item, kind) for item in items):
            return f"plot: {field} is no tuple of {kind.__name__}"
        for item in items:
            if mistake := _mistake_of_rates(f"plot: {field}", item, *_PART_RATES[kind]):
                return mistake
    return ""


def _mistake_of_rates(
    where: str, record: object, needed: Iterable[str], optional: Iterable[str]
) -> str:
    """Both axes are logarithmic: their values are positive and finite."""
    wrong = [name for name in needed if not _is_rate(getattr(record, name))]
    values = [(name, getattr(record, name)) for name in optional]
    wrong += [name for name, value in values if not (value is None or _is_rate(value))]
    return f"{where}: {wrong[0]} has to be a positive number" if wrong else ""


def _is_rate(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and isfinite(value)
        and value > 0
    )
