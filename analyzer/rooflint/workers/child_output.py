"""The output of a child process, read by its parent from a pipe: the child may write no file."""

import os
from typing import Final

KEPT_BYTES: Final = 1 << 16
"""The last of what was printed; a traceback of all threads has at most 20 KiB."""
_PIECE_BYTES: Final = 1 << 16


class ChildOutput:
    """The reading end of the pipe to which a child prints.

    Somebody has to call ``drain`` while the child works: it waits for that when the pipe is full.
    """

    def __init__(self) -> None:
        self._text = bytearray()
        self._read_fd, self.child_fd = os.pipe()
        os.set_blocking(self._read_fd, False)

    @property
    def fd(self) -> int | None:
        """Can be read when the child has printed; None once nobody prints any more."""
        return self._read_fd if self._read_fd >= 0 else None

    def started(self) -> None:
        """The child has its end: close ours, so that the pipe ends with the child."""
        os.close(self.child_fd)

    def drain(self) -> None:
        """Read what is there."""
        while self._read_fd >= 0:
            try:
                piece = os.read(self._read_fd, _PIECE_BYTES)
            except BlockingIOError:
                return
            except InterruptedError:
                continue
            if not piece:
                self.close()
            self._text += piece
            del self._text[:-KEPT_BYTES]

    def text(self) -> str:
        """The output since it was last cleared; of much the end."""
        self.drain()
        return self._text.decode("utf-8", "replace")

    def forget(self) -> None:
        """Begin anew."""
        self.drain()
        self._text.clear()

    def close(self) -> None:
        """Close this end; the text stays."""
        if self._read_fd >= 0:
            os.close(self._read_fd)
            self._read_fd = -1
