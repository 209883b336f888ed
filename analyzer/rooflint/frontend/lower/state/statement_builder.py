"""The statement being built: a DAG of values, added one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from rooflint.frontend.lower.state.memory import MemoryTable
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

Annotation = TypeVar("Annotation")


class OpenStatement:
    """A statement half built: values, accesses, closed forms and paths of members by value."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.accesses: list[Access] = []
        self.closed: dict[int, Poly] = {}
        self.paths: dict[int, str] = {}

    def note_closed(self, number: int, poly: Poly) -> None:
        """Records the closed form of a value."""
        self.closed[number] = poly

    def note_path(self, number: int, path: str) -> None:
        """Records which member of its element a value was loaded from."""
        self.paths[number] = path

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


class StatementBuilder:
    """Adds to the open ``statement``; ``memory`` learns which arrays statements access."""

    def __init__(self, memory: MemoryTable) -> None:
        self.memory = memory
        self.statement = OpenStatement()

    def emit(self, value: Value) -> int:
        """Adds a value and returns its number."""
        values = self.statement.values
        values.append(value)
        return len(values) - 1

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
        accesses = self.statement.accesses
        accesses.append(access)
        self.memory.used.add(access.array)
        return len(accesses) - 1

    def begin_statement(self) -> OpenStatement:
        """Sets the statement being built aside for a new one; ``resume_statement`` takes it up."""
        pending, self.statement = self.statement, OpenStatement()
        return pending

    def resume_statement(self, pending: OpenStatement) -> None:
        """Goes on with a statement that was set aside."""
        self.statement = pending

    @contextmanager
    def values_apart(self) -> Iterator[None]:
        """Values that sizes need and no loop computes: what is emitted inside is dropped."""
        pending = self.begin_statement()
        try:
            yield
        finally:
            self.resume_statement(pending)

    def take_statement(self, origin: int) -> Statement:
        """The values built so far as a statement; a new one is begun."""
        taken = self.begin_statement()
        return Statement(tuple(taken.values), tuple(taken.accesses), origin)


def _outside(table: dict[int, Annotation], begin: int, end: int) -> list[tuple[int, Annotation]]:
    return [(number, kept) for number, kept in table.items() if not begin <= number < end]
