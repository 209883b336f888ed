"""Every variable that the text of a function declares, and where: no text has to be searched."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Declaration

_KINDS: Final = frozenset((kinds.VARIABLE, kinds.PARAMETER, kinds.UNEXPOSED_DECLARATION))
_SCOPES: Final = kinds.LOOPS | {kinds.COMPOUND, kinds.IF, kinds.SWITCH, kinds.CATCH, kinds.LAMBDA}
"""What a name that is declared inside does not outlive."""


def declarations(context: LoweringContext, tree: SyntaxTree) -> dict[int, Declaration]:
    """Declarations by the variable's key; those of macros and of other files have no place here."""
    shared, clang = context.unit, context.unit.clang
    extents: list[tuple[int, int]] = []
    made: list[tuple[int, str, bool]] = []
    waiting = [(tree, tree)]
    while waiting:
        tree, scope = waiting.pop()
        kind, cursor, below = tree.kind, tree.cursor, tree.children
        scope = tree if kind in _SCOPES else scope
        waiting += [(each, scope) for each in reversed(below)]
        if kind not in _KINDS:
            continue
        name, extent = clang.spelling(cursor), shared.source.extent(cursor)
        # a structured binding is a declaration called "[x, y]" with one for each name below it
        if extent[0] >= 0 and name.isidentifier():
            extents += (extent, shared.source.extent(scope.cursor))
            made.append((cursor.d0, name, shared.is_static(cursor)))
    spans = shared.source.spans(extents)
    return {
        key: Declaration(spelling=name, span=span, scope=scope, static=static)
        for (key, name, static), span, scope in zip(made, spans[::2], spans[1::2], strict=True)
    }
