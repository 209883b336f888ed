"""Operands of expressions while a function is lowered: closed forms, pointers, lvalues."""

from typing import Final, TypeAlias

from rooflint.frontend.lower.state.types import CType
from rooflint.ir import ZERO, Poly
from rooflint.ir.nodes import Provenance
from rooflint.records import NamedTuple

POINTER: Final = Provenance()
"""Of memory that is reached through a pointer, and of which no more is known."""


class Pointer(NamedTuple):
    """A pointer into ``array``, ``offset`` bytes from its start, to elements of ``target``.

    ``extents`` are those of a variable-length ``target``, outermost first. ``subscripts`` is None
    once the pointer has moved in a way that subscripts do not show. ``path`` names the member of
    the element that is pointed to (``.z``), empty for the element itself.
    """

    array: str
    offset: Poly
    target: CType
    subscripts: tuple[Poly, ...] | None = ()
    extents: tuple[Poly, ...] = ()
    path: str = ""

    @property
    def is_to_record(self) -> bool:
        """Whether the elements are records."""
        return self.target.shape == "record"


class Lvalue(NamedTuple):
    """Where a value lives: in ``array`` at ``offset``, or, with no array, in scalar ``name``.

    ``path`` names the member of the array's element: ``.z.n``. ``key`` is the variable's, 0 for
    an element. ``bits``: of a bit field.
    """

    ctype: CType
    array: str = ""
    offset: Poly = ZERO
    subscripts: tuple[Poly, ...] | None = ()
    name: str = ""
    key: int = 0
    extents: tuple[Poly, ...] = ()
    path: str = ""
    bits: int = 0


Operand: TypeAlias = Poly | Pointer | int
"""A closed-form integer, a pointer, or the number of a value in the statement being built."""

Binding: TypeAlias = Poly | Pointer | Lvalue
"""Value of a variable: a closed form, a pointer into an array, the target of a reference."""

Environment: TypeAlias = dict[int, Binding]
"""Bindings by the key of the variable's declaration."""


class Result(NamedTuple):
    """The scalar that holds what an inlined function returned."""

    name: str
    type: str


def advance_pointer(pointer: Pointer, elements: Poly) -> Pointer:
    """The pointer ``elements`` further on."""
    if not elements.terms:
        return pointer
    array, offset, target, before, extents, _ = pointer
    size = target.bytes
    step = elements * size if size or not extents else elements * element_bytes(pointer)
    subscripts: tuple[Poly, ...] | None = None
    if before:
        last = before[-1]
        subscripts = (*before[:-1], last + elements if last.terms else elements)
    elif before is not None and not offset.terms:
        subscripts = (elements,)
    if offset.terms:
        step = offset + step
    return tuple.__new__(Pointer, (array, step, target, subscripts, extents, ""))


def element_bytes(pointer: Pointer) -> Poly:
    """Bytes of what the pointer points to, symbolic for a variable-length array."""
    target = pointer.target
    if target.bytes or not pointer.extents:
        return Poly.constant(target.bytes)
    size, *others = pointer.extents
    for extent in others:
        size = size * extent
    while target.shape == "array" and target.element is not None:
        target = target.element
    return size * target.bytes
