"""The statement being built: a DAG of values, added one by one."""

from typing import TypeAlias, TypeVar

from rooflint.ir import (
    Access,
    Arithmetic,
    Load,
    OpaqueValue,
    Poly,
    Reason,
    Statement,
    Store,
    Value,
    with_operands,
)
from rooflint.ir.values import ArithmeticOp

Pending: TypeAlias = tuple[list[Value], list[Access], dict[int, Poly], dict[int, str]]
"""A statement half built: its values, accesses, closed forms and paths of members it loads."""
Kept = TypeVar("Kept")


class StatementBuilder:
    """Values and accesses of one statement; ``used`` are the arrays that any statement accesses.

    ``closed`` holds closed forms of values, ``paths`` the members that values load, by number.
    """

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.accesses: list[Access] = []
        self.closed: dict[int, Poly] = {}
        self.paths: dict[int, str] = {}
        self.used: set[str] = set()

    def emit(self, value: Value) -> int:
        """Adds a value and returns its number."""
        self.values.append(value)
        return len(self.values) - 1

    def emit_arithmetic(self, op: ArithmeticOp, type_: str, *args: int) -> int:
        """Adds an operation on values."""
        return self.emit(Arithmetic(op=op, type=type_, args=args))

    def emit_opaque(self, text: str, type_: str = "opaque") -> int:
        """Adds a value that is not modelled; ``text`` names it to people."""
        return self.emit(OpaqueValue(type=type_, reason=Reason("opaque-value", (text,))))

    def emit_load(self, access: Access) -> int:
        """Adds a load."""
        return self.emit(Load(type=access.type, access=self._access(access)))

    def emit_store(self, access: Access, source: int, *, nontemporal: bool = False) -> int:
        """Adds a store of the value ``source``."""
        number = self._access(access)
        return self.emit(
            Store(type=access.type, args=(source,), access=number, nontemporal=nontemporal)
        )

    def _access(self, access: Access) -> int:
        self.accesses.append(access)
        self.used.add(access.array)
        return len(self.accesses) - 1

    def begin_statement(self) -> Pending:
        """Sets the statement being built aside for a new one; ``resume_statement`` takes it up."""
        pending = (self.values, self.accesses, self.closed, self.paths)
        self.values, self.accesses, self.closed, self.paths = [], [], {}, {}
        return pending

    def resume_statement(self, pending: Pending) -> None:
        """Goes on with a statement that was set aside."""
        self.values, self.accesses, self.closed, self.paths = pending

    def discard(self, values: int = 0, accesses: int = 0) -> None:
        """Drops what the statement being built has beyond so many values and accesses."""
        del self.values[values:], self.accesses[accesses:]
        for table in (self.closed, self.paths):
            for number in [number for number in table if number >= values]:
                del table[number]

    def drop(self, begin: int, end: int) -> None:
        """Takes values that no other refers to out of the statement being built."""
        if end == len(self.values):
            self.discard(begin, len(self.accesses))
            return
        gap = end - begin
        behind = [
            with_operands(v, tuple([a - gap if a >= end else a for a in v.args]))
            for v in self.values[end:]
        ]
        self.values[begin:] = behind
        self.closed = {n - gap if n >= end else n: p for n, p in _outside(self.closed, begin, end)}
        self.paths = {n - gap if n >= end else n: p for n, p in _outside(self.paths, begin, end)}

    def take_statement(self, origin: int) -> Statement:
        """The values built so far as a statement; a new one is begun."""
        values, accesses, *_ = self.begin_statement()
        return Statement(tuple(values), tuple(accesses), origin)


def _outside(table: dict[int, Kept], begin: int, end: int) -> list[tuple[int, Kept]]:
    return [(number, kept) for number, kept in table.items() if not begin <= number < end]
