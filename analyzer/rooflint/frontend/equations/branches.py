"""Branches by pattern: how a condition compares, and whither a path leads."""

from typing import Final

from rooflint.frontend.lower.control.no_return import is_final_call
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import ConditionPattern, PathPattern
from rooflint.ir.values import RelationalOperator

_ENDS: Final[dict[int, PathPattern]] = {
    kinds.THROW: "no-return",
    kinds.RETURN: "return",
    kinds.BREAK: "leaves-loop",
    kinds.GOTO: "leaves-loop",
    kinds.CONTINUE: "next-iteration",
}
_ZEROS: Final = frozenset(("0", "NULL", "nullptr"))
_DEBUG_NAMES: Final = ("debug", "verbos", "timer", "trace")
"""Parts of the names of flags that ordinary runs do not set (48 branches of 8 programs)."""
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
    if condition.kind != kinds.BINARY or len(condition.children) != 2:
        return "other"
    relation = kinds.COMPARISONS.get(unit.clang.getCursorBinaryOperatorKind(condition.cursor))
    if relation is None:
        return "other"
    against_zero = unit.source.text(condition.children[1].cursor) in _ZEROS
    return _comparison(relation, against_zero)


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
    if is_final_call(unit, last):
        return "no-return"
    if in_switch and last.kind == kinds.BREAK:
        return "goes-on"
    return _ENDS.get(last.kind, "goes-on")
