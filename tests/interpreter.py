"""Runs a function of the IR: arrays as elements by byte offset, scalars by name.

Numbers are those of an arithmetic: ``FIELD``, integers modulo a prime, in which every reordering
of sums and products gives equal results and none overflows; or ``DOUBLES``, rounded to the type of
each value. Calls and roots in ``FIELD`` are some fixed function of their operands.
"""

import math
import operator
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rooflint.ir import (
    Branch,
    Call,
    Exit,
    Function,
    IndexValue,
    Load,
    Loop,
    Node,
    Opaque,
    Region,
    Statement,
    Store,
    Value,
)

Number = Any
PRIME = (1 << 31) - 1
COMPARE: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class Field:
    """Integers modulo a prime; integer types stay integers, so that conditions mean something."""

    def const(self, number: float, kind: str) -> Number:
        if number == int(number):
            return int(number) % PRIME if kind[0] == "f" else int(number)
        top, bottom = number.as_integer_ratio()
        return top * pow(bottom, -1, PRIME) % PRIME

    def convert(self, x: Number, kind: str) -> Number:
        return x % PRIME if kind[0] == "f" else x

    def apply(self, op: str, kind: str, x: list[Number]) -> Number:
        exact: dict[str, Callable[..., Number]] = {
            "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
            "fma": lambda a, b, c: a * b + c, "min": min, "max": max, "abs": abs,
        }  # fmt: skip
        if op in exact:
            result = exact[op](*x)
        elif op == "div":
            result = x[0] * pow(x[1], -1, PRIME) if kind[0] == "f" else int(x[0] / x[1])
        elif op == "rem":
            result = math.fmod(x[0], x[1])
        else:
            result = self.call(op, kind, x)
        return result % PRIME if kind[0] == "f" else int(result)

    def call(self, name: str, kind: str, x: list[Number]) -> Number:
        if name.startswith("pow"):
            return pow(x[0], x[1], PRIME)
        return (sum((n + 3) * v * v for n, v in enumerate(x)) + sum(map(ord, name))) % PRIME


class Doubles:
    """What a machine computes, f32 rounded after each operation."""

    def const(self, number: float, kind: str) -> Number:
        return self.convert(number, kind)

    def convert(self, x: Number, kind: str) -> Number:
        if kind == "f32":
            return struct.unpack("f", struct.pack("f", x))[0]
        return float(x) if kind[0] == "f" else int(x)

    def apply(self, op: str, kind: str, x: list[Number]) -> Number:
        exact: dict[str, Callable[..., Number]] = {
            "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
            "fma": lambda a, b, c: a * b + c, "min": min, "max": max, "abs": abs,
            "div": operator.truediv if kind[0] == "f" else lambda a, b: int(a / b),
            "rem": math.fmod, "sqrt": math.sqrt,
        }  # fmt: skip
        return self.convert(exact[op](*x) if op in exact else self.call(op, kind, x), kind)

    def call(self, name: str, kind: str, x: list[Number]) -> Number:
        base = name.removeprefix("std::")
        found = getattr(math, base, None) or getattr(math, base.rstrip("f"))
        return self.convert(found(*x), kind)


FIELD, DOUBLES = Field(), Doubles()
Arithmetic = Field | Doubles
Canonical = Callable[[tuple[str, int]], tuple[str, int]] | None


class OutOfBoundsError(AssertionError):
    """An access outside its array: generated bounds or offsets are wrong."""


