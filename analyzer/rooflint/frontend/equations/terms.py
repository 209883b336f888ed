"""Expressions as terms over quantities, and places that an assignment or an address names."""

from collections.abc import Callable
from typing import Final, cast

from rooflint.frontend.equations.container_uses import (
    ELEMENTS,
    LENGTHS,
    ContainerUse,
    container_use,
)
from rooflint.frontend.equations.quantities import QuantityTable
from rooflint.frontend.lower.control.null_tests import arm_with_object
from rooflint.frontend.lower.literals import evaluate_integer
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree, without_casts
from rooflint.ir.equations import (
    QUANTITY_OPERATORS,
    ChoiceTerm,
    ComparisonTerm,
    IndexTerm,
    IntegerTerm,
    OperationTerm,
    QuantityOperator,
    QuantityTerm,
    Term,
    UnknownTerm,
)

_ADDRESS: Final = UnknownTerm("address-taken")
_COUNTER: Final = UnknownTerm("counter")
UNMODELLED: Final = UnknownTerm("unmodelled")
_FOLDED: Final = frozenset((kinds.INTEGER, kinds.CHARACTER, kinds.BOOL_LITERAL, kinds.SIZEOF))
"""Constants that libclang folds. It folds any expression, which costs four times the parse."""
_DECLARED: Final = frozenset((kinds.VARIABLE, kinds.PARAMETER, kinds.FIELD))
_SMALLER_LEFT: Final = {"<": True, "<=": True, ">": False, ">=": False}
"""Whether a relation holds where its left side is the smaller one."""
_EXTREMES: Final[dict[str, QuantityOperator]] = {"min": "min", "max": "max"}


