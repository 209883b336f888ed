"""The memory that one function touches: its arrays, and its scalars that have an address."""

from collections.abc import Iterator
from contextlib import contextmanager

from rooflint.frontend.lower.state.operands import POINTER, Lvalue
from rooflint.frontend.lower.state.types import CType
from rooflint.ir import Array, PointerAccess, Poly, Provenance
from rooflint.ir.nodes import Storage


class MemoryTable:
    """Arrays and cells by name.

    ``used`` names the arrays that are accessed; ``fields`` are members of records that do not move;
    ``variable_extents`` are those of variable-length arrays, by the key of a variable or typedef.
    ``wrapping`` are arrays whose subscripts may wrap, noted like pointers.
    ``scalars_read`` are the names of scalars read since ``noting_scalars`` was entered; None
    outside of it. ``pointers`` are those in memory that were read or stored since
    ``noting_pointers`` was entered.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self.cells: dict[str, Array] = {}
        self.used: set[str] = set()
        self.fields: dict[tuple[str, int, int], Lvalue] = {}
        self.variable_extents: dict[int, tuple[Poly, ...]] = {}
        self.scalars_read: dict[str, None] | None = None
        self.pointers: dict[PointerAccess, None] | None = None
        self.wrapping: dict[str, None] = {}
        self._returned: dict[str, str] = {}

    @contextmanager
    def noting_scalars(self) -> Iterator[dict[str, None]]:
        """Yields the names of the scalars that are read inside."""
        outer = self.scalars_read
        own: dict[str, None] = {}
        self.scalars_read = own
        yield own
        self.scalars_read = outer
        if outer is not None:
            outer.update(own)

    @contextmanager
    def noting_pointers(self) -> Iterator[dict[PointerAccess, None]]:
        """Yields the pointers in memory that are read or stored inside."""
        outer = self.pointers
        own: dict[PointerAccess, None] = {}
        self.pointers = own
        yield own
        self.pointers = outer
        if outer is not None:
            outer.update(own)

    @contextmanager
    def noting_wrapping(self) -> Iterator[dict[str, None]]:
        """Yields the arrays that are accessed inside where a sum of 32 bits may wrap."""
        outer = self.wrapping
        own: dict[str, None] = {}
        self.wrapping = own
        yield own
        self.wrapping = outer
        outer.update(own)

    def note_pointer(self, holder: str, ctype: CType, target: str = "") -> None:
        """Notes that a pointer of this type is read from ``holder``, or stored without ``target``,
        where somebody wants to know."""
        element = ctype.element
        if self.pointers is None or element is None:
            return
        names = {"record": element.name, "pointer": "ptr", "void": "void"}
        pointee = names.get(element.shape, element.ir)
        self.pointers[PointerAccess(holder, pointee, target)] = None

    def note_scalar(self, name: str) -> None:
        """Notes that a scalar is read, where somebody wants to know."""
        if self.scalars_read is not None:
            self.scalars_read[name] = None

    def base(
        self,
        name: str,
        ctype: CType,
        storage: Storage,
        extents: tuple[Poly | None, ...],
        provenance: Provenance = POINTER,
    ) -> str:
        """Registers an array under ``name`` once and returns the name."""
        if name not in self.arrays:
            element, held = ctype, provenance
            while element.shape in ("array", "pointer") and element.element is not None:
                element = element.element
            self.arrays[name] = Array(
                name, element.ir or "opaque", element.bytes, extents, storage,
                ctype.restrict, element.const,
                provenance=held._replace(any_type=element.any_type, volatile=element.volatile),
            )  # fmt: skip
        return name

    def name_of_returned(self, callee: str, text: str, *, own: bool) -> str:
        """The name of the memory that a call returns.

        Calls with the same ``text`` return the same, but for memory of their ``own``.
        """
        known = "" if own else self._returned.get(text, "")
        if known in self.arrays:
            return known
        name, number = f"{callee}()", 1
        while name in self.arrays:
            number += 1
            name = f"{callee}()'{number}"
        self._returned[text] = name
        return name

    def is_returned(self, name: str) -> bool:
        """Whether an array is known by the call that returns it."""
        return name in self._returned.values()

    def update(self, array: Array) -> None:
        """Replaces what is known of an array."""
        self.arrays[array.name] = array

    def forget(self, name: str) -> None:
        """Takes an array out that turned out to be known by another name or type."""
        self.arrays.pop(name, None)

    def enter_field(self, key: tuple[str, int, int], field: Lvalue) -> Lvalue:
        """Records a member of a record that does not move, and returns it."""
        self.fields[key] = field
        return field

    def repoint(self, name: str) -> None:
        """The pointer that an array is known by may point elsewhere from here on."""
        array = self.arrays.get(name)
        if array is not None and array.provenance.reach == "argument":
            moved = array.provenance._replace(reach="pointer")
            self.arrays[name] = array._replace(provenance=moved)

    def note_cell(self, name: str, ctype: CType, storage: Storage, provenance: Provenance) -> None:
        """Notes that a scalar or size of the IR lies in memory, and is read."""
        self.note_scalar(name)
        if name not in self.cells:
            self.cells[name] = Array(
                name, ctype.ir or "opaque", ctype.bytes, (), storage, readonly=ctype.const,
                provenance=provenance._replace(any_type=ctype.any_type, volatile=ctype.volatile),
            )  # fmt: skip

    def extend(self, key: int, extents: tuple[Poly, ...]) -> None:
        """The variable-length array of that variable or typedef has these extents."""
        self.variable_extents[key] = extents
