"""Contents of a roofline plot, and their places on paper: both axes in powers of two."""

import math
from collections.abc import Iterable, Iterator

from rooflint.plugin_api.drawing import CeilingStep, LinkRoof, PlotPoint, RoofCeiling
from rooflint.records import NamedTuple

NARROWEST_OCTAVES = 5
FARTHEST_OCTAVES = 64.0
WIDEST_OCTAVES = 26
"""Beyond it (a loop with next to no traffic) the picture keeps its lower end and the point goes to
the edge."""


class ScenePeak(NamedTuple):
    """A compute roof in 1e9 work/s, and of which element types it is."""

    types: str
    g_per_s: float


class SceneRoof(NamedTuple):
    """A machine's roof over one link, with the ceilings under it; a missing side is None.

    ``compute_now`` and ``memory_now`` (1e9 work/s, GB/s) are the lines the loop is under: between
    them and the roof lie the regions. ``levels`` are roofs over other links, nearest first, and
    ``peaks`` those of several element types, highest first. ``pattern`` is as in ``LinkRoof``.
    """

    name: str
    peak_g_per_s: float | None
    bandwidth_gb_s: float | None
    link: str = ""
    lines: tuple[RoofCeiling, ...] = ()
    compute_now: float | None = None
    memory_now: float | None = None
    levels: tuple[LinkRoof, ...] = ()
    peaks: tuple[ScenePeak, ...] = ()
    pattern: str = ""

    @property
    def ridge_per_byte(self) -> float | None:
        """Work per byte where both sides meet."""
        if not self.peak_g_per_s or not self.bandwidth_gb_s:
            return None
        return self.peak_g_per_s / self.bandwidth_gb_s

    def at(self, intensity: float) -> float:
        """Attainable 1e9 work/s at an intensity."""
        sides = [self.peak_g_per_s, (self.bandwidth_gb_s or math.inf) * intensity]
        return min([side for side in sides if side is not None])


class ScenePoint(NamedTuple):
    """A kernel: where it is now, and the steps up from there. ``roof``: its place in the scene.

    ``limit`` names what holds it below the roof drawn, such as a nearer link; else it is empty.
    ``compulsory`` is where it would be, ceilings as they are, if every line came but once.
    ``link`` is the one whose bytes its intensity counts. A minor kernel takes no part in the choice
    of the axes: it stands at their edge if it lies beyond.
    """

    name: str
    intensity_per_byte: float
    g_per_s: float
    roof: int = 0
    steps: tuple[CeilingStep, ...] = ()
    limit: str = ""
    compulsory: PlotPoint | None = None
    link: str = ""
    is_minor: bool = False


WORTH_SAYING = 1.005


def best_words(point: ScenePoint, work: str) -> str:
    """The label at the end of the way to compulsory misses alone; the gain where there is one."""
    spot = point.compulsory
    if spot is None:
        return ""
    gain = spot.g_per_s / point.g_per_s
    text = f"at best {short(spot.intensity_per_byte)} {work}/B"
    return f"{text}: ×{short(gain)}" if gain >= WORTH_SAYING else text


class Curve(NamedTuple):
    """A bound over all intensities: ``flat`` is its rate far right, ``slope`` its bytes per time
    far left; with both, ``alpha`` of the shorter time overlaps with the longer.

    ``kind`` decides the stroke, ``series`` the colour.
    """

    name: str
    kind: str
    series: int
    flat: float | None = None
    slope: float | None = None
    alpha: float = 1.0

    def at(self, intensity: float) -> float:
        """The rate at an intensity."""
        if self.flat is None or self.slope is None:
            return (self.slope or 0.0) * intensity if self.flat is None else self.flat
        across, up = 1 / self.flat, 1 / (self.slope * intensity)
        return 1 / (across + up - self.alpha * min(across, up))

    @property
    def ridge_per_byte(self) -> float | None:
        """Where both sides take the same time."""
        return self.flat / self.slope if self.flat and self.slope else None


