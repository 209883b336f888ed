"""Values stored under a digest of the contents they depend on, wherever they are stored."""

from collections import OrderedDict
from typing import Final, Generic, NewType, Protocol, TypeVar

from rooflint.workers.digest import blake2b

Value = TypeVar("Value")
ContentKey = NewType("ContentKey", str)
"""Hexadecimal digits of a digest."""
DIGEST_BYTES: Final = 16


def content_key(*parts: str | bytes) -> ContentKey:
    """The key of what rests on all of ``parts``, in this order."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return ContentKey(digest.hexdigest())


class DigestStore(Protocol[Value]):
    """Values by content: on disk (``disk_store``), or in memory."""

    def get(self, key: ContentKey) -> Value | None:
        """The value; None for a miss."""

    def put(self, key: ContentKey, value: Value) -> None:
        """Keeps a value as long as there is room."""


class MemoryStore(Generic[Value]):
    """A store of one process; the ``limit`` values that were used last stay."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._values: OrderedDict[ContentKey, Value] = OrderedDict()

    def get(self, key: ContentKey) -> Value | None:
        """The value, which is now the youngest; None for a miss."""
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: ContentKey, value: Value) -> None:
        """Keeps a value, in place of the one that was not used for longest where it is full."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self.limit:
            self._values.popitem(last=False)

    def clear(self) -> None:
        """Forgets everything."""
        self._values.clear()
