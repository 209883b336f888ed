"""The roofline plot as SVG: roofs, ceilings, regions, ridge points, kernels and their way up."""

from collections.abc import Iterator

from rooflint.plot.canvas import Canvas, Ground, Sheet, picture
from rooflint.plot.curves import curves_of
from rooflint.plot.labels import Anchor
from rooflint.plot.points import LISTED_POINTS, point_of
from rooflint.plot.regions import regions_of
from rooflint.plot.roofs import roof_of
from rooflint.plot.scene import Scene, power_text
from rooflint.plot.svg import element, escape, path

FULL = Sheet(width=760, height=480, left=58, top=48, right=16, bottom=46, font_px=12, details=True)
COMPACT = Sheet(360, height=230, left=34, top=20, right=8, bottom=26, font_px=10, details=False)
LABELLED_POINTS = 12
"""With more kernels than that, or where the name of one finds no room, they are numbered, and the
list of names stands beside the plot."""
LIST_WIDTH = 260
LETTER_EM = 0.56
"""Mean width of a character in the sheet's size."""
LISTED_EM = 0.5
"""The same of the list, which is set a little smaller."""


def draw(scene: Scene, *, styled: bool = True) -> str:
    """The whole picture, a few KB; without its style for a page that has ``style()`` once."""
    ground = Ground.OWN if styled else Ground.PAGE
    if len(scene.points) <= LABELLED_POINTS:
        canvas = Canvas(scene, FULL)
        drawn = _markup(canvas, ground)
        if not canvas.unnamed:
            return drawn
    longest = max(len(point.name) for point in scene.points)
    room = min(LIST_WIDTH, 24 + (longest + 3) * LISTED_EM * FULL.font_px)
    sheet = FULL._replace(right=room, width=FULL.width + room, listed=True)
    return _markup(Canvas(scene, sheet), ground)


def draw_compact(scene: Scene, *, styled: bool = True) -> str:
    """A small picture: roof, missing ceilings, the kernel."""
    return _markup(Canvas(scene, COMPACT), Ground.OWN if styled else Ground.PAGE)


def draw_floating(scene: Scene) -> str:
    """The same without a ground, legible in a light and in a dark hover of an editor."""
    return _markup(Canvas(scene, COMPACT), Ground.UNKNOWN)


def _markup(canvas: Canvas, ground: Ground) -> str:
    sheet = canvas.sheet
    # labels are placed in this order: what the reader looks for first has the best place
    points = [point_of(canvas, point) for point in canvas.scene.points]
    lines = [roof_of(canvas, place, roof) for place, roof in enumerate(canvas.scene.roofs)]
    regions = ""
    if canvas.single and sheet.details:
        regions = regions_of(canvas, canvas.scene.roofs[0])
    area = element(
        "svg",
        {"x": sheet.left, "y": sheet.top, "width": sheet.across, "height": sheet.down},
        regions,
        _grid(canvas),
        *curves_of(canvas),
        *lines,
        *points,
        *canvas.labels.markup,
    )
    listed = _list(canvas) if sheet.listed else ""
    return picture(sheet, canvas.scene.title, _frame(canvas), area, listed, ground=ground)


def _grid(canvas: Canvas) -> str:
    across, down = canvas.sheet.across, canvas.sheet.down
    parts = []
    for exponent in canvas.x.ticks(canvas.tick_px):
        parts.append(path([(canvas.x(2.0**exponent), 0), (canvas.x(2.0**exponent), down)]))
    for exponent in canvas.y.ticks(canvas.tick_px * 0.6):
        height = down - canvas.y(2.0**exponent)
        parts.append(path([(0, height), (across, height)]))
    return element("path", {"d": "".join(parts), "class": "g"})


def _frame(canvas: Canvas) -> str:
    sheet = canvas.sheet
    look = {"x": sheet.left, "y": sheet.top, "width": sheet.across, "height": sheet.down}
    parts = [element("rect", look | {"class": "f"}), *_tick_labels(canvas)]
    parts += _axis_names(canvas) if sheet.details else _short_names(canvas)
    return "".join(parts)


def _tick_labels(canvas: Canvas) -> Iterator[str]:
    sheet = canvas.sheet
    left, foot, gap = sheet.left, sheet.top + sheet.down, 0.4 * sheet.font_px
    for exponent in canvas.x.ticks(canvas.tick_px):
        x = left + canvas.x(2.0**exponent)
        if x - left <= sheet.across + 0.5:
            yield _text(power_text(exponent), x, foot + 2.7 * gap, "middle")
    for exponent in canvas.y.ticks(canvas.tick_px * 0.6):
        y = foot - canvas.y(2.0**exponent) + 0.35 * sheet.font_px
        if y > foot:  # the corner belongs to the other axis
            continue
        yield _text(power_text(exponent), left - gap, y, "end")


def _short_names(canvas: Canvas) -> Iterator[str]:
    sheet, size, work = canvas.sheet, canvas.sheet.font_px, canvas.scene.work
    right, head = sheet.left + sheet.across, sheet.top - size
    yield _text(f"{work}/B", right, sheet.height - 0.4 * size, "end", "q")
    unit = canvas.scene.unit
    yield _text(unit, 0.4 * size, head, "start", "q")
    # the unit stands above the numbers of its axis, the title beside it
    room = int(right / (LETTER_EM * size)) - len(unit) - 2
    yield _text(_cut(canvas.scene.title, room), right, head, "end", font_weight="600")


def _axis_names(canvas: Canvas) -> Iterator[str]:
    sheet, scene, size = canvas.sheet, canvas.scene, canvas.sheet.font_px
    middle = sheet.left + sheet.across / 2
    name = f"{scene.axis} ({scene.work}/B)"
    yield _text(name, middle, sheet.height - 0.4 * size, "middle", "q")
    yield _title(canvas, 2.2 if scene.subtitle else 0.7)
    if scene.subtitle:
        text = _cut(scene.subtitle, _head_room(sheet))
        yield _text(text, sheet.left, sheet.top - 0.7 * size, "start", "q")
    x, y = 1.1 * size, sheet.top + sheet.down / 2
    yield _text(scene.unit, x, y, "middle", "q", transform=f"rotate(-90 {x:.1f} {y:.1f})")


def _title(canvas: Canvas, above_em: float) -> str:
    sheet = canvas.sheet
    text, head = _cut(canvas.scene.title, _head_room(sheet)), sheet.top - above_em * sheet.font_px
    return _text(text, sheet.left, head, "start", font_weight="600")


def _list(canvas: Canvas) -> str:
    sheet = canvas.sheet
    step = 1.25 * sheet.font_px * 0.82
    fits = min(LISTED_POINTS, int(sheet.down / step) - 1)
    x = sheet.left + sheet.across + 10
    room = int((sheet.right - 14) / (LISTED_EM * sheet.font_px))
    lines = [_cut(f"{place} {name}", room) for place, name in enumerate(canvas.numbers, start=1)]
    more = len(lines) - fits
    shown = [*lines[:fits], f"and {more} more"] if more > 0 else lines
    return "".join([
        _text(line, x, sheet.top + (place + 0.8) * step, "start", font_size=0.85 * sheet.font_px)
        for place, line in enumerate(shown)
    ])  # fmt: skip


def _head_room(sheet: Sheet) -> int:
    return int((sheet.width - sheet.left) / (LETTER_EM * sheet.font_px))


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _text(
    text: str, x: float, y: float, anchor: Anchor, classes: str = "", **look: str | float
) -> str:
    place = {"text_anchor": "" if anchor == "start" else anchor}
    return element("text", {"x": x, "y": y, "class": classes} | look | place, escape(text))
