"""Results that cost seconds, kept on disk until a file that they were made from changes."""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Final

from rooflint.incremental.disk_store import USUAL_LIMIT_BYTES, DiskStore
from rooflint.incremental.store import content_key
from rooflint.records import NamedTuple
from rooflint.workers.wire import Codec, WireError


class StoredText(NamedTuple):
    """A text, and digests of the files that it was made from."""

    made_from: Mapping[str, str]
    text: str


ENTRIES: Final = Codec[StoredText](StoredText)
KIND: Final = "assembly"
"""Tells the keys of these entries from those of others in the folder."""


class ResultStore:
    """Texts by key in a folder of the user's cache; without ``folder`` it keeps nothing."""

    def __init__(self, folder: str = "", limit_bytes: int = USUAL_LIMIT_BYTES) -> None:
        self._entries = DiskStore(folder, limit_bytes)

    def read(self, key: str) -> str | None:
        """The text, if the files that it was made from are what they were."""
        content = self._entries.get(content_key(KIND, key))
        try:
            entry = ENTRIES.decode(content) if content is not None else None
        except WireError:
            return None
        if entry is None or any(_digest(path) != own for path, own in entry.made_from.items()):
            return None
        return entry.text

    def write(self, key: str, text: str, made_from: Iterable[str] = ()) -> None:
        """Keeps a text with the digests of the files it was made from."""
        with contextlib.suppress(WireError):  # too long to keep
            entry = StoredText({path: _digest(path) for path in made_from}, text)
            self._entries.put(content_key(KIND, key), ENTRIES.encode(entry))
            self._entries.trim()


def _digest(path: str) -> str:
    import hashlib  # noqa: PLC0415 - loads OpenSSL, 3 ms that a run without stored texts saves

    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""
