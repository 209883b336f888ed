"""Results of files on disk, so that a second run parses only changed files.

Each entry is one file, written beside its place and then moved there: concurrent runs see a whole
entry or none, on network file systems too. The key of an entry consists of data known before any
header is read; the entry is valid if the headers are unchanged. Errors cost time only.

The folder belongs to the user alone, and each entry is sealed with a key of that user, which lies
elsewhere: a cache may be copied, or come with a tree. Entries of others are not even decompressed.
"""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from rooflint.incremental.store import DIGEST_BYTES, ContentKey
from rooflint.records import NamedTuple
from rooflint.workers.digest import blake2b
from rooflint.workers.storage import MAX_STORED_BYTES

FORMAT: Final = b"rooflint-entry-2\n"
SEAL_BYTES: Final = 32
HEAD_BYTES: Final = len(FORMAT) + SEAL_BYTES
MAX_ENTRY_BYTES: Final = HEAD_BYTES + MAX_STORED_BYTES + 64
"""With the header of a frame."""
SHARDS: Final = 64
USUAL_LIMIT_BYTES: Final = 512 << 20
ENVIRONMENT: Final = "ROOFLINT_CACHE_DIR"
ABANDONED_S: Final = 3600
"""An entry that nobody has finished writing for so long never will be."""
UNFINISHED: Final = ".part"
KEY_BYTES: Final = 32
KEY_FILE: Final = "cache.key"
OPEN_TO_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Usage(NamedTuple):
    """Number and size of a cache's entries."""

    entries: int
    bytes: int


def default_folder() -> str:
    """The folder of the environment, else the user's cache folder; empty if there is none. An
    analysed tree cannot set it.
    """
    if chosen := os.environ.get(ENVIRONMENT):
        return os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "rooflint", "entries") if os.path.isabs(base) else ""


def measurements_folder() -> str:
    """The folder of measurements, below that of cached results; empty where the user has none."""
    folder = default_folder()
    return os.path.join(folder, "measured") if folder else ""


