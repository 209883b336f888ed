"""Where in the text the loops of a report are, also after edits that the report does not know.

An edit outside a nest moves what is known of it; one that touches the nest hides it until the next
analysis, because what is said of it may be wrong already.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.ir import Reason, Span
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.report import FileReport, FunctionReport, KernelReport
from rooflint.records import NamedTuple
from rooflint.source_edit.edits import EditableSource

from rooflint_lsp.documents.document import TextChange, TextPosition
from rooflint_lsp.documents.positions import from_bytes

HEADER_LINES: Final = 40
"""A header that goes on for longer is taken to end on its first line."""


class TrackedRange:
    """A range of the text that follows the edits around it; ``alive`` until one touches it."""

    __slots__ = ("_columns", "_lines", "alive", "end", "start")

    def __init__(self, start: TextPosition, end: TextPosition) -> None:
        self.start, self.end = start, end
        self.alive = True
        self._lines = self._columns = 0

    def follow(self, edit: TextChange) -> None:
        """Take one edit into account."""
        start, end = self.current(self.start), self.current(self.end)
        if edit.end <= start:
            self._lines += edit.stop.line - edit.end.line
            if edit.end.line == start.line:
                self._columns += edit.stop.column - edit.end.column
        elif edit.start < end:
            self.alive = False

    @property
    def line(self) -> int:
        """The line, from 0, on which the range begins now."""
        return self.start.line + self._lines

    @property
    def shift(self) -> int:
        """Lines that edits above have moved it down."""
        return self._lines

    def current(self, place: TextPosition) -> TextPosition:
        """Where a place inside the range, as it was at first, is now."""
        columns = self._columns if place.line == self.start.line else 0
        return TextPosition(place.line + self._lines, place.column + columns)


class TrackedLoop(NamedTuple):
    """A kernel and where it is: ``header`` from its keyword to the end of its parentheses."""

    kernel: KernelReport
    function: FunctionReport
    mark: TrackedRange
    header: tuple[TextPosition, TextPosition]

    @property
    def start(self) -> TextPosition:
        """Where the header begins now."""
        return self.mark.current(self.header[0])

    @property
    def stop(self) -> TextPosition:
        """Where it ends now."""
        return self.mark.current(self.header[1])


class TrackedFunction(NamedTuple):
    """A function, the place where it begins, and its loops."""

    report: FunctionReport
    mark: TrackedRange
    loops: tuple[TrackedLoop, ...]

    @property
    def start(self) -> TextPosition:
        """Where it begins now."""
        return self.mark.current(self.mark.start)

    @property
    def untouched_loops(self) -> list[TrackedLoop]:
        """Its loops that no edit has touched."""
        return [loop for loop in self.loops if loop.mark.alive]


class TrackedFinding(NamedTuple):
    """A finding and where it is; ``related`` places with what is said of them.

    change  the last change of the text for which it was found: its fix fits that text
    """

    finding: Advice
    mark: TrackedRange
    range: tuple[TextPosition, TextPosition]
    related: tuple[tuple[tuple[TextPosition, TextPosition], str], ...] = ()
    change: int = 0

    @property
    def start(self) -> TextPosition:
        """Where it begins now."""
        return self.mark.current(self.range[0])

    @property
    def stop(self) -> TextPosition:
        """Where it ends now."""
        return self.mark.current(self.range[1])

    @property
    def line(self) -> int:
        """The line, from 0, on which it is now."""
        return self.start.line

    @property
    def text_at_line(self) -> tuple[str, str, int]:
        """All of it that a list of findings shows."""
        return self.finding.code, self.finding.message, self.line


class TrackedNote(NamedTuple):
    """Something about a line that is no finding of a rule: a comment's mistake, a loop refused.

    ``reason``: why a loop is refused; None for what is no refusal.
    """

    message: str
    reason: Reason | None
    mark: TrackedRange

    @property
    def refused(self) -> bool:
        """Whether it is about a loop without numbers."""
        return self.reason is not None

    @property
    def line(self) -> int:
        """The line, from 0, on which it is now."""
        return self.mark.line


class TrackedHeader(NamedTuple):
    """A header that was not found, and the line that includes it."""

    name: str
    mark: TrackedRange


class TrackedReport:
    """Loops, functions, findings and notes of a report on the text that it was made of."""

    def __init__(self, report: FileReport, lines: Sequence[str]) -> None:
        self._text = lines
        self._nests: list[TrackedRange] = []
        self._functions = [self._function(function) for function in report.functions]
        self._loops = [loop for function in self._functions for loop in function.loops]
        self._findings: list[TrackedFinding] = []
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
        self._headers = list(self._missing_headers(report))

    @property
    def loops(self) -> Iterator[TrackedLoop]:
        """Those that no edit has touched."""
        return (loop for loop in self._loops if loop.mark.alive)

    @property
    def missing_headers(self) -> Iterator[TrackedHeader]:
        """Headers that were not found, at what includes them."""
        return (each for each in self._headers if each.mark.alive)

    @property
    def findings_in_report(self) -> Iterator[Advice]:
        """The findings on nests, each with the lines that its nest has in the report."""
        for placed in self.findings:
            for nest in self._nests:
                end = nest.current(nest.end)
                if nest.alive and nest.line <= placed.line <= end.line:
                    span = placed.finding.span
                    down = placed.line - nest.shift + 1 - span.line
                    lines = {"line": span.line + down, "end_line": span.end_line + down}
                    yield placed.finding._replace(span=span._replace(**lines))
                    break

    @property
    def functions(self) -> Iterator[TrackedFunction]:
        """Those whose beginning no edit has touched."""
        return (function for function in self._functions if function.mark.alive)

    @property
    def findings(self) -> Iterator[TrackedFinding]:
        """Those that no edit has touched."""
        return (placed for placed in self._findings if placed.mark.alive)

    @property
    def notes(self) -> Iterator[TrackedNote]:
        """Those that no edit has touched."""
        return (note for note in self._notes if note.mark.alive)

    def follow(self, edits: Sequence[TextChange]) -> bool:
        """Take edits into account; whether one hid something."""
        if not edits:
            return False
        marks = list(self._all())
        alive = sum(mark.alive for mark in marks)
        for edit in edits:
            for mark in marks:
                mark.follow(edit)
        return sum(mark.alive for mark in marks) < alive

    def replace_findings(
        self, findings: Iterable[Advice], change: int, lines: tuple[int, int] | None = None
    ) -> bool:
        """Findings of the text of a ``change``, which is the one that all marks stand at.

        They take the place of those known on ``lines`` (from 0, first and last); without lines they
        come in addition. Whether that made a difference.
        """
        old: list[TrackedFinding] = []
        kept = self._findings
        if lines is not None:
            first, last = lines
            kept, old = [], []
            for placed in self._findings:
                (old if first <= placed.line <= last else kept).append(placed)
            findings = [f for f in findings if first <= f.span.line - 1 <= last]
        new = [self._finding(finding, change) for finding in findings]
        self._findings = kept + new
        return {placed.text_at_line for placed in old} != {placed.text_at_line for placed in new}

    def drop_outdated_findings(self, change: int) -> bool:
        """Forget findings that were found for an older text than that of ``change``."""
        before = len(self._findings)
        self._findings = [placed for placed in self._findings if placed.change >= change]
        return len(self._findings) < before

    def adopt(self, older: "TrackedReport") -> None:
        """Take over the findings of ``older``, and its nests where this text does not compile.

        Both have followed the text to the same state.
        """
        self._findings = list(older.findings)
        refused = {note.line for note in self._notes if note.refused}
        nests = [mark for mark in older._nests if mark.alive and mark.line in refused]
        lines = {mark.line for mark in nests}
        self._nests += nests
        self._loops += [loop for loop in older._loops if loop.mark in nests]
        self._notes = [note for note in self._notes if note.line not in lines]

    def _all(self) -> Iterator[TrackedRange]:
        yield from self._nests
        yield from [function.mark for function in self._functions]
        yield from [placed.mark for placed in self._findings]
        yield from [note.mark for note in self._notes]
        yield from [header.mark for header in self._headers]

    def _function(self, function: FunctionReport) -> TrackedFunction:
        loops: list[TrackedLoop] = []
        for nest in function.nests:
            end = TextPosition(nest.end_line - 1, self._length(nest.end_line - 1))
            mark = TrackedRange(self._place(nest.line, 1, indented=True), end)
            self._nests.append(mark)
            for kernel in nest.kernels:
                header = self._header(self._place(kernel.line, kernel.column))
                loops.append(
                    TrackedLoop(kernel=kernel, function=function, mark=mark, header=header)
                )
        start = self._place(function.line, function.column)
        return TrackedFunction(function, TrackedRange(start, start), tuple(loops))

    def _missing_headers(self, report: FileReport) -> Iterator[TrackedHeader]:
        for each in report.diagnostics:
            if each.kind == "missing-header" and 0 < each.line <= len(self._text):
                yield TrackedHeader(each.subject, self._note(each.line, each.message).mark)

    def _note(self, line: int, message: str, reason: Reason | None = None) -> TrackedNote:
        end = TextPosition(line - 1, self._length(line - 1))
        return TrackedNote(message, reason, TrackedRange(self._place(line, 1, indented=True), end))

    def _finding(self, finding: Advice, change: int) -> TrackedFinding:
        start, end = self._range(finding.span)
        nests = ((nest.current(nest.start), nest.current(nest.end)) for nest in self._nests)
        first, last = next(((a, b) for a, b in nests if a <= start and end <= b), (start, end))
        related = tuple([(self._range(r.span), r.message) for r in finding.related])
        return TrackedFinding(
            finding=finding,
            mark=TrackedRange(first, last),
            range=(start, end),
            related=related,
            change=change,
        )

    def _range(self, span: Span) -> tuple[TextPosition, TextPosition]:
        start = self._place(span.line, span.column)
        return start, self._place(span.end_line, span.end_column)

    def _place(self, line: int, column: int, indented: bool = False) -> TextPosition:
        """A report's place (from 1, bytes) in the text; that of the first word where indented."""
        if not 0 < line <= len(self._text):
            return TextPosition(max(0, min(line - 1, len(self._text))), 0)
        text = self._text[line - 1]
        if indented:
            return TextPosition(line - 1, len(text) - len(text.lstrip()))
        return TextPosition(line - 1, from_bytes(text, column))

    def _length(self, line: int) -> int:
        return len(self._text[line].rstrip("\r\n")) if 0 <= line < len(self._text) else 0

    def _header(self, start: TextPosition) -> tuple[TextPosition, TextPosition]:
        """A loop's header; of a loop that a macro or a call stands for, its line."""
        if start.line >= len(self._text):
            return start, start
        end = TextPosition(start.line, len(self._text[start.line].rstrip()))
        return start, max(start, _header_end(self._text, start) or end)


def _header_end(lines: Sequence[str], start: TextPosition) -> TextPosition | None:
    """Behind the parentheses of the loop that begins at ``start``; None where there are none."""
    chunk = "".join(lines[start.line : start.line + HEADER_LINES]).encode("utf-8", "replace")
    source = EditableSource(chunk.decode())
    begin = len(lines[start.line][: start.column].encode("utf-8", "replace"))
    header = source.header(source.span(begin, begin))
    if header is None:
        return None
    offset = len(source.bytes[: source.offset(header.end_line, header.end_column)].decode())
    line = start.line
    while offset > len(lines[line]):
        offset -= len(lines[line])
        line += 1
    return TextPosition(line, offset)
