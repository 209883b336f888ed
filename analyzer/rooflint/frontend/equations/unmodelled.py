"""Code whose work no operator tells: inline assembly, jumps back, statements that are not there."""

from typing import Final

from rooflint.frontend.lower.lost import lost_statements
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import SyntaxTree, visit

_ASSEMBLY: Final = frozenset((kinds.ASM, kinds.MS_ASM, kinds.INDIRECT_GOTO))
UNCOUNTED: Final = _ASSEMBLY | {kinds.GOTO}
"""Statements that may be such code."""


def is_unmodelled(unit: TranslationUnitContext, tree: SyntaxTree) -> bool:
    """Whether a statement, without those in it, is inline assembly or a jump back."""
    if tree.kind == kinds.GOTO:
        return _jumps_back(unit, tree.cursor)
    return tree.kind in _ASSEMBLY


def is_undeclared(unit: TranslationUnitContext, tree: SyntaxTree) -> bool:
    """Whether it is a call that does not compile: libclang shows a name of several functions, or
    of none."""
    if tree.kind != kinds.DECL_REF or tree.children:
        return False
    named = unit.clang.getCursorReferenced(tree.cursor)
    return not named.d0 or bool(named.kind == kinds.OVERLOADED_REF)


def lacks_statements(unit: TranslationUnitContext, block: SyntaxTree) -> bool:
    """Whether the text of a block has statements that its tree has not."""
    return bool(lost_statements(unit.source, block))


def _jumps_back(unit: TranslationUnitContext, jump: Cursor) -> bool:
    """Whether the label that a ``goto`` names stands before it, so that it makes a loop."""
    labels: list[Cursor] = []

    def callback(child: Cursor, parent: Cursor) -> int:
        del parent
        if child.kind == kinds.LABEL_REF:
            labels.append(unit.clang.getCursorReferenced(child))
        return CONTINUE

    visit(unit.clang, jump, callback)
    here = unit.source.extent(jump)[0]
    return any(unit.source.extent(label)[0] <= here for label in labels)
