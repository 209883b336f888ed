"""Names as the source has them, for sentences that people read."""

from typing import Final

from rooflint.ir import Poly, plain

_DIGITS: Final = "0123456789"


def as_written(value: str | Poly) -> str:
    """``plain`` with the source's own names: ``i`` for ``i'2``, the second thing called that."""
    text, *rest = plain(value).split("'")
    for part in rest:
        behind = part.lstrip(_DIGITS)
        numbers_name = behind != part and (text[-1:].isalnum() or text[-1:] == "_")
        text += behind if numbers_name else f"'{part}"
    return text
