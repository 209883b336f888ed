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
    an element.
    """

    ctype: CType
    array: str = ""
    offset: Poly = ZERO
    subscripts: tuple[Poly, ...] | None = ()
    name: str = ""
    key: int = 0
    extents: tuple[Poly, ...] = ()
    path: str = ""


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
