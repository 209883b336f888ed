"""Open documents: their lines, and the edits since the analysis looked at them."""

from collections.abc import Sequence
from typing import cast

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace
from rooflint.records import NamedTuple

from rooflint_lsp.documents.positions import Encoding, from_units, split_lines, to_units


class TextPosition(NamedTuple):
    """A place in a text: line and code point, both from 0."""

    line: int
    column: int


class TextChange(NamedTuple):
    """``start`` to ``end`` was replaced by text that ends at ``stop``, as change ``change``."""

    change: int
    start: TextPosition
    end: TextPosition
    stop: TextPosition


class Document(TextDocument):
    """A document as the client has it.

    changes  counts every change; the client's ``version`` is the same for several
    edits    those since ``forget_edits``, in their order
    """

    def __init__(
        self, uri: str, source: str, version: int, language: str, encoding: Encoding
    ) -> None:
        super().__init__(uri, source, version, language)
        self.encoding = encoding
        self.edits: list[TextChange] = []
        self.changes = 0
        self._lines = split_lines(source)
        self._whole: str | None = source

    @property
    def lines(self) -> Sequence[str]:
        """Lines with their ends, as the protocol and compilers count them."""
        return self._lines

    @property
    def source(self) -> str:
        """The whole text."""
        if self._whole is None:
            self._whole = "".join(self._lines)
        return self._whole

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change of the client."""
        self.changes += 1
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = self.place(change.range.start), self.place(change.range.end)
            self._replace(start, max(start, end), change.text)
            return
        self._replace_all(change.text)

    def position(self, place: TextPosition) -> types.Position:
        """A place in the client's units."""
        if place.line >= len(self._lines):
            return types.Position(place.line, 0)
        line = self._lines[place.line]
        return types.Position(place.line, to_units(line, place.column, self.encoding))

    def place(self, position: types.Position) -> TextPosition:
        """A position of the client in code points; beyond a line or the text: its end."""
        if position.line >= len(self._lines):
            return self._end()
        line = self._lines[position.line]
        return TextPosition(position.line, from_units(line, position.character, self.encoding))

    def _end(self) -> TextPosition:
        if not self._lines or self._lines[-1].endswith(("\n", "\r")):
            return TextPosition(len(self._lines), 0)
        return TextPosition(len(self._lines) - 1, len(self._lines[-1]))

    def _replace(self, start: TextPosition, end: TextPosition, text: str) -> None:
        lines = self._lines
        head = lines[start.line][: start.column] if start.line < len(lines) else ""
        tail = lines[end.line][end.column :] if end.line < len(lines) else ""
        # a newline after a carriage return ends the same line
        first = start.line
        if first and head == "" and lines[first - 1].endswith("\r"):
            first -= 1
            head = lines[first]
        lines[first : end.line + 1] = split_lines(head + text + tail)
        self._whole = None
        self.edits.append(
            TextChange(change=self.changes, start=start, end=end, stop=_after(start, text))
        )

    def _replace_all(self, text: str) -> None:
        """A new text at once: what it shares with the old one at both ends did not change."""
        old, new = self._lines, split_lines(text)
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        tail = 0
        while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        self._lines, self._whole = new, text
        start, end = TextPosition(same, 0), TextPosition(len(old) - tail, 0)
        stop = TextPosition(len(new) - tail, 0)
        if start != end or same != len(new) - tail:
            self.edits.append(TextChange(change=self.changes, start=start, end=end, stop=stop))

    def edits_since(self, change: int) -> list[TextChange]:
        """Those after change number ``change``."""
        return [edit for edit in self.edits if edit.change > change]

    def forget_edits(self) -> None:
        """Nobody works on an older text."""
        self.edits.clear()


def _after(start: TextPosition, text: str) -> TextPosition:
    """Where ``text`` ends that was put at ``start``."""
    lines = split_lines(text)
    breaks = sum(line.endswith(("\n", "\r")) for line in lines)
    if not breaks:
        return TextPosition(start.line, start.column + len(text))
    last = lines[-1]
    return TextPosition(start.line + breaks, 0 if last.endswith(("\n", "\r")) else len(last))


class Documents(Workspace):
    """The client's workspace with documents of our own kind."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        chosen = self.position_encoding or "utf-16"
        encoding = cast(Encoding, str(getattr(chosen, "value", chosen)))
        return Document(
            uri=doc_uri,
            source=source or "",
            version=version or 0,
            language=language_id or "",
            encoding=encoding,
        )
