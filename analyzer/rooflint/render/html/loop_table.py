"""The table of all loops: a column group a machine, a body a loop with its panel under it."""

import math
from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.plugin_api.prediction import LimitKind
from rooflint.plugin_api.report import Report
from rooflint.records import NamedTuple
from rooflint.render.html.detail import detail
from rooflint.render.html.markup import attributes, element, escape, figure
from rooflint.render.html.rows import FIRST, NO_PREDICTION, REFUSED, Listing, LoopFigures, Row
from rooflint.render.layout import truncate

ANY_MODEL = "*"
"""A column for when no model is chosen: it has what the first model says."""
LONGEST_NAME = 80
LARGE_PLOTS = 300
"""Of a large program the loops that take most time have the whole picture, the others a small one:
pictures are a third of the page, and small ones half as long."""
BOUND_CLASSES: Final[dict[LimitKind | None, str]] = {
    "compute": "compute",
    "memory": "memory",
    "link": "memory",
    "other": "other",
    None: "none",
}
"""The class in the page's style of a kind of limit; None: there is no prediction."""
SMALLEST_BAR = 0.5
"""In percent: what is less would not be seen."""
BREAKS_AFTER = frozenset("_:<,;")
"""Before a word a long name may go on in the next line after one of these."""


class Column(NamedTuple):
    """``key``: a field of LoopFigures, or of the row; ``machine`` and ``model`` where it has them.

    ``shown``: while no model is chosen.
    """

    key: str
    title: str
    machine: int | None = None
    model: str | None = None
    shown: bool = True

    def attributes(self) -> str:
        """Attributes by which the script shows and hides columns."""
        return attributes(data_m=self.machine, data_k=self.model, hidden=not self.shown)


def loops_table(listing: Listing, report: Report) -> str:
    """The whole table."""
    columns = list(_columns(listing, report))
    heads = "".join([_head(column, listing, report) for column in columns])
    base = common_folder(row.file.path for row in listing.rows)
    bodies = "".join(
        [
            _body(place, row, columns, base) + _panel(place, row, len(columns), report)
            for place, row in enumerate(listing.rows)
        ]
    )
    return element("table", f"<thead><tr>{heads}</thead>{bodies}", id="loops")


def common_folder(paths: Iterable[str]) -> str:
    """The folder that all paths share, named once so that rows stay short."""
    folders = [path.split("/")[:-1] for path in set(paths)]
    shared = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "".join([f"{name}/" for name in shared])


def _columns(listing: Listing, report: Report) -> Iterator[Column]:
    yield Column("place", "loop in")
    yield Column("function", "function")
    yield Column("loop", "loop")
    for machine in range(len(report.machines)):
        yield from _machine_columns(listing, machine)
    yield Column("sizes", "sizes")
    if any(row.problems for row in listing.rows):
        yield Column("problems", "problems")


def _machine_columns(listing: Listing, machine: int) -> Iterator[Column]:
    """Those of the first model that answers, and, where there are several, of each."""
    several = listing.models if len(listing.models) > 1 else ()
    yield Column(key="bound", title="bound", machine=machine, model=ANY_MODEL)
    for model in listing.models:
        if several:
            yield Column(key="bound", title="bound", machine=machine, model=model, shown=False)
        yield Column(key="headline", title=model, machine=machine, model=model)
    for model in (ANY_MODEL, *several):
        column = Column(
            key="cycles",
            title="cy / iteration",
            machine=machine,
            model=model,
            shown=model == ANY_MODEL,
        )
        yield column
        if listing.has_shares:
            yield column._replace(key="share", title="% of time")


def _head(column: Column, listing: Listing, report: Report) -> str:
    several = column.machine is not None and len(report.machines) > 1
    machine = report.machines[column.machine or 0].name
    above = f"<small>{escape(machine)}</small>" if several else ""
    button = element("button", f"{above}{escape(column.title)}", type="button")
    first = column.key == "share" and column.machine == 0 and column.model == ANY_MODEL
    order = "descending" if first and listing.has_shares else "none"
    kind = f' class="{column.key}"'
    return f'<th scope="col" aria-sort="{order}"{kind}{column.attributes()}>{button}</th>'


