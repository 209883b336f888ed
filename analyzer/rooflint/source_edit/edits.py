"""Fixes in the source text: ranges of a loop's header and body, and edits of them.

Ranges come from the front end in lines and columns (UTF-8 bytes). All functions return None for a
range that is not plain source, such as one inside a macro.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

from rooflint.ir import Span
from rooflint.plugin_api.advice import Edit
from rooflint.records import NamedTuple
from rooflint.source_edit.tokens import Token, takes_directives, tokens_of
from rooflint.startup.late_pattern import late_pattern

TEXTS_KEPT: Final = 2
"""A process looks at one file at a time; the other one is its text after an edit."""
_HEADER = late_pattern(rb"\b(for|while)\s*\(")
_COMMENT = late_pattern(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_SKIPPED = late_pattern(
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)


@lru_cache(TEXTS_KEPT)
def editable_source(text: str) -> "EditableSource":
    """A file's text for everybody who looks at it: it is indexed, and read as tokens, once."""
    return EditableSource(text)


class EditableSource:
    """A file's text with an index of its lines."""

    def __init__(self, text: str) -> None:
        self.bytes = text.encode("utf-8", "surrogateescape")
        self.starts = [0]
        for match in re.finditer(rb"\n", self.bytes):
            self.starts.append(match.end())

    @cached_property
    def blank(self) -> bytes:
        """The same text with comments and literals replaced by spaces."""
        return _SKIPPED.sub(lambda m: re.sub(rb"[^\n]", b" ", m[0]), self.bytes)

    @cached_property
    def every_token(self) -> Sequence[Token]:
        """The tokens of the whole text, without comments and literals."""
        return tokens_of(self.blank.decode("latin-1"))

    @cached_property
    def every_name(self) -> frozenset[str]:
        """All identifiers and keywords in it."""
        return frozenset([token.text for token in self.every_token if token.is_name])

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column."""
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

    def tokens(self, span: Span) -> list[Token]:
        """The tokens of a range, with offsets in the file; comments and literals are blank."""
        start, end = self.ends(span)
        return tokens_of(self.blank[start:end].decode("latin-1"), start)

    def takes_directives(self, span: Span) -> bool:
        """Whether OpenMP accepts the header of the loop with the text ``span``."""
        header = self.header(span)
        return header is not None and takes_directives(self.tokens(header))

    def header(self, span: Span) -> Span | None:
        """``for (...)`` of the loop with the text ``span``; None if it has no such header."""
        start = self.offset(span.line, span.column)
        match = _HEADER.match(self.blank, start)
        if match is None:
            return None
        end = self.closing(match.end() - 1)
        return None if end is None else self.span(start, end + 1)

    def closing(self, opening: int) -> int | None:
        """The offset of the bracket that matches the one at ``opening``."""
        depth = 0
        for match in re.finditer(rb"[()\[\]{}]", self.blank[opening:]):
            depth += 1 if match[0] in b"([{" else -1
            if depth == 0:
                return opening + match.start()
        return None

    def span(self, start: int, end: int) -> Span:
        """The range between two offsets."""
        line, column = self.place(start)
        end_line, end_column = self.place(end)
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def ends(self, span: Span) -> tuple[int, int]:
        """The offsets of both ends of a range."""
        return self.offset(*span[:2]), self.offset(*span[2:])

    def indent(self, line: int) -> str:
        """The white space that a line begins with."""
        start = self.starts[line - 1]
        match = re.compile(rb"[ \t]*").match(self.bytes, start)
        return match[0].decode() if match else ""

    def line_above(self, line: int, text: str) -> Edit:
        """``text`` as a new line above ``line``, indented like it."""
        return self.insertion(self.starts[line - 1], f"{self.indent(line)}{text}\n")

    def line_before(self, span: Span, text: str) -> Edit:
        """``text`` as a new line before the code at ``span``, which may begin within a line."""
        start = self.starts[span.line - 1]
        before = self.bytes[start : start + span.column - 1]
        if not before.strip():
            return self.line_above(span.line, text)
        return self.insertion(self.offset(span.line, span.column), f"\n{text}\n")

    def insertion(self, offset: int, text: str) -> Edit:
        """An edit that inserts ``text`` at an offset."""
        return replace(self.span(offset, offset), text)

    def inside(self, whole: Span, body: "LoopBody") -> str:
        """The white space that lines of a loop's body begin with."""
        start = body.start + len(self.bytes[body.start :]) - len(self.bytes[body.start :].lstrip())
        line = self.place(start)[0]
        same = line == whole.line or start >= body.end
        return f"{self.indent(whole.line)}  " if same else self.indent(line)

    def _slice(self, span: Span) -> bytes:
        return self.bytes[slice(*self.ends(span))]


