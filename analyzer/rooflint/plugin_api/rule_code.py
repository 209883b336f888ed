"""The code of a rule, and the texts that select rules by it. No other module decides what one is.

    RL101     three digits after the prefix; the first digit is the family
    ACME001   a rule of another distribution, under a prefix of its own
    RL1       selects the family, or any codes that begin so
    ACME      selects all rules of the prefix

A prefix is one or more capital letters. It is compared as a whole: ``RL`` selects no ``RLX001``.
"""

from collections.abc import Iterable
from typing import Final

ALL: Final = "ALL"
"""Selects every rule wherever rules are selected, so it is no prefix."""
EVERY_CODE: Final = ""
"""The selector of a suppression mark that names no rule."""
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS: Final = 3


def is_code(text: str) -> bool:
    """Whether a rule may have this code."""
    prefix, number = _split(text)
    return bool(prefix) and prefix != ALL and len(number) == _DIGITS


def is_selector(text: str) -> bool:
    """Whether this has the form of a code, the beginning of one, or a prefix."""
    return bool(_split(text)[0])


def names_a_number(text: str) -> bool:
    """Whether this is a selector with digits: narrower than all the rules of a prefix."""
    return bool(_split(text)[1])


def prefix_of(text: str) -> str:
    """``ACME`` of ``ACME001``; empty for what is no selector."""
    return _split(text)[0]


def family_of(code: str) -> str:
    """``1`` of ``RL101``; empty for what is no code."""
    return _split(code)[1][:1]


def prefixes(codes: Iterable[str]) -> list[str]:
    """Every prefix among the codes once, sorted."""
    return sorted({prefix_of(code) for code in codes} - {""})


def selects(selector: str, code: str) -> bool:
    """Whether a selector covers a code; ``EVERY_CODE`` covers all."""
    if selector == EVERY_CODE:
        return True
    prefix, number = _split(selector)
    its_prefix, its_number = _split(code)
    return bool(prefix) and prefix == its_prefix and its_number.startswith(number)


def _split(text: str) -> tuple[str, str]:
    """Prefix and digits; both empty for what is no selector."""
    prefix = text.rstrip("0123456789")
    number = text[len(prefix) :]
    is_selector = prefix and _LETTERS.issuperset(prefix) and len(number) <= _DIGITS
    return (prefix, number) if is_selector else ("", "")
