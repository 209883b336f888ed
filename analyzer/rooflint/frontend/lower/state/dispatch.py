"""Which function lowers which kind of cursor; handlers enter themselves where they are defined.

The handlers of expressions, calls, statements and loops need each other; they meet here.
"""

from collections.abc import Callable
from typing import TypeAlias

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.numbers import as_poly, materialise
from rooflint.frontend.lower.state.operands import Lvalue, Operand
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Opaque, OpaqueValue, Poly, Reason

OperandHandler: TypeAlias = Callable[[LoweringContext, SyntaxTree], Operand]
PlaceHandler: TypeAlias = Callable[[LoweringContext, SyntaxTree], Lvalue | None]
StatementHandler: TypeAlias = Callable[[LoweringContext, SyntaxTree], None]

_operands: dict[int, OperandHandler] = {}
_places: dict[int, PlaceHandler] = {}
_statements: dict[int, StatementHandler] = {}


def evaluates(*cursor_kinds: int) -> Callable[[OperandHandler], OperandHandler]:
    """Enters a function as the handler of expressions of these kinds."""

    def enter(handler: OperandHandler) -> OperandHandler:
        _operands.update(dict.fromkeys(cursor_kinds, handler))
        return handler

    return enter


def locates(*cursor_kinds: int) -> Callable[[PlaceHandler], PlaceHandler]:
    """Enters a function as the handler of lvalues of these kinds."""

    def enter(handler: PlaceHandler) -> PlaceHandler:
        _places.update(dict.fromkeys(cursor_kinds, handler))
        return handler

    return enter


def executes(*cursor_kinds: int) -> Callable[[StatementHandler], StatementHandler]:
    """Enters a function as the handler of statements of these kinds."""

    def enter(handler: StatementHandler) -> StatementHandler:
        _statements.update(dict.fromkeys(cursor_kinds, handler))
        return handler

    return enter


def operand(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """The operand of an expression; its side effects happen in ``context``."""
    handler = _operands.get(tree.kind)
    return opaque(context, tree) if handler is None else handler(context, tree)


def value(context: LoweringContext, tree: SyntaxTree) -> int:
    """The expression as a value of the statement being built."""
    return materialise(context, operand(context, tree))


def closed_form(context: LoweringContext, tree: SyntaxTree) -> Poly:
    """The expression as an integer in closed form."""
    return as_poly(context, operand(context, tree))


def place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    """Where an lvalue lives; None when the front end cannot tell."""
    handler = _places.get(tree.kind)
    return None if handler is None else handler(context, tree)


def statement(context: LoweringContext, tree: SyntaxTree) -> None:
    """Lowers a statement into ``context.nodes``; an expression used as one included."""
    handler = _statements.get(tree.kind)
    if handler is not None:
        handler(context, tree)
    elif tree.kind < kinds.UNEXPOSED_STMT:
        operand(context, tree)
        context.finish_statement(tree.cursor)
    else:
        for child in tree.children:
            statement(context, child)


def opaque(context: LoweringContext, tree: SyntaxTree) -> int:
    """An expression that is not modelled; what lies inside it still is."""
    for child in tree.children:
        if child.kind < kinds.UNEXPOSED_STMT:
            operand(context, child)
    return context.emit_opaque(brief(context, tree))


def opaque_access(context: LoweringContext, tree: SyntaxTree) -> int:
    """A reference through something that is not known to be an array; a node of its own says so."""
    node = Opaque(Reason("access", (brief(context, tree),)), context.origins.origin(tree.cursor))
    last = context.nodes[-1] if context.nodes else None
    if isinstance(last, Opaque) and context.origins.begins_with_latest(last.origin):
        context.replace_latest(node)  # of x[i][j] the whole is the access, not x[i] as well
    else:
        context.append(node)
    return context.emit(OpaqueValue(type="opaque", reason=node.reason))


def brief(context: LoweringContext, tree: SyntaxTree) -> str:
    """The source text of a cursor, short enough for a message."""
    text = " ".join(context.unit.source.text(tree.cursor).split())
    text = text or context.unit.clang.spelling(tree.cursor)
    return (text[:37] + "..." if len(text) > 40 else text) or "in a macro or another file"
