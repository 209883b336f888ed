"""Choices by whether a pointer is null: code that runs at all mostly has the object.

``t ? t->n : 0`` guards against an absent argument; what is measured and tuned has one.
"""

from rooflint.frontend.lower.control.branches import condition_pattern
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree, without_casts

_PLACES = frozenset((kinds.DECL_REF, kinds.MEMBER_REF, kinds.SUBSCRIPT))
"""A call takes time, whatever comes of its answer."""


def arm_with_object(unit: TranslationUnitContext, choice: SyntaxTree) -> SyntaxTree | None:
    """The arm of ``a ? b : c``, an integer, for a pointer that is not null; else None."""
    if not unit.types.of_cursor(choice.cursor).is_integer:
        return None
    condition, then, orelse = choice.children
    condition = without_casts(condition)
    pattern = condition_pattern(unit, condition)
    if pattern not in ("zero", "nonzero"):
        return None
    tested = condition
    if condition.kind in (kinds.UNARY, kinds.BINARY) and condition.children:
        tested = without_casts(condition.children[0])
    if tested.kind not in _PLACES or unit.types.of_cursor(tested.cursor).shape != "pointer":
        return None
    return then if pattern == "nonzero" else orelse
