"""Results of files on disk, so that a second run parses only what has changed.

One file an entry, written beside its place and then moved there: runs at the same time see a whole
entry or none, on network file systems too. An entry is found by what the program knows before it
reads a header, and holds when the headers are what they were. Whatever goes wrong costs time only.
"""

import hashlib
import os
import re
import stat
import time
from typing import Final, NamedTuple

FORMAT: Final = b"rooflint-result-1\n"
DIGEST_BYTES: Final = 16
SHARDS: Final = 64
USUAL_LIMIT_BYTES: Final = 512 << 20
ENVIRONMENT: Final = "ROOFLINT_CACHE_DIR"
ABANDONED_S: Final = 3600
"""An entry that nobody has finished writing for so long never will be."""
WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_ENTRY = re.compile(r"[0-9a-f]{32}(\.\d+\.part)?")


class Usage(NamedTuple):
    """How full a cache is."""

    entries: int
    bytes: int


def default_folder(configured: str = "") -> str:
    """The folder of the environment, else the configured one, else where the user's programs keep
    what can be made again; empty where there is no such place."""
    if chosen := os.environ.get(ENVIRONMENT):
        return os.path.abspath(chosen)
    if configured:
        return configured
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "rooflint", "results") if os.path.isabs(base) else ""


class Cache:
    """A folder of entries by key; what was used last stays when the limit is reached.

    problem  the first thing that went wrong, for one line of warning; empty while all is well
    """

    def __init__(self, folder: str, limit_bytes: int = USUAL_LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self.problem = ""
        self._usable = bool(folder)
        self._grown: set[str] = set()
        if self._usable and (why := _others_may_write(folder)):
            self._give_up(why)

    def read(self, key: str) -> bytes | None:
        """The entry, None for a miss; a damaged one is a miss."""
        if not self._usable:
            return None
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                text = file.read()
            os.utime(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._say(f"cannot be read: {error.strerror}")
            return None
        start = len(FORMAT) + DIGEST_BYTES
        if text[:start] != FORMAT + _digest(text[start:]):
            self.damaged(key)
            return None
        return text[start:]

    def damaged(self, key: str) -> None:
        """Removes an entry that cannot be used."""
        self._say("a damaged entry was removed, its file is analysed again")
        try:
            os.unlink(self._path(key))
        except OSError:
            return  # another run was faster, or nothing can be removed here

    def write(self, key: str, content: bytes) -> None:
        """Keeps an entry."""
        if not self._usable:
            return
        path = self._path(key)
        part = f"{path}.{os.getpid()}.part"
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            try:
                _write_new(part, FORMAT + _digest(content) + content)
                os.replace(part, path)
            except OSError:
                _unlink(part)
                raise
        except OSError as error:
            self._give_up(f"cannot be written: {error.strerror}")
            return
        self._grown.add(os.path.dirname(path))

    def trim(self) -> None:
        """Makes room where this run wrote: entries unused for longest go first."""
        for shard in self._grown:
            entries = []
            now_s = time.time()
            for path, status in _entries(shard):
                if path.endswith(".part") and now_s - status.st_mtime > ABANDONED_S:
                    _unlink(path)
                else:
                    entries.append((status.st_mtime_ns, status.st_size, path))
            room = self.limit_bytes // SHARDS
            for _, size, path in sorted(entries, reverse=True):
                room -= size
                if room < 0:
                    _unlink(path)
        self._grown.clear()

    def usage(self) -> Usage:
        """Number and size of the entries."""
        sizes = [status.st_size for shard in self._shards() for _, status in _entries(shard)]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Removes all entries; says what there was."""
        usage = self.usage()
        for shard in self._shards():
            for path, _ in _entries(shard):
                _unlink(path)
        return usage

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, f"{int(key[:8], 16) % SHARDS:02x}", key)

    def _shards(self) -> list[str]:
        return [os.path.join(self.folder, f"{shard:02x}") for shard in range(SHARDS)]

    def _say(self, what: str) -> None:
        self.problem = self.problem or f"cache {self.folder}: {what}"

    def _give_up(self, why: str) -> None:
        self._say(f"{why}; results are not kept")
        self._usable = False


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def _others_may_write(folder: str) -> str:
    """Why entries there could be somebody else's; empty when they cannot."""
    if not hasattr(os, "getuid"):
        return ""
    try:
        status = os.stat(folder)
    except OSError:
        return ""  # not there yet: it will be made
    if status.st_uid != os.getuid():
        return "belongs to another user"
    if status.st_mode & WRITABLE_BY_OTHERS:
        return "others may write there"
    return ""


def _write_new(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)


def _entries(shard: str) -> list[tuple[str, os.stat_result]]:
    found = []
    try:
        with os.scandir(shard) as entries:
            for entry in entries:
                if not _ENTRY.fullmatch(entry.name):
                    continue
                try:
                    found.append((entry.path, entry.stat(follow_symlinks=False)))
                except OSError:
                    continue  # another run has just removed it
    except OSError:
        return found
    return found


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
