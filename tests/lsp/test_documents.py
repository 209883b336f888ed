"""The server's copy of a text: lines, units, edits; and marks on it."""

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as t
from rooflint.plugin_api.report import FileReport
from rooflint_lsp.documents.document import Document, TextChange, TextPosition
from rooflint_lsp.documents.positions import Encoding, from_units, split_lines, to_units, units
from rooflint_lsp.documents.tracking import TrackedRange, TrackedReport

LETTERS = "ab\u00e9\u20ac\U0001f600\f\v\x1c\u2028\x85\n\r"
TEXTS = st.text(LETTERS, max_size=30)
ENCODINGS: st.SearchStrategy[Encoding] = st.sampled_from(("utf-8", "utf-16", "utf-32"))
WIDTHS: dict[Encoding, int] = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def test_only_the_protocols_ends_end_lines() -> None:
    text = "a\fb\vc\x1cd\u2028e\x85f\ng\r\nh\ri"
    assert split_lines(text) == ["a\fb\vc\x1cd\u2028e\x85f\n", "g\r\n", "h\r", "i"]


@given(TEXTS)
def test_lines_are_all_of_the_text(text: str) -> None:
    assert "".join(split_lines(text)) == text


@given(TEXTS, ENCODINGS)
def test_units_are_those_of_the_codec(text: str, encoding: Encoding) -> None:
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    assert units(text, encoding) == len(text.encode(codec)) // WIDTHS[encoding]


@given(st.text("ab\u00e9\u20ac\U0001f600", max_size=20), ENCODINGS, st.data())
def test_units_and_back(line: str, encoding: Encoding, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(line)))
    assert from_units(line, to_units(line, column, encoding), encoding) == column


def test_inside_a_character_is_its_start_and_beyond_the_line_its_end() -> None:
    line = "a\U0001f600b\r\n"
    assert [from_units(line, unit, "utf-16") for unit in range(7)] == [0, 1, 1, 2, 3, 3, 3]
    assert [from_units(line, unit, "utf-8") for unit in (1, 2, 4, 5, 9)] == [1, 1, 1, 2, 3]


Change = tuple[int, int, str]


def apply(document: Document, text: str, change: Change) -> str:
    """One change on the document, and on a string as the protocol means it."""
    start, end = (min(place, len(text)) for place in sorted(change[:2]))
    # a position between the two characters of a line's end does not exist
    start -= text[start - 1 : start + 1] == "\r\n"
    end -= text[end - 1 : end + 1] == "\r\n"
    place = t.Range(position(text, start, document), position(text, end, document))
    document.apply_change(t.TextDocumentContentChangePartial(place, change[2]))
    return text[:start] + change[2] + text[end:]


def position(text: str, offset: int, document: Document) -> t.Position:
    lines = split_lines(text[:offset])
    if not lines or lines[-1].endswith(("\n", "\r")):
        return t.Position(len(lines), 0)
    return t.Position(len(lines) - 1, units(lines[-1], document.encoding))


@given(TEXTS, ENCODINGS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXTS)))
def test_edits_leave_the_text_that_they_mean(
    text: str, encoding: Encoding, changes: list[Change]
) -> None:
    document = Document("file:///a.c", text, 1, "c", encoding)
    for change in changes:
        text = apply(document, text, change)
        assert document.source == text
        assert list(document.lines) == split_lines(text)


@given(TEXTS, ENCODINGS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXTS)))
def test_a_mark_that_lives_is_on_its_text(
    around: str, encoding: Encoding, changes: list[Change]
) -> None:
    around = around.replace("\r", "")
    text = f"{around}\n  MARKED\nTEXT  \n{around}"
    document = Document("file:///a.c", text, 1, "c", encoding)
    line = around.count("\n") + 1
    mark = TrackedRange(TextPosition(line, 2), TextPosition(line + 1, 4))
    for start, end, new in changes:
        text = apply(document, text, (start, end, new.replace("\r", "")))
    for edit in document.edits_since(0):
        mark.follow(edit)
    if mark.alive:
        lines = text.split("\n")
        first, last = mark.current(mark.start), mark.current(mark.end)
        assert lines[first.line][first.column :] == "MARKED"
        assert lines[last.line][: last.column] == "TEXT"
    elif "MARKED\nTEXT" in text:
        assert document.edits  # only an edit takes a mark away


def test_an_edit_inside_hides_and_one_beside_moves() -> None:
    mark = TrackedRange(TextPosition(3, 4), TextPosition(5, 1))
    mark.follow(
        TextChange(1, TextPosition(1, 0), TextPosition(2, 0), TextPosition(4, 0))
    )  # two lines more above
    assert (mark.alive, mark.current(TextPosition(3, 4))) == (True, TextPosition(5, 4))
    mark.follow(
        TextChange(2, TextPosition(5, 0), TextPosition(5, 0), TextPosition(5, 2))
    )  # two columns more before it
    assert mark.current(TextPosition(3, 4)) == TextPosition(5, 6)
    assert mark.current(TextPosition(5, 1)) == TextPosition(
        7, 1
    )  # on its last line nothing changed
    mark.follow(TextChange(3, TextPosition(6, 0), TextPosition(6, 1), TextPosition(6, 0)))
    assert not mark.alive


def test_marks_of_a_report_about_lines_that_are_no_longer_there() -> None:
    marks = TrackedReport(FileReport("a.c", "ok"), [])
    assert not list(marks.loops)
    assert not list(marks.findings)
