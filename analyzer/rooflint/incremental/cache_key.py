"""The key of this user, by which entries of the cache are told from those that others made.

It lies apart from the entries: a cache may be copied, or come with a tree; the key does not.
"""

import os
import stat
from contextlib import suppress
from typing import Final

KEY_BYTES: Final = 32
FILE: Final = "cache.key"
OPEN_TO_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class NoKeyError(Exception):
    """There is no key to be had; the text says why, in one line."""


def key_path() -> str:
    """Where the key lies; empty where the user has no folder for it."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "rooflint", FILE) if os.path.isabs(base) else ""


def user_key() -> bytes:
    """The key; made when it is first asked for. Raises NoKeyError."""
    path = key_path()
    if not path:
        raise NoKeyError("no folder for the key of the cache: neither HOME nor XDG_STATE_HOME")
    try:
        try:
            return _read(path)
        except FileNotFoundError:
            _make(path)
            return _read(path)
    except OSError as error:
        raise NoKeyError(f"{path}: {error.strerror}") from None


def _read(path: str) -> bytes:
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


def _make(path: str) -> None:
    """Make the key, unless another process is faster: its file appears whole or not at all."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    part = f"{path}.{os.urandom(8).hex()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
            file.write(os.urandom(KEY_BYTES))
        _place(part, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _place(part: str, path: str) -> None:
    """Give a finished file its name, unless that is taken."""
    try:
        os.link(part, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not os.path.lexists(path):
            os.replace(part, path)