class Scene(NamedTuple):
    """One picture; ``work`` is what is counted (``flop``), ``unit`` the unit of its rate.

    ``axis`` names what lies across: work per byte over a link, or per byte the core asks for.
    ``curves`` are bounds in place of roofs; the first one is the roof.
    """

    title: str
    work: str
    unit: str
    roofs: tuple[SceneRoof, ...]
    points: tuple[ScenePoint, ...]
    subtitle: str = ""
    axis: str = "intensity"
    curves: tuple[Curve, ...] = ()


class Axis(NamedTuple):
    """A logarithmic axis from ``2**first`` to ``2**last`` over ``length`` pixels."""

    first: int
    last: int
    length: float

    @property
    def octave(self) -> float:
        """Pixels per factor of two."""
        return self.length / (self.last - self.first)

    def __call__(self, value: float) -> float:
        """Pixels from the low end, also outside the picture, but not without bounds."""
        place = math.log2(value) if value > 0 else self.first - FARTHEST_OCTAVES
        low, high = self.first - FARTHEST_OCTAVES, self.last + FARTHEST_OCTAVES
        return (min(max(place, low), high) - self.first) * self.octave

    def inside(self, value: float) -> float:
        """``value`` moved to the nearer end where it lies outside."""
        return min(max(value, 2.0**self.first), 2.0**self.last)

    def ticks(self, apart_px: float) -> Iterator[int]:
        """Exponents to label, at least ``apart_px`` from each other."""
        every = max(1, math.ceil(apart_px / self.octave))
        start = -(-self.first // every) * every
        return iter(range(start, self.last + 1, every))


def horizontal(scene: Scene, length: float) -> Axis:
    """Work per byte: points, ridges and the edges of the regions lie inside."""
    values = [point.intensity_per_byte for point in scene.points if not point.is_minor]
    for roof in scene.roofs:
        values += _intensities(roof, scene)
    for ridge in [curve.ridge_per_byte for curve in scene.curves]:
        values += [] if ridge is None else [ridge / 2, ridge * 4]
    return _axis(values, length, room=(0.7, 0.7))


def _intensities(roof: SceneRoof, scene: Scene) -> Iterator[float]:
    ridge = roof.ridge_per_byte
    if ridge is not None:
        yield from (ridge, ridge * 4)
        if not scene.points:
            yield ridge / 8
    for level in roof.levels:
        if level.intensity_per_byte is None:
            yield (roof.peak_g_per_s or 0.0) / level.gb_s / 2
        elif len(scene.roofs) == 1:
            yield level.intensity_per_byte


def vertical(scene: Scene, length: float, across: Axis) -> Axis:
    """1e9 work/s: points and peaks inside, with room above for the labels of the roof."""
    values = [point.g_per_s for point in scene.points if not point.is_minor]
    for roof in scene.roofs:
        values += [roof.at(2.0**across.last), *[s.g_per_s for p in scene.points for s in p.steps]]
        values += [line.value for line in roof.lines if line.side == "compute"]
    values += [curve.flat for curve in scene.curves if curve.flat is not None]
    return _axis(values, length, room=(0.8, 0.6))


def _axis(values: Iterable[float], length: float, room: tuple[float, float]) -> Axis:
    found = [math.log2(value) for value in values if value > 0 and math.isfinite(value)]
    low, high = min(found, default=0.0), max(found, default=0.0)
    first, last = math.floor(low - room[0]), math.ceil(high + room[1])
    missing = NARROWEST_OCTAVES - (last - first)
    if missing > 0:
        first -= missing // 2 + missing % 2
        last += missing // 2
    return Axis(first, min(last, first + WIDEST_OCTAVES), length)


def power_text(exponent: int) -> str:
    """``1/8``, ``1``, ``1024``; far ends as powers."""
    if exponent >= 0:
        return str(2**exponent) if exponent <= 13 else f"2^{exponent}"
    return f"1/{2**-exponent}" if exponent >= -10 else f"2^{exponent}"


def short(value: float) -> str:
    """Three significant digits; four of large numbers, which are written out up to a million."""
    if 1000 <= abs(value) < 1e6:
        return f"{float(f'{value:.4g}'):.0f}"
    return f"{value:.3g}" if 1e-4 <= abs(value) < 1000 else f"{value:.4g}"
