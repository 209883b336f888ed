"""Names as the source has them, and what calls take for granted, for sentences that people read."""

from collections.abc import Iterator
from typing import Final

from rooflint.ir import CallCost, Poly, plain

RECURSION_RUNS: Final = 8
"""Calls of a function that calls itself for each call from outside: a depth, not measured."""
_DIGITS: Final = "0123456789"


def as_written(value: str | Poly) -> str:
    """``plain`` with the source's own names: ``i`` for ``i'2``, the second thing called that."""
    text, *rest = plain(value).split("'")
    for part in rest:
        behind = part.lstrip(_DIGITS)
        numbers_name = behind != part and (text[-1:].isalnum() or text[-1:] == "_")
        text += behind if numbers_name else f"'{part}"
    return text


def assumed_of_call(name: str, cost: CallCost) -> Iterator[str]:
    """The assumptions behind the cycles of a call."""
    if cost.recursive:
        names = ", ".join([f"`{each}`" for each in cost.recursive])
        yield f"{RECURSION_RUNS} calls in each recursion of {names}"
    if cost.complete and cost.candidates:
        names = ", ".join([f"`{each}`" for each in cost.candidates])
        yield f"calls of `{name}` run each of {names} equally often"
