"""Whether two versions leave the same behind: in every bit, or but for rounding.

What a call does not change is no result. Addresses differ from process to process, so memory
counts only where a version changed it.
"""

import math
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from operator import itemgetter
from typing import Final

from msgspec import Struct

from rooflint.measure.contents import MemoryContents
from rooflint.measure.program import ProgramArray, ScalarKind

RELATIVE: Final[dict[ScalarKind, float]] = {"f64": 1e-6, "f32": 1e-4}
"""Of the larger value. A sum of a million terms of type float in another order differs by about
sqrt(1e6) times half of its last place, 6e-5; a double has room for a hundred times more."""
_FORMATS: Final[dict[ScalarKind, tuple[str, int]]] = {"f64": ("=d", 8), "f32": ("=f", 4)}
_STEP: Final = 1 << 16
"""Bytes compared in one piece; a multiple of 1, 2, 4 and 8."""


class Agreement(Enum):
    """How far results have to agree, or do."""

    BITS = "same bits"
    RELATIVE = "equal but for rounding"


class ResultDifference(Struct, frozen=True, kw_only=True):
    """The first element that differs, with its values as text."""

    name: str
    element: int | None
    before: str
    after: str

    @property
    def place(self) -> str:
        """``a[12]``; a single object has no number."""
        return self.name if self.element is None else f"{self.name}[{self.element}]"


class LayoutDifference(Struct, frozen=True, kw_only=True):
    """An array or object that only one version has, or that has another type in the other."""

    name: str


class EmptyResults(Struct, frozen=True):
    """Neither version changes memory that can be compared."""


EqualityAnswer = Agreement | ResultDifference | LayoutDifference | EmptyResults


class VersionResults(Struct, frozen=True, kw_only=True):
    """Contents after a call, and what is known of their types."""

    arrays: tuple[ProgramArray, ...]
    cells: tuple[ProgramArray, ...]
    contents: tuple[MemoryContents, ...]


def compare_results(
    before: VersionResults, after: VersionResults, required: Agreement
) -> EqualityAnswer:
    """The agreement reached, or why there is none; ``required`` says when rounding may differ."""
    strange = _strange_name(before, after) or _strange_name(after, before)
    if strange:
        return LayoutDifference(name=strange)
    pairs = _pairs(before, after)
    reached = Agreement.BITS
    for pair in pairs:
        if pair.difference(exact=True) is None:
            continue
        reached = Agreement.RELATIVE
        worst = pair.difference(exact=required is Agreement.BITS)
        if worst is not None:
            return pair.described(worst)
    return reached if any(pair.is_changed for pair in pairs) else EmptyResults()


def _pairs(before: VersionResults, after: VersionResults) -> "list[_Pair]":
    singles = len(before.contents) - len(before.cells)
    kinds = (*before.arrays, *before.cells)
    others = dict(zip(_keys((*after.arrays, *after.cells)), after.contents, strict=True))
    return [
        _Pair(kind, contents, others[key], is_single=number >= singles)
        for number, (key, kind, contents) in enumerate(
            zip(_keys(kinds), kinds, before.contents, strict=True)
        )
    ]


def _keys(arrays: Sequence[ProgramArray]) -> list[tuple[str, int]]:
    """Names with a number each: pointers to rows and the rows share one."""
    seen: Counter[str] = Counter()
    keys = []
    for array in arrays:
        keys.append((array.name, seen[array.name]))
        seen[array.name] += 1
    return keys


def _strange_name(one: VersionResults, other: VersionResults) -> str:
    """The name of an array or object that the other version lacks; empty without one."""
    return _strange(one.arrays, other.arrays) or _strange(one.cells, other.cells)


def _strange(arrays: Sequence[ProgramArray], others: Sequence[ProgramArray]) -> str:
    """The name of the first one that the others lack, or that is of another type there."""
    known = {key: (e.element_bytes, e.scalar) for key, e in zip(_keys(others), others, strict=True)}
    for key, each in zip(_keys(arrays), arrays, strict=True):
        if known.get(key) != (each.element_bytes, each.scalar):
            return each.name
    return ""


