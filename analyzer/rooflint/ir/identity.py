"""Parts of the IR as objects: as keys, though others are equal, and with answers kept beside them.

Two loops of a function may be equal, and are two loops all the same.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Part = TypeVar("Part")
Answer = TypeVar("Answer")


class IdentityKey:
    """An object as a key that equals no other object's, and keeps the object alive."""

    __slots__ = ("_item",)

    def __init__(self, item: object) -> None:
        self._item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self._item is other._item

    def __hash__(self) -> int:
        return object.__hash__(self._item)


def kept_with_part(compute: Callable[[Part], Answer]) -> Callable[[Part], Answer]:
    """``compute`` of an immutable part that has a ``__dict__``; the answer goes with the part.

    Nobody changes the answer. It is no field: it is neither compared, nor copied, nor sent.
    """
    attribute = f"_{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def answer_once(part: Part) -> Answer:
        answers = part.__dict__
        if attribute not in answers:
            answers[attribute] = compute(part)
        answer: Answer = answers[attribute]
        return answer

    return answer_once