def replace(span: Span, text: str) -> Edit:
    """``text`` in place of what stands at ``span``."""
    return Edit(
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        text=text,
    )


def compact_code(code: str) -> str:
    """``code`` without comments and white space: the part that layout edits leave unchanged."""
    return "".join(_COMMENT.sub(" ", code).split())


def float_alias(text: EditableSource) -> str:
    """The file's own name for ``float``; empty if it has none."""
    words = [token.text for token in text.every_token]
    for first, second, third, fourth in zip(words, words[1:], words[2:], words[3:], strict=False):
        if (first, second, fourth) == ("typedef", "float", ";"):
            return third
        if (first, third, fourth) == ("using", "=", "float"):
            return second
    return ""


class LoopBody(NamedTuple):
    """The code after a loop's header: offsets between the braces, or of a single statement."""

    start: int
    end: int
    braced: bool

    @property
    def behind(self) -> int:
        """The offset after the closing brace, if there is one."""
        return self.end + 1 if self.braced else self.end


def body_of(text: EditableSource, whole: Span) -> LoopBody | None:
    """The body of the loop with the text ``whole``; None if that is not plain source."""
    header = text.header(whole)
    if header is None:
        return None
    start = text.offset(header.end_line, header.end_column)
    start += len(text.blank[start:]) - len(text.blank[start:].lstrip())
    if text.blank[start : start + 1] == b"{":
        closing = text.closing(start)
        return None if closing is None else LoopBody(start + 1, closing, True)
    end = text.offset(whole.end_line, whole.end_column)
    if text.blank[end - 1 : end] not in (b";", b"}"):
        end = text.blank.find(b";", end) + 1
    return LoopBody(start, end, False) if end > start else None


def append_body(
    text: EditableSource, first: Span, second: Span, into: Span, inner: Span
) -> tuple[Edit, ...]:
    """Moves the body of ``inner`` of ``second`` to the end of the loop ``into`` of ``first``, and
    removes ``second``, which directly follows ``first``. The spans may be the same.

    Empty if the text is not plain source, or if comments or directives would be lost.
    """
    bodies = [body_of(text, span) for span in (first, second, into, inner)]
    if any(body is None for body in bodies):
        return ()
    one, two, target, source = [body for body in bodies if body is not None]
    begin = text.offset(second.line, second.column)
    if _loses(text, begin, one, two, source):
        return ()
    between = text.bytes[one.behind : begin].strip()
    inside = text.inside(into, target)
    lines = [f"{inside}{between.decode()}"] if between else []
    lines.append(_content(text.bytes[source.start : source.end], inside))
    added, outside = "\n".join(lines), text.indent(into.line)
    gone = text.span(one.behind, two.behind)
    if not target.braced:
        added = f"\n{added}\n{outside}}}"
        header = text.header(into)
        assert header is not None
        opened = text.insertion(text.ends(header)[1], " {")
        if target.end == one.behind:
            return opened, replace(gone, added)
        return opened, text.insertion(target.end, added), replace(gone, "")
    line, _ = text.place(target.end)
    if not text.bytes[text.starts[line - 1] : target.end].strip():
        return text.insertion(text.starts[line - 1], f"{added}\n"), replace(gone, "")
    blanks = len(text.bytes[: target.end]) - len(text.bytes[: target.end].rstrip())
    ending = replace(text.span(target.end - blanks, target.end), f"\n{added}\n{outside}")
    return ending, replace(gone, "")


def _loses(
    text: EditableSource, begin: int, first: LoopBody, second: LoopBody, moved: LoopBody
) -> bool:
    rest = (slice(begin, moved.start), slice(moved.end, second.behind))
    comments = any(text.bytes[part] != text.blank[part] for part in rest)
    code = text.blank[first.behind : begin].strip()
    return comments or bool(code) or b"#" in text.blank[begin : second.behind]


def _content(moved: bytes, inside: str) -> str:
    """The lines of a body, unchanged; the rest of its opening line is indented by ``inside``."""
    own = moved.decode("utf-8", "surrogateescape").rstrip()
    first, newline, rest = own.partition("\n")
    return rest if newline and not first.strip() else f"{inside}{own.lstrip()}"