class Machine:
    """The memory and scalars of one run."""

    def __init__(
        self,
        function: Function,
        sizes: Mapping[str, int],
        arithmetic: Arithmetic,
        canonical: Canonical = None,
    ) -> None:
        self.arithmetic = arithmetic
        self.canonical = canonical
        self.env = dict(sizes)
        self.arrays = {array.name: array for array in function.arrays}
        self.memory: dict[tuple[str, int], Number] = {}
        self.scalars: dict[str, Number] = {}
        self.limits: dict[str, int] = {}
        for array in function.arrays:
            limit: int | None = array.element_bytes
            for extent in array.extents:
                limit = None if limit is None or extent is None else limit * extent.evaluate(sizes)
            if limit is not None:
                self.limits[array.name] = limit

    def start(self, place: tuple[str, int]) -> Number:
        return self.initial(*(self.canonical(place) if self.canonical else place))

    def initial(self, name: str, offset: int) -> Number:
        """What an element holds before anything is written: some small positive integer."""
        return self.arithmetic.convert(
            (sum(map(ord, name)) * 7 + offset * offset * 5 + offset) % 89 + 2, "f64"
        )

    def address(self, statement: Statement, value: Load | Store) -> tuple[str, int]:
        access = statement.accesses[value.access]
        offset = access.offset.evaluate(self.env)
        limit = self.limits.get(access.array)
        if offset < 0 or (limit is not None and offset + access.bytes > limit):
            raise OutOfBoundsError(f"{access.array} at {offset} of {limit}")
        return access.array, offset

    def run(self, nodes: Iterable[Node]) -> str:
        for node in nodes:
            signal = self.node(node)
            if signal:
                return signal
        return ""

    def node(self, node: Node) -> str:
        if isinstance(node, Statement):
            self.statement(node)
        elif isinstance(node, Loop):
            return self.loop(node)
        elif isinstance(node, Branch):
            return self.run(node.then if self.statement(node.condition) else node.orelse)
        elif isinstance(node, Region):
            return self.run(node.body)
        elif isinstance(node, Exit):
            return node.kind
        else:
            assert isinstance(node, Call | Opaque)
            raise NotImplementedError(node)
        return ""

    def loop(self, loop: Loop) -> str:
        bounds = [bound.evaluate(self.env) for bound in (loop.lower, loop.upper, loop.step)]
        hidden = self.env.get(loop.index)
        for index in range(*bounds):
            self.env[loop.index] = index
            signal = self.run(loop.body)
            if signal in ("break", "return"):
                return signal if signal == "return" else ""
        if hidden is None:
            self.env.pop(loop.index, None)
        else:
            self.env[loop.index] = hidden
        return ""

    def statement(self, statement: Statement) -> Number:
        numbers: list[Number] = []
        for value in statement.values:
            numbers.append(self.value(statement, value, [numbers[a] for a in value.args]))
        return numbers[-1] if numbers else False

    def value(self, statement: Statement, value: Value, x: list[Number]) -> Number:
        if value.op == "load":
            place = self.address(statement, value)
            found = self.memory.get(place)
            return self.start(place) if found is None else found
        if value.op == "store":
            place = self.address(statement, value)
            self.memory[place] = x[0]
            return x[0]
        if value.op == "const":
            assert value.number is not None, value.spelling
            return self.arithmetic.const(value.number, value.type)
        if value.op in ("scalar", "carried"):
            return self.scalars.setdefault(value.name, self.initial(value.name, 1))
        if value.op == "assign":
            self.scalars[value.name] = x[0]
            return x[0]
        if value.op == "index":
            assert isinstance(value, IndexValue), value.target
            return value.poly.evaluate(self.env)
        if value.op == "compare":
            return COMPARE[value.operator](*x)
        if value.op in ("and", "or", "not") and value.type == "bool":
            return not x[0] if value.op == "not" else all(x) if value.op == "and" else any(x)
        if value.op == "select":
            return x[1] if x[0] else x[2]
        if value.op == "convert":
            return self.arithmetic.convert(x[0], value.type)
        if value.op == "call":
            return self.arithmetic.call(value.callee, value.type, x)
        return self.arithmetic.apply(value.op, value.type, x)


class Memory(Machine):
    """A run with every array, and scalars that lie in memory, at an address: they may overlap.

    ``layout`` gives addresses; other arrays, which a change has made, lie behind all of them.
    """

    def __init__(
        self, function: Function, sizes: Mapping[str, int], layout: Mapping[str, int]
    ) -> None:
        super().__init__(function, sizes, FIELD)
        self.layout = dict(layout)
        self.bytes: dict[int, int] = {}
        self.cells = {cell.name: cell for cell in function.cells}
        beyond = 2 * max(layout.values())
        for number, name in enumerate(self.arrays):
            self.layout.setdefault(name, beyond + (number << 20))

    def read(self, address: int, size: int, kind: str) -> Number:
        """The bytes as a number of the field, or an integer of the type."""
        content = bytes([self.bytes.get(address + k, self.fresh(address + k)) for k in range(size)])
        number = int.from_bytes(content, "little", signed=kind[0] == "i")
        return number % PRIME if kind[0] == "f" else number

    def fresh(self, address: int) -> int:
        """What a byte holds before anything is written."""
        return (address * 7 + address // 3) % 89 + 2 if address % 4 == 0 else 0

    def write(self, address: int, size: int, number: Number) -> None:
        content = (int(number) % (1 << (8 * size))).to_bytes(size, "little")
        self.bytes.update({address + k: byte for k, byte in enumerate(content)})

    def value(self, statement: Statement, value: Value, x: list[Number]) -> Number:
        if value.op in ("load", "store"):
            name, offset = self.address(statement, value)
            access = statement.accesses[value.access]
            place = self.layout[name] + offset
            if value.op == "load":
                return self.read(place, access.bytes, access.type)
            self.write(place, access.bytes, x[0])
            return x[0]
        if value.op in ("scalar", "carried", "assign") and value.name in self.cells:
            cell = self.cells[value.name]
            if value.op != "assign":
                return self.read(self.layout[cell.name], cell.element_bytes, cell.type)
            self.write(self.layout[cell.name], cell.element_bytes, x[0])
            return x[0]
        return super().value(statement, value, x)


def run_in_memory(
    function: Function, sizes: Mapping[str, int], layout: Mapping[str, int]
) -> dict[int, int]:
    """The bytes of the arrays and cells in ``layout`` that differ from what they held before."""
    machine = Memory(function, sizes, layout)
    machine.run(function.body)
    end = 2 * max(layout.values())
    changed = {a: b for a, b in machine.bytes.items() if b != machine.fresh(a)}
    return {address: byte for address, byte in changed.items() if address < end}


def run(
    function: Function,
    sizes: Mapping[str, int],
    arithmetic: Arithmetic = FIELD,
    canonical: Canonical = None,
) -> tuple[dict[tuple[str, int], Number], dict[str, Number]]:
    """The elements that changed, by (array, byte offset), and the scalars, after the function.

    ``canonical`` says for a changed layout where an element was before.
    """
    machine = Machine(function, sizes, arithmetic, canonical)
    machine.run(function.body)
    changed = {p: v for p, v in machine.memory.items() if v != machine.start(p)}
    return {canonical(p) if canonical else p: v for p, v in changed.items()}, machine.scalars
