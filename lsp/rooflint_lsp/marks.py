"""Where in the text the loops of a report are, also after edits that the report does not know.

An edit outside a nest moves what is known of it; one that touches the nest hides it until the next
analysis, because what is said of it may be wrong already.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rooflint.ir import Reason, Span
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, FunctionReport, KernelReport

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
    """A finding and where it is; ``related`` places with what is said of them.

    change  the last change of the text for which it was found: its fix fits that text
    """

    finding: Advice
    mark: Mark
    range: tuple[Place, Place]
    related: tuple[tuple[tuple[Place, Place], str], ...] = ()
    change: int = 0


class Note(NamedTuple):
    """Something about a line that is no finding of a rule: a comment's mistake, a loop refused.

    ``reason``: why a loop is refused; None for what is no refusal.
    """

    message: str
    reason: Reason | None
    mark: Mark

    @property
    def refused(self) -> bool:
        """Whether it is about a loop without numbers."""
        return self.reason is not None


class Marks:
    """Loops, functions, findings and notes of a report on the text that it was made of."""

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
        self._findings: list[Placed] = []
        self._notes = [
            self._note(d.line, d.message)
            for d in report.diagnostics
            if d.severity == "warning" and 0 < d.line <= len(lines)
        ]
        self._notes += [
            self._note(refusal.line, str(refusal.reason), refusal.reason)
            for refusal in report.refusals
            if 0 < refusal.line <= len(lines)
        ]

    @property
    def loops(self) -> Iterator[Loop]:
        """Those that no edit has touched."""
        return (loop for loop in self._loops if loop.mark.alive)

    @property
    def functions(self) -> Iterator[tuple[FunctionReport, Place]]:
        """Functions and where they begin."""
        return (
            (function, mark.now(mark.start)) for function, mark in self._functions if mark.alive
        )

    @property
    def findings(self) -> Iterator[Placed]:
        """Those that no edit has touched."""
        return (placed for placed in self._findings if placed.mark.alive)

    @property
    def notes(self) -> Iterator[Note]:
        """Those that no edit has touched."""
        return (note for note in self._notes if note.mark.alive)

    def follow(self, edits: Sequence[Edit]) -> bool:
        """Take edits into account; whether one hid something."""
        if not edits:
            return False
        marks = list(self._all())
        alive = sum(mark.alive for mark in marks)
        for edit in edits:
            for mark in marks:
                mark.follow(edit)
        return sum(mark.alive for mark in marks) < alive

    def find(
        self, findings: Iterable[Advice], change: int, lines: tuple[int, int] | None = None
    ) -> bool:
        """Findings of the text of a ``change``, which is the one that all marks stand at.

        They take the place of those known on ``lines`` (from 0, first and last); without lines they
        come in addition. Whether that made a difference.
        """
        old: list[Placed] = []
        if lines is not None:
            first, last = lines
            old = [p for p in self._findings if first <= p.mark.now(p.range[0]).line <= last]
            findings = [f for f in findings if first <= f.span.line - 1 <= last]
        new = [self._finding(finding, change) for finding in findings]
        gone = {id(placed) for placed in old}
        self._findings = [p for p in self._findings if id(p) not in gone] + new
        return {_said(placed) for placed in old} != {_said(placed) for placed in new}

    def drop(self, change: int) -> bool:
        """Forget findings that were found for an older text than that of ``change``."""
        before = len(self._findings)
        self._findings = [placed for placed in self._findings if placed.change >= change]
        return len(self._findings) < before

    def keep(self, older: "Marks") -> None:
        """Take over the findings of ``older``, and its nests where this text does not compile.

        Both have followed the text to the same state.
        """
        self._findings = [placed for placed in older._findings if placed.mark.alive]
        refused = {note.mark.now(note.mark.start).line for note in self._notes if note.refused}
        if not refused:
            return
        kept = [m for m in older._nests if m.alive and m.now(m.start).line in refused]
        ours = {id(mark) for mark in kept}
        lines = {mark.now(mark.start).line for mark in kept}
        self._nests += kept
        self._loops += [loop for loop in older._loops if id(loop.mark) in ours]
        self._notes = [n for n in self._notes if n.mark.now(n.mark.start).line not in lines]

    def _all(self) -> Iterator[Mark]:
        yield from self._nests
        yield from [mark for _, mark in self._functions]
        yield from [placed.mark for placed in self._findings]
        yield from [note.mark for note in self._notes]

    def _note(self, line: int, message: str, reason: Reason | None = None) -> Note:
        end = Place(line - 1, self._length(line - 1))
        return Note(message, reason, Mark(self._place(line, 1, indented=True), end))

    def _finding(self, finding: Advice, change: int) -> Placed:
        start, end = self._range(finding.span)
        nests = ((nest.now(nest.start), nest.now(nest.end)) for nest in self._nests)
        around = next((nest for nest in nests if nest[0] <= start and end <= nest[1]), (start, end))
        mark = Mark(*around)
        related = tuple([(self._range(r.span), r.message) for r in finding.related])
        return Placed(finding, mark, (start, end), related, change)

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
        if start.line >= len(self._text):
            return start, start
        end = Place(start.line, len(self._text[start.line].rstrip()))
        if _LOOP.match(self._text[start.line], start.column):
            end = _closing(self._text, start) or end
        return start, max(start, end)


def _said(placed: Placed) -> tuple[str, str, int]:
    finding = placed.finding
    return finding.code, finding.message, placed.mark.now(placed.range[0]).line


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
