"""The ceilings over a kernel, and the same as the ``data`` of its prediction."""

from rooflint.plugin_api.prediction import Json
from rooflint.records import NamedTuple

from rooflint_plugins.models.ceilings.concurrency import Concurrency
from rooflint_plugins.models.ceilings.intensity import CompulsoryGain, Misses
from rooflint_plugins.models.ceilings.stack import Climb, Region, Stack
from rooflint_plugins.models.ceilings.verdicts import JudgedCeiling


class CeilingSide(NamedTuple):
    """A judged stack and the link it is about; ``gb_s_per_g`` turns 1e9 work/s into its GB/s."""

    stack: Stack
    judged: tuple[JudgedCeiling, ...]
    link: str = ""
    gb_s_per_g: float = 1.0


class LevelIntensity(NamedTuple):
    """A link that the kernel uses: its data rate, and the kernel's work per byte there."""

    link: str
    gb_s: float
    intensity_per_byte: float


class CeilingsAnswer(NamedTuple):
    """Everything found for one kernel.

    levels       the links with a rate, nearest first, for ``scope`` cores
    misses       why the link to memory carries what it carries; None where it carries nothing
    raised       the way from compulsory traffic, where more moves
    concurrency  of the cores that run the loop now; None where the machine file lacks a figure
    """

    metric: str
    scope: int
    sides: tuple[CeilingSide, ...]
    link: str | None
    intensity: float | None
    climb: Climb
    region: Region
    assumptions: tuple[str, ...]
    levels: tuple[LevelIntensity, ...]
    misses: Misses | None
    raised: CompulsoryGain | None
    concurrency: Concurrency | None

    @property
    def limit(self) -> str:
        """The side of the roof above the kernel: ``compute`` or a link."""
        lowest = min(self.sides, key=lambda side: side.stack.top)
        return "compute" if lowest.stack.side == "compute" else lowest.link

    @property
    def compulsory_intensity(self) -> float | None:
        """With compulsory traffic alone; None for work counted in the bytes that move."""
        if self.intensity is None or self.misses is None or self.metric == "byte":
            return None
        return self.intensity * self.misses.excess

    @property
    def bound(self) -> str:
        """The same in the words of the report: ``compute`` or ``memory``."""
        return "compute" if self.limit == "compute" else "memory"


def data_of(found: CeilingsAnswer, unit: str) -> dict[str, Json]:
    """The keys of docs/json.md."""
    listed: list[Json] = []
    for side in found.sides:
        line = side.stack.floor
        heights = dict(zip([s.name for s in side.stack.steps], side.stack.lines, strict=True))
        for judged in side.judged:
            line = heights[judged.rung.name]
            entry: dict[str, Json] = {
                "name": judged.rung.name,
                "family": "compute" if side.stack.side == "compute" else "memory",
                "g_per_s": denoise(line),
                "broken": judged.step.broken,
                "evidence": judged.verdict.evidence,
                "origin": judged.rung.origin,
                "lifted_by": judged.rung.lifted_by,
                "gb_s": denoise(line * side.gb_s_per_g) if side.stack.side == "memory" else None,
            }
            listed.append(entry)
    return {
        "region": found.region,
        "base_g_per_s": denoise(found.climb.base),
        "ceilings": listed,
        "path": _path(found.climb),
        "skipped": list(found.climb.skipped),
        "bound": found.bound,
        "limit": found.limit,
        "roof_g_per_s": denoise(found.climb.roof),
        "cores": found.scope,
        "metric": found.metric,
        "unit": unit,
        "compute_g_per_s": rate_now(found, "compute"),
        "memory_g_per_s": rate_now(found, "memory"),
        "link": found.link,
        "intensity_per_byte": found.intensity,
        "levels": [
            {
                "link": level.link,
                "intensity_per_byte": denoise(level.intensity_per_byte),
                "bandwidth_gb_s": level.gb_s,
            }
            for level in found.levels
        ],
        "compulsory_intensity_per_byte": found.compulsory_intensity,
        "misses": None if found.misses is None else _misses(found.misses),
        "raised": None if found.raised is None else _raised(found.raised),
        "concurrency": None if found.concurrency is None else _concurrency(found.concurrency),
    }


def _path(found: Climb) -> list[Json]:
    return [
        {"name": rise.name, "g_per_s": denoise(rise.g_per_s), "factor": rise.factor}
        for rise in found.path
    ]


def _misses(found: Misses) -> dict[str, Json]:
    return {
        "link": found.link,
        "compulsory_bytes": denoise(found.compulsory_bytes),
        "actual_bytes": denoise(found.actual_bytes),
        "factor": denoise(found.excess),
        "capacity_factor": denoise(found.capacity),
        "conflict_factor": denoise(found.conflict),
    }


def _raised(found: CompulsoryGain) -> dict[str, Json]:
    return {
        "factor": denoise(found.gain),
        "first": found.first,
        "base_g_per_s": denoise(found.climb.base),
        "roof_g_per_s": denoise(found.climb.roof),
        "region": found.region,
        "path": _path(found.climb),
        "skipped": list(found.climb.skipped),
    }


def _concurrency(found: Concurrency) -> dict[str, Json]:
    return {
        "cores": found.cores,
        "bandwidth_gb_s": found.gb_s,
        "latency_ns": found.latency_ns,
        "needed_lines": denoise(found.needed_lines),
        "fill_buffers": found.fill_buffers,
        "demand_gb_s": denoise(found.demand_gb_s),
    }


def rate_now(found: CeilingsAnswer, kind: str) -> float | None:
    """The rate that the ceilings of one kind allow the loop as it is."""
    rates = [
        side.stack.rate({step.name for step in side.stack.steps if step.broken})
        for side in found.sides
        if side.stack.side == kind
    ]
    return denoise(min(rates)) if rates else None


def denoise(value: float) -> float:
    """Products of factors without the noise of their last bits."""
    return float(f"{value:.12g}")
