"""Nodes as keys: two loops of a function may be equal, and are two loops all the same."""


class IdentityKey:
    """An object as a key that equals no other object's, and keeps the object alive."""

    __slots__ = ("_item",)

    def __init__(self, item: object) -> None:
        self._item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self._item is other._item

    def __hash__(self) -> int:
        return object.__hash__(self._item)
