"""Every variable that the text of a function declares, and where: no text has to be searched."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Declaration

_KINDS: Final = frozenset((kinds.VARIABLE, kinds.PARAMETER, kinds.UNEXPOSED_DECLARATION))


def declarations(context: LoweringContext, tree: SyntaxTree) -> dict[int, Declaration]:
    """Declarations by the variable's key; those of macros and of other files have no place here."""
    shared, clang = context.unit, context.unit.clang
    extents: list[tuple[int, int]] = []
    made: list[tuple[int, str, bool]] = []
    waiting = [tree]
    while waiting:
        tree = waiting.pop()
        kind, cursor, below = tree.kind, tree.cursor, tree.children
        waiting += reversed(below)
        if kind not in _KINDS:
            continue
        name, extent = clang.spelling(cursor), shared.source.extent(cursor)
        # a structured binding is a declaration called "[x, y]" with one for each name below it
        if extent[0] >= 0 and name.isidentifier():
            extents.append(extent)
            made.append((cursor.d0, name, shared.is_static(cursor)))
    spans = shared.source.spans(extents)
    return {
        key: Declaration(name, span, static)
        for (key, name, static), span in zip(made, spans, strict=True)
    }
