"""Where in the text the loops of a report are, also after edits that the report does not know.

An edit outside a nest moves what is known of it; one that touches the nest hides it until the next
analysis, because what is said of it may be wrong already.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rooflint.advice import Advice
from rooflint.ir import Span
from rooflint.report import FileReport, FunctionReport, KernelReport

from rooflint_lsp.documents import Edit, Place
from rooflint_lsp.positions import from_bytes

HEADER_LINES: Final = 40
"""A header that goes on for longer is taken to end on its first line."""
_LOOP = re.compile(r"(?:for|while)\b")
_TOKEN = re.compile(r"""//.*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[()]""", re.DOTALL)


class Mark:
    """A range of the text that follows the edits around it; ``alive`` until one touches it."""

    __slots__ = ("_columns", "_lines", "alive", "end", "start")

    def __init__(self, start: Place, end: Place) -> None:
        self.start, self.end = start, end
        self.alive = True
        self._lines = self._columns = 0

    def follow(self, edit: Edit) -> None:
        """Take one edit into account."""
        start, end = self.now(self.start), self.now(self.end)
        if edit.end <= start:
            self._lines += edit.stop.line - edit.end.line
            if edit.end.line == start.line:
                self._columns += edit.stop.column - edit.end.column
        elif edit.start < end:
            self.alive = False

    def now(self, place: Place) -> Place:
        """Where a place inside the range, as it was at first, is now."""
        columns = self._columns if place.line == self.start.line else 0
        return Place(place.line + self._lines, place.column + columns)


class Loop(NamedTuple):
    """A kernel and where it is: ``header`` from its keyword to the end of its parentheses."""

    kernel: KernelReport
    function: FunctionReport
    mark: Mark
    header: tuple[Place, Place]

    @property
    def start(self) -> Place:
        """Where the header begins now."""
        return self.mark.now(self.header[0])

    @property
    def stop(self) -> Place:
        """Where it ends now."""
        return self.mark.now(self.header[1])


class Placed(NamedTuple):
    """A finding and where it is; ``related`` places with what is said of them."""

    finding: Advice
    mark: Mark
    range: tuple[Place, Place]
    related: tuple[tuple[tuple[Place, Place], str], ...] = ()


class Marks:
    """Loops, functions and findings of a report on the text that it was made of."""

    def __init__(self, report: FileReport, lines: Sequence[str]) -> None:
        self._text = lines
        self._nests: list[Mark] = []
        self._loops: list[Loop] = []
        self._functions: list[tuple[FunctionReport, Mark]] = []
        for function in report.functions:
            start = self._place(function.line, function.column)
            self._functions.append((function, Mark(start, start)))
            for nest in function.nests:
                end = Place(nest.end_line - 1, self._length(nest.end_line - 1))
                mark = Mark(self._place(nest.line, 1, indented=True), end)
                self._nests.append(mark)
                for kernel in nest.kernels:
                    header = self._header(self._place(kernel.line, kernel.column))
                    self._loops.append(Loop(kernel, function, mark, header))
        self._findings = [self._finding(finding) for finding in report.findings]

    @property
    def loops(self) -> Iterator[Loop]:
        """Those that no edit has touched."""
        return (loop for loop in self._loops if loop.mark.alive)

    @property
    def functions(self) -> Iterator[tuple[FunctionReport, Place]]:
        """All functions and where their names' lines are."""
        return ((function, mark.now(mark.start)) for function, mark in self._functions)

    @property
    def findings(self) -> Iterator[Placed]:
        """Those that no edit has touched."""
        return (placed for placed in self._findings if placed.mark.alive)

    def follow(self, edits: Iterable[Edit]) -> bool:
        """Take edits into account; whether one hid something."""
        marks = [*self._nests, *[mark for _, mark in self._functions]]
        marks += [placed.mark for placed in self._findings if placed.mark not in self._nests]
        alive = sum(mark.alive for mark in marks)
        for edit in edits:
            for mark in marks:
                mark.follow(edit)
        return sum(mark.alive for mark in marks) < alive

    def _finding(self, finding: Advice) -> Placed:
        start, end = self._range(finding.span)
        around = next((m for m in self._nests if m.start <= start and end <= m.end), None)
        related = tuple([(self._range(r.span), r.message) for r in finding.related])
        return Placed(finding, around or Mark(start, end), (start, end), related)

    def _range(self, span: Span) -> tuple[Place, Place]:
        start = self._place(span.line, span.column)
        return start, self._place(span.end_line, span.end_column)

    def _place(self, line: int, column: int, indented: bool = False) -> Place:
        """A report's place (from 1, bytes) in the text; that of the first word where indented."""
        if not 0 < line <= len(self._text):
            return Place(max(0, min(line - 1, len(self._text))), 0)
        text = self._text[line - 1]
        if indented:
            return Place(line - 1, len(text) - len(text.lstrip()))
        return Place(line - 1, from_bytes(text, column))

    def _length(self, line: int) -> int:
        return len(self._text[line].rstrip("\r\n")) if 0 <= line < len(self._text) else 0

    def _header(self, start: Place) -> tuple[Place, Place]:
        """A loop's header; of a loop that a macro or a call stands for, its line."""
        end = Place(start.line, len(self._text[start.line].rstrip())) if self._text else start
        if start.line >= len(self._text):
            return start, start
        if _LOOP.match(self._text[start.line], start.column):
            end = _closing(self._text, start) or end
        return start, max(start, end)


def _closing(lines: Sequence[str], start: Place) -> Place | None:
    """Behind the parenthesis that closes the first one from ``start`` on."""
    text = "".join(lines[start.line : start.line + HEADER_LINES])
    depth = 0
    for token in _TOKEN.finditer(text, start.column):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0 and token[0] == ")":
            offset = token.end()
            for line in range(start.line, len(lines)):
                if offset <= len(lines[line]):
                    return Place(line, offset)
                offset -= len(lines[line])
    return None
