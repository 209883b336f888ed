"""Signatures of all functions of a file."""

from collections.abc import Iterable, Iterator

from rooflint.frontend.declared.casts import cast_types
from rooflint.frontend.declared.contents import FileContents
from rooflint.frontend.declared.references import CALLABLE, outer_references, scope_of, with_body
from rooflint.frontend.declared.types import DeclaredTypes
from rooflint.frontend.extract import ParsedFile, parsed_file
from rooflint.frontend.lower.functions import has_body
from rooflint.frontend.lower.instances import FunctionCandidate, instances_of
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, RECURSE, Cursor
from rooflint.frontend.parse.tree import visit
from rooflint.frontend.request import Request
from rooflint.ir.signature import FileSignatures, FormalParameter, NumberType, Signature
from rooflint.ir.unit import Span


def file_signatures(request: Request) -> FileSignatures:
    """The functions with bodies in the file; raises AnalysisError where it cannot be parsed."""
    with parsed_file(request) as file:
        errors = [each.message for each in file.parsed.diagnostics]
        signatures = tuple(_signatures(file, FileContents(request, file)))
    return FileSignatures(signatures=signatures, error=errors[0] if errors else "")


def _signatures(file: ParsedFile, contents: FileContents) -> Iterator[Signature]:
    shared, candidates = file.shared, file.candidates
    casts = {each.cursor.d0: cast_types(shared, each.cursor) for each in candidates}
    in_file = {place: cast for each in casts.values() for place, cast in each.items()}
    for candidate, instances in instances_of(shared, candidates, candidates):
        types = DeclaredTypes(shared.clang, {**in_file, **casts[candidate.cursor.d0]})
        for instance in instances:
            if not has_body(shared, instance):
                continue
            yield _signature(contents, types, candidate, instance)


def _signature(
    contents: FileContents, types: DeclaredTypes, candidate: FunctionCandidate, cursor: Cursor
) -> Signature:
    shared = contents.shared
    clang = shared.clang
    parameters = [
        clang.Cursor_getArgument(cursor, number)
        for number in range(max(0, clang.Cursor_getNumArguments(cursor)))
    ]
    # an instance of a function template is one its patterns' parameters and body do not tell of
    outer = outer_references(shared, types, cursor)
    outermost = _outermost(shared, candidate.cursor)
    loops = _nests(shared, outermost)
    template = candidate.dependent and cursor.d0 != candidate.cursor.d0
    return Signature(
        name=scope_of(shared, cursor) + clang.spelling(cursor).partition("<")[0],
        span=shared.source.span(candidate.begin, candidate.end),
        parameters=tuple([_parameter(shared, types, each) for each in parameters]),
        spelling=_function_type(shared, cursor),
        is_c=shared.is_c,
        result=_result(shared, types, cursor),
        owner=types.of(clang.getCursorType(clang.getCursorSemanticParent(cursor)))
        if cursor.kind in kinds.METHODS and not clang.CXXMethod_isStatic(cursor)
        else None,
        template=template,
        dependent=candidate.dependent and not template,
        loops=_places(shared, loops),
        drives=_places(shared, outermost) != _places(shared, loops),
        loop_calls=tuple([name for loop in loops for name in _outside_calls(shared, loop)]),
        outer=outer.variables,
        unseen=outer.unseen,
        content=contents.digest((candidate.begin, candidate.end), outer.bodies),
    )


def _result(
    shared: TranslationUnitContext, types: DeclaredTypes, cursor: Cursor
) -> NumberType | None:
    handle = shared.clang.getCursorResultType(cursor)
    kind = None if types.is_reference(handle) else types.of(handle)
    return kind if isinstance(kind, NumberType) else None


def _parameter(
    shared: TranslationUnitContext, types: DeclaredTypes, cursor: Cursor
) -> FormalParameter:
    handle = shared.clang.getCursorType(cursor)
    return FormalParameter(
        name=shared.clang.spelling(cursor),
        type=types.of_parameter(cursor),
        reference=types.is_reference(handle),
    )


def _function_type(shared: TranslationUnitContext, cursor: Cursor) -> str:
    clang = shared.clang
    handle = clang.getCanonicalType(clang.getCursorType(cursor))
    text: str = clang.text(clang.getTypeSpelling(handle))
    return text.replace("(anonymous namespace)::", "")


def _outermost(shared: TranslationUnitContext, root: Cursor) -> list[Cursor]:
    """Outermost loops inside a function or a loop, as far as its text shows them."""
    found: list[Cursor] = []

    def callback(cursor: Cursor, parent: Cursor) -> int:
        if cursor.kind not in kinds.LOOPS:
            return RECURSE
        if not shared.source.in_macro(cursor):
            found.append(Cursor.from_buffer_copy(cursor))
        return CONTINUE

    visit(shared.clang, root, callback)
    return found


def _nests(shared: TranslationUnitContext, loops: Iterable[Cursor]) -> list[Cursor]:
    """A loop that calls a function of another file drives what is inside: loops there take its
    place."""
    found: list[Cursor] = []
    for loop in loops:
        drives = _outside_calls(shared, loop)
        inner = _nests(shared, _outermost(shared, loop)) if drives else []
        found += inner or [loop]
    return found


def _outside_calls(shared: TranslationUnitContext, loop: Cursor) -> list[str]:
    """Functions without a body that are called in the loop, those of the library aside."""
    clang = shared.clang
    called: dict[str, None] = {}

    def callback(cursor: Cursor, parent: Cursor) -> int:
        if cursor.kind == kinds.CALL:
            target = clang.getCursorReferenced(cursor)
            if target.d0 and target.kind in CALLABLE and _is_elsewhere(shared, target):
                called[clang.spelling(target)] = None
        return RECURSE

    visit(clang, loop, callback)
    return list(called)


def _is_elsewhere(shared: TranslationUnitContext, function: Cursor) -> bool:
    place = shared.clang.getCursorLocation(function)
    if with_body(shared, function) is not None:
        return False
    return not shared.clang.Location_isInSystemHeader(place)


def _places(shared: TranslationUnitContext, loops: Iterable[Cursor]) -> tuple[Span, ...]:
    places = [shared.source.extent(loop) for loop in loops]
    return shared.source.spans([place for place in places if place[0] >= 0])
