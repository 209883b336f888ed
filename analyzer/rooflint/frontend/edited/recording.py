"""An extraction of a whole file, with the record that the next edit needs."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rooflint.compile_flags.regular_files import read_regular
from rooflint.frontend.edited.calls import CallReader, SummaryReader
from rooflint.frontend.edited.records import (
    CalleeSummary,
    EquationParts,
    ExposedTables,
    FileRecord,
    FunctionRecord,
    RecordedErrors,
    RecordedFile,
)
from rooflint.frontend.edited.text_edits import has_deduced_parts, is_own_world
from rooflint.frontend.equations.bodies import BodyReader
from rooflint.frontend.equations.extraction import PartedExtraction, extraction_of_parse
from rooflint.frontend.extract import ParsedFile, Trace, parsed_file
from rooflint.frontend.lower.instances import FunctionCandidate, LoweredCandidate
from rooflint.frontend.lower.state.shared import Exposure, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.open_parse import OpenParse
from rooflint.frontend.parse.shims import SHIM_ROOT
from rooflint.frontend.parse.tree import MAX_BODY, size_of
from rooflint.frontend.request import Request

_COUNTER: Final = b"__COUNTER__"
"""A macro whose value depends on all code before it."""
_PLAIN: Final = frozenset((kinds.FUNCTION, kinds.METHOD, kinds.CONSTRUCTOR, kinds.DESTRUCTOR))


def recorded_file(request: Request) -> RecordedFile:
    """Loops and equations of a file; raises AnalysisError where it cannot be parsed."""
    with parsed_file(request) as file:
        read = extraction_of_parse(request, file)
        return RecordedFile(read.found, _record(request, file, read))


def _record(request: Request, file: ParsedFile, read: PartedExtraction) -> FileRecord | None:
    """None for a file that was parsed in several ways, and for one whose functions depend on each
    other's order."""
    parsed, shared = file.parsed, file.shared
    if request.places or read.reader is None or not _is_plain(file, read):
        return None
    parts = equation_parts(read.reader, file.candidates)
    if parts is None:
        return None
    calls = CallReader(shared, file.candidates)
    summaries = SummaryReader(shared, calls)
    lowered = {each.candidate.begin: each for each in read.lowering.lowered}
    if len(lowered) < len(read.lowering.lowered):
        return None  # a macro makes several functions
    functions = tuple(
        [
            function_record(file, calls, each, lowered.get(each.begin))._replace(
                summary=summaries.summary(number)
            )
            for number, each in enumerate(file.candidates)
        ]
    )
    if shared.callees.circular:
        return None
    source = parsed.source
    return FileRecord(
        text=source.data,
        arguments=parsed.arguments,
        others=parsed.files[1:],
        headers=parsed.headers,
        options=parsed.options,
        errors=errors_of(parsed),
        assumptions=file.assumptions,
        functions=functions,
        no_loops=read.lowering.no_loops,
        tables=_tables(shared),
        equations=parts,
        numbers=shared.keys.numbers,
        inactive=source.known_inactive,
        has_lines=shared.keys.has_lines,
    )


def errors_of(parsed: OpenParse) -> RecordedErrors:
    """The errors of a parse."""
    return RecordedErrors(all=parsed.errors, shown=parsed.diagnostics, own=parsed.own_errors)


def _is_plain(file: ParsedFile, read: PartedExtraction) -> bool:
    """Whether no bug and no choice among ways to parse has a part in the extraction."""
    first = file.trace.parses[0].arguments
    if any(each.arguments[: len(first)] != first for each in file.trace.parses):
        return False
    if read.lowering.problems:
        return False
    return not file.shared.callees.circular and not _counts_code(file)


def _counts_code(file: ParsedFile) -> bool:
    """Whether a macro of the file or of a header may count its uses."""
    if any(_COUNTER in text for _, text in file.parsed.files):
        return True
    try:
        return any(_COUNTER in text for text in header_texts(file.trace))
    except OSError:
        return True


def header_texts(trace: Trace) -> Iterator[bytes]:
    """The headers of a file, without those of this program; OSError for one that is not there."""
    for name in trace.parses[-1].included:
        if not name.startswith(SHIM_ROOT):
            yield read_regular(name)


def function_record(
    file: ParsedFile,
    calls: CallReader,
    candidate: FunctionCandidate,
    lowered: LoweredCandidate | None,
) -> FunctionRecord:
    """The record of a function, without the answers that its callers got."""
    shared = file.shared
    tree = shared.tree(candidate.cursor)
    called = calls.called_functions(tree)
    body = tree.children[-1] if tree.children else None
    opening = -1
    if body is not None and body.kind == kinds.COMPOUND and not candidate.dependent:
        opening = _opening(file, candidate, body.cursor)
    return FunctionRecord(
        begin=candidate.begin,
        opening=opening,
        end=candidate.end,
        calls=called.calls,
        small=size_of(tree, MAX_BODY) < MAX_BODY,
        templates=called.templates,
        inlined=frozenset() if lowered is None else calls.positions(lowered.inlined),
        summary=CalleeSummary(),
        lowered=None if lowered is None else without_cursor(lowered),
    )


def without_cursor(lowered: LoweredCandidate) -> LoweredCandidate:
    """It outlives the parse, and cursors do not."""
    return lowered._replace(
        candidate=lowered.candidate._replace(cursor=Cursor()), inlined=frozenset()
    )


def _opening(file: ParsedFile, candidate: FunctionCandidate, body: Cursor) -> int:
    """Where a body begins that may be left out of a parse, or change by itself; else -1."""
    source, clang = file.parsed.source, file.shared.clang
    begin, end = source.extent(body)
    plain = candidate.cursor.kind in _PLAIN and end == candidate.end and begin > candidate.begin
    if not plain or clang.getSpecializedCursorTemplate(candidate.cursor).d0:
        return -1
    if not is_own_world(source.data[begin:end]) or (
        not file.shared.is_c and has_deduced_parts(source.data[candidate.begin : begin])
    ):
        return -1
    return begin


def equation_parts(reader: BodyReader, candidates: list[FunctionCandidate]) -> EquationParts | None:
    """The parts of the functions; None where one of the file counts as one with another, as the
    instances of a template do that are written out."""
    found = reader.collected
    positions = {each.cursor.d0: number for number, each in enumerate(candidates)}
    parts = EquationParts(
        parts=tuple([part._replace(function=0) for part in found.parts]),
        owners=tuple([positions.get(part.function, -1) for part in found.parts]),
        end=found.marks(),
        steps=found.counters.all_steps,
    )
    results = [each.result for each in found.functions]
    times = Counter(results)
    for number, owner in enumerate(parts.owners):
        begin, end = parts.range_of(number)
        own = results[begin.functions : end.functions]
        if owner >= 0 and any(times[each] > 1 for each in own):
            return None
    return parts


def _tables(shared: TranslationUnitContext) -> ExposedTables:
    exposure = shared.exposure
    if not isinstance(exposure, Exposure):
        return ExposedTables()
    exposing = [
        (usr_of(shared, key), frozenset([c.begin for c in exposure.code if key in c.keys]))
        for key in shared.tables
    ]
    return ExposedTables(
        exposing=tuple(sorted(exposing)),
        declarations=frozenset([each.begin for each in exposure.code]),
        whole=exposure.whole,
    )


def usr_of(shared: TranslationUnitContext, key: int) -> str:
    """clang's key of a known declaration."""
    decl = shared.known(key)
    return "" if decl is None else shared.clang.text(shared.clang.getCursorUSR(decl.cursor))
