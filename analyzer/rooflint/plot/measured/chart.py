"""Contents of a chart of measurements: the models' lines, stacked bands, points with their bars."""

from typing import Literal, TypeAlias

from rooflint.records import NamedTuple

Spots: TypeAlias = tuple[tuple[float, float], ...]
"""Places in the units of the axes, from left to right."""
Across: TypeAlias = Literal["size", "cores"]
"""What lies across: sizes on a logarithmic axis, or cores."""


class ChartLine(NamedTuple):
    """A line in one or several pieces; ``series`` decides colour and dashes."""

    name: str
    series: int
    pieces: tuple[Spots, ...]
    is_thick: bool = False


class ChartBand(NamedTuple):
    """A contribution to a sum: the area between the upper and the lower line of each piece."""

    name: str
    series: int
    pieces: tuple[tuple[Spots, Spots], ...]


class ChartPoint(NamedTuple):
    """A measurement; one that is not stable is an upper bound.

    batches    from the 10th to the 90th percentile;  processes  from the lowest to the highest
    """

    x: float
    y: float
    batches: tuple[float, float]
    processes: tuple[float, float]
    is_stable: bool = True


class ChartZone(NamedTuple):
    """A stretch of the horizontal axis."""

    name: str
    start: float
    stop: float


class ChartMark(NamedTuple):
    """A place on the horizontal axis, such as one where a layer condition breaks."""

    x: float
    text: str


class Chart(NamedTuple):
    """One picture; ``x_name`` and ``y_name`` are the axes' names with their units.

    per_line  iterations of a cache line of work, for a second axis of cycles per line
    """

    title: str
    subtitle: str
    x_name: str
    y_name: str
    across: Across = "size"
    lines: tuple[ChartLine, ...] = ()
    bands: tuple[ChartBand, ...] = ()
    points: tuple[ChartPoint, ...] = ()
    zones: tuple[ChartZone, ...] = ()
    marks: tuple[ChartMark, ...] = ()
    per_line: float | None = None
