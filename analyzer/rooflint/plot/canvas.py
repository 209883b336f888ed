"""The sheet a plot is drawn on: its size, its axes, and the texts already placed."""

import math
from enum import Enum

from rooflint.plot.labels import Anchor, LabelBox, LabelPlace, Labels
from rooflint.plot.scene import Axis, Scene, ScenePoint, horizontal, vertical
from rooflint.plot.svg import element, escape, neutral_style, style
from rooflint.plugin_api.drawing import LinkRoof
from rooflint.records import NamedTuple


class Sheet(NamedTuple):
    """Size of the picture and of what stands around the plotting area, in pixels.

    ``details``: the large picture with regions and all labels; ``listed``: kernels by number.
    """

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    font_px: float
    details: bool
    listed: bool = False

    @property
    def across(self) -> float:
        """Width of the plotting area."""
        return self.width - self.left - self.right

    @property
    def down(self) -> float:
        """Height of the plotting area."""
        return self.height - self.top - self.bottom


class Ground(Enum):
    """The ground of a drawing: its own with its style, that of a page that has the style
    once, or one that it does not know.
    """

    OWN = "own"
    PAGE = "page"
    UNKNOWN = "unknown"


def picture(sheet: Sheet, title: str, *content: str, ground: Ground) -> str:
    """The whole drawing as SVG."""
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "rl",
        "viewBox": f"0 0 {sheet.width:g} {sheet.height:g}",
        "width": sheet.width,
        "height": sheet.height,
        "font_size": sheet.font_px,
        "role": "img",
    }
    look, paper = neutral_style(), ""
    if ground is not Ground.UNKNOWN:
        look = style() if ground is Ground.OWN else ""
        paper = element("rect", {"width": "100%", "height": "100%", "class": "p", "rx": 4.0})
    head = (look, element("title", {}, escape(title)), paper)
    return element("svg", attributes, *head, *content) + "\n"


class Canvas:
    """The plotting area of one drawing; labels are put on it in the order of their importance.

    ``unnamed`` counts the kernels among several whose names found no room.
    """

    def __init__(self, scene: Scene, sheet: Sheet) -> None:
        self.scene, self.sheet = scene, sheet
        self.x: Axis = horizontal(scene, sheet.across)
        self.y: Axis = vertical(scene, sheet.down, self.x)
        self.labels = Labels(sheet.across, sheet.down, sheet.font_px)
        self.slope = -math.degrees(math.atan2(self.y.octave, self.x.octave))
        self.single = len(scene.roofs) == 1
        self.unnamed = 0
        self.numbers: dict[str, int] = {}
        for point in scene.points:
            self.numbers.setdefault(point.name, len(self.numbers))
            x, y = self.spot(point)
            self.labels.block(LabelBox.around(x, y, self.half))
        if self.single and len(scene.points) == 1 and sheet.details:
            for level in scene.roofs[0].levels:
                x, y = self.on_level(scene.points[0], level)
                self.labels.block(LabelBox.around(x, y, 4))

    def at(self, intensity: float, rate: float) -> tuple[float, float]:
        """Pixels in the plotting area."""
        return self.x(intensity), self.sheet.down - self.y(rate)

    @property
    def half(self) -> float:
        """Half of a marker's size."""
        return 0.5 * self.sheet.font_px

    def spot(self, point: ScenePoint) -> tuple[float, float]:
        """Where a kernel's marker is: on the edge where the kernel lies outside."""
        x, y = self.at(self.x.inside(point.intensity_per_byte), self.y.inside(point.g_per_s))
        half = self.half
        return (
            min(max(x, half), self.sheet.across - half),
            min(max(y, half), self.sheet.down - half),
        )

    def on_level(self, point: ScenePoint, level: LinkRoof) -> tuple[float, float]:
        """Where the kernel is on another link: at its height, at its work per byte there."""
        intensity = level.intensity_per_byte or point.intensity_per_byte
        return self.spot(point._replace(intensity_per_byte=intensity))

    @property
    def tick_px(self) -> float:
        """Room that the label of a tick needs."""
        return 3.4 * self.sheet.font_px

    def beside(self, x: float, y: float) -> list[LabelPlace]:
        """Right of a place, left of it, then higher and lower."""
        size = self.sheet.font_px
        sides: tuple[tuple[float, Anchor], ...] = ((0.9 * size, "start"), (-0.9 * size, "end"))
        return [
            LabelPlace(x + dx, y + dy * size, anchor)
            for dy in (0, -0.9, 0.9, -1.8, 1.8)
            for dx, anchor in sides
        ]

    def free(self, text: str, x: float, y: float) -> list[LabelPlace]:
        """The places beside, those first where ``text`` would lie on no line."""
        boxes = self.labels.boxes
        return sorted(
            self.beside(x, y), key=lambda place: self.labels.crossed(boxes(text, place)[0])
        )
