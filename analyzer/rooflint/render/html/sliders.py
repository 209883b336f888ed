"""Runs at other values as the stops of sliders: columns that differ from the page's own."""

from collections.abc import Sequence

from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import Report, Variation
from rooflint.records import NamedTuple
from rooflint.render.html.chart_data import dot_columns, roofs_data
from rooflint.render.html.columns import (
    ShownVerdict,
    hint_rules,
    shown_verdict,
    verdict_columns,
)
from rooflint.render.html.headings import run_heading
from rooflint.render.html.rows import LoopRow, loop_rows
from rooflint.render.html.texts import TextTable
from rooflint.verdict.figures import whole_number
from rooflint.verdict.steps import with_verdicts

OWN_CORES = "as the code says"
"""The stop of the page itself where each loop has its own number of cores."""


class MachineView(NamedTuple):
    """One machine on a page: heading, columns of verdicts and dots."""

    heading: int
    columns: dict[str, Json]
    shown: tuple[ShownVerdict | None, ...]


def machine_views(
    report: Report, rows: Sequence[LoopRow], works: list[str], texts: TextTable
) -> list[MachineView]:
    """One for each machine, in the order of the rows."""
    views = []
    for place, machine in enumerate(report.machines):
        rules = hint_rules([each for each in report.verdicts if each.machine == machine.name])
        groups = [row.verdicts[place] if row.verdicts else () for row in rows]
        shown = [shown_verdict(group, rules) for group in groups]
        known = [each for each in shown if each is not None]
        columns = verdict_columns(shown, texts) | dot_columns(rows, shown, works, texts)
        heading = texts.place(run_heading(report, machine, known, len(rows)))
        views.append(MachineView(heading=heading, columns=columns, shown=tuple(shown)))
    return views


def sliders_data(
    report: Report,
    rows: Sequence[LoopRow],
    works: list[str],
    own: Sequence[MachineView],
    texts: TextTable,
) -> list[Json]:
    """The sliders of a page whose machines have the views ``own``."""
    return [_slider(each, rows, works, own, texts) for each in report.what_if]


def _slider(
    each: Variation,
    rows: Sequence[LoopRow],
    works: list[str],
    own: Sequence[MachineView],
    texts: TextTable,
) -> Json:
    stops: list[tuple[int, str, list[Json] | None]] = [
        (stop.value, whole_number(stop.value), _stop(stop.report, rows, works, own, texts))
        for stop in each.stops
    ]
    words = OWN_CORES if each.own is None else whole_number(each.own)
    stops.append((each.own or 0, words, None))
    stops.sort(key=lambda stop: stop[0])
    return {
        "name": texts.place(each.name),
        "own": [views is None for _, _, views in stops].index(True),
        "values": texts.places([label for _, label, _ in stops]),
        "stops": [views for _, _, views in stops],
    }


def _stop(
    report: Report,
    rows: Sequence[LoopRow],
    works: list[str],
    own: Sequence[MachineView],
    texts: TextTable,
) -> list[Json]:
    """By machine what a stop changes; the loops in the order of the page's own rows."""
    report = report if report.verdicts else with_verdicts(report)
    there = {_key(row): row for row in loop_rows(report)}
    moved = [there.get(_key(row), LoopRow(file=row.file, line=row.line)) for row in rows]
    roofs = roofs_data(report, works)
    views = machine_views(report, moved, works, texts)
    return [
        {
            "heading": view.heading,
            "roofs": roofs[place],
            "verdicts": {
                name: column
                for name, column in view.columns.items()
                if column != own[place].columns[name]
            },
        }
        for place, view in enumerate(views)
    ]


def _key(row: LoopRow) -> tuple[str, int, int]:
    column = row.copies[0].kernel.column if row.copies else 0
    return row.file.path, row.line, column
