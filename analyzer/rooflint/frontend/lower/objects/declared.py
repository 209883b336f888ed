"""Every variable that the text of a function declares, and where: no text has to be searched."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Declaration

_KINDS: Final = frozenset((kinds.VARIABLE, kinds.PARAMETER, kinds.UNEXPOSED_DECLARATION))


def declarations(context: LoweringContext, tree: SyntaxTree) -> tuple[Declaration, ...]:
    """In the order of the text; those of macros and of other files have no place in it."""
    shared, clang = context.unit, context.unit.clang
    variables = {key: name for (name, key) in context.variables.named}
    found: list[tuple[int, int]] = []
    made: list[tuple[str, str, bool]] = []
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
            found.append(extent)
            lasting = shared.is_static(cursor)
            made.append((name, variables.get(cursor.d0, ""), lasting))
    spans = shared.source.spans(found)
    return tuple(
        [
            Declaration(name=name, variable=variable, span=span, static=static)
            for (name, variable, static), span in zip(made, spans, strict=True)
        ]
    )
