"""Fixes in the text: ranges of a loop's header and body, and edits made of them.

Ranges come from the front end in lines and columns (UTF-8 bytes); the text decides what stands
there. Everything here answers None where a range is not plain source, as inside a macro.
"""

import re

from rooflint.advice import Edit
from rooflint.ir import Span

_HEADER = re.compile(rb"\b(for|while)\s*\(")
_SKIPPED = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


class Text:
    """A file's text with its lines found once."""

    def __init__(self, text: str) -> None:
        self.bytes = text.encode("utf-8", "surrogateescape")
        self.starts = [0]
        for match in re.finditer(rb"\n", self.bytes):
            self.starts.append(match.end())
        self._blank: bytes | None = None

    @property
    def blank(self) -> bytes:
        """The same with comments and literals filled with spaces, at the same places."""
        if self._blank is None:
            self._blank = _SKIPPED.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), self.bytes)
        return self._blank

    def offset(self, line: int, column: int) -> int:
        """Where a line and column is."""
        return self.starts[line - 1] + column - 1

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        low, high = 0, len(self.starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= offset else (low, middle)
        return low + 1, offset - self.starts[low] + 1

    def within(self, span: Span) -> str:
        """The text of a range."""
        return self._slice(span).decode("utf-8", "surrogateescape")

    def header(self, span: Span) -> Span | None:
        """``for (...)`` of the loop whose text ``span`` is; None where none is written there."""
        start = self.offset(span.line, span.column)
        match = _HEADER.match(self.blank, start)
        if match is None:
            return None
        end = self.closing(match.end() - 1)
        return None if end is None else self.span(start, end + 1)

    def closing(self, opening: int) -> int | None:
        """The offset of the bracket that closes the one at ``opening``."""
        depth = 0
        for match in re.finditer(rb"[()\[\]{}]", self.blank[opening:]):
            depth += 1 if match[0] in b"([{" else -1
            if depth == 0:
                return opening + match.start()
        return None

    def span(self, start: int, end: int) -> Span:
        """The range between two offsets."""
        return Span(*self.place(start), *self.place(end))

    def indent(self, line: int) -> str:
        """The white space that a line begins with."""
        start = self.starts[line - 1]
        match = re.compile(rb"[ \t]*").match(self.bytes, start)
        return match[0].decode() if match else ""

    def line_above(self, line: int, text: str) -> Edit:
        """``text`` as a line of its own above ``line``, indented like it."""
        return Edit(line, 1, line, 1, f"{self.indent(line)}{text}\n")

    def line_before(self, span: Span, text: str) -> Edit:
        """``text`` as a line of its own before what stands at ``span``, wherever that is."""
        start = self.starts[span.line - 1]
        before = self.bytes[start : start + span.column - 1]
        if not before.strip():
            return self.line_above(span.line, text)
        return Edit(span.line, span.column, span.line, span.column, f"\n{text}\n")

    def _slice(self, span: Span) -> bytes:
        start = self.offset(span.line, span.column)
        return self.bytes[start : self.offset(span.end_line, span.end_column)]


def replace(span: Span, text: str) -> Edit:
    """``text`` in place of what stands at ``span``."""
    return Edit(*span, text)
