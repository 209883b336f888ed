"""Labels that do not lie on each other: of several places for one the first free is taken."""

import math
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from rooflint.plot.svg import element, escape
from rooflint.records import NamedTuple

Anchor: TypeAlias = Literal["start", "middle", "end"]

CHARACTER_EM = 0.56
"""Mean width of a character of a proportional face, a little on the wide side."""
HEIGHT_EM = 1.05
LINE_ROOM_PX = 3.0
"""Texts that should lie on no line keep this far from each."""


class LabelPlace(NamedTuple):
    """Where a text could stand: its base line's anchor, and its rotation in degrees."""

    x: float
    y: float
    anchor: Anchor = "start"
    degrees: float = 0.0


class LabelBox(NamedTuple):
    """An upright rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, half: float) -> "LabelBox":
        """The square of twice ``half`` around a point."""
        return cls(left=x - half, top=y - half, right=x + half, bottom=y + half)

    def meets(self, other: "LabelBox") -> bool:
        """Whether the two share more than an edge."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


Line: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


def _passes(box: LabelBox, start: tuple[float, float], stop: tuple[float, float]) -> bool:
    """Whether a straight line goes through a box: what each side leaves of it is not empty."""
    first, last = 0.0, 1.0
    for axis, low, high in ((0, box.left, box.right), (1, box.top, box.bottom)):
        origin, move = start[axis], stop[axis] - start[axis]
        if not move:
            if not low < origin < high:
                return False
            continue
        enter, leave = sorted(((low - origin) / move, (high - origin) / move))
        first, last = max(first, enter), min(last, leave)
    return first < last


class Labels:
    """The texts of one drawing area; those already placed keep others away."""

    def __init__(self, width: float, height: float, font_px: float) -> None:
        self.area = LabelBox(left=0, top=0, right=width, bottom=height)
        self.font_px = font_px
        self.taken: list[LabelBox] = []
        self.lines: list[Line] = []
        self.markup: list[str] = []

    def block(self, box: LabelBox) -> None:
        """Keeps texts off a box: a marker, a line's end."""
        self.taken.append(box)

    def cross(self, ends: Sequence[tuple[float, float]]) -> None:
        """Remembers a line, for texts that should not lie on any."""
        start, stop = ends
        self.lines.append((start, stop))

    def crossed(self, box: LabelBox) -> bool:
        """Whether a line remembered comes near ``box``."""
        room = LINE_ROOM_PX
        wide = LabelBox(box.left - room, box.top - room, box.right + room, bottom=box.bottom + room)
        return any(_passes(wide, *line) for line in self.lines)

    def put(
        self, text: str, places: Iterable[LabelPlace], classes: str = "", must: bool = False
    ) -> bool:
        """Writes ``text`` at the first free place; where there is none, only if it must."""
        first: LabelPlace | None = None
        for place in places:
            first = first or place
            boxes = self.boxes(text, place)
            if all(self.free(box) for box in boxes):
                self.taken += boxes
                self.write(text, place, classes)
                return True
        if must and first is not None:
            self.write(text, first, classes)
        return must

    def free(self, box: LabelBox) -> bool:
        """Inside the area and on nothing."""
        area = self.area
        inside = box.left >= area.left and box.right <= area.right
        inside = inside and box.top >= area.top and box.bottom <= area.bottom
        return inside and not any(box.meets(other) for other in self.taken)

    def boxes(self, text: str, place: LabelPlace) -> list[LabelBox]:
        """The area of the text; of a slanted one a chain of small squares."""
        width = len(text) * CHARACTER_EM * self.font_px
        height = HEIGHT_EM * self.font_px
        start = {"start": 0.0, "middle": -width / 2, "end": -width}[place.anchor]
        if not place.degrees:
            left = place.x + start
            return [
                LabelBox(left, place.y - 0.8 * height, left + width, bottom=place.y + 0.25 * height)
            ]
        turn = math.radians(place.degrees)
        along, up = (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))
        pieces = max(2, math.ceil(width / height))
        found = []
        for piece in range(pieces + 1):
            distance = start + width * piece / pieces
            x = place.x + distance * along[0] + 0.3 * height * up[0]
            y = place.y + distance * along[1] + 0.3 * height * up[1]
            found.append(LabelBox.around(x, y, height * 0.5))
        return found

    def write(self, text: str, place: LabelPlace, classes: str = "") -> None:
        """Writes ``text`` whatever lies there."""
        x, y, turn = place.x, place.y, ""
        if place.degrees:
            turn = f"rotate({place.degrees:.1f} {x:.1f} {y:.1f})"
        anchor = "" if place.anchor == "start" else place.anchor
        look = {"x": x, "y": y, "class": classes, "text_anchor": anchor, "transform": turn}
        self.markup.append(element("text", look, escape(text)))
