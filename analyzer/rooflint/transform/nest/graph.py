"""The values of a statement rebuilt one by one."""

from collections import Counter
from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from rooflint.ir import (
    Access,
    Branch,
    Load,
    Loop,
    Statement,
    Store,
    Value,
    with_operands,
    without_carry,
)
from rooflint.ir.identity import kept_with_part
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import assigned_scalars, is_member, whole_records

LASTING: Final = frozenset(("assign", "store"))
"""Operations that change scalars or memory; other values matter only where they are used."""
OPAQUE: Final = LASTING | {"opaque"}
"""Operations that no iteration shares with the next, whatever their operands."""


class Builder:
    """A statement in the making: old values find where they have gone."""

    def __init__(self, statement: Statement) -> None:
        self.old = statement
        self.made: list[Value] = []
        self.accesses: list[Access] = list(statement.accesses)
        self.moved: list[int] = []
        self.fixed: set[int] = set()
        self._copies: dict[int, int] = {}

    def arguments(self, value: Value) -> tuple[int, ...]:
        """The new places of what an old value takes."""
        return tuple([self.moved[argument] for argument in value.args])

    def add(self, value: Value) -> int:
        """The replacement of the next old value."""
        self.made.append(value)
        self.moved.append(len(self.made) - 1)
        return len(self.made) - 1

    def place(self, _old: Value, number: int) -> None:
        """The next old value is what a value made already is."""
        self.moved.append(number)

    def extra(self, value: Value) -> int:
        """A value that replaces no old one."""
        self.made.append(value)
        return len(self.made) - 1

    def copied(self, source: Statement, number: int) -> int:
        """A value of another statement, always the same one, with all it takes."""
        if number not in self._copies:
            value = source.values[number]
            args = tuple([self.copied(source, argument) for argument in value.args])
            if isinstance(value, Load | Store):
                self.accesses.append(source.accesses[value.access])
                value = replace(value, access=len(self.accesses) - 1)
            self._copies[number] = self.extra(with_operands(without_carry(value), args))
        return self._copies[number]

    def statement(self, live_only: bool = False) -> Statement:
        """The statement; ``live_only`` drops values and accesses that no one uses any more.

        The last value of a statement stays in any case: it may be what a branch decides on.
        """
        values = self.made
        kept = self._live() if live_only else set(range(len(values)))
        order = sorted(kept)
        renumbered = {old: new for new, old in enumerate(order)}
        used = sorted([v.access for v in (values[n] for n in order) if isinstance(v, Load | Store)])
        accesses = {old: new for new, old in enumerate(used)}
        new_values: list[Value] = []
        for value in (values[n] for n in order):
            new = with_operands(value, tuple([renumbered[a] for a in value.args]))
            if isinstance(new, Load | Store):
                new = replace(new, access=accesses[new.access])
            new_values.append(new)
        kept_accesses = tuple([self.accesses[n] for n in used])
        return replace(self.old, values=tuple(new_values), accesses=kept_accesses)

    def _live(self) -> set[int]:
        values = self.made
        result = self.moved[-1] if self.moved else len(values) - 1
        live = {n for n, v in enumerate(values) if v.op in LASTING or n == result}
        for number in range(len(values) - 1, -1, -1):
            if number in live:
                live.update(values[number].args)
        return live


def uses(statement: Statement) -> Counter[int]:
    """How often each value is taken by others."""
    return Counter([argument for value in statement.values for argument in value.args])


def invariant_values(loop: Loop, statement: Statement) -> set[int]:
    """The values of ``statement`` that are the same in every iteration of ``loop``.

    Calls are, with the same arguments: those that are values have no effects in the IR.
    """
    varying = _varying(loop)
    found: set[int] = set()
    for number, value in enumerate(statement.values):
        if value.op in ("const", "scalar", "carried"):
            steady = value.op == "const" or not varying.changes(value.name)
        elif value.op == "index":
            poly = value.closed_form
            steady = poly is not None and varying.holds(poly.mentions())
        elif value.op == "load":
            steady = varying.keeps(statement.accesses[value.access])
        else:
            steady = value.op not in OPAQUE and found.issuperset(value.args)
        if steady:
            found.add(number)
    return found


def sets_scalar(loop: Loop, name: str) -> bool:
    """Whether iterations of a loop set a scalar, or the record that it is a member of."""
    return bool(_varying(loop).changes(name))


def is_steady(loop: Loop, branch: Branch) -> bool:
    """Whether a branch goes the same way in every iteration."""
    values = branch.condition.values
    steady = len(invariant_values(loop, branch.condition)) == len(values)
    return steady and any(_is_open(value) for value in values)


def _is_open(value: Value) -> bool:
    """Whether a value is of the run, and no constant."""
    poly = value.closed_form
    return value.op in ("scalar", "load") or (poly is not None and poly.value is None)


class _Varying:
    """The scalars, arrays and indices of loops that the iterations of a loop change."""

    def __init__(self, loop: Loop, /) -> None:
        self._scalars = assigned_scalars(loop.body)
        self._records = whole_records(loop.body)
        inside = statements_in(loop.body)
        self._arrays = {a.array for s in inside for a in s.accesses if a.write}
        self._indices = {loop.index, *[node.index for node in _loops(loop)]}

    def changes(self, name: str) -> bool:
        """Whether iterations set a scalar, or the record that it is a member of."""
        return name in self._scalars or is_member(name, self._records)

    def holds(self, names: Collection[str]) -> bool:
        """Whether all iterations see the same values of the names in a closed form."""
        if not self._indices.isdisjoint(names):
            return False
        return not any(is_member(name, self._records) for name in names)

    def keeps(self, access: Access) -> bool:
        """Whether each iteration reads the same there."""
        if access.array in self._arrays or access.offset.unknowns():
            return False
        return self.holds(access.offset.names())


_varying = kept_with_part(_Varying)


def _loops(loop: Loop) -> list[Loop]:
    found = [node for node in loop.body if isinstance(node, Loop)]
    return [*found, *[deeper for each in found for deeper in _loops(each)]]
