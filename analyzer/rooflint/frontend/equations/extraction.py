"""Equations of a parsed file and of the project's headers that it includes."""

from collections.abc import Callable
from typing import Final

from rooflint.frontend.equations.bodies import BodyReader
from rooflint.frontend.extract import (
    LoweredFile,
    ParsedFile,
    Trace,
    lowered_file,
    parsed_file,
    unit_of_lowering,
)
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.effects import EffectTable
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, RECURSE, Cursor
from rooflint.frontend.parse.tree import visit
from rooflint.frontend.request import Request
from rooflint.ir import Diagnostic, Unit
from rooflint.ir.equations import Equations
from rooflint.records import NamedTuple

_SCOPES: Final = frozenset(
    (kinds.NAMESPACE, kinds.LINKAGE, kinds.STRUCT, kinds.CLASS, kinds.UNION,
     kinds.CLASS_TEMPLATE, kinds.CLASS_PARTIAL)
)  # fmt: skip
_BODIES: Final = frozenset((kinds.FUNCTION, kinds.FUNCTION_TEMPLATE, *kinds.METHODS))
_VARIABLES: Final = frozenset((kinds.VARIABLE, kinds.FIELD))
_DECLARATIONS: Final = _SCOPES | _BODIES | _VARIABLES


def file_equations(request: Request) -> Equations:
    """The equations of the file; raises AnalysisError where it cannot be parsed."""
    with parsed_file(request) as file:
        return equations_of_parse(request.path, file)


class ExtractedFile(NamedTuple):
    """The loops of a file, its equations, and what was read for them."""

    unit: Unit
    equations: Equations
    trace: Trace


def extracted_file(request: Request) -> ExtractedFile:
    """Loops and equations of one parse; raises AnalysisError where it cannot be parsed.

    A bug in the equations costs these, and no loop.
    """
    with parsed_file(request) as file:
        return extraction_of_parse(request, file).found


class PartedExtraction(NamedTuple):
    """An extraction with its parts by function; ``reader`` is None where a bug struck it."""

    found: ExtractedFile
    lowering: LoweredFile
    reader: BodyReader | None


def extraction_of_parse(request: Request, file: ParsedFile) -> PartedExtraction:
    """Loops and equations of a file that is in libclang's hands."""
    lowering = lowered_file(request, file)
    unit = unit_of_lowering(request, file, lowering)
    reader = None
    try:
        reader = equations_read(request.path, file)
        equations = reader.equations()
    except MemoryError:  # a limit of the file, and no bug
        raise
    except Exception as error:
        equations = Equations(path=request.path)
        text = f"internal: {type(error).__name__}: {error} (equations)"
        problem = Diagnostic(line=1, column=1, severity="error", message=text, kind="internal")
        unit = unit._replace(diagnostics=(*unit.diagnostics, problem))
    return PartedExtraction(ExtractedFile(unit, equations, file.trace), lowering, reader)


def equations_of_parse(path: str, file: ParsedFile) -> Equations:
    """The equations of the file ``path`` that is still in libclang's hands."""
    return equations_read(path, file).equations()


def equations_read(path: str, file: ParsedFile) -> BodyReader:
    """Has read the equations of the file ``path`` that is still in libclang's hands."""
    reader = body_reader(path, file)
    for function in read_functions(file, reader.read_variable):
        reader.read_function(function)
    return reader


def body_reader(path: str, file: ParsedFile) -> BodyReader:
    """Reads the functions of a file."""
    shared = file.shared
    context = LoweringContext(shared, EffectTable(shared))
    return BodyReader(context, path)


def read_functions(
    file: ParsedFile, variable: Callable[[Cursor], None] | None = None
) -> list[Cursor]:
    """The functions of the file and of the project's headers; ``variable`` gets the variables and
    members that have a value or an extent."""
    shared = file.shared
    clang = shared.clang
    functions: list[Cursor] = []
    read = set[int]()

    def of_variable(cursor: Cursor, child: int) -> int:
        if variable is not None and child in kinds.EXPRESSIONS and cursor.d0 not in read:
            read.add(cursor.d0)
            variable(Cursor.from_buffer_copy(cursor))
        return CONTINUE

    def callback(cursor: Cursor, parent: Cursor) -> int:
        kind = cursor.kind
        if parent.kind in _VARIABLES:
            return of_variable(parent, kind)
        if kind not in _DECLARATIONS or clang.Location_isInSystemHeader(
            clang.getCursorLocation(cursor)
        ):
            return CONTINUE
        if kind in _SCOPES or (kind in _VARIABLES and variable is not None):
            return RECURSE
        if kind in _BODIES:
            functions.append(Cursor.from_buffer_copy(cursor))
        return CONTINUE

    visit(clang, clang.getTranslationUnitCursor(file.parsed.handle), callback)
    return functions
