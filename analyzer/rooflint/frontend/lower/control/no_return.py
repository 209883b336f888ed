"""Functions that never return: declared so, of the C library, or with no way to their end."""

from collections.abc import Callable

from rooflint.frontend.lower.control.graphs import SourceQueries, body_flow, has_jumps
from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import MAX_BODY, SyntaxTree, size_of, visit
from rooflint.library.calls import NEVER_RETURNING


def source_queries(unit: TranslationUnitContext, origin: Callable[[Cursor], int]) -> SourceQueries:
    """Queries about the cursors of a file; ``origin`` numbers their places."""
    return SourceQueries(
        origin=origin,
        never_returns=lambda call: never_returns(unit, unit.referenced(call.cursor)),
        label=lambda tree: label_of(unit, tree.cursor),
    )


def is_final_call(unit: TranslationUnitContext, tree: SyntaxTree) -> bool:
    """Whether a tree is a call from which control never comes back."""
    return tree.kind == kinds.CALL and never_returns(unit, unit.referenced(tree.cursor))


def ends_program(unit: TranslationUnitContext, path: SyntaxTree) -> bool:
    """Whether a statement or an expression calls a function that never returns, or throws."""
    if path.kind == kinds.THROW or is_final_call(unit, path):
        return True
    if path.kind in (kinds.COMPOUND, kinds.BINARY) or path.kind in kinds.CASTS:
        return any(ends_program(unit, child) for child in path.children)
    return False


def never_returns(unit: TranslationUnitContext, callee: Decl) -> bool:
    """Whether control never comes back from a call of the function."""
    callees = unit.callees
    callees.note_question(callee.key)
    known = callees.never_return.get(callee.key)
    if known is None:
        callees.note_return(callee.key, never=False)  # for one that calls itself
        callees.begin(callee.key)
        known = callee.kind in kinds.CALLABLE and _never_returns(unit, callee)
        callees.end()
        callees.note_return(callee.key, never=known)
    return known


def _never_returns(unit: TranslationUnitContext, callee: Decl) -> bool:
    definition = unit.clang.getCursorDefinition(callee.cursor)
    if not definition.d0:
        return callee.name in NEVER_RETURNING or _is_declared(unit, callee.cursor)
    tree = unit.tree(definition)
    if not tree.children or size_of(tree, MAX_BODY) >= MAX_BODY:
        return False
    body: SyntaxTree = tree.children[-1]
    queries = source_queries(unit, _nowhere)
    if body.kind != kinds.COMPOUND or not has_jumps(body, queries, {}):
        return False
    return 0 not in body_flow("function", [body], queries).graph.completing()


def _nowhere(cursor: Cursor) -> int:
    del cursor
    return -1


def _is_declared(unit: TranslationUnitContext, declaration: Cursor) -> bool:
    """Whether the declaration says so; libclang tells of that in text alone.

    GNU's attribute belongs to the type, and those of C11 and C++11 to the declaration.
    """
    clang = unit.clang
    of_type = clang.text(clang.getTypeSpelling(clang.getCursorType(declaration)))
    of_declaration = clang.text(clang.getCursorPrettyPrinted(declaration, None))
    return "noreturn" in of_type or "noreturn" in of_declaration.lower()


def label_of(unit: TranslationUnitContext, cursor: Cursor) -> str:
    """The label of a labelled statement, or the one that a ``goto`` names."""
    if cursor.kind == kinds.LABEL:
        return unit.clang.spelling(cursor)
    names: list[str] = []

    def callback(child: Cursor, parent: Cursor) -> int:
        del parent
        if child.kind == kinds.LABEL_REF:
            names.append(unit.clang.spelling(child))
        return CONTINUE

    visit(unit.clang, cursor, callback)
    return names[0] if names else ""
