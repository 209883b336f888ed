"""Initial values of the members of an object, and of the elements of an array."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rooflint.frontend.equations.quantities import QuantityTable
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, RECURSE, Clang, Cursor
from rooflint.frontend.parse.tree import SyntaxTree, child_cursors, visit

_DESIGNATOR: Final = 47
"""``CXCursor_MemberRef``: names the member of ``.n = 4``, and of ``: n(4)`` of a constructor."""
_BASE: Final = 43
"""``CXCursor_TypeRef``: names the base class of ``: Base(4)``."""

MOST_SIZES: Final = 64
"""Elements of an array that may be sizes: one of more is a table of data, such as a code book of a
hundred thousand (judged)."""


def initial_integers(
    table: QuantityTable, variable: SyntaxTree
) -> Iterator[tuple[int, SyntaxTree]]:
    """Quantities that the list of values of a variable sets, with their values.

    Those of members by their names are left out, and so are arrays of more than ``MOST_SIZES``
    elements.
    """
    clang = table.clang
    values = variable.children[-1]
    handle = clang.getCanonicalType(clang.getCursorType(variable.cursor))
    if handle.kind != kinds.T_RECORD:
        if len(values.children) > MOST_SIZES:
            return
        for number, value in enumerate(values.children):
            if table.is_integer(clang.getCursorType(value.cursor)):
                yield table.element(variable.cursor, number), value
    elif not _is_designated(clang, values):
        members = members_of(clang, clang.getTypeDeclaration(handle))
        for member, value in zip(members, values.children, strict=False):
            if table.is_integer(clang.getCursorType(member)):
                yield table.variable(member), value


def constructor_initialisers(
    clang: Clang, constructor: Cursor
) -> Iterator[tuple[Cursor | None, Cursor]]:
    """Members and their values before the body of a constructor; calls of base classes'
    constructors have no member."""
    for name, value in pairwise(child_cursors(clang, constructor)):
        member = clang.getCursorReferenced(name)
        if name.kind == _DESIGNATOR and member.kind == kinds.FIELD:
            yield member, value
        elif name.kind == _BASE and value.kind == kinds.CALL:
            yield None, value


def initial_members(clang: Clang, values: Cursor) -> Iterator[tuple[Cursor, Cursor]]:
    """Members of an object, by their names or in their order, with the values that a list gives."""
    handle = clang.getCanonicalType(clang.getCursorType(values))
    members = members_of(clang, clang.getTypeDeclaration(handle))
    keys = [member.d0 for member in members]
    position = 0
    for value in child_cursors(clang, values):
        inner = child_cursors(clang, value) if value.kind == kinds.UNEXPOSED else []
        named = [each for each in inner if each.kind == _DESIGNATOR]
        if named:
            outermost, innermost = (clang.getCursorReferenced(named[end]) for end in (0, -1))
            position = keys.index(outermost.d0) if outermost.d0 in keys else len(keys)
            yield innermost, inner[-1]
        elif position < len(members):
            yield members[position], value
        position += 1


def members_of(clang: Clang, declaration: Cursor) -> list[Cursor]:
    """The members of a class, a structure or a union, in their order."""
    below = child_cursors(clang, clang.getCursorDefinition(declaration))
    return [each for each in below if each.kind == kinds.FIELD]


def _is_designated(clang: Clang, values: SyntaxTree) -> bool:
    designators: list[int] = []

    def callback(cursor: Cursor, parent: Cursor) -> int:
        if cursor.kind == _DESIGNATOR:
            designators.append(cursor.kind)
        return RECURSE if cursor.kind == kinds.UNEXPOSED else CONTINUE

    visit(clang, values.cursor, callback)
    return bool(designators)
