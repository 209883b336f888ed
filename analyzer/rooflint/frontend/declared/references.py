"""References of a function to the outside: variables of files, and functions without a body."""

from typing import Final

from rooflint.frontend.declared.types import DeclaredTypes
from rooflint.frontend.lower.functions import has_body
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import RECURSE, Cursor
from rooflint.frontend.parse.tree import visit
from rooflint.ir.signature import OuterVariable
from rooflint.records import NamedTuple

_EXTERN: Final = 2
"""``CX_SC_Extern``."""
_REFERENCES: Final = frozenset((kinds.DECL_REF, kinds.MEMBER_REF, kinds.CALL))
CALLABLE: Final = frozenset((kinds.FUNCTION, *kinds.METHODS))
"""Kinds of declarations that a call may refer to."""
_SCOPES: Final = frozenset(
    (kinds.NAMESPACE, kinds.STRUCT, kinds.CLASS, kinds.UNION, kinds.CLASS_TEMPLATE)
)


class OuterReferences(NamedTuple):
    """Variables outside of functions, and names of functions without a body.

    bodies  byte offsets in this file of the functions that are called, first and last
    """

    variables: tuple[OuterVariable, ...]
    unseen: tuple[str, ...]
    bodies: tuple[tuple[int, int], ...]


def scope_of(shared: TranslationUnitContext, cursor: Cursor) -> str:
    """The scopes around a declaration, as a use of it at the end of the file spells them."""
    clang = shared.clang
    parent = clang.getCursorSemanticParent(cursor)
    names: list[str] = []
    while parent.kind in _SCOPES:
        handle = clang.getCursorType(parent)
        if parent.kind != kinds.NAMESPACE and handle.kind:
            names.append(clang.text(clang.getTypeSpelling(clang.getCanonicalType(handle))))
            break  # the spelling of a class has its scopes
        if name := clang.spelling(parent):
            names.append(name)
        parent = clang.getCursorSemanticParent(parent)
    return "".join(f"{name}::" for name in reversed(names)).replace("(anonymous namespace)::", "")


def outer_references(
    shared: TranslationUnitContext, types: DeclaredTypes, root: Cursor
) -> OuterReferences:
    """The references of a function and of all functions of the file that it calls."""
    clang = shared.clang
    waiting, seen = [root], {root.d0}
    variables: dict[int, OuterVariable] = {}
    unseen: dict[str, None] = {}
    bodies: dict[tuple[int, int], None] = {}

    def call(target: Cursor) -> None:
        body = with_body(shared, target)
        if body is None:
            unseen[clang.spelling(target)] = None
        elif body.d0 not in seen or body.d0 == target.d0:
            seen.add(body.d0)
            waiting.append(body)
            bodies[shared.source.extent(body)] = None

    def callback(cursor: Cursor, parent: Cursor) -> int:
        if cursor.kind not in _REFERENCES:
            return RECURSE
        target = clang.getCursorReferenced(cursor)
        if not target.d0 or target.d0 in seen:
            return RECURSE
        seen.add(target.d0)
        if target.kind in CALLABLE:
            call(target)
        elif target.kind == kinds.VARIABLE and _is_outer(shared, target):
            variables[target.d0] = _variable(shared, types, target)
        return RECURSE

    while waiting:
        visit(clang, waiting.pop(), callback)
    here = tuple([place for place in bodies if place[0] >= 0])
    return OuterReferences(tuple(variables.values()), tuple(unseen), here)


def _is_outer(shared: TranslationUnitContext, variable: Cursor) -> bool:
    """Whether it is declared outside of functions and of the library's headers.

    A variable of the library, such as ``stderr``, is there whoever calls.
    """
    clang = shared.clang
    if clang.Location_isInSystemHeader(clang.getCursorLocation(variable)):
        return False
    scope = clang.getCursorSemanticParent(variable).kind
    if scope in CALLABLE or scope == kinds.FUNCTION_TEMPLATE:
        return False
    return shared.storage_of(shared.declared(variable)) == "global"


def with_body(shared: TranslationUnitContext, cursor: Cursor) -> Cursor | None:
    """The function's definition in the unit; None where there is none."""
    if has_body(shared, cursor):
        return cursor
    definition: Cursor = shared.clang.getCursorDefinition(cursor)
    return definition if definition.d0 and has_body(shared, definition) else None


def _variable(
    shared: TranslationUnitContext, types: DeclaredTypes, cursor: Cursor
) -> OuterVariable:
    clang = shared.clang
    handle = clang.getCursorType(cursor)
    definition = clang.getCursorDefinition(cursor)
    local = clang.Cursor_getStorageClass(cursor) != _EXTERN
    initial = clang.Cursor_getVarDeclInitializer(definition if definition.d0 else cursor)
    return OuterVariable(
        name=scope_of(shared, cursor) + clang.spelling(cursor),
        type=types.of(handle),
        defined=bool(definition.d0) or local,
        initialised=bool(initial.d0 or initial.d1),
        const=types.is_const(handle),
        in_block=_is_in_block(shared, cursor),
    )


def _is_in_block(shared: TranslationUnitContext, variable: Cursor) -> bool:
    """Whether it is ``extern`` in a function and nothing outside declares it."""
    clang = shared.clang
    outermost = clang.getCanonicalCursor(variable)
    return clang.getCursorLexicalParent(outermost).kind in CALLABLE
