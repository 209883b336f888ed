"""Branches by pattern: how a condition compares, and whither a path leads."""

from collections.abc import Iterable, Sequence
from typing import Final

from rooflint.frontend.lower.control.no_return import ends_program
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree, without_casts
from rooflint.ir.control_flow import BranchPattern, ConditionPattern, PathPattern
from rooflint.ir.values import RelationalOperator

_ENDS: Final[dict[int, PathPattern]] = {
    kinds.THROW: "no-return",
    kinds.RETURN: "return",
    kinds.BREAK: "leaves-loop",
    kinds.GOTO: "leaves-loop",
    kinds.CONTINUE: "next-iteration",
}
_ERROR_STREAMS: Final = frozenset(("stderr", "__stderrp", "cerr"))
_ZEROS: Final = frozenset(("0", "NULL", "nullptr"))
_NULLS: Final = frozenset((kinds.GNU_NULL, kinds.NULLPTR))
_DEBUG_NAMES: Final = ("debug", "verbos", "timer", "trace")
"""Parts of the names of flags that ordinary runs do not set (48 branches of 8 programs)."""
_POINTER_ORDERS: Final[dict[RelationalOperator, ConditionPattern]] = {
    ">": "at-end", ">=": "at-end", "<": "before-end", "<=": "before-end",
}  # fmt: skip
"""A pointer that is compared with the end of its buffer, which stands on the right."""
_PLACES: Final = frozenset(("pointer", "array"))
_REFERENCES: Final = frozenset((kinds.DECL_REF, kinds.MEMBER_REF))


def condition_pattern(unit: TranslationUnitContext, condition: SyntaxTree) -> ConditionPattern:
    """The form of a condition."""
    if condition.kind in _REFERENCES:
        name = unit.clang.spelling(condition.cursor).lower()
        return "debug" if any(part in name for part in _DEBUG_NAMES) else "nonzero"
    if condition.kind in (kinds.CALL, kinds.SUBSCRIPT):
        return "nonzero"
    if condition.kind == kinds.UNARY:
        operator = unit.clang.getCursorUnaryOperatorKind(condition.cursor)
        return "zero" if operator == kinds.LOGICAL_NOT else "nonzero"
    is_binary = condition.kind == kinds.BINARY and len(condition.children) == 2
    return _binary(unit, condition) if is_binary else "other"


def _binary(unit: TranslationUnitContext, condition: SyntaxTree) -> ConditionPattern:
    operator = unit.clang.getCursorBinaryOperatorKind(condition.cursor)
    relation = kinds.COMPARISONS.get(operator)
    if relation is None:
        return _junction(unit, condition)
    if relation in _POINTER_ORDERS and _are_pointers(unit, condition.children):
        return _POINTER_ORDERS[relation]
    return _comparison(relation, _is_zero(unit, condition.children[1]))


def _junction(unit: TranslationUnitContext, condition: SyntaxTree) -> ConditionPattern:
    """Of several conditions, one of which may tell that a pointer is at the end of its buffer."""
    parts = [condition_pattern(unit, without_casts(each)) for each in condition.children]
    return "at-end" if "at-end" in parts else "other"


def _are_pointers(unit: TranslationUnitContext, operands: Iterable[SyntaxTree]) -> bool:
    """Whether their order is that of places in one array: no others may be ordered."""
    return all(unit.types.of_cursor(each.cursor).shape in _PLACES for each in operands)


def _is_zero(unit: TranslationUnitContext, tree: SyntaxTree) -> bool:
    """A zero, or a null pointer, also from the macro of the C library: an integer as a pointer."""
    if unit.source.text(tree.cursor) in _ZEROS:
        return True
    cast = tree.kind in kinds.CASTS and unit.types.of_cursor(tree.cursor).shape == "pointer"
    inner = without_casts(tree)
    return inner.kind in _NULLS or (cast and inner.kind == kinds.INTEGER)


def _comparison(relation: RelationalOperator, against_zero: bool) -> ConditionPattern:
    if relation == "==":
        return "zero" if against_zero else "equal"
    if relation == "!=":
        return "nonzero" if against_zero else "unequal"
    return "negative" if relation == "<" and against_zero else "ordered"


def path_pattern(unit: TranslationUnitContext, path: SyntaxTree, *, in_switch: bool) -> PathPattern:
    """Whither a path leads: its last statement tells."""
    last = path
    while last.kind == kinds.COMPOUND and last.children:
        last = last.children[-1]
    if ends_program(unit, last):
        return "no-return"
    goes_on = last.kind not in _ENDS or (in_switch and last.kind == kinds.BREAK)
    if goes_on:
        return "reports-error" if _reports_error(unit, path) else "goes-on"
    return _ENDS[last.kind]


def _reports_error(unit: TranslationUnitContext, path: SyntaxTree) -> bool:
    """Whether one of the statements of a path writes to ``stderr``."""
    statements = path.children if path.kind == kinds.COMPOUND else [path]
    return any(_writes_error(unit, each) for each in statements if each.kind == kinds.CALL)


def _writes_error(unit: TranslationUnitContext, call: SyntaxTree) -> bool:
    """Whether an operand is the stream, also of the first of several ``<<``."""
    for operand in call.children:
        if (
            operand.kind == kinds.DECL_REF
            and unit.referenced(operand.cursor).name in _ERROR_STREAMS
        ):
            return True
        if operand.kind == kinds.CALL and _writes_error(unit, operand):
            return True
    return False


def branch_pattern(unit: TranslationUnitContext, parts: Sequence[SyntaxTree]) -> BranchPattern:
    """The form of an ``if`` by its condition and its one or two paths."""
    condition, *paths = parts
    then, *orelse = [path_pattern(unit, path, in_switch=False) for path in paths]
    return BranchPattern(
        condition=condition_pattern(unit, condition),
        then=then,
        orelse=orelse[0] if orelse else None,
    )


def case_pattern(
    unit: TranslationUnitContext, arm: Sequence[SyntaxTree], ways: int
) -> BranchPattern:
    """The form of one of so many ways of a ``switch`` that are left."""
    return BranchPattern(condition="case", then=case_path(unit, arm), orelse="goes-on", ways=ways)


def case_path(unit: TranslationUnitContext, arm: Iterable[SyntaxTree]) -> PathPattern:
    """Whither one of the ways of a ``switch`` leads: only what makes it a rare one counts."""
    for each in arm:
        pattern = path_pattern(unit, each, in_switch=True)
        if pattern in ("no-return", "reports-error"):
            return pattern
    return "goes-on"
