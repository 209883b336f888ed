"""The page around the table: what was asked, filters, problems, style and script."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from rooflint.plot import draw, style
from rooflint.plot.overview import overview_scenes
from rooflint.plugin_api.report import MachineReport, Report
from rooflint.render import phrases
from rooflint.render.html.document import document
from rooflint.render.html.loop_table import common_folder, loops_table
from rooflint.render.html.markup import element, escape, items
from rooflint.render.html.rows import NO_PREDICTION, REFUSED, Listing, Row, listing
from rooflint.render.layout import Style, plural
from rooflint.render.problems import problem_lines

HERE = Path(__file__).parent
UNWRAPPED = Style(width=1_000_000)


def render_html(report: Report) -> str:
    """The whole report as one page that needs nothing else; ends with a newline."""
    rows = listing(report)
    looks = (HERE / "page.css").read_text(encoding="utf-8")
    plots = style().partition(">")[2].rpartition("</style>")[0]
    script = (HERE / "page.js").read_text(encoding="utf-8")
    title = plural(len(rows.rows), "loop")
    body = "".join([_header(report, rows), _filters(report, rows), _main(report, rows)])
    return document(title, body, (looks, plots), script)


def _header(report: Report, rows: Listing) -> str:
    summary = report.summary
    refused = sum(summary.refused.values())
    said = f"{plural(len(report.files), 'file')}, {plural(summary.loops, 'loop')}: "
    said += f"{summary.analysed} analysed, {refused} refused"
    folder = common_folder(row.file.path for row in rows.rows)
    where = f" in {folder}" if folder else ""
    machines = "".join([f"<li>{_machine(machine)}" for machine in report.machines])
    return (
        f"<header><h1>Rooflint <small>{escape(report.version)}</small></h1>"
        f"<p>{escape(said + where)}</p>{element('ul', machines)}</header>"
    )


def _machine(machine: MachineReport) -> str:
    where = f" ({machine.file})" if machine.file else ""
    note = f": {machine.note}" if machine.note else ""
    doubt = phrases.doubt_words(machine.name, [each.figure for each in machine.doubtful])
    warning = f"<br><strong>{escape(doubt)}</strong>" if doubt else ""
    return f"<b>{escape(machine.name)}</b>{escape(where + note)}{warning}"


def _filters(report: Report, rows: Listing) -> str:
    bounds = sorted({bound for row in rows.rows for bound in _bounds(row)}, key=_bound_order)
    machines = [(str(place), machine.name) for place, machine in enumerate(report.machines)]
    keys = "/ filter · ↑ ↓ loops · Enter opens · Esc closes"
    if len(rows.models) > 1:
        keys += " · bound, cycles and time come from the first model, or from the selected one"
    parts = [
        '<label>filter <input type="search" id="text" placeholder="file, function, loop, size"'
        ' autocomplete="off" spellcheck="false"></label>',
        _select("bound", "bound", [(b, b) for b in bounds]),
        _select("model", "model", [(m, m) for m in rows.models]),
        _select("machine", "machine", machines),
        '<label><input type="checkbox" id="problems"> only problems</label>',
        '<output id="count" aria-live="polite"></output>',
        element("p", keys, id="keys"),
    ]
    return element("form", "".join(parts), id="filters", role="search")


def _bounds(row: Row) -> Iterator[str]:
    """Limits of a loop, in words and as links, on any machine, by any model."""
    if row.refusal is not None:
        yield REFUSED
    for figures in row.figures.values():
        yield figures.bound
        if figures.bottleneck:
            yield figures.bottleneck


def _bound_order(bound: str) -> tuple[bool, bool, str]:
    return bound in (NO_PREDICTION, REFUSED), "-bound" not in bound, bound


def _select(name: str, title: str, options: Iterable[tuple[str, str]]) -> str:
    listed = "".join([f'<option value="{escape(value)}">{escape(text)}' for value, text in options])
    select = element("select", f'<option value="">all{listed}', id=name)
    return element("label", f"{escape(title)} {select}")


def _main(report: Report, rows: Listing) -> str:
    parts = []
    scenes = overview_scenes(report)
    pictures = [element("figure", draw(scene, styled=False).strip()) for scene in scenes]
    if pictures:
        summary = "<summary>all loops in one plot</summary>"
        parts.append(element("details", summary + "".join(pictures)))
    if rows.rows:
        parts.append(loops_table(rows, report))
        nothing = "no loop passes the filters"
    else:
        nothing = "no loop was found"
    parts.append(element("p", nothing, id="nothing", hidden=bool(rows.rows)))
    said = [line.strip() for line in problem_lines(report, UNWRAPPED, 0)]
    if said:
        title = "<h2>Not analysed, or only in part</h2>"
        parts.append(element("section", f"{title}{items(said)}"))
    return element("main", "".join(parts))
