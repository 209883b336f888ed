"""Parts of the IR that carry their place in the source."""

from typing import ClassVar

from msgspec import Struct
from msgspec.structs import astuple


class LocatedNode(Struct, frozen=True, array_like=True):
    """A part of the IR. Its last field refers to its place in the source.

    The last ``beside`` fields describe only the source and take no part in equality.
    """

    beside: ClassVar[int] = 1

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return astuple(self)[: -self.beside] == astuple(other)[: -self.beside]

    def __hash__(self) -> int:
        return hash(astuple(self)[: -self.beside])
