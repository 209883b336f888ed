"""Conditions around loops that sizes decide: ``if (n > 4) for …``."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rooflint import ir
from rooflint.facts.affine import number
from rooflint.ir.poly_form import plain
from rooflint.ir.values import RelationalOperator
from rooflint.records import NamedTuple

_RELATIONS: Final[dict[RelationalOperator, Callable[[int, int], bool]]] = {
    "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
    "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip
_OPPOSITES: Final[dict[RelationalOperator, RelationalOperator]] = {
    "<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==",
}  # fmt: skip


class LoopGuard(NamedTuple):
    """A comparison of integers over sizes and indices that has to hold for code to run."""

    left: ir.Poly
    operator: RelationalOperator
    right: ir.Poly

    def verdict(self, values: Mapping[str, int]) -> bool | None:
        """Whether it holds at these values; None where they do not decide it."""
        left, right = number(self.left, values), number(self.right, values)
        if left is None or right is None:
            return None
        return _RELATIONS[self.operator](left, right)

    def opposite(self) -> "LoopGuard":
        """The guard of the code that runs instead."""
        return self._replace(operator=_OPPOSITES[self.operator])

    @property
    def names(self) -> frozenset[str]:
        """The sizes and indices that it compares."""
        return self.left.names() | self.right.names()

    def __str__(self) -> str:
        return f"{plain(self.left)} {self.operator} {plain(self.right)}"


def branch_guards(branch: ir.Branch) -> tuple[tuple[LoopGuard, ...], tuple[LoopGuard, ...]]:
    """The guards of the two arms: none for a condition that memory decides.

    ``a && b`` guards the first arm by both and the second by none, ``a || b`` the other way round.
    """
    values = branch.condition.values
    if not values:
        return (), ()
    both = _conjunction(values, len(values) - 1, holds=True)
    neither = _conjunction(values, len(values) - 1, holds=False)
    return both, neither


def _conjunction(values: tuple[ir.Value, ...], position: int, holds: bool) -> tuple[LoopGuard, ...]:
    """Comparisons that all hold where the value at ``position`` is true, or false."""
    value = values[position]
    if isinstance(value, ir.Relation):
        guard = _comparison(values, value)
        return () if guard is None else (guard if holds else guard.opposite(),)
    if value.op == "not":
        return _conjunction(values, value.args[0], not holds)
    if value.op == ("and" if holds else "or") and value.type == "bool":
        return tuple([g for a in value.args for g in _conjunction(values, a, holds)])
    return ()


def _comparison(values: tuple[ir.Value, ...], value: ir.Relation) -> LoopGuard | None:
    closed = [form for a in value.args if (form := values[a].closed_form) is not None]
    return LoopGuard(closed[0], value.operator, closed[1]) if len(closed) == 2 else None


def never_holds(guards: Iterable[LoopGuard], values: Mapping[str, int]) -> LoopGuard | None:
    """The first of the guards that is false at these values."""
    return next((guard for guard in guards if guard.verdict(values) is False), None)
