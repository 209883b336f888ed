"""Bounds of a loop: which variable counts it, from where, and up to what."""

from collections.abc import Collection, Iterator, Sequence
from typing import cast

from rooflint.frontend.equations.terms import TermReader
from rooflint.frontend.lower.loops.loop_parts import Parts
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree, without_casts
from rooflint.ir.control_flow import PathPattern
from rooflint.ir.equations import IntegerTerm, OperationTerm, QuantityTerm, Term, UpperEnd
from rooflint.ir.values import MIRRORED, RelationalOperator
from rooflint.records import NamedTuple


class CountedHeader(NamedTuple):
    """A loop's header: the position of its index, and what bounds it."""

    variable: int
    lower: Term
    upper: Term
    step: Term
    relation: RelationalOperator


def counted_header(reader: TermReader, parts: Parts) -> CountedHeader | None:
    """The bounds of a loop that adds the same to its index in each iteration."""
    if parts.init is None or parts.condition is None or parts.step is None:
        return None
    steps = dict(_steps(reader, parts.step))
    for index, upper, relation in limits(reader, parts.condition):
        lower = dict(_initial_values(reader, parts.init)).get(index)
        step = steps.get(index)
        if lower is not None and step is not None:
            return CountedHeader(
                variable=index, lower=lower, upper=upper, step=step, relation=relation
            )
    return None


def limits(
    reader: TermReader, condition: SyntaxTree
) -> Iterator[tuple[int, Term, RelationalOperator]]:
    """Comparisons of quantities that a condition needs, each way round, in their order."""
    if condition.kind != kinds.BINARY or len(condition.children) != 2:
        return
    operator = reader.clang.getCursorBinaryOperatorKind(condition.cursor)
    left, right = condition.children
    if operator == kinds.LOGICAL_AND:
        yield from limits(reader, left)
        yield from limits(reader, right)
        return
    relation = kinds.COMPARISONS.get(operator)
    if relation is None or relation == "==":
        return
    for index, bound, turned in ((left, right, relation), (right, left, MIRRORED[relation])):
        place = reader.place(_stripped(index))
        if place is not None:
            yield place, reader.term(bound), turned


def upper_ends(
    reader: TermReader, condition: SyntaxTree, patterns: Sequence[PathPattern]
) -> Iterator[UpperEnd]:
    """Largest values of quantities where the other path of a branch ends the program."""
    wanted: Collection[RelationalOperator] = ()
    if patterns[1:] == ["no-return"]:
        wanted = ("<", "<=")
    elif patterns[0] == "no-return" and not _is_compound(reader, condition):
        wanted = (">", ">=")
    for target, bound, relation in limits(reader, condition) if wanted else ():
        if relation in wanted:
            # n < m and not n >= m leave m - 1
            below = relation in ("<", ">=")
            term = OperationTerm("sub", (bound, IntegerTerm(1))) if below else bound
            yield UpperEnd(target=target, term=term)


def clamped_ends(reader: TermReader, condition: SyntaxTree, path: SyntaxTree) -> Iterator[UpperEnd]:
    """The largest value of ``x`` behind ``if (x > y) x = y;``."""
    if path.kind == kinds.COMPOUND and len(path.children) == 1:
        path = path.children[0]
    if _binary_operator(reader, path) != kinds.ASSIGN or _is_compound(reader, condition):
        return
    place = reader.place(path.children[0])
    term = reader.term(path.children[1])
    for target, bound, relation in limits(reader, condition):
        if target == place and bound == term and relation in (">", ">="):
            yield UpperEnd(target=target, term=term)


def indexed_ends(reader: TermReader, subscript: SyntaxTree) -> Iterator[UpperEnd]:
    """The largest value of a variable that is an index of an array of constant extent.

    Members are left out: the last one of a record may have more elements than it says.
    """
    if len(subscript.children) != 2:
        return
    base, index = without_casts(subscript.children[0]), reader.term(subscript.children[1])
    if base.kind != kinds.DECL_REF or not isinstance(index, QuantityTerm):
        return
    clang = reader.clang
    array = clang.getCursorReferenced(base.cursor)
    handle = clang.getCanonicalType(clang.getCursorType(array))
    if array.kind == kinds.VARIABLE and handle.kind == kinds.T_CONSTANT_ARRAY:
        last = IntegerTerm(int(clang.getArraySize(handle)) - 1)
        yield UpperEnd(target=index.position, term=last)


def _is_compound(reader: TermReader, condition: SyntaxTree) -> bool:
    operator = reader.clang.getCursorBinaryOperatorKind(condition.cursor)
    return condition.kind == kinds.BINARY and operator == kinds.LOGICAL_AND


def _stripped(tree: SyntaxTree) -> SyntaxTree:
    while tree.kind in kinds.CASTS and tree.children:
        tree = tree.children[-1]
    return tree


def _initial_values(reader: TermReader, init: SyntaxTree) -> Iterator[tuple[int, Term]]:
    if init.kind == kinds.DECL_STMT:
        for variable in init.children:
            if variable.kind == kinds.VARIABLE and variable.children:
                yield reader.table.variable(variable.cursor), reader.term(variable.children[-1])
    for part in _comma_parts(reader, init):
        if _binary_operator(reader, part) == kinds.ASSIGN:
            place = reader.place(part.children[0])
            if place is not None:
                yield place, reader.term(part.children[1])


def _binary_operator(reader: TermReader, tree: SyntaxTree) -> int:
    if tree.kind != kinds.BINARY or len(tree.children) != 2:
        return 0
    return cast(int, reader.clang.getCursorBinaryOperatorKind(tree.cursor))


def _comma_parts(reader: TermReader, tree: SyntaxTree) -> Iterator[SyntaxTree]:
    if _binary_operator(reader, tree) == kinds.COMMA:
        for part in tree.children:
            yield from _comma_parts(reader, part)
    else:
        yield tree


def _steps(reader: TermReader, step: SyntaxTree) -> Iterator[tuple[int, Term]]:
    """Variables that the end of a header changes, and what it adds to them."""
    for part in _comma_parts(reader, step):
        place = reader.place(part.children[0]) if part.children else None
        size = step_size(reader, part, place)
        if place is not None and size is not None:
            yield place, size


def step_size(reader: TermReader, step: SyntaxTree, place: int | None) -> Term | None:
    """The term that a statement adds to the quantity at ``place``; None where it adds none."""
    clang = reader.clang
    if step.kind == kinds.UNARY:
        number = kinds.STEPS.get(clang.getCursorUnaryOperatorKind(step.cursor))
        return None if number is None else IntegerTerm(number)
    if step.kind == kinds.COMPOUND_ASSIGN and len(step.children) == 2:
        name = kinds.COMPOUND_NAMES.get(clang.getCursorBinaryOperatorKind(step.cursor))
        return _signed(name, reader.term(step.children[1]))
    if _binary_operator(reader, step) != kinds.ASSIGN:
        return None
    sum_ = step.children[1]
    name = kinds.BINARY_NAMES.get(_binary_operator(reader, sum_))
    if name is None or place is None or reader.place(sum_.children[0]) != place:
        return None
    return _signed(name, reader.term(sum_.children[1]))


def _signed(name: str | None, size: Term) -> Term | None:
    """The step of ``+= size`` or ``-= size``."""
    if name == "add":
        return size
    if name != "sub":
        return None
    return IntegerTerm(-size.value) if isinstance(size, IntegerTerm) else size
