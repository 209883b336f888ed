"""Whether two names of the IR may stand for the same bytes.

Three things tell them apart: where their memory comes from (``ir.Provenance``), ``restrict``, and
the types that they are accessed with. C17 6.5 paragraphs 6 and 7 and 6.7.3.1; C++20 [basic.lval].
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from rooflint.ir import BYTES, Aliasing, Array, Function
from rooflint.records import NamedTuple

CHARACTERS: Final = frozenset(("i8", "u8"))
"""``char`` and its relatives, and ``std::byte``: accesses of them may touch any object."""
UNTYPED: Final = frozenset(("opaque", "record", "void"))
"""What the front end calls accesses whose type it cannot name, and copies of whole records."""
MADE: Final = frozenset(("local", "static"))
"""Memory of objects, each with bytes of its own."""


class MemoryReference(NamedTuple):
    """An array, or a scalar in memory, and the type that it is accessed with."""

    name: str
    type: str


class FunctionMemory(NamedTuple):
    """The known arrays and cells of a function by name, and the language's aliasing rules."""

    arrays: Mapping[str, Array]
    cells: Mapping[str, Array]
    aliasing: Aliasing

    def object_of(self, name: str) -> Array | None:
        """The array or cell of that name."""
        return self.arrays.get(name) or self.cells.get(name)


class NoOverlap(NamedTuple):
    """The assumption that two names refer to different memory, made where nothing proves it.

    by_type  they could only meet if a store gave memory another type than the one it was read with
             before
    """

    first: str
    second: str
    by_type: bool = False

    def __str__(self) -> str:
        return f"{self.first} and {self.second} do not overlap"


Assumption: TypeAlias = str | NoOverlap
"""What a change rests on; ``str`` gives the sentence."""


def memory_of(function: Function) -> FunctionMemory:
    """The memory of a function as its declarations describe it."""
    return FunctionMemory(
        {array.name: array for array in function.arrays},
        {cell.name: cell for cell in function.cells},
        function.aliasing,
    )


def may_overlap(first: MemoryReference, second: MemoryReference, memory: FunctionMemory) -> bool:
    """Whether accesses by two different names can touch the same bytes."""
    a, b = memory.object_of(first.name), memory.object_of(second.name)
    if a is None or b is None:
        return True
    if _apart_by_place(a, b, memory):
        return False
    any_type = a.provenance.any_type or b.provenance.any_type
    return any_type or not _apart_by_type(first.type, second.type, memory.aliasing)


def own_object(array: Array | None) -> str | None:
    """The object that an array lies in, which no other object's name reaches; None where it may lie
    anywhere."""
    if array is None or array.provenance.reach not in MADE:
        return None
    return array.provenance.within or array.name


def is_private(array: Array) -> bool:
    """Whether nothing but the function itself sees what is stored to an array."""
    return array.provenance.reach == "local" and not array.provenance.exposed


def is_unobserved(array: Array) -> bool:
    """Whether nothing but the function itself sees that an array is read, and what is stored."""
    return is_private(array) and not array.provenance.volatile


def is_named_only(array: Array) -> bool:
    """Whether no pointer to an array can have been formed, so that its name reaches it alone."""
    return not array.provenance.exposed


def unproven(
    written: Iterable[MemoryReference], used: Iterable[MemoryReference], memory: FunctionMemory
) -> tuple[NoOverlap, ...]:
    """A pair for each of the names ``written`` that may overlap another one ``used``.

    A cell is read again after each store, so types say of it what they say of a flow of values.
    """
    pairs: dict[tuple[str, str], bool] = {}
    others = tuple(dict.fromkeys(used))
    flows = memory._replace(aliasing=memory.aliasing._replace(retyping=False))
    for store in dict.fromkeys(written):
        for other in others:
            if store.name == other.name:
                continue
            scalar = store.name in memory.cells or other.name in memory.cells
            if not may_overlap(store, other, flows if scalar else memory):
                continue
            low, high = sorted((store.name, other.name))
            by_type = not may_overlap(store, other, flows)
            pairs[low, high] = pairs.get((low, high), True) and by_type
    return tuple([NoOverlap(*pair, by_type) for pair, by_type in pairs.items()])


def _apart_by_place(a: Array, b: Array, memory: FunctionMemory) -> bool:
    one, other = a.provenance, b.provenance
    roots = one.within or a.name, other.within or b.name
    if roots[0] == roots[1]:
        return _other_members(a, b)
    reaches = {one.reach, other.reach}
    if reaches <= MADE or reaches == {"local", "argument"}:
        return True
    if is_private(a) or is_private(b):
        return True
    return _promised(a, b, memory) or _promised(b, a, memory) or (a.restrict and b.restrict)


def _other_members(a: Array, b: Array) -> bool:
    """Whether both are members of one record, of different bytes: those of a union are not."""
    one, other = a.provenance, b.provenance
    if not one.within or not other.within:
        return False
    first, second = sorted(((one.at, _size(a)), (other.at, _size(b))))
    return first[1] is not None and first[0] + first[1] <= second[0]


def _size(array: Array) -> int | None:
    size = array.element_bytes
    for extent in array.extents:
        if extent is None or extent.value is None:
            return None
        size *= extent.value
    return size or None


def _promised(a: Array, b: Array, memory: FunctionMemory) -> bool:
    """Whether ``restrict`` on a parameter keeps ``b`` from what ``a`` points to. A pointer of
    unknown origin may have been made from one that the function hands on."""
    own = (memory.arrays.get(a.provenance.within) or a).provenance
    return (
        a.restrict
        and own.reach == "argument"
        and (not own.exposed or b.provenance.reach != "pointer")
    )


def _apart_by_type(first: str, second: str, aliasing: Aliasing) -> bool:
    """Whether no access of the one type can touch an object of the other."""
    if not aliasing.strict or aliasing.retyping:
        return False
    kinds = {first, second}
    if kinds & (CHARACTERS | UNTYPED) or not kinds <= BYTES.keys():
        return False  # a vector type: those of the intrinsics may touch any object
    return not _alike(first, second) and not _is_part(first, second)


def _alike(first: str, second: str) -> bool:
    """Whether the types are one, or the signed and the unsigned one of a size."""
    signs = {first[:1], second[:1]}
    return first == second or (signs == {"i", "u"} and first[1:] == second[1:])


def _is_part(first: str, second: str) -> bool:
    """Whether the one is a real number and the other a complex one made of two of them."""
    real, pair = sorted((first, second), key=lambda kind: kind[:1] == "c")
    return pair[:1] == "c" and 2 * BYTES[real] == BYTES[pair] and real[:1] == "f"


def record_place(array: Array) -> tuple[str, int] | None:
    """The array that it is a member of, and the byte where it begins; None for a separate one."""
    own = array.provenance
    return (own.within, own.at) if own.within else None
