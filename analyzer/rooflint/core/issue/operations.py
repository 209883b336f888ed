"""Operations of the IR as classes of the machine file, and where the file has none, the nearest."""

from collections.abc import Collection
from typing import Final

from rooflint.core.issue.bit_sequences import BIT_CLASSES
from rooflint.ir import BYTES
from rooflint.machine import CoreModel, CoreOperation
from rooflint.records import NamedTuple

CLASS_OF: Final = {
    "add": "add", "sub": "add", "mul": "mul", "div": "div", "rem": "rem", "fma": "fma",
    "sqrt": "sqrt", "min": "max", "max": "max", "compare": "compare", "select": "select",
    "convert": "convert", "neg": "logic", "abs": "logic", "and": "logic", "or": "logic",
    "xor": "logic", "not": "logic", "shl": "shift", "shr": "shift", "load": "load",
    "store": "store", **BIT_CLASSES,
}  # fmt: skip
"""A sign is flipped or cleared by a logical instruction; subtraction is an addition."""

INSTEAD: Final = {
    "rem": "div", "max": "compare", "compare": "add", "select": "logic", "shift": "logic",
    "shuffle": "logic", "convert": "add", "logic": "add", "branch": "add", "move": "logic",
    "fma": "mul", "sqrt": "div", "div": "mul", "rotate": "shift", "byte_swap": "shift",
    "popcount": "mul", "leading_zeros": "popcount", "trailing_zeros": "leading_zeros",
    "widen": "shuffle", "round": "convert",
}  # fmt: skip


class OperationMatch(NamedTuple):
    """An instruction and how many of it cover the width asked for."""

    operation: CoreOperation
    pieces: int


def conversion_class(source: str, result: str) -> str:
    """``round`` from one floating-point type to another; integers take a register file's way."""
    return "round" if source[:1] == result[:1] == "f" else "convert"


def element_bytes(kind: str) -> int:
    """Bytes of one element; of an unknown type those of a double."""
    return BYTES.get(kind, 8)


class Operations:
    """Looks instructions up, once each; ``notes`` say what stood in for what.

    vector_extremes  integer types whose scalar maxima are vector instructions too
    """

    def __init__(self, core: CoreModel, vector_extremes: Collection[str] = ()) -> None:
        self.core, self.vector_extremes = core, vector_extremes
        self.notes: dict[str, None] = {}
        self._known: dict[tuple[str, str, int | None], OperationMatch] = {}

    def find(self, name: str, kind: str, width_bytes: int | None) -> OperationMatch:
        """The instruction of class ``name`` on ``kind``, ``width_bytes`` at once (None: scalar)."""
        key = (name, kind, width_bytes)
        found = self._known.get(key)
        if found is None:
            single = width_bytes is None and name == "max" and kind in self.vector_extremes
            found = self._known[key] = self._look(name, kind, 16 if single else width_bytes)
        return found

    def latency_cy(self, name: str, kind: str, width_bytes: int | None) -> float:
        """Cycles until the result can be used."""
        latency = self.find(name, kind, width_bytes).operation.latency_cy
        return 1.0 if latency is None else latency

    def accumulate_cy(self, kind: str, width_bytes: int | None) -> float:
        """Cycles from one multiply-add to the next that adds to its result."""
        chained = self.find("fma", kind, width_bytes).operation.accumulate_cy
        return self.latency_cy("fma", kind, width_bytes) if chained is None else chained

    def cost_cy(self, operation: CoreOperation) -> float:
        """Cycles of one instruction among many of its kind."""
        issue = self.core.issue_width or 4
        return max([operation.uops / issue, *[use.cy / len(use.ports) for use in operation.uses]])

    def by_element_cy(self, name: str, width: int) -> float:
        """Cycles of moving ``width`` elements one by one in and out of a register."""
        move, shuffle = self.find(name, "f64", None), self.find("shuffle", "f64", 16)
        parts = (
            width * self.cost_cy(move.operation),
            (width - 1) * self.cost_cy(shuffle.operation),
        )
        return max((2 * width - 1) / (self.core.issue_width or 4), *parts)

    def _look(self, name: str, kind: str, width_bytes: int | None) -> OperationMatch:
        wanted: str | None = name
        while wanted is not None:
            for typed in _types(kind):
                found = self._at(wanted, typed, width_bytes)
                if found is not None:
                    if wanted != name:
                        self.notes[f"{name} is assumed to cost as much as {wanted}"] = None
                    return found
            wanted = INSTEAD.get(wanted)
        self.notes[f"{name} is assumed to cost one issue cycle only"] = None
        return OperationMatch(CoreOperation(1.0, ()), 1)

    def _at(self, name: str, kind: str, width_bytes: int | None) -> OperationMatch | None:
        operation = self.core.operation(name, kind, width_bytes)
        pieces, width = 1, width_bytes
        while operation is None and width is not None and width > 16:
            width //= 2
            pieces *= 2
            operation = self.core.operation(name, kind, width)
        if operation is None and width_bytes is not None:
            # no vector form: one scalar instruction an element
            operation = self.core.operation(name, kind, None)
            pieces = max(1, width_bytes // element_bytes(kind))
        return OperationMatch(operation, pieces) if operation is not None else None


def _types(kind: str) -> tuple[str, ...]:
    """The type, and for one that machine files do not list the nearest that they do."""
    if kind in ("f32", "f64", "i32", "i64", "i16", "i8"):
        return (kind,)
    if kind[:1] in "fbc" and kind != "bool":
        return (kind, "f64") if element_bytes(kind) >= 8 else (kind, "f32")
    return (kind, "i64") if element_bytes(kind) >= 8 else (kind, "i32")
