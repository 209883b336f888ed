"""An edit inside of one function's body: the file's extraction with that function read again."""

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from rooflint.errors import AnalysisError
from rooflint.frontend.edited.calls import CallReader, SummaryReader, agrees
from rooflint.frontend.edited.declaration_edits import edited_declarations
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.edited.moved_records import LineMoves, moved_equations, moved_function
from rooflint.frontend.edited.part_parse import EditedText, parse_without
from rooflint.frontend.edited.recording import errors_of, function_record, usr_of, without_cursor
from rooflint.frontend.edited.records import (
    EquationParts,
    FileRecord,
    FunctionRecord,
    RecordedFile,
    moved_offsets,
)
from rooflint.frontend.edited.spliced import FunctionEquations
from rooflint.frontend.edited.surroundings import OtherWayError, check_numbers, tell_others
from rooflint.frontend.edited.text_edits import (
    TextEdit,
    directives_of,
    is_own_world,
    moved_ranges,
    stands_alone,
    text_edit,
)
from rooflint.frontend.equations.bodies import BodyReader
from rooflint.frontend.equations.extraction import ExtractedFile, body_reader, read_functions
from rooflint.frontend.extract import (
    LoweredFile,
    ParsedFile,
    Trace,
    loaded_clang,
    may_loop,
    unit_of_lowering,
    without_collection,
)
from rooflint.frontend.lower.instances import FileLowering, LoweredCandidate
from rooflint.frontend.lower.objects.exposure import code_exposure
from rooflint.frontend.lower.state.shared import BlankBodyError, TranslationUnitContext
from rooflint.frontend.moved_lines import moved_lines
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.open_parse import ParseInput, inactive_ranges
from rooflint.frontend.parse.plain_text import TextRanges
from rooflint.frontend.request import Request
from rooflint.ir import Unit
from rooflint.ir.equations import Equations

MOST_PARSES: Final = 3
"""Parses of one edit: each further one has the bodies that the one before lacked."""


def edited_file(request: Request, last: RecordedFile, units: KeptUnits) -> RecordedFile | None:
    """The extraction of a request, from that of a text that differs in one function's body, or in
    macros and types that nothing speaks of; ``units`` keeps the parses.

    None where that is not so, or where other functions may change as well.
    """
    record = last.record
    if record is None or request.text is None or request.places:
        return None
    edit = text_edit(record.text, request.text)
    number = _edited_function(record, edit)
    with without_collection():
        if number is None:
            return _edited_declarations(request, last, record, edit, units)
        work = _BodyEdit(request, last.found, record, edit, number, units)
        for _ in range(MOST_PARSES):
            try:
                return work.result()
            except BlankBodyError as error:
                if not work.keep(error.begin):
                    return None
            except (OtherWayError, AnalysisError, KeyError):
                return None
    return None


def changes_code(record: FileRecord | None, text: bytes) -> bool:
    """Whether the text differs from the recorded one in one function's code, and not in its
    comments alone. False where that function alone does not tell."""
    if record is None:
        return False
    edit = text_edit(record.text, text)
    number = _edited_function(record, edit)
    if number is None:
        return False
    own = record.functions[number]
    before, after = record.text[own.begin : own.end], text[own.begin : own.end + edit.added]
    return moved_lines(before, after) is None


def _edited_declarations(
    request: Request, last: RecordedFile, record: FileRecord, edit: TextEdit, units: KeptUnits
) -> RecordedFile | None:
    try:
        return edited_declarations(request, last, record, edit, units)
    except (OtherWayError, AnalysisError, KeyError):
        return None


def _edited_function(record: FileRecord, edit: TextEdit) -> int | None:
    """The function inside of whose braces the edit lies."""
    for number, each in enumerate(record.functions):
        if 0 <= each.opening < edit.begin and edit.end < each.end:
            return number
    return None


