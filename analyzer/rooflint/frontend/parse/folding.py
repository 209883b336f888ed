"""Constant expressions, as libclang folds them."""

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang, Cursor


def folded_integer(clang: Clang, cursor: Cursor) -> int | None:
    """The integer that a constant expression has, or None."""
    result = clang.Cursor_Evaluate(cursor)
    if not result:
        return None
    is_integer = clang.EvalResult_getKind(result) == kinds.EVALUATED_INTEGER
    number: int | None = clang.EvalResult_getAsLongLong(result) if is_integer else None
    clang.EvalResult_dispose(result)
    return number


def is_never_true(clang: Clang, cursor: Cursor) -> bool:
    """Whether a condition is a constant that is zero: ``0``, ``false``, ``0 && x``."""
    return folded_integer(clang, cursor) == 0
