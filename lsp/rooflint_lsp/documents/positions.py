"""Lines and columns of the protocol: what ends a line, and what a column counts.

Three ways of counting meet here: code points, which Python strings have; UTF-8 bytes, which
reports have (columns from 1); the units that client and server agreed on.
"""

from io import StringIO
from typing import Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` with their ends; no empty one after the last end."""
    # str.splitlines also splits at form feeds and the like, which the protocol and compilers do not
    return list(StringIO(text, newline=""))


def units(text: str, encoding: Encoding) -> int:
    """How long ``text`` is in units of ``encoding``."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """Code points before ``column`` in units of ``encoding``."""
    return units(line[:column], encoding)


def from_units(line: str, column: int, encoding: Encoding) -> int:
    """Units of ``encoding`` as code points; inside a character: its start; beyond the line: its
    end, which is before what ends it."""
    end = len(line.rstrip("\r\n"))
    if encoding == "utf-32" or line.isascii():
        return min(column, end)
    passed = 0
    for place, character in enumerate(line[:end]):
        passed += units(character, encoding)
        if passed > column:
            return place
    return end


def from_bytes(line: str, column: int) -> int:
    """A report's column, in UTF-8 bytes from 1, as code points from 0."""
    return from_units(line, max(0, column - 1), "utf-8")
