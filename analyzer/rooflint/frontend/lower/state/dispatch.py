"""Which function lowers which kind of cursor; handlers enter themselves where they are defined.

The handlers of expressions, calls, statements and loops need each other; they meet here.
"""

from collections.abc import Callable
from typing import TypeAlias

from rooflint.frontend.lower.state.context import Context, Operand, Place
from rooflint.frontend.lower.state.numbers import as_poly, materialise
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import Opaque, OpaqueValue, Poly, Reason

OperandHandler: TypeAlias = Callable[[Context, Tree], Operand]
PlaceHandler: TypeAlias = Callable[[Context, Tree], Place | None]
StatementHandler: TypeAlias = Callable[[Context, Tree], None]

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


def operand(context: Context, tree: Tree) -> Operand:
    """What an expression stands for; its side effects happen in ``context``."""
    handler = _operands.get(tree[0])
    return opaque(context, tree) if handler is None else handler(context, tree)


def value(context: Context, tree: Tree) -> int:
    """The expression as a value of the statement being built."""
    return materialise(context, operand(context, tree))


def closed_form(context: Context, tree: Tree) -> Poly:
    """The expression as an integer in closed form."""
    return as_poly(context, operand(context, tree))


def place(context: Context, tree: Tree) -> Place | None:
    """Where an lvalue lives; None when the front end cannot tell."""
    handler = _places.get(tree[0])
    return None if handler is None else handler(context, tree)


def statement(context: Context, tree: Tree) -> None:
    """Lowers a statement into ``context.nodes``; an expression used as one included."""
    handler = _statements.get(tree[0])
    if handler is not None:
        handler(context, tree)
    elif tree[0] < kinds.UNEXPOSED_STMT:
        operand(context, tree)
        context.finish_statement(tree[1])
    else:
        for child in tree[2]:
            statement(context, child)


def opaque(context: Context, tree: Tree) -> int:
    """An expression that is not modelled; what lies inside it still is."""
    for child in tree[2]:
        if child[0] < kinds.UNEXPOSED_STMT:
            operand(context, child)
    return context.emit_opaque(brief(context, tree))


def opaque_access(context: Context, tree: Tree) -> int:
    """A reference through something that is not known to be an array; a node of its own says so."""
    node = Opaque(Reason("access", (brief(context, tree),)), context.origin(tree[1]))
    last = context.nodes[-1] if context.nodes else None
    spans = context.spans
    if isinstance(last, Opaque) and spans[last.origin][0] == spans[-1][0]:
        context.nodes[-1] = node  # of x[i][j] the whole is the access, not x[i] as well
    else:
        context.nodes.append(node)
    return context.emit(OpaqueValue(type="opaque", reason=node.reason))


def brief(context: Context, tree: Tree) -> str:
    """The source text of a cursor, short enough for a message."""
    text = " ".join(context.unit.source.text(tree[1]).split())
    text = text or context.clang.spelling(tree[1])
    return (text[:37] + "..." if len(text) > 40 else text) or "in a macro or another file"
