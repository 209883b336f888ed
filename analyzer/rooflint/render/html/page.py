"""The page: its heading, the place of chart, table and code, and the data that fill them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import Report, Variation
from rooflint.render.html.chart_data import counted_works, roofs_data, works_data
from rooflint.render.html.columns import loop_columns
from rooflint.render.html.details import PageLoops, unplaced_findings
from rooflint.render.html.document import document
from rooflint.render.html.headings import basis_lines
from rooflint.render.html.markup import element, escape, items
from rooflint.render.html.rows import LoopRow, loop_rows
from rooflint.render.html.sliders import machine_views, sliders_data
from rooflint.render.html.sources import sources_data
from rooflint.render.html.texts import TextTable, json_block
from rooflint.render.layout import Style, plural
from rooflint.render.problems import problem_lines
from rooflint.verdict.steps import with_verdicts

HERE: Final = Path(__file__).parent
UNWRAPPED: Final = Style(width=1_000_000)
SCRIPTS: Final = ("data", "labels", "chart", "table", "code", "page")
"""Parts of the page's script, in the order of their definitions."""
NO_SCRIPTS: Final = (
    "This page needs scripts, which its own policy allows and your browser does not;"
    " rooflint analyze --format text has the same numbers."
)


def render_html(report: Report) -> str:
    """The whole report as one page that needs nothing else; ends with a newline."""
    if not report.verdicts:
        report = with_verdicts(report)
    rows = loop_rows(report)
    styles = [_text("vendor/uPlot.min.css"), _text("base.css"), _text("page.css")]
    works = counted_works(report)
    data = json_block(page_data(report, rows, works))
    title = plural(len(rows), "loop")
    body = _header(report, works) + _main(report, rows)
    return document(title, body, styles, [_library(), _script()], data)


def page_data(report: Report, rows: Sequence[LoopRow], works: list[str]) -> Json:
    """The data of the page: columns of loops and verdicts, details, source; each text once."""
    texts = TextTable()
    details = PageLoops(report, texts)
    roofs = roofs_data(report, works)
    views = machine_views(report, rows, works, texts)
    machines: list[Json] = [
        {
            "name": texts.place(machine.name),
            "heading": view.heading,
            "verdicts": view.columns,
            "roofs": roofs[place],
            "details": [details.of(r, place, v) for r, v in zip(rows, view.shown, strict=True)],
        }
        for place, (machine, view) in enumerate(zip(report.machines, views, strict=True))
    ]
    sliders = sliders_data(report, rows, works, views, texts)
    loops = loop_columns(rows, texts)
    sources = sources_data(report, rows, texts)
    return {
        "loops": loops,
        "machines": machines,
        "sliders": sliders,
        "works": works_data(works),
        "findings": details.findings,
        "groups": details.groups,
        "sources": sources,
        "texts": texts.texts,
    }


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _library() -> str:
    """uPlot with its licence, which goes with every copy."""
    return f"/*!\n{_text('vendor/uPlot.LICENSE')}*/\n{_text('vendor/uPlot.iife.min.js')}"


def _script() -> str:
    parts = "".join([_text(f"script/{name}.js") for name in SCRIPTS])
    return f'"use strict";(() => {{\n{parts}}})();\n'


def _header(report: Report, works: Sequence[str]) -> str:
    machines = [machine.name for machine in report.machines]
    parts = [
        f"<h1>Rooflint <small>{escape(report.version)}</small></h1>",
        element("p", "", id="run"),
        '<form id="filters" role="search">'
        '<label>filter <input type="search" id="text" placeholder="file, function, limit, rule (/)"'
        ' autocomplete="off" spellcheck="false"></label>',
        _select("machine", "machine", machines),
        _select("work", "count", works),
        *[_slider(place, each) for place, each in enumerate(report.what_if)],
        '<output id="count" aria-live="polite"></output>'
        '<button type="button" id="theme">light or dark</button></form>',
    ]
    return element("header", "".join(parts))


def _select(name: str, title: str, options: Sequence[str]) -> str:
    if len(options) < 2:
        return ""
    listed = [f'<option value="{place}">{escape(text)}' for place, text in enumerate(options)]
    select = element("select", "".join(listed), id=name)
    return element("label", f"{escape(title)} {select}")


def _slider(place: int, each: Variation) -> str:
    """A slider whose script names its value, and sets it to the page's own."""
    last = len(each.stops)
    moved = f'<input type="range" class="slider" min="0" max="{last}" data-slider="{place}">'
    return element("label", f"{escape(each.name)} {moved}<output></output>", class_="what-if")


def _main(report: Report, rows: Sequence[LoopRow]) -> str:
    parts = [element("noscript", element("p", escape(NO_SCRIPTS)))]
    if rows:
        parts.append(_text("page.html"))
    else:
        parts.append(element("p", "no loop was found"))
    parts.append(_section("What the numbers rest on", basis_lines(report)))
    said = [line.strip() for line in problem_lines(report, UNWRAPPED, 0)]
    parts.append(_section("Findings beside no loop", list(unplaced_findings(report, rows))))
    parts.append(_section("Not analysed, or only in part", said))
    return element("main", "".join(parts))


def _section(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return element("section", f"<h2>{escape(title)}</h2>{items(lines)}", class_="notes")
