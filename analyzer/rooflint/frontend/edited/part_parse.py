"""A parse of an edited file in which bodies are blank, held against the record of the last one."""

from collections.abc import Callable, Iterable, Sequence

from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.moved_records import LineMoves
from rooflint.frontend.edited.own_errors import has_own_errors
from rooflint.frontend.edited.records import FileRecord, FunctionRecord, RecordedErrors
from rooflint.frontend.edited.surroundings import OtherWayError
from rooflint.frontend.edited.text_edits import TextEdit, blank_ranges
from rooflint.frontend.extract import ParsedFile, Trace, file_candidates, loaded_clang
from rooflint.frontend.parse.clang_arguments import absolute
from rooflint.frontend.parse.clang_messages import names_a_place
from rooflint.frontend.parse.open_parse import OpenParse, ParseInput, parsed_in_part
from rooflint.frontend.parse.plain_text import PlainText, TextRanges
from rooflint.frontend.request import Request
from rooflint.records import NamedTuple


class EditedText(NamedTuple):
    """A request, the record of the text that it differs from by one edit, and where its parses are
    kept."""

    request: Request
    record: FileRecord
    edit: TextEdit
    trace: Trace
    units: KeptUnits

    @property
    def text(self) -> bytes:
        """The text now."""
        assert self.request.text is not None
        return self.request.text

    @property
    def parse(self) -> ParseInput:
        """The record's parse, with the text now."""
        record = self.record
        return ParseInput(
            arguments=record.arguments,
            files=((absolute(self.request.path), self.text), *record.others),
            headers=record.headers,
            options=record.options,
        )

    def without_bodies(self, left_out: Iterable[FunctionRecord]) -> bytes:
        """The text now with blanks in place of the inside of some bodies."""
        ranges = [self.body_of(each) for each in left_out if each.opening >= 0]
        return blank_ranges(self.text, ranges)

    def range_of(self, function: FunctionRecord) -> tuple[int, int]:
        """Where a function stands now."""
        return self.edit.offset(function.begin), self.edit.offset(function.end)

    def body_of(self, function: FunctionRecord) -> tuple[int, int]:
        """Where the inside of its body stands now."""
        return self.edit.offset(function.opening) + 1, self.edit.offset(function.end) - 1


def parse_without(
    left_out: Sequence[FunctionRecord],
    edited: EditedText,
    own: FunctionRecord | None,
    inactive: Callable[[ParseInput], TextRanges],
) -> ParsedFile:
    """A parse of the text without the bodies of some functions; ``own`` is the one that changed.

    ``inactive``: finds the ranges that ``#if`` leaves out. Raises OtherWayError where there are
    other errors or other functions than before, KeyError for an error inside of the edit, and
    AnalysisError where libclang gives no syntax tree.
    """
    request, record, units, parse = edited.request, edited.record, edited.units, edited.parse
    left_out = [each for each in left_out if each.opening >= 0]
    blanked = edited.without_bodies(left_out)
    clang = loaded_clang()
    handle = units.parse(request.path, parse, blanked)
    parsed = parsed_in_part(clang, request.path, parse, handle, lambda: inactive(parse))
    if own is None or not has_own_errors(parsed, request, record, own, edited.edit, blanked, units):
        parsed = _with_errors(parsed, edited, left_out)
    blank = frozenset([edited.range_of(each)[0] for each in left_out])
    candidates, shared = file_candidates(clang, request, parsed, blank)
    places = [(each.begin, each.end) for each in candidates]
    if places != list(map(edited.range_of, record.functions)):
        raise OtherWayError
    return ParsedFile(
        parsed=parsed,
        candidates=candidates,
        shared=shared,
        assumptions=record.assumptions,
        trace=edited.trace,
    )


def prepare_unit(edited: EditedText) -> None:
    """Keeps a unit without any body, so that the first edit finds what the file includes.

    Raises AnalysisError where libclang gives no syntax tree.
    """
    text = edited.without_bodies(edited.record.functions)
    edited.units.parse(edited.request.path, edited.parse, text)


def _with_errors(
    parsed: OpenParse,
    edited: EditedText,
    left_out: Sequence[FunctionRecord],
) -> OpenParse:
    """The parse with the errors of the whole file, which are those from before on their new lines.

    Raises OtherWayError where others came or went.
    """
    before = edited.record.errors
    if not any((before.all, before.shown, parsed.errors)):
        return parsed
    if edited.edit.lines and any(names_a_place(each.message) for each in before.all):
        raise OtherWayError
    errors = before.on_lines(LineMoves(edited.record.text, edited.edit).move.line)
    unseen = _lines_of(parsed.source, [edited.body_of(each) for each in left_out], errors)
    seen = {error for error in errors.all if error.line not in unseen}
    if not seen <= set(parsed.errors) <= set(errors.all):
        raise OtherWayError
    return parsed._replace(diagnostics=errors.shown, own_errors=errors.own, errors=errors.all)


def _lines_of(text: PlainText, ranges: TextRanges, errors: RecordedErrors) -> frozenset[int]:
    """The lines of errors that the ranges of the text reach into."""
    spans = [(text.line(begin), text.line(end)) for begin, end in ranges]
    lines = {error.line for error in errors.all}
    return frozenset(line for line in lines if any(first <= line <= last for first, last in spans))
