"""Types behind ``void *``, which a function converts before it uses them.

A pointer to a record counts too where it is cast to a larger one, which begins with the record as
derived data do in C.
"""

from collections.abc import Mapping
from typing import Final

from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import RECURSE, Cursor, Type
from rooflint.frontend.parse.tree import child_cursors, visit

CastTypes = Mapping[int, Type]
"""By the declaration of a parameter or a member, the pointer that it is converted to."""
_CONVERSIONS: Final = frozenset((kinds.UNEXPOSED, *kinds.CASTS))
_TRANSPARENT: Final = frozenset((kinds.PAREN, *_CONVERSIONS))
_NAMES: Final = frozenset((kinds.DECL_REF, kinds.MEMBER_REF))
_HOLDERS: Final = frozenset((kinds.PARAMETER, kinds.FIELD))
_FUNCTIONS: Final = frozenset((kinds.FUNCTION, kinds.FUNCTION_TEMPLATE, *kinds.METHODS))


def cast_types(shared: TranslationUnitContext, root: Cursor) -> dict[int, Type]:
    """Conversions in the body of a function; the first one of each pointer."""
    clang = shared.clang
    found: dict[int, Type] = {}

    def callback(cursor: Cursor, parent: Cursor) -> int:
        if cursor.kind in _CONVERSIONS and clang.getCursorType(cursor).kind == kinds.T_POINTER:
            name = _converted(shared, cursor)
            if name is not None and _tells_more(shared, name, cursor):
                holder = clang.getCursorReferenced(name)
                if holder.kind in _HOLDERS:
                    found.setdefault(holder.d0, clang.getCursorType(cursor))
        return RECURSE

    visit(clang, root, callback)
    return found


def _converted(shared: TranslationUnitContext, cursor: Cursor) -> Cursor | None:
    """The name below conversions and parentheses."""
    while cursor.kind in _TRANSPARENT:
        children = child_cursors(shared.clang, cursor)
        below = [each for each in children if each.kind in _TRANSPARENT or each.kind in _NAMES]
        if len(below) != 1:
            return None
        cursor = below[0]
    return cursor if cursor.kind in _NAMES else None


def _tells_more(shared: TranslationUnitContext, name: Cursor, cast: Cursor) -> bool:
    """Whether the pointer leads to more than its declaration says."""
    declared, wanted = _target(shared, name), _target(shared, cast)
    if declared is None or wanted is None or wanted.kind in (kinds.T_VOID, *kinds.T_FUNCTIONS):
        return False
    if wanted.kind == kinds.T_RECORD and _is_local(shared, wanted):
        return False
    if declared.kind == kinds.T_VOID:
        return True
    sizes = [shared.clang.Type_getSizeOf(each) for each in (declared, wanted)]
    return declared.kind == wanted.kind == kinds.T_RECORD and 0 < sizes[0] < sizes[1]


def _is_local(shared: TranslationUnitContext, record: Type) -> bool:
    """Whether no declaration at the end of the file can name the type."""
    clang = shared.clang
    parent = clang.getCursorSemanticParent(clang.getTypeDeclaration(record))
    spelling = clang.text(clang.getTypeSpelling(record))
    return parent.kind in _FUNCTIONS or "(unnamed" in spelling or "(anonymous" in spelling


def _target(shared: TranslationUnitContext, cursor: Cursor) -> Type | None:
    clang = shared.clang
    handle = clang.getCanonicalType(clang.getCursorType(cursor))
    if handle.kind != kinds.T_POINTER:
        return None
    target: Type = clang.getCanonicalType(clang.getPointeeType(handle))
    return target
