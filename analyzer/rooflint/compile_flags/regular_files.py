"""Reads files, and nothing that a tree may call one: a pipe never answers, a device never ends."""

import errno
import os
import stat


def read_regular(path: str) -> bytes:
    """The content; OSError for what cannot be read and for what is no regular file."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read()
