"""Results that cost seconds, kept in the user's cache folder by a hash of all they depend on."""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from typing import Final

from rooflint.records import NamedTuple

KEPT: Final = 256
"""Entries; the oldest beyond are removed."""
FORMAT: Final = 1


def user_cache() -> str:
    """Where a user's programs keep what can be made again."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return os.path.join(base or os.path.expanduser(os.path.join("~", ".cache")), "rooflint", "asm")


class ResultStore(NamedTuple):
    """A folder of texts by key; without ``folder`` it keeps nothing. A store that cannot be used is
    as good as an empty one: every failure is a miss."""

    folder: str | None = None

    def read(self, key: str) -> str | None:
        """The text, if the files that it was made from are what they were."""
        if self.folder is None:
            return None
        try:
            with open(_entry_path(self.folder, key), encoding="utf-8") as file:
                entry = json.load(file)
            if entry["format"] != FORMAT or any(
                _digest(path) != digest for path, digest in entry["made_from"].items()
            ):
                return None
            os.utime(_entry_path(self.folder, key))
            return str(entry["text"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, key: str, text: str, made_from: Iterable[str] = ()) -> None:
        """Keeps a text with the digests of the files it was made from."""
        if self.folder is None:
            return
        entry = {
            "format": FORMAT,
            "made_from": {path: _digest(path) for path in made_from},
            "text": text,
        }
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(entry, file)
            os.replace(temporary, _entry_path(self.folder, key))
            _trim(self.folder)


def _entry_path(folder: str, key: str) -> str:
    return os.path.join(folder, f"{key}.json")


def _trim(folder: str) -> None:
    entries = [e for e in os.scandir(folder) if e.name.endswith((".json", ".part"))]
    entries.sort(key=lambda e: e.stat().st_mtime, reverse=True)
    for entry in entries[KEPT:]:
        os.unlink(entry.path)


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""
