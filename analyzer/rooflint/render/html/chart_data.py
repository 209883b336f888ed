"""The roofline of all loops: roofs from the machines, a dot for each verdict that has a place."""

from collections.abc import Callable, Sequence

from rooflint.escaping import visible
from rooflint.plot.from_report import drawing_of, unit_of
from rooflint.plot.overview import MachineRoof, machine_roofs
from rooflint.plot.scene import SceneRoof
from rooflint.plot.verdict_points import verdict_rate, work_of
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import Report
from rooflint.plugin_api.terms import link_resource
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.render.html.columns import ShownVerdict
from rooflint.render.html.rows import LoopRow
from rooflint.render.html.texts import TextTable, short_number
from rooflint.verdict.words import resource_words


class Dot(NamedTuple):
    """A loop under the roofs: work per byte over ``link``, and 1e9 work per second now."""

    work: str
    link: str
    intensity: float
    rate: float


def counted_works(report: Report) -> list[str]:
    """Names of the counted work, that of most time first."""
    return list(dict.fromkeys(each.work for each in machine_roofs(report)))


def roofs_data(report: Report, works: Sequence[str]) -> list[list[Json]]:
    """By machine its roofs for what is counted."""
    roofs = [each for each in machine_roofs(report) if each.work in works]
    return [
        [_roof(each, works) for each in roofs if each.machine == machine.name]
        for machine in report.machines
    ]


def works_data(works: Sequence[str]) -> list[Json]:
    """The names of what is counted, with the unit of its rate."""
    return [{"work": visible(work), "unit": visible(unit_of(work))} for work in works]


def _roof(each: MachineRoof, works: Sequence[str]) -> Json:
    roof = each.roof
    links: list[Json] = [
        [level_name(level.link), short_number(level.gb_s)] for level in roof.levels
    ]
    if roof.bandwidth_gb_s is not None:
        links.append([level_name(roof.link), short_number(roof.bandwidth_gb_s)])
    return {
        "work": works.index(each.work),
        "cores": each.cores,
        "links": links,
        "peaks": _peaks(roof),
    }


def _peaks(roof: SceneRoof) -> list[Json]:
    if roof.peaks:
        return [[visible(f"peak {peak.types}"), short_number(peak.g_per_s)] for peak in roof.peaks]
    return [] if roof.peak_g_per_s is None else [["peak", short_number(roof.peak_g_per_s)]]


def level_name(link: str) -> str:
    """``DRAM`` of ``L3-MEM``: a link is named by the level that it leads to."""
    return visible(resource_words(link_resource(link)))


def dot_columns(
    rows: Sequence[LoopRow],
    verdicts: Sequence[ShownVerdict | None],
    works: list[str],
    texts: TextTable,
) -> dict[str, Json]:
    """The places of the dots, in the order of the rows; None for a loop that has none."""
    dots = [
        None if shown is None else _dot(row, shown.first)
        for row, shown in zip(rows, verdicts, strict=True)
    ]

    def column(value: Callable[[Dot], Json]) -> list[Json]:
        return [None if dot is None or dot.work not in works else value(dot) for dot in dots]

    return {
        "x": column(lambda dot: short_number(dot.intensity)),
        "y": column(lambda dot: short_number(dot.rate)),
        "work": column(lambda dot: works.index(dot.work)),
        "over": column(lambda dot: texts.place(level_name(dot.link))),
    }


def _dot(row: LoopRow, verdict: Verdict) -> Dot | None:
    """The place that the verdict's time gives; None without a time, or work to count."""
    kernel = next((c.kernel for c in row.copies if c.kernel.id == verdict.id), None)
    now = verdict.time.now_cy
    if kernel is None or not now:
        return None
    result = next(each for each in kernel.results if each.machine == verdict.machine)
    drawn = drawing_of(result)
    if drawn is None:
        return None
    rate = verdict_rate(verdict, work_of(kernel, result, drawn.plot))
    if rate is None:
        return None
    point = drawn.point
    return Dot(work=drawn.work, link=point.link, intensity=point.intensity_per_byte, rate=rate)
