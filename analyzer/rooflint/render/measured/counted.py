"""Counts of hardware beside the traffic that the models' machine predicts."""

from collections.abc import Iterator
from typing import Final

from rooflint.measure.counters.counting import CallCounts, CountObstacle, LinkCount
from rooflint.measure.counters.events import LINE_BYTES
from rooflint.measure.counters.tools import AbsenceCause, CounterAbsence, ToolAbsence
from rooflint.measure.results import BuildFacts, PointMeasurement
from rooflint.memory import LinkTraffic
from rooflint.plugin_api.prediction import Json
from rooflint.records import NamedTuple
from rooflint.render.measured import words

OBSTACLES: Final = {
    CountObstacle.MARKS: "counters do not tell the nest from the rest of a call",
    CountObstacle.COLD: "counters do not tell a call from the emptying of caches before it",
    CountObstacle.SEVERAL_CORES: "counted on one core alone",
    CountObstacle.ENDED: "a process under the counting tool did not end as without it",
    CountObstacle.UNREADABLE: "the counting tool printed what its manual does not say",
}
CAUSES: Final = {
    AbsenceCause.NOT_INSTALLED: "is not installed",
    AbsenceCause.NOT_SUPPORTED: "finds none in this kernel or virtual machine",
    AbsenceCause.NOT_PERMITTED: "may not count",
    AbsenceCause.NO_EVENTS: "has no known events of this core",
    AbsenceCause.FAILED: "failed",
}


class CountedRow(NamedTuple):
    """Name, value, predicted over counted, and a remark."""

    name: str
    value: str
    ratio: str
    remark: str


def absence_text(absence: CounterAbsence) -> str:
    """Why nothing is counted here: ``no hardware counters: perf may not count (…)``."""
    return f"no hardware counters: {'; '.join(map(_tool_text, absence))}"


def _tool_text(absence: ToolAbsence) -> str:
    detail = f" ({absence.detail})" if absence.detail else ""
    return f"{absence.tool.value} {CAUSES[absence.cause]}{detail}"


def counted_rows(point: PointMeasurement) -> Iterator[CountedRow]:
    """Cycles and instructions, and a row a link; why there are none, where the tool could."""
    found = point.counted
    if isinstance(found, CountObstacle):
        yield CountedRow("counted", "–", ratio="", remark=OBSTACLES[found])
    if not isinstance(found, CallCounts):
        return
    per, unit = (point.iterations, "it") if point.iterations else (1.0, "call")
    cycles = "–" if found.cycles is None else f"{found.cycles / per:.3g} cy/{unit}"
    yield CountedRow("counted", cycles, ratio="", remark=_work_text(found, per, unit))
    for lines in found.links:
        yield _link_row(lines, _predicted(point, lines.link), per, unit)


def _work_text(found: CallCounts, per: float, unit: str) -> str:
    parts = [f"by {found.tool.value}"]
    if found.instructions is not None:
        parts.append(f"{found.instructions / per:.3g} instructions/{unit}")
    if found.is_scaled:
        parts.append(f"estimates: counters took turns, {found.share:.0%} of the time each")
    return ", ".join(parts)


def _link_row(lines: LinkCount, predicted: LinkTraffic | None, per: float, unit: str) -> CountedRow:
    scale = LINE_BYTES / per
    known = [flow for flow in (lines.load, lines.evict) if flow is not None]
    value = f"{sum(known) * scale:.3g} B/{unit}" if known else "–"
    ways = [f"{_amount(lines.load, scale)} to the core", f"{_amount(lines.evict, scale)} back"]
    remark = ", ".join(ways)
    ratio = ""
    if predicted is not None:
        load, evict = _both_ways(predicted)
        remark += f"; predicted {load / per:.3g} and {evict / per:.3g}"
        ratio = _ratio(lines, load, evict)
    if lines.of_socket:
        remark += "; all of the socket's"
    return CountedRow(lines.link, value, ratio=ratio, remark=remark)


def _amount(lines: float | None, scale: float) -> str:
    return "unknown" if lines is None else f"{lines * scale:.3g}"


def _both_ways(predicted: LinkTraffic) -> tuple[float, float]:
    return predicted.load_bytes + predicted.write_allocate_bytes, predicted.evict_bytes


def _ratio(lines: LinkCount, load: float, evict: float) -> str:
    """Predicted over counted, of the ways that were counted."""
    counted = (lines.load or 0.0) + (lines.evict or 0.0)
    expected = (load if lines.load is not None else 0.0) + (
        evict if lines.evict is not None else 0.0
    )
    return f"{expected / (counted * LINE_BYTES):.2f} x" if counted else ""


def _predicted(point: PointMeasurement, link: str) -> LinkTraffic | None:
    traffic = point.forecast.traffic if point.forecast is not None else ()
    return next((each for each in traffic if each.link == link), None)


def counted_data(point: PointMeasurement) -> Json:
    """The counts as docs/measure.md describes them; null where there are none."""
    found = point.counted
    if not isinstance(found, CallCounts):
        return None
    return {
        "tool": found.tool.value,
        "cy_per_call": found.cycles,
        "instructions_per_call": found.instructions,
        "scaled": found.is_scaled,
        "links": [_link_data(point, lines) for lines in found.links],
    }


def _link_data(point: PointMeasurement, lines: LinkCount) -> Json:
    predicted = _predicted(point, lines.link)
    expected: Json = None
    if predicted is not None:
        load, evict = _both_ways(predicted)
        expected = {"load_bytes": load, "evict_bytes": evict}
    return {
        "link": lines.link,
        "load_bytes": None if lines.load is None else lines.load * LINE_BYTES,
        "evict_bytes": None if lines.evict is None else lines.evict * LINE_BYTES,
        "of_socket": lines.of_socket,
        "predicted": expected,
    }


def report_notes(build: BuildFacts) -> Iterator[str]:
    """The notes on a measurement, with the reason for which nothing is counted."""
    yield from words.notes(build)
    if build.no_counters:
        yield absence_text(build.no_counters)


def no_counts_text(point: PointMeasurement, absence: CounterAbsence) -> str | None:
    """Why a point has no counts; None where it has, or where nobody asked."""
    if isinstance(point.counted, CountObstacle):
        return OBSTACLES[point.counted]
    return absence_text(absence) if absence else None