class TermReader:
    """Reads expressions of one file; ``indices`` are the loops around by their index."""

    def __init__(self, context: LoweringContext, table: QuantityTable) -> None:
        self.context = context
        self.table = table
        self.clang = context.unit.clang
        self.indices: dict[int, int] = {}
        self._integers: dict[int, bool] = {}

    def term(self, tree: SyntaxTree) -> Term:
        """The value of an expression."""
        tree = without_casts(tree)
        kind = tree.kind
        if kind in _FOLDED:
            return self._folded(tree)
        if kind == kinds.CONDITIONAL and len(tree.children) == 3:
            with_object = arm_with_object(self.context.unit, tree)
            return self._conditional(tree) if with_object is None else self.term(with_object)
        read = _READERS.get(kind)
        return UNMODELLED if read is None else read(self, tree)

    def returned_reference(self, function: Cursor, body: SyntaxTree) -> int | None:
        """The quantity of which a function's body only returns a reference."""
        handle = self.clang.getCursorResultType(function)
        if not self.table.is_reference(handle) or len(body.children) != 1:
            return None
        (statement,) = body.children
        if statement.kind != kinds.RETURN or not statement.children:
            return None
        place = self.place(statement.children[0])
        named = place is not None and self.table.quantities[place].kind in ("member", "variable")
        return place if named else None

    def _conditional(self, tree: SyntaxTree) -> Term:
        """Either arm; of ``a < b ? a : b`` the smaller one."""
        condition, *arms = tree.children
        condition = without_casts(condition)
        then, orelse = [self.term(arm) for arm in arms]
        if condition.kind == kinds.BINARY and len(condition.children) == 2:
            operator = self.clang.getCursorBinaryOperatorKind(condition.cursor)
            compared = tuple([self.term(each) for each in condition.children])
            bounded = _bounded(kinds.COMPARISONS.get(operator), compared, then, orelse)
            if bounded is not None:
                return bounded
        return ChoiceTerm((then, orelse))

    def place(self, tree: SyntaxTree) -> int | None:
        """The quantity that an expression names as an object, or None."""
        if tree.kind in (kinds.UNEXPOSED, kinds.PAREN) and tree.children:
            return self.place(tree.children[-1])
        find = _PLACES.get(tree.kind)
        return None if find is None else find(self, tree)

    def _variable(self, tree: SyntaxTree) -> int | None:
        target = self.clang.getCursorReferenced(tree.cursor)
        integer = self._integers.get(target.d0)
        if integer is None:
            integer = target.kind in _DECLARED and self._is_integer(target)
            self._integers[target.d0] = integer
        return self.table.variable(target) if integer else None

    def _referenced_result(self, tree: SyntaxTree) -> int | None:
        """The result of a function that returns a reference to an integer, or an element."""
        use = container_use(self.context, tree)
        if use is not None:
            is_element = use.method in ELEMENTS and self._is_integer(tree.cursor)
            if use.owner is None or not is_element:
                return None
            return self.table.element(use.owner, self._element_index(use))
        target = self.clang.getCursorReferenced(tree.cursor)
        handle = self.clang.getCursorResultType(target)
        if not (target.d0 and self.table.is_reference(handle) and self.table.is_integer(handle)):
            return None
        return self.table.result(target)

    def _folded(self, tree: SyntaxTree) -> Term:
        number = evaluate_integer(self.context, tree)
        return UNMODELLED if number is None else IntegerTerm(number)

    def written(self, place: int) -> int:
        """Where an assignment to a place goes: of a parameter's target to what it becomes."""
        quantity = self.table.quantities[place]
        if quantity.kind != "target":
            return place
        return self.table.written_target(place)

    def _is_integer(self, cursor: Cursor) -> bool:
        return self.table.is_integer(self.clang.getCursorType(cursor))

    def _operator(self, tree: SyntaxTree) -> int:
        return cast(int, self.clang.getCursorUnaryOperatorKind(tree.cursor))

    def _named(self, tree: SyntaxTree) -> Term:
        target = self.clang.getCursorReferenced(tree.cursor)
        if target.kind == kinds.ENUM_CONSTANT:
            return self._folded(tree)
        place = self.place(tree)
        if place is None:
            return UNMODELLED
        loop = self.indices.get(place)
        return QuantityTerm(place) if loop is None else IndexTerm(loop)

    def _binary(self, tree: SyntaxTree) -> Term:
        if len(tree.children) != 2:
            return UNMODELLED
        operator = self.clang.getCursorBinaryOperatorKind(tree.cursor)
        left, right = tree.children
        if operator in (kinds.ASSIGN, kinds.COMMA):
            return self.term(right)
        relation = kinds.COMPARISONS.get(operator)
        if relation is not None:
            ends = (self.term(left), self.term(right))
            known = any(not isinstance(end, UnknownTerm) for end in ends)
            return ComparisonTerm(ends[0], relation, ends[1]) if known else UNMODELLED
        name = kinds.BINARY_NAMES.get(operator)
        if name is None or name not in QUANTITY_OPERATORS:
            return UNMODELLED
        return OperationTerm(cast(QuantityOperator, name), (self.term(left), self.term(right)))

    def _unary(self, tree: SyntaxTree) -> Term:
        operator = self._operator(tree)
        if not tree.children:
            return UNMODELLED
        if operator in (kinds.PLUS, *kinds.STEPS):
            return self.term(tree.children[0])
        if operator == kinds.MINUS:
            return OperationTerm("neg", (self.term(tree.children[0]),))
        place = self._pointed(tree) if operator == kinds.DEREFERENCE else None
        return UnknownTerm("memory") if place is None else QuantityTerm(place)

    def _pointed(self, tree: SyntaxTree) -> int | None:
        """The object behind a parameter that is a pointer to integers."""
        if self._operator(tree) != kinds.DEREFERENCE:
            return None
        if not tree.children or tree.children[0].kind != kinds.DECL_REF:
            return None
        target = self.clang.getCursorReferenced(tree.children[0].cursor)
        owner = self.table.parameter_of(target)
        if owner is None or not self._is_integer(tree.cursor):
            return None
        return self.table.parameter(*owner, "target")

    def _element(self, tree: SyntaxTree) -> Term:
        base = self._array(tree)
        if base is None:
            return UnknownTerm("memory")
        return self._element_of(base, self._constant_index(tree))

    def _element_of(self, owner: Cursor, index: int | None) -> Term:
        """An element of an array or a container; None for one at an index that varies, which may
        have any value in memory."""
        element = QuantityTerm(self.table.element(owner, index))
        if index is None:
            return ChoiceTerm((element, UnknownTerm("memory")))
        return ChoiceTerm((element, QuantityTerm(self.table.element(owner, None))))

    def _element_place(self, tree: SyntaxTree) -> int | None:
        base = self._array(tree)
        return None if base is None else self.table.element(base, self._constant_index(tree))

    def _array(self, tree: SyntaxTree) -> Cursor | None:
        """The array of integers, of any rank, that a subscript names an element of, or None."""
        if len(tree.children) != 2 or not self._is_integer(tree.cursor):
            return None
        named = tree.children[0]
        while named.kind == kinds.SUBSCRIPT and len(named.children) == 2:
            named = named.children[0]
        if named.kind not in (kinds.DECL_REF, kinds.MEMBER_REF):
            return None
        base = self.clang.getCursorReferenced(named.cursor)
        return base if base.kind in _DECLARED else None

    def _constant_index(self, tree: SyntaxTree) -> int | None:
        """The index of an element of a row; None for one that varies or that is in several rows."""
        if tree.children[0].kind == kinds.SUBSCRIPT:
            return None
        index = self.term(tree.children[1])
        return index.value if isinstance(index, IntegerTerm) else None

    def _call(self, tree: SyntaxTree) -> Term:
        target = self.clang.getCursorReferenced(tree.cursor)
        if not target.d0:
            return UnknownTerm("unresolved-call")
        use = container_use(self.context, tree)
        if use is not None:
            return self._of_container(use, tree)
        extreme = _EXTREMES.get(self.clang.spelling(target))
        if extreme is not None and len(tree.children) == 3:
            ends = (self.term(tree.children[1]), self.term(tree.children[2]))
            return OperationTerm(extreme, ends)
        if not self.table.is_integer(self.clang.getCursorResultType(target)):
            return UNMODELLED
        return QuantityTerm(self.table.result(target))

    def _of_container(self, use: ContainerUse, tree: SyntaxTree) -> Term:
        """An element of a container, or its length."""
        if use.method in LENGTHS:
            if use.extent is not None:
                return IntegerTerm(use.extent)
            if use.owner is not None:
                return QuantityTerm(self.table.length(use.owner))
            return QuantityTerm(self.table.result(self.clang.getCursorReferenced(tree.cursor)))
        if use.owner is None or not self._is_integer(tree.cursor):
            return UnknownTerm("memory") if use.method in ELEMENTS else UNMODELLED
        return self._element_of(use.owner, self._element_index(use))

    def _element_index(self, use: ContainerUse) -> int | None:
        """The index of an element of a container; None for one that varies."""
        if use.method == "front":
            return 0
        index = self.term(use.arguments[0]) if use.arguments else UNMODELLED
        return index.value if isinstance(index, IntegerTerm) else None