def _body(place: int, row: Row, columns: Iterable[Column], base: str) -> str:
    cells = "".join([_cell(place, row, column, base) for column in columns])
    problem = attributes(data_p=bool(row.problems))
    return f"<tbody{attributes(id=f'loop:{_id(row)}')}{problem}><tr>{cells}"


def _id(row: Row) -> str:
    if row.entry is not None:
        return row.entry.kernel.id
    column = row.refusal.column if row.refusal is not None else 0
    return f"{row.file.path}:{row.line}:{column}"


def _panel(place: int, row: Row, width: int, report: Report) -> str:
    """A browser with scripts keeps the content as text until the row is opened: pages stay fast."""
    panel = detail(row, report, small=place >= LARGE_PLOTS)
    content = element("div", panel, class_="panel")
    return f'<tr id="d{place}"><td colspan="{width}"><noscript>{content}</noscript></tbody>'


def _cell(place: int, row: Row, column: Column, base: str) -> str:
    if column.key == "place":
        return _opener(place, row, base)
    if column.machine is None:
        text: str | tuple[str, ...] = getattr(row, column.key)
        shown = text if isinstance(text, str) else "; ".join(text)
        short = truncate(shown, LONGEST_NAME)
        title = shown if short != shown else None
        return f"<td{attributes(class_=column.key, title=title)}>{_breakable(short)}"
    model = FIRST if column.model in (ANY_MODEL, None) else column.model
    figures = row.figures.get((column.machine, model or FIRST))
    if column.key == "bound":
        return _bound(row, figures, column)
    value, content = _number(figures, column.key)
    return f"<td{attributes(class_=column.key, data_v=value)}{column.attributes()}>{content}"


def _breakable(name: str) -> str:
    parts = [""]
    for before, character in zip(" " + name, name, strict=False):
        if before in BREAKS_AFTER and (character.isalnum() or character == "_"):
            parts.append("")
        parts[-1] += character
    return "<wbr>".join(map(escape, parts))


def _opener(place: int, row: Row, base: str) -> str:
    folder, _, name = row.file.path.removeprefix(base).rpartition("/")
    where = f"{name}:{row.line}" if row.line else name
    before = f"<small>{escape(folder)}</small>" if folder else ""
    opener = element(
        "button",
        f"{escape(where)}{before}",
        type="button",
        aria_expanded="false",
        aria_controls=f"d{place}",
        tabindex=-1 if place else 0,
    )
    return f'<th scope="row" class="place">{opener}'


def _bound(row: Row, figures: LoopFigures | None, column: Column) -> str:
    bound = REFUSED if row.refusal is not None else NO_PREDICTION
    link, limit = "", None
    if figures is not None:
        bound, link, limit = figures.bound, figures.bottleneck, figures.limit
    kind = BOUND_CLASSES[limit]
    values = "|".join([bound, *([link] if link else [])])
    place = attributes(class_=f"bound {kind}", data_b=values)
    text = f"{escape(bound)}{f' <small>{escape(link)}</small>' if link else ''}"
    return f"<td{place}{column.attributes()}>{text}"


def _number(figures: LoopFigures | None, key: str) -> tuple[float | None, str]:
    """The sort key, and the content of the cell."""
    if figures is None:
        return None, "–"
    if key == "headline":
        return _leading_number(figures.headline), escape(figures.headline) or "–"
    if key == "cycles":
        return figures.cycles, figure(figures.cycles)
    if figures.share is None:
        return None, "–"
    rectangle = f"<rect{attributes(width=round(figures.share, 1), height=9)}/>"
    shape = '<svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">'
    bar = f"{shape}{rectangle}</svg>" if figures.share >= SMALLEST_BAR else ""
    return figures.share, f"{figure(figures.share)}{bar}"


def _leading_number(headline: str) -> float | None:
    """1.05 of ``1.05 GFLOP/s``; None where a headline begins with no number."""
    digits = len(headline) - len(headline.lstrip("0123456789.e+-"))
    try:
        value = float(headline[:digits])
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
