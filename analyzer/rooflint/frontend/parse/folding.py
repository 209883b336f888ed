"""Constant expressions, as libclang folds them."""

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Clang, Cursor

_INTEGER_RESULT = 1


def folded_integer(clang: Clang, cursor: Cursor) -> int | None:
    """The integer that a constant expression has, or None."""
    result = clang.Cursor_Evaluate(cursor)
    if not result:
        return None
    is_integer = clang.EvalResult_getKind(result) == _INTEGER_RESULT
    number: int | None = clang.EvalResult_getAsLongLong(result) if is_integer else None
    clang.EvalResult_dispose(result)
    return number


def is_never_true(clang: Clang, cursor: Cursor) -> bool:
    """Whether a condition is the literal 0 or ``false``."""
    return cursor.kind in kinds.CONSTANTS and folded_integer(clang, cursor) == 0
