"""Conditions of branches as comparisons of integers, which a default in the source may decide."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from rooflint.frontend.equations.terms import UNMODELLED, TermReader
from rooflint.frontend.lower.state.constants import literal_value
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang
from rooflint.frontend.parse.tree import SyntaxTree, without_casts
from rooflint.ir.equations import (
    BranchTest,
    ChoiceTerm,
    IntegerTerm,
    OperationTerm,
    QuantityTerm,
    Term,
)
from rooflint.ir.values import MIRRORED

_ZERO = IntegerTerm(0)
_PARTS: Final = 1000
"""Factors such as ``0.75`` of the load of a table are read in thousandths."""
_LARGEST_FACTOR: Final = 1000.0
_ORDERS = frozenset(("<", "<=", ">", ">="))
_FLOATING = frozenset(("f16", "bf16", "f32", "f64", "f80", "f128"))


def comparisons(reader: TermReader, condition: SyntaxTree) -> Iterator[BranchTest]:
    """Comparisons that all hold where the condition does."""
    condition = without_casts(condition)
    if condition.kind != kinds.BINARY or len(condition.children) != 2:
        yield from _truth(reader, condition)
        return
    operator = reader.clang.getCursorBinaryOperatorKind(condition.cursor)
    if operator == kinds.LOGICAL_AND:
        for each in condition.children:
            yield from comparisons(reader, each)
        return
    relation = kinds.COMPARISONS.get(operator)
    left, right = [_side(reader, each) for each in condition.children]
    if relation is None:
        return
    if _is_plain(left, right):
        yield BranchTest(left=left, relation=relation, right=right)
    elif _is_plain(right, left):
        yield BranchTest(left=right, relation=MIRRORED[relation], right=left)


def _side(reader: TermReader, tree: SyntaxTree) -> Term:
    """A side of a comparison; ``n * 0.7`` is that part of the integer."""
    tree = without_casts(tree)
    if tree.kind == kinds.BINARY and len(tree.children) == 2:
        operator = reader.clang.getCursorBinaryOperatorKind(tree.cursor)
        one, other = [without_casts(each) for each in tree.children]
        if kinds.BINARY_NAMES.get(operator) == "mul":
            for value, factor in ((one, other), (other, one)):
                if factor.kind == kinds.FLOATING:
                    return _part(reader.term(value), _literal(reader, factor))
    return reader.term(tree)


def _literal(reader: TermReader, tree: SyntaxTree) -> float:
    return literal_value(reader.context.unit.source.text(tree.cursor)) or 0.0


def _part(whole: Term, factor: float) -> Term:
    if not 0 < factor < _LARGEST_FACTOR:
        return UNMODELLED
    product = OperationTerm("mul", (whole, IntegerTerm(round(factor * _PARTS))))
    return OperationTerm("div", (product, IntegerTerm(_PARTS)))


def _is_plain(term: Term, other: Term) -> bool:
    """A quantity, or what is computed from some, compared with a constant."""
    computed = isinstance(term, OperationTerm) and _is_constant(other)
    return computed or _is_quantity(term)


def _is_quantity(term: Term) -> bool:
    """Whether it names a quantity, such as an element at a constant index; elements at indices that
    vary are data."""
    if isinstance(term, ChoiceTerm):
        return all(isinstance(each, QuantityTerm) for each in term.alternatives)
    return isinstance(term, QuantityTerm)


def _is_constant(term: Term) -> bool:
    """Whether it is a number, such as ``2 * (1 << 30)``."""
    if isinstance(term, OperationTerm):
        return all(map(_is_constant, term.operands))
    return isinstance(term, IntegerTerm)


def orders_floating(clang: Clang, condition: SyntaxTree) -> bool:
    """Whether one of the comparisons that all hold is of floating values, by their order."""
    condition = without_casts(condition)
    if condition.kind != kinds.BINARY or len(condition.children) != 2:
        return False
    operator = clang.getCursorBinaryOperatorKind(condition.cursor)
    if operator == kinds.LOGICAL_AND:
        return any(orders_floating(clang, each) for each in condition.children)
    handles = [clang.getCursorType(each.cursor) for each in condition.children]
    types = {kinds.SCALAR_TYPES.get(clang.getCanonicalType(each).kind, "") for each in handles}
    return kinds.COMPARISONS.get(operator) in _ORDERS and not types.isdisjoint(_FLOATING)


def _truth(reader: TermReader, condition: SyntaxTree) -> Iterator[BranchTest]:
    """``x`` as ``x != 0``, and ``!x`` as ``x == 0``."""
    negated = False
    if condition.kind == kinds.UNARY and condition.children:
        operator = reader.clang.getCursorUnaryOperatorKind(condition.cursor)
        negated = operator == kinds.LOGICAL_NOT
        condition = condition.children[0] if negated else condition
    term = reader.term(condition)
    if _is_quantity(term):
        yield BranchTest(left=term, relation="==" if negated else "!=", right=_ZERO)


def way_tests(
    reader: TermReader, head: Sequence[SyntaxTree], body: SyntaxTree
) -> list[list[BranchTest]]:
    """The tests of each way of a ``switch``; ``head`` ends in what it compares."""
    subject = reader.term(head[-1]) if head else UNMODELLED
    ways = [each for each in body.children if each.kind in (kinds.CASE, kinds.DEFAULT)]
    labels = [_case_labels(each) for each in ways]
    every = list(chain.from_iterable(labels))
    tests = [_way_test(reader, subject, own or every, default=not own) for own in labels]
    return [[] if each is None else [each] for each in tests]


def _way_test(
    reader: TermReader, subject: Term, labels: Iterable[SyntaxTree], *, default: bool
) -> BranchTest | None:
    """The test of a way of a ``switch``: of the default way, that it is none of the ``labels``."""
    values = tuple([reader.term(label) for label in labels])
    if not isinstance(subject, QuantityTerm) or not values:
        return None
    right = values[0] if len(values) == 1 else ChoiceTerm(values)
    return BranchTest(left=subject, relation="!=" if default else "==", right=right)


def _case_labels(label: SyntaxTree) -> list[SyntaxTree]:
    """The values of labels that stand one behind the other, ``case 1: case 2:``; none of
    ``default``."""
    found: list[SyntaxTree] = []
    while label.kind in (kinds.CASE, kinds.DEFAULT) and label.children:
        if label.kind == kinds.CASE:
            found.append(label.children[0])
        label = label.children[-1]
    return found