class DiskStore:
    """A folder of entries by key; the least recently used entries go when the limit is reached.

    problem  the first problem, for one line of warning; empty if there was none
    """

    def __init__(self, folder: str, limit_bytes: int = USUAL_LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self.problem = ""
        self._usable = bool(folder)
        self._grown: set[str] = set()
        self._key = b""
        if self._usable and (why := _not_private(folder)):
            self._give_up(why)

    def get(self, key: ContentKey) -> bytes | None:
        """The entry, or None for a miss; an entry without this user's seal is a miss."""
        if not self._ready():
            return None
        path = self._path(key)
        try:
            text = _read_file(path)
            os.utime(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._say(f"cannot be read: {error.strerror}")
            return None
        import hmac  # noqa: PLC0415 - loads OpenSSL, 3 ms that a run without entries saves

        content = text[HEAD_BYTES:]
        if not hmac.compare_digest(text[:HEAD_BYTES], FORMAT + self._seal(key, content)):
            self.discard(key)
            return None
        return content

    def discard(self, key: ContentKey) -> None:
        """Removes an entry that cannot be used."""
        self._say("a damaged or foreign entry was removed, and its file is analysed again")
        self.remove(key)

    def remove(self, key: ContentKey) -> None:
        """Removes an entry that is not wanted any more."""
        try:
            os.unlink(self._path(key))
        except OSError:
            return  # another run was faster, or nothing can be removed here

    def put(self, key: ContentKey, content: bytes) -> None:
        """Stores an entry."""
        if not self._ready() or len(content) > MAX_ENTRY_BYTES - HEAD_BYTES:
            return
        path = self._path(key)
        part = f"{path}.{os.getpid()}{UNFINISHED}"
        try:
            for folder in (self.folder, os.path.dirname(path)):
                os.makedirs(folder, mode=0o700, exist_ok=True)
            try:
                _write_new(part, FORMAT + self._seal(key, content) + content)
                os.replace(part, path)
            except OSError:
                _unlink(part)
                raise
        except OSError as error:
            self._give_up(f"cannot be written: {error.strerror}")
            return
        self._grown.add(os.path.dirname(path))

    def trim(self) -> None:
        """Makes room where this run wrote: least recently used entries go first."""
        for shard in self._grown:
            entries = []
            now_s = time.time()
            for path, status in _entries(shard):
                if path.endswith(UNFINISHED) and now_s - status.st_mtime > ABANDONED_S:
                    _unlink(path)
                else:
                    entries.append((status.st_mtime_ns, status.st_size, path))
            room = self.limit_bytes // SHARDS
            for _, size, path in sorted(entries, reverse=True):
                room -= size
                if room < 0:
                    _unlink(path)
        self._grown.clear()

    def keys(self) -> Iterator[ContentKey]:
        """The keys of all entries."""
        for shard in self._shards():
            for path, _ in _entries(shard):
                if not path.endswith(UNFINISHED):
                    yield ContentKey(os.path.basename(path))

    def usage(self) -> Usage:
        """Number and size of the entries."""
        sizes = [status.st_size for shard in self._shards() for _, status in _entries(shard)]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Removes all entries and returns their number and size."""
        usage = self.usage()
        for shard in self._shards():
            for path, _ in _entries(shard):
                _unlink(path)
        return usage

    def _ready(self) -> bool:
        if self._usable and not self._key:
            try:
                self._key = user_key()
            except NoKeyError as error:
                self._give_up(str(error))
        return self._usable

    def _seal(self, key: ContentKey, content: bytes) -> bytes:
        return blake2b(
            key.encode() + content, digest_size=SEAL_BYTES, key=self._key, person=b"rooflint entry"
        ).digest()

    def _path(self, key: ContentKey) -> str:
        return os.path.join(self.folder, f"{int(key[:8], 16) % SHARDS:02x}", key)

    def _shards(self) -> list[str]:
        return [os.path.join(self.folder, f"{shard:02x}") for shard in range(SHARDS)]

    def _say(self, what: str) -> None:
        self.problem = self.problem or f"cache {self.folder}: {what}"

    def _give_up(self, why: str) -> None:
        self._say(f"{why}; results are not cached")
        self._usable = False


def _not_private(folder: str) -> str:
    """Why entries there could belong to somebody else; empty if they cannot."""
    try:
        status = os.lstat(folder)
    except OSError:
        return ""  # not there yet: it will be made
    if stat.S_ISLNK(status.st_mode):
        return "is a link"
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid != os.getuid():
        return "belongs to another user"
    if status.st_mode & OPEN_TO_OTHERS:
        return f"is open to other users, chmod {stat.S_IRWXU:o} makes it yours alone"
    return ""


def _read_file(path: str) -> bytes:
    """The content of an entry; empty if it exceeds the limit or is not a file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ENTRY_BYTES:
            return b""
        return file.read(MAX_ENTRY_BYTES)


def _write_new(path: str, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)


def _entries(shard: str) -> list[tuple[str, os.stat_result]]:
    listed = []
    try:
        with os.scandir(shard) as entries:
            for entry in entries:
                if not _is_entry(entry.name):
                    continue
                try:
                    listed.append((entry.path, entry.stat(follow_symlinks=False)))
                except OSError:
                    continue  # another run has just removed it
    except OSError:
        return listed
    return listed


def _is_entry(name: str) -> bool:
    key, mark, process = name.removesuffix(UNFINISHED).partition(".")
    is_key = len(key) == 2 * DIGEST_BYTES and not key.strip("0123456789abcdef")
    return is_key and (process.isdecimal() if name.endswith(UNFINISHED) else not mark)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


class NoKeyError(Exception):
    """The key is not available; the text gives the reason in one line."""


def key_path() -> str:
    """The path of the key; empty if the user has no folder for it."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "rooflint", KEY_FILE) if os.path.isabs(base) else ""


def user_key() -> bytes:
    """The key, created on first use. Raises NoKeyError."""
    path = key_path()
    if not path:
        raise NoKeyError("no folder for the key of the cache: neither HOME nor XDG_STATE_HOME")
    try:
        try:
            return _read_key(path)
        except FileNotFoundError:
            _make_key(path)
            return _read_key(path)
    except OSError as error:
        raise NoKeyError(f"{path}: {error.strerror}") from None


def _read_key(path: str) -> bytes:
    """The key of a file that is the user's alone; NoKeyError for any other, OSError without one."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NoKeyError(f"{path} is no file")
        if hasattr(os, "getuid"):
            if status.st_uid != os.getuid():
                raise NoKeyError(f"{path} belongs to another user")
            if status.st_mode & OPEN_TO_OTHERS:
                raise NoKeyError(f"{path} is open to other users; remove it")
        key = file.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise NoKeyError(f"{path} is damaged; remove it")
    return key


def _make_key(path: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    part = f"{path}.{os.urandom(8).hex()}{UNFINISHED}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
            file.write(os.urandom(KEY_BYTES))
        _name_once(part, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _name_once(part: str, path: str) -> None:
    try:
        os.link(part, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not os.path.lexists(path):
            os.replace(part, path)