class _BodyEdit:
    """The work on one edit of the function at position ``number``."""

    def __init__(
        self,
        request: Request,
        found: ExtractedFile,
        record: FileRecord,
        edit: TextEdit,
        number: int,
        units: KeptUnits,
    ) -> None:
        text = request.text
        assert text is not None
        self._request = request
        self._text = text
        self._found = found
        self._record = record
        self._edit = edit
        self._number = number
        self._units = units
        self._changed = {number} | {
            other for other, each in enumerate(record.functions) if number in each.inlined
        }
        self._kept: set[int] = set()
        self._add(self._changed)

    def _add(self, functions: Iterable[int]) -> None:
        """Keeps functions, and what lowering calls of them asks for."""
        for function in functions:
            self._kept.add(function)
            waiting = [function]
            while waiting:
                for called in self._record.functions[waiting.pop()].calls - self._kept:
                    self._kept.add(called)
                    if self._record.functions[called].small:
                        waiting.append(called)

    def keep(self, begin: int) -> bool:
        """Keeps the body of the function that begins there now; False where none was left out."""
        for number, each in enumerate(self._record.functions):
            if self._edit.offset(each.begin) == begin and number not in self._kept:
                self._add([number])
                return True
        return False

    def result(self) -> RecordedFile:
        """Raises BlankBodyError where a body is needed that is not kept, and KeyError for a place
        that is no longer there."""
        self._check_text()
        file = self._parsed()
        lowering = FileLowering(file.shared, file.parsed.source)
        fresh = {number: self._lowered(file, lowering, number) for number in self._changed}
        if lowering.problems:
            raise OtherWayError
        functions = self._functions(file, fresh)
        unit = self._unit(file, functions)
        equations = self._equations(file, unit)
        if file.shared.callees.circular:
            raise OtherWayError
        found = ExtractedFile(unit, equations[0], Trace(self._text, self._found.trace.parses))
        edit, record = self._edit, self._record
        return RecordedFile(
            found,
            record._replace(
                text=self._text,
                functions=tuple(
                    [
                        each._replace(
                            lowered=None if each.lowered is None else without_cursor(each.lowered)
                        )
                        for each in functions
                    ]
                ),
                no_loops=self._no_loops(file),
                errors=errors_of(file.parsed),
                tables=record.tables.after_edit(edit),
                equations=equations[1],
                numbers=file.shared.keys.numbers,
                inactive=file.parsed.source.known_inactive,
            ),
        )

    def _check_text(self) -> None:
        own, edit = self._own, self._edit
        text = self._text
        if not is_own_world(text[own.opening : own.end + edit.added]):
            raise OtherWayError
        if not stands_alone(text, own.begin, own.end + edit.added):
            raise OtherWayError
        if self._record.has_lines and edit.lines:
            raise OtherWayError

    @cached_property
    def _moves(self) -> LineMoves:
        return LineMoves(self._record.text, self._edit)

    @property
    def _own(self) -> FunctionRecord:
        return self._record.functions[self._number]

    def _parsed(self) -> ParsedFile:
        """A parse of the text with the bodies of the functions that matter."""
        record, own = self._record, self._own
        left_out = [e for number, e in enumerate(record.functions) if number not in self._kept]
        edited = EditedText(
            request=self._request,
            record=record,
            edit=self._edit,
            trace=self._found.trace,
            units=self._units,
        )
        file = parse_without(left_out, edited, own, self._inactive)
        tell_others(file.shared, record, own, self._edit)
        return file

    def _inactive(self, parse: ParseInput) -> TextRanges:
        own = self._own
        now = directives_of(self._text[own.opening : own.end + self._edit.added])
        before = directives_of(self._record.text[own.opening : own.end])
        known = moved_ranges(self._record.inactive, self._edit)
        return inactive_ranges(loaded_clang(), parse) if known is None or now != before else known

    def _lowered(
        self, file: ParsedFile, lowering: FileLowering, number: int
    ) -> LoweredCandidate | None:
        candidate, before = file.candidates[number], self._record.functions[number].lowered
        looping = self._request.straight or may_loop(candidate, file.parsed.source)
        if candidate.dependent or (before is not None and not before.alone):
            raise OtherWayError
        if not looping:
            return None
        lowered = lowering.lower_candidate(candidate, [candidate.cursor])
        if not lowered.alone:
            raise OtherWayError
        return lowered

    def _functions(
        self, file: ParsedFile, fresh: dict[int, LoweredCandidate | None]
    ) -> list[FunctionRecord]:
        """The records of all functions, where they stand now."""
        calls = CallReader(file.shared, file.candidates)
        moves = self._moves
        found: list[FunctionRecord] = []
        for number, each in enumerate(self._record.functions):
            candidate = file.candidates[number]
            if number in fresh:
                made = function_record(file, calls, candidate, None)._replace(
                    lowered=fresh[number], summary=each.summary
                )
                lowered = fresh[number]
                if lowered is not None:
                    made = made._replace(inlined=calls.positions(lowered.inlined))
                if number == self._number:
                    self._check_function(file, calls, each, made)
            else:
                made = moved_function(each, self._edit, moves)
            found.append(made)
        return found

    def _check_function(
        self, file: ParsedFile, calls: CallReader, before: FunctionRecord, now: FunctionRecord
    ) -> None:
        """Other functions must not see the change but in the text that they put in place."""
        if now.opening < 0 or now.templates != before.templates:
            raise OtherWayError
        if now.templates and (now.lowered is None or before.lowered is None):
            raise OtherWayError
        cursor = file.candidates[self._number].cursor
        shared = file.shared
        if any(each is not None for each in before.summary):
            summary = SummaryReader(shared, calls).whole_summary(cursor)
            if not agrees(before.summary, summary):
                raise OtherWayError
        self._check_exposure(shared, before, cursor)

    def _check_exposure(
        self, shared: TranslationUnitContext, before: FunctionRecord, cursor: Cursor
    ) -> None:
        """Pointers to the file's tables must not be formed anew, or no longer."""
        tables = self._record.tables
        if tables.exposing and tables.whole:
            if before.begin not in tables.declarations:
                raise OtherWayError
            exposed = code_exposure(shared, shared.tree(cursor)).keys
            keys = {usr_of(shared, key) for key in exposed}
            if any((before.begin in by) != (key in keys) for key, by in tables.exposing):
                raise OtherWayError

    def _no_loops(self, file: ParsedFile) -> frozenset[int]:
        own, edit = self._own, self._edit
        others = frozenset([b for b in self._record.no_loops if not own.begin <= b < own.end])
        end = own.end + edit.added
        return moved_offsets(others, edit) | {
            each for each in file.shared.no_loops if own.begin <= each < end
        }

    def _unit(self, file: ParsedFile, functions: list[FunctionRecord]) -> Unit:
        lowered = tuple([each.lowered for each in functions if each.lowered is not None])
        return unit_of_lowering(
            self._request, file, LoweredFile(lowered=lowered, no_loops=self._no_loops(file))
        )

    def _equations(self, file: ParsedFile, unit: Unit) -> tuple[Equations, EquationParts]:
        parts, shared = self._record.equations, file.shared
        cursor = file.candidates[self._number].cursor
        reader = body_reader(self._request.path, file)
        place = self._place_of(file, reader, cursor)
        reader.read_function(cursor)
        check_numbers(shared, self._record, (self._own.begin, self._own.end + self._edit.added))
        if any(each.line == 0 for each in reader.collected.records):
            raise OtherWayError
        own = FunctionEquations(self._found.equations, parts, place)
        others = moved_equations(own.others(), self._moves)
        joined = own.with_function(others, reader.collected, unit.comments)
        if joined is None or (shared.keys.has_lines and not self._record.has_lines):
            raise OtherWayError
        return joined

    def _place_of(self, file: ParsedFile, reader: BodyReader, cursor: Cursor) -> int:
        """The function's place among those that are read for equations; notes the parameters of
        templates before it."""
        parts = self._record.equations
        read = read_functions(file)
        places = [number for number, each in enumerate(read) if each.d0 == cursor.d0]
        if len(read) != len(parts.parts) or len(places) != 1:
            raise OtherWayError
        (place,) = places
        if parts.owners[place] != self._number:
            raise OtherWayError
        for each in read[:place]:
            if each.kind == kinds.FUNCTION_TEMPLATE:
                reader.table.enter_parameters(each)
        return place