class _Pair:
    """The same memory in both versions."""

    def __init__(
        self, kind: ProgramArray, before: MemoryContents, after: MemoryContents, is_single: bool
    ) -> None:
        self.kind = kind
        self.is_single = is_single
        self.before = before
        self.after = after
        widths = {"f64": 8, "f32": 4, "integer": max(1, kind.element_bytes)}
        self.width = widths.get(kind.scalar, 1)

    @property
    def is_changed(self) -> bool:
        """Whether one of the versions changed it."""
        return any(each.fresh != each.after for each in (self.before, self.after))

    def difference(self, exact: bool) -> int | None:
        """The offset of the first scalar that differs."""
        return next(self._differences(exact), None)

    def _differences(self, exact: bool) -> Iterator[int]:
        start = min(self.before.low, self.after.low)
        end = max(each.low + len(each.after) for each in (self.before, self.after))
        begin = start // self.width * self.width
        for at in range(begin, end, _STEP):
            stop = min(at + _STEP, end)
            if self._is_same(at, stop) or (not exact and self._is_near(at, stop)):
                continue
            for offset in range(at, stop, self.width):
                if not self._is_equal(offset, exact):
                    yield offset

    def _is_same(self, begin: int, end: int) -> bool:
        one, other = (_part(each, each.after, begin, end) for each in (self.before, self.after))
        return one == other and len(one) == end - begin

    def _is_near(self, begin: int, end: int) -> bool:
        """Whether all of a piece that both versions touched is equal but for rounding."""
        known = _FORMATS.get(self.kind.scalar)
        parts = [_part(each, each.after, begin, end) for each in (self.before, self.after)]
        if known is None or {len(part) for part in parts} != {(end - begin) // known[1] * known[1]}:
            return False
        rows = [map(itemgetter(0), struct.iter_unpack(known[0], part)) for part in parts]
        limit = RELATIVE[self.kind.scalar]
        return all(math.isclose(a, b, rel_tol=limit) for a, b in zip(*rows, strict=True))

    def _is_equal(self, offset: int, exact: bool) -> bool:
        """A scalar is equal where neither version changed it, or both to the same value."""
        sides = [self._side(each, offset) for each in (self.before, self.after)]
        if not any(fresh != now for fresh, now in sides):
            return True
        values = [now for _, now in sides]
        known = [now or self._other_fresh(offset, number) for number, now in enumerate(values)]
        if known[0] == known[1]:
            return True
        return not exact and _is_close(known[0], known[1], self.kind.scalar)

    def _side(self, contents: MemoryContents, offset: int) -> tuple[bytes, bytes]:
        end = offset + self.width
        return (
            _part(contents, contents.fresh, offset, end),
            _part(contents, contents.after, offset, end),
        )

    def _other_fresh(self, offset: int, number: int) -> bytes:
        """The value that a version left as it was, outside of the pages it touched."""
        other = (self.after, self.before)[number]
        return _part(other, other.fresh, offset, offset + self.width)

    def described(self, offset: int) -> ResultDifference:
        """The values at an offset, as text."""
        sides = [self._side(each, offset)[1] for each in (self.before, self.after)]
        known = [now or self._other_fresh(offset, number) for number, now in enumerate(sides)]
        texts = [_text(each, self.kind.scalar) for each in known]
        return ResultDifference(
            name=self.kind.name,
            element=None if self.is_single else offset // max(1, self.kind.element_bytes),
            before=texts[0],
            after=texts[1],
        )


def _part(contents: MemoryContents, data: bytes, begin: int, end: int) -> bytes:
    """Bytes of a range, as far as they are known."""
    return data[max(0, begin - contents.low) : max(0, end - contents.low)]


def _is_close(one: bytes, other: bytes, scalar: ScalarKind) -> bool:
    known = _FORMATS.get(scalar)
    if known is None or not len(one) == len(other) == known[1]:
        return False
    first, second = (struct.unpack(known[0], each)[0] for each in (one, other))
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return math.isclose(first, second, rel_tol=RELATIVE[scalar])


def _text(value: bytes, scalar: ScalarKind) -> str:
    if scalar == "integer":
        return str(int.from_bytes(value, sys.byteorder, signed=True))
    known = _FORMATS.get(scalar)
    if known is None or len(value) != known[1]:
        return f"0x{value.hex()}"
    return f"{struct.unpack(known[0], value)[0]:.17g}"
