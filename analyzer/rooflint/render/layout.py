"""Text on a line of limited width: wrapping, colours, numbers as people write them."""

import math
from collections.abc import Iterable
from typing import Literal

from rooflint.escaping import visible
from rooflint.records import NamedTuple

Colour = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_CODES: dict[Colour, str] = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}


_MARKUP = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>()#+!|~@&$"})


class Style(NamedTuple):
    """How text output looks: columns, and whether the terminal takes colours."""

    width: int = 100
    colour: bool = False

    def paint(self, text: str, *colours: Colour) -> str:
        """``text`` in the colours, or as it is where there are none."""
        if not self.colour or not text or not colours:
            return text
        codes = ";".join(_CODES[colour] for colour in colours)
        return f"\x1b[{codes}m{text}\x1b[0m"


def escape_markdown(text: str) -> str:
    """Names from source are text, not markup: neither HTML, links, mentions nor table cells."""
    return visible(" ".join(text.split())).translate(_MARKUP)


def wrap(text: str, width: int, indent: int = 0, hanging: int | None = None) -> list[str]:
    """``text`` in lines of at most ``width`` columns, the indents included.

    ``indent`` is for the first line, ``hanging`` for the others. Breaks at spaces only: a path or
    a formula stays whole even where it is too long.
    """
    lines: list[str] = []
    pad = " " * indent
    line = ""
    for word in visible(text).split():
        if not line:
            line = pad + word
        elif len(line) + 1 + len(word) <= width:
            line = f"{line} {word}"
        else:
            lines.append(line)
            pad = " " * (indent if hanging is None else hanging)
            line = pad + word
    return [*lines, line] if line else lines


def with_label(label: str, text: str, style: Style, indent: int, column: int) -> list[str]:
    """``label`` at ``indent``, ``text`` from ``column`` on, wrapped under itself."""
    head = f"{' ' * indent}{visible(label)} ".ljust(column)
    lines = wrap(text, max(style.width, column + 20), len(head), column) or [head]
    return [style.paint(head, "dim") + lines[0][len(head) :], *lines[1:]]


def truncate(text: str, length: int) -> str:
    """``text``, cut with an ellipsis where it is longer than ``length``."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def number(value: float | None) -> str:
    """Three significant digits, whole numbers in full below a million; ``?`` for unknown."""
    if value is None or math.isnan(value):
        return "?"
    if math.isinf(value):
        return "∞"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if abs(value) >= 1e6 or abs(value) < 1e-3:
        mantissa, _, exponent = f"{value:.2e}".partition("e")
        short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{short}e{int(exponent)}"
    return f"{float(f'{value:.3g}'):g}"


def plural(count: int, noun: str) -> str:
    """``1 loop``, ``2 loops``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ranges(lines: Iterable[int]) -> str:
    """Line numbers in order, runs shortened: ``3-5, 9``."""
    ordered = sorted(set(lines))
    runs: list[list[int]] = []
    for line in ordered:
        if runs and runs[-1][1] == line - 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def line_words(lines: Iterable[int]) -> str:
    """``line 9``, ``lines 3-5, 9``."""
    places = set(lines)
    return f"line{'s' if len(places) > 1 else ''} {ranges(places)}"
