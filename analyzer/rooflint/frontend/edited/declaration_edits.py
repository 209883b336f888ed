"""An edit between functions, of macros and types that no other code speaks of: all that was found
stays as it is, and moves with its lines."""

from collections.abc import Iterator

from msgspec.structs import replace

from rooflint.frontend.edited.declared_names import (
    are_plain,
    changed_declarations,
    is_spoken_of,
    line_edit,
)
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.moved_records import LineMoves, moved_equations, moved_function
from rooflint.frontend.edited.part_parse import EditedText, parse_without
from rooflint.frontend.edited.recording import errors_of, header_texts
from rooflint.frontend.edited.records import FileRecord, RecordedFile, moved_offsets
from rooflint.frontend.edited.surroundings import OtherWayError, moved_numbers
from rooflint.frontend.edited.text_edits import TextEdit, moved_ranges
from rooflint.frontend.equations.extraction import ExtractedFile
from rooflint.frontend.extract import LoweredFile, Trace, loaded_clang, unit_of_lowering
from rooflint.frontend.parse.open_parse import ParseInput, inactive_ranges
from rooflint.frontend.parse.plain_text import TextRanges
from rooflint.frontend.request import Request


def edited_declarations(
    request: Request, last: RecordedFile, record: FileRecord, edit: TextEdit, units: KeptUnits
) -> RecordedFile:
    """The extraction of a request whose text differs from the record's by declarations only.

    Raises OtherWayError where that is not so or other code may see them, AnalysisError where
    libclang gives no syntax tree, and KeyError for a place on a line that is no longer there.
    """
    text = request.text
    assert text is not None
    edit = line_edit(record.text, text, edit)
    trace = last.found.trace
    _check(request, record, edit, trace)
    moves = LineMoves(record.text, edit)
    functions = tuple([moved_function(each, edit, moves) for each in record.functions])
    no_loops = moved_offsets(record.no_loops, edit)
    lowered = tuple([each.lowered for each in functions if each.lowered is not None])
    inactive = moved_ranges(record.inactive, edit)

    def find_inactive(parse: ParseInput) -> TextRanges:
        return inactive_ranges(loaded_clang(), parse) if inactive is None else inactive

    edited = EditedText(request=request, record=record, edit=edit, trace=trace, units=units)
    file = parse_without(record.functions, edited, None, find_inactive)
    unit = unit_of_lowering(request, file, LoweredFile(lowered=lowered, no_loops=no_loops))
    parsed = file.parsed
    equations = moved_equations(last.found.equations, moves)
    equations = replace(equations, comments=unit.comments)
    return RecordedFile(
        ExtractedFile(unit, equations, Trace(text, trace.parses)),
        record._replace(
            text=text,
            functions=functions,
            no_loops=no_loops,
            tables=record.tables.after_edit(edit),
            numbers=moved_numbers(record.numbers, edit),
            errors=errors_of(parsed),
            inactive=parsed.source.known_inactive or inactive,
        ),
    )


def _check(request: Request, record: FileRecord, edit: TextEdit, trace: Trace) -> None:
    """Raises OtherWayError unless only macros and types differ that nothing speaks of."""
    before, after = record.text, request.text or b""
    if record.has_lines and edit.lines:
        raise OtherWayError
    begin, end = _around(record, edit)
    change = changed_declarations(before[begin:end], after[begin : end + edit.added])
    if change is None:
        raise OtherWayError
    headers = list(_headers(record, trace))
    rest = [before[: begin + change.begin], before[begin + change.end :]]
    if is_spoken_of(change.names, [*rest, *headers]):
        raise OtherWayError
    if not are_plain(change.words, [before, after, *headers]):
        raise OtherWayError


def _around(record: FileRecord, edit: TextEdit) -> tuple[int, int]:
    """The stretch between functions that the edit lies in; raises OtherWayError where it lies in
    none."""
    begin = max([each.end for each in record.functions if each.end <= edit.begin], default=0)
    end = min(
        [each.begin for each in record.functions if each.begin >= edit.end],
        default=len(record.text),
    )
    if any(each.begin < end and begin < each.end for each in record.functions):
        raise OtherWayError
    return begin, end


def _headers(record: FileRecord, trace: Trace) -> Iterator[bytes]:
    """All that the file includes, and the arguments, which may define macros; raises OtherWayError
    for a header that cannot be read any more."""
    yield " ".join(record.arguments).encode("utf-8", "surrogateescape")
    yield from (text for _, text in record.others)
    try:
        yield from header_texts(trace)
    except OSError:
        raise OtherWayError from None
