"""Numbers and texts of the page's data: each text once, numbers with four significant digits."""

import json
import math
from collections.abc import Iterable

from rooflint.escaping import visible
from rooflint.plugin_api.prediction import Json


class TextTable:
    """Texts by their place in one list, each once; hidden characters as codes."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Where ``text`` stands."""
        return self._places.setdefault(visible(text), len(self._places))

    def places(self, texts: Iterable[str]) -> list[Json]:
        """Where each of ``texts`` stands."""
        return [self.place(text) for text in texts]

    def place_of_code(self, lines: str) -> int:
        """Where lines of source stand, whose hidden characters are codes already."""
        return self._places.setdefault(lines, len(self._places))

    @property
    def texts(self) -> list[Json]:
        """All of them."""
        return list(self._places)


def short_number(value: float | None) -> Json:
    """``value`` with four significant digits; None for unknown and infinite."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def json_block(document: Json) -> str:
    """JSON for a ``script`` element: nothing in it ends the element, or begins a comment there."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("</", "<\\/").replace("<!--", "<\\u0021--")