_READERS: Final[dict[int, Callable[[TermReader, SyntaxTree], Term]]] = {
    kinds.DECL_REF: TermReader._named,
    kinds.MEMBER_REF: TermReader._named,
    kinds.BINARY: TermReader._binary,
    kinds.UNARY: TermReader._unary,
    kinds.SUBSCRIPT: TermReader._element,
    kinds.CALL: TermReader._call,
}
_PLACES: Final[dict[int, Callable[[TermReader, SyntaxTree], int | None]]] = {
    kinds.DECL_REF: TermReader._variable,
    kinds.MEMBER_REF: TermReader._variable,
    kinds.SUBSCRIPT: TermReader._element_place,
    kinds.UNARY: TermReader._pointed,
    kinds.CALL: TermReader._referenced_result,
}


def _bounded(
    relation: str | None, compared: tuple[Term, ...], then: Term, orelse: Term
) -> Term | None:
    """The smaller or larger of two arms, where a comparison chooses between them."""
    if relation in _SMALLER_LEFT and compared in ((then, orelse), (orelse, then)):
        smaller = _SMALLER_LEFT[relation] == (compared[0] == then)
        return OperationTerm("min" if smaller else "max", (then, orelse))
    if relation not in ("==", "!="):
        return None
    kept, replaced = (orelse, then) if relation == "==" else (then, orelse)
    if not isinstance(replaced, IntegerTerm):
        return None
    # the next integer in place of one, as in ``n == 0 ? 1 : n``: a default would be larger
    excluded = IntegerTerm(replaced.value - 1)
    is_next = compared in ((kept, excluded), (excluded, kept))
    return OperationTerm("max", (kept, replaced)) if is_next else None


def written_term(reader: TermReader, tree: SyntaxTree) -> Term | None:
    """The value that an operator gives to its first operand; None where it gives none."""
    clang = reader.clang
    if tree.kind == kinds.COMPOUND_ASSIGN:
        return _COUNTER
    if tree.kind == kinds.UNARY:
        operator = clang.getCursorUnaryOperatorKind(tree.cursor)
        if operator == kinds.ADDRESS:
            return _ADDRESS
        return _COUNTER if operator in kinds.STEPS else None
    assigns = clang.getCursorBinaryOperatorKind(tree.cursor) == kinds.ASSIGN
    return reader.term(tree.children[-1]) if assigns else None
