"""Copies of records: those of a few scalars are copied member by member, as compilers do, so that
members that are variables of their own are read and written."""

from typing import Final

from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import visit

MOST_MEMBERS: Final = 8
"""Of a record that is copied member by member: LLVM splits larger ones less often (SROA)."""
_PLAIN: Final = frozenset((kinds.STRUCT, kinds.CLASS))


class MemberCopy:
    """A copy of a record from one place to another, both of the type that ``cursor`` has."""

    def __init__(
        self, context: LoweringContext, target: Lvalue, source: Pointer, cursor: Cursor
    ) -> None:
        members = _scalar_members(context, cursor)
        held = places.pointee(context, source)
        self._context = context
        self._targets = [places.field(context, target, each) for each in members]
        self._sources = [places.field(context, held, each) for each in members]

    @property
    def moves_variables(self) -> bool:
        """Whether members on either side are variables of their own."""
        return any(not each.array for each in (*self._targets, *self._sources))

    def values(self) -> list[tuple[Lvalue, Operand]]:
        """Each member of the target with its new value; all are read before any is written."""
        loaded = [places.load(self._context, each) for each in self._sources]
        return list(zip(self._targets, loaded, strict=True))


def _scalar_members(context: LoweringContext, cursor: Cursor) -> list[Decl]:
    """The members of a record that has nothing but a few scalars; none of any other."""
    clang = context.unit.clang
    handle = clang.getCanonicalType(clang.getCursorType(cursor))
    if handle.kind in kinds.T_REFERENCES:
        handle = clang.getCanonicalType(clang.getPointeeType(handle))
    declaration = clang.getCursorDefinition(clang.getTypeDeclaration(handle))
    if declaration.kind not in _PLAIN:
        return []
    parts: list[Cursor] = []

    def callback(part: Cursor, parent: Cursor) -> int:
        if part.kind in (kinds.FIELD, kinds.BASE):
            parts.append(Cursor.from_buffer_copy(part))
        return CONTINUE

    visit(clang, declaration, callback)
    if len(parts) > MOST_MEMBERS or any(not _is_scalar(context, each) for each in parts):
        return []
    return [context.unit.declared(each) for each in parts]


def _is_scalar(context: LoweringContext, part: Cursor) -> bool:
    if part.kind != kinds.FIELD or context.unit.clang.getFieldDeclBitWidth(part) >= 0:
        return False
    return context.unit.declared(part).ctype.shape == "scalar"
