"""Parts of the IR that carry their place in the source."""

from typing import ClassVar

from msgspec import Struct
from msgspec.structs import astuple

from rooflint.ir.identity import kept_with_part


class LocatedNode(Struct, frozen=True, array_like=True):
    """A part of the IR. Its last field refers to its place in the source.

    The last ``beside`` fields describe only the source and take no part in equality.
    """

    beside: ClassVar[int] = 1

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        return astuple(self)[: -self.beside] == astuple(other)[: -self.beside]

    def __hash__(self) -> int:
        return hash(astuple(self)[: -self.beside])


class BodyNode(LocatedNode, frozen=True, array_like=True, dict=True):
    """A part of the IR with others inside it, which keeps what is derived from all of them."""

    def __hash__(self) -> int:
        return _content_hash(self)


@kept_with_part
def _content_hash(part: BodyNode) -> int:
    return LocatedNode.__hash__(part)
