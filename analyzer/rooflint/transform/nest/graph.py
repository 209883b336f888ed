"""The values of a statement rebuilt one by one."""

from collections import Counter
from typing import Final

from msgspec.structs import replace

from rooflint.ir import Access, Load, Loop, Statement, Store, Value, with_operands, without_carry
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.scalars import assigned

LASTING: Final = frozenset(("assign", "store"))
"""What changes scalars or memory; other values matter only where they are used."""


class Builder:
    """A statement in the making: old values find where they have gone."""

    def __init__(self, statement: Statement) -> None:
        self.old = statement
        self.made: list[Value] = []
        self.accesses: list[Access] = list(statement.accesses)
        self.moved: list[int] = []
        self.fixed: set[int] = set()
        self._copies: dict[tuple[int, int], int] = {}

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
        """A value of another statement with all it takes."""
        key = (id(source), number)
        if key not in self._copies:
            value = source.values[number]
            args = tuple([self.copied(source, argument) for argument in value.args])
            if isinstance(value, Load | Store):
                self.accesses.append(source.accesses[value.access])
                value = replace(value, access=len(self.accesses) - 1)
            self._copies[key] = self.extra(with_operands(without_carry(value), args))
        return self._copies[key]

    def statement(self, live_only: bool = False) -> Statement:
        """The statement; ``live_only`` drops values and accesses that no one uses any more.

        The last value of a statement stays in any case: it may be what a branch decides on.
        """
        values = self.made
        result = self.moved[-1] if self.moved else len(values) - 1
        kept = set(range(len(values)))
        if live_only:
            kept = {n for n, v in enumerate(values) if v.op in LASTING or n == result}
            for number in range(len(values) - 1, -1, -1):
                if number in kept:
                    kept.update(values[number].args)
        order = sorted(kept)
        renumbered = {old: new for new, old in enumerate(order)}
        used = [v.access for v in (values[n] for n in order) if isinstance(v, Load | Store)]
        accesses = {old: new for new, old in enumerate(sorted(used))}
        new_values: list[Value] = []
        for value in (values[n] for n in order):
            new = with_operands(value, tuple([renumbered[a] for a in value.args]))
            if isinstance(new, Load | Store):
                new = replace(new, access=accesses[new.access])
            new_values.append(new)
        kept_accesses = tuple([self.accesses[n] for n in sorted(used)])
        return replace(self.old, values=tuple(new_values), accesses=kept_accesses)


def uses(statement: Statement) -> Counter[int]:
    """How often each value is taken by others."""
    return Counter([argument for value in statement.values for argument in value.args])


def invariant_values(
    loop: Loop, statement: Statement, pure: frozenset[str] | None = None
) -> set[int]:
    """The values of ``statement`` that are the same in every iteration of ``loop``.

    Calls count where ``pure`` holds their name; None stands for all calls, which in the IR have no
    effects when they are values.
    """
    changed = assigned(loop.body)
    inside = list(statements_in(loop.body))
    written = {a.array for s in inside for a in s.accesses if a.write}
    moving = {loop.index}
    for node in _loops(loop):
        moving.add(node.index)
    found: set[int] = set()
    for number, value in enumerate(statement.values):
        if value.op in ("const", "scalar", "carried"):
            steady = value.op == "const" or value.name not in changed
        elif value.op == "index":
            poly = value.closed_form
            steady = poly is not None and moving.isdisjoint(poly.mentions())
        elif value.op == "load":
            access = statement.accesses[value.access]
            names = access.offset.names()
            steady = access.array not in written and moving.isdisjoint(names)
            steady = steady and not access.offset.unknowns()
        elif value.op in ("assign", "store", "opaque"):
            steady = False
        else:
            steady = all(argument in found for argument in value.args)
            if value.op == "call":
                steady = steady and (pure is None or value.callee in pure)
        if steady:
            found.add(number)
    return found


def _loops(loop: Loop) -> list[Loop]:
    found = [node for node in loop.body if isinstance(node, Loop)]
    return [*found, *[deeper for each in found for deeper in _loops(each)]]
