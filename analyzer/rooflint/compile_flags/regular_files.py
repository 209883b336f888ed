"""Reads files, and nothing that a tree may call one: a pipe never answers, a device never ends.

What rests on files knows them by digests of their contents.
"""

import errno
import os
import stat

from rooflint.records import NamedTuple
from rooflint.workers.digest import blake2b


def read_regular(path: str) -> bytes:
    """The content; OSError for what cannot be read and for what is no regular file."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read()


class Inputs(NamedTuple):
    """Inputs of a result. Paths are as libclang opens them: ``link/..`` leads where it leads.

    source   digest of the file itself, as it was read
    files    path and digest of everything it includes
    absent   places where a header was looked for that was not there
    settled  False when a file may have changed while it was read: nothing is known for sure then
    """

    source: str
    files: tuple[tuple[str, str], ...]
    absent: tuple[str, ...]
    settled: bool = True


def digest_of(data: bytes) -> str:
    """A name for a content; no two contents share one."""
    return blake2b(data, digest_size=16).hexdigest()


class FileDigests:
    """Contents of files and places without one, each looked at once."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._is_file: dict[str, bool] = {}

    def digest(self, path: str) -> str:
        """The digest of a file; empty where it cannot be read."""
        digest = self._digests.get(path)
        if digest is None:
            try:
                digest = digest_of(read_regular(path))
            except OSError:
                digest = ""
            self._digests[path] = digest
        return digest

    def earlier_digest(self, path: str) -> str | None:
        """The digest of a file that was asked for before."""
        return self._digests.get(path)

    def are_same(self, inputs: Inputs) -> bool:
        """Whether all included files are as they were, and none has appeared where none was."""
        same = all(self.digest(path) == digest for path, digest in inputs.files)
        return same and not any(map(self._is_there, inputs.absent))

    def _is_there(self, path: str) -> bool:
        there = self._is_file.get(path)
        if there is None:
            there = self._is_file[path] = os.path.isfile(path)
        return there
