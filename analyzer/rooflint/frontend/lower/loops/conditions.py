"""Conditions of loops: the part that tells how often the loop runs, and the rest of it."""

from collections.abc import Callable
from typing import Final, TypeAlias

from rooflint.frontend.lower.expressions import Sides, compare, comparison
from rooflint.frontend.lower.loops.loop_parts import Parts, does_something
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import operand, value
from rooflint.frontend.lower.state.flow import LoopScope
from rooflint.frontend.lower.state.numbers import as_poly, text_form
from rooflint.frontend.lower.state.operands import Operand, Pointer
from rooflint.frontend.lower.statements import Relation, closed_relation
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ZERO, Node, Poly
from rooflint.ir.values import MIRRORED
from rooflint.records import NamedTuple


class OpenLoop(NamedTuple):
    """A loop whose parts are being lowered; ``symbols`` stand for the variables that it moves."""

    parts: Parts
    scope: LoopScope
    origin: int
    symbols: list[str]


Tested: TypeAlias = tuple[Relation | None, tuple[Node, ...]]
"""The countable part of a loop condition, and the nodes that evaluate the rest."""


def control_key(context: LoweringContext, parts: Parts, changed: frozenset[int]) -> int:
    """The variable a plain header counts, the one its condition compares; 0 for none."""
    condition = parts.condition
    while condition is not None and condition.kind in _OPERATORS and condition.children:
        for side in condition.children:
            name = _leftmost(side)
            if name.kind == kinds.DECL_REF:
                key = context.unit.clang.getCursorReferenced(name.cursor).d0
                if key in changed:
                    return int(key)
        condition = condition.children[0]
    return 0


def _leftmost(tree: SyntaxTree) -> SyntaxTree:
    while tree.kind in _OPERATORS and tree.children:
        tree = tree.children[0]
    return tree


def loop_condition(context: LoweringContext, tree: SyntaxTree, loop: OpenLoop) -> Tested:
    """The countable part of a loop condition, and the nodes that evaluate the rest."""
    mark = len(context.nodes)
    sides = None
    if tree.kind == kinds.BINARY and len(tree.children) == 2:
        operator = context.unit.clang.getCursorBinaryOperatorKind(tree.cursor)
        if operator in _CONNECTIVES:
            return _CONNECTIVES[operator](context, tree, loop)
        sides = comparison(context, tree, operator)
    if sides is not None:
        relation = _relation(context, tree, sides, loop)
        if relation is not None:
            return relation, ()
        compare(context, *sides)
    elif tree.kind in (kinds.BINARY, kinds.CALL):
        value(context, tree)
    else:
        condition = operand(context, tree)
        if not isinstance(condition, int):
            return _is_not_zero(condition), ()
    tested = context.take_nodes(mark)  # calls in a condition belong to the iteration
    if context.statement.values:
        statement = context.take_statement(loop.origin)
        if does_something(statement):
            tested.append(statement)
    return None, tuple(tested)


def _is_not_zero(condition: Operand) -> Relation | None:
    """``while (n--)`` compares with zero what ``n`` was before the step."""
    if isinstance(condition, Poly) and condition.value is None and not condition.unknowns():
        return "!=", condition, ZERO
    return None


def _conjunction(context: LoweringContext, tree: SyntaxTree, loop: OpenLoop) -> Tested:
    left, first = loop_condition(context, tree.children[0], loop)
    right, second = loop_condition(context, tree.children[1], loop)
    if left is not None or right is not None:
        loop.scope.exits["condition"] = None
    return left or right, (*first, *second)


def _comma(context: LoweringContext, tree: SyntaxTree, loop: OpenLoop) -> Tested:
    operand(context, tree.children[0])
    return loop_condition(context, tree.children[1], loop)


_OPERATORS: Final = (kinds.BINARY, kinds.UNARY)
_CONNECTIVES: Final[dict[int, Callable[[LoweringContext, SyntaxTree, OpenLoop], Tested]]] = {
    kinds.LOGICAL_AND: _conjunction,
    kinds.COMMA: _comma,
}


def _relation(
    context: LoweringContext, tree: SyntaxTree, sides: Sides, loop: OpenLoop
) -> Relation | None:
    """A comparison that can be counted; what it loads from memory is read before the loop."""
    relation = closed_relation(sides)
    if relation is not None and not context.statement.values:
        return relation
    name, left, right = sides
    if isinstance(left, Pointer) and not context.statement.values:
        return _pointer_relation(context, sides, loop)
    if all(isinstance(s, Poly) or _is_integer(context, s) for s in (left, right)):
        left, right = as_poly(context, left), as_poly(context, right)
        unknowns = (*left.unknowns(), *right.unknowns())
        if not any(set(unknown.depends) & set(loop.symbols) for unknown in unknowns):
            context.finish_statement(tree.cursor)
            return name, left, right
    return None


def _pointer_relation(context: LoweringContext, sides: Sides, loop: OpenLoop) -> Relation | None:
    """Pointers of which nobody knows the array: the comparison tells that they walk one.

    The elements between them are a size, as an ``n`` is.
    """
    name, left, right = sides
    if not (isinstance(left, Pointer) and isinstance(right, Pointer)):
        return None
    moves_right = left.offset.names().isdisjoint(loop.symbols)
    if name in (">", ">=") or (name == "!=" and moves_right):
        name, left, right = MIRRORED[name], right, left
    size = left.target.bytes
    if not size or left.path or right.path or not _closes_in(context, name, loop.parts.step):
        return None
    distance = context.symbols.data_size(text_form(f"{right.array} - {left.array}"))
    return name, left.offset, right.offset + distance * size


def _closes_in(context: LoweringContext, name: str, step: SyntaxTree | None) -> bool:
    """Whether the comparison, or else the loop's step, tells which of two pointers is ahead."""
    if name != "!=":
        return name != "=="
    if step is None or step.kind != kinds.UNARY:
        return False
    operator = context.unit.clang.getCursorUnaryOperatorKind(step.cursor)
    return operator in (kinds.PRE_INC, kinds.POST_INC)


def _is_integer(context: LoweringContext, side: Operand) -> bool:
    return isinstance(side, int) and context.statement.values[side].type[0] in "iu"
