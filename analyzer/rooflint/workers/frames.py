"""Messages with their length in front: between processes, and in what is kept on disk.

    magic  kind  schema  length  checksum  body
      4     1      8       4        4      ``length`` bytes

A reader looks at the first four fields before it reads the body, so nothing longer than agreed is
read, and nothing that other declarations of types have written.
"""

import os
import zlib
from typing import Final

from rooflint.records import NamedTuple
from rooflint.workers.wire import MAX_BODY_BYTES, SCHEMA_BYTES, WireError, too_long

MAGIC: Final = b"RFL1"
KIND_AT: Final = len(MAGIC)
SCHEMA_AT: Final = KIND_AT + 1
LENGTH_AT: Final = SCHEMA_AT + SCHEMA_BYTES
CHECKSUM_AT: Final = LENGTH_AT + 4
HEADER_BYTES: Final = CHECKSUM_AT + 4
PIECE_BYTES: Final = 1 << 20


class Frame(NamedTuple):
    """A message: ``kind`` says which of several types, ``schema`` in which version of them."""

    kind: int
    schema: bytes
    body: bytes

    def packed(self) -> bytes:
        """The message as it travels."""
        length = len(self.body).to_bytes(4, "little")
        checksum = zlib.crc32(self.body).to_bytes(4, "little")
        header = MAGIC + bytes((self.kind,)) + self.schema + length + checksum
        return header + self.body


class FrameReader:
    """Puts one message together from the pieces in which it arrives."""

    def __init__(self, limit: int = MAX_BODY_BYTES) -> None:
        self._limit = limit
        self._parts = bytearray()
        self._size = HEADER_BYTES

    @property
    def started(self) -> bool:
        """Whether a part of a message is there."""
        return bool(self._parts)

    @property
    def wanted(self) -> int:
        """Bytes until the header is complete, and then until the message is."""
        return self._size - len(self._parts)

    def add(self, part: bytes) -> Frame | None:
        """The message once it is complete; raises WireError as soon as it cannot become one."""
        self._parts += part
        if len(self._parts) == HEADER_BYTES == self._size:
            self._size += self._length()
        if self.wanted:
            return None
        body = bytes(memoryview(self._parts)[HEADER_BYTES:])
        kind, schema = self._parts[KIND_AT], bytes(self._parts[SCHEMA_AT:LENGTH_AT])
        checksum = int.from_bytes(self._parts[CHECKSUM_AT:HEADER_BYTES], "little")
        self._parts, self._size = bytearray(), HEADER_BYTES
        if zlib.crc32(body) != checksum:
            raise WireError("a message with a wrong checksum")
        return Frame(kind, schema, body)

    def _length(self) -> int:
        if self._parts[:KIND_AT] != MAGIC:
            raise WireError("data that is not a message")
        length = int.from_bytes(self._parts[LENGTH_AT:CHECKSUM_AT], "little")
        if length > self._limit:
            raise too_long(length, self._limit)
        return length


def unpack(message: bytes, limit: int = MAX_BODY_BYTES) -> Frame:
    """The frame that is all of ``message``; raises WireError."""
    reader = FrameReader(limit)
    frame = reader.add(message[:HEADER_BYTES]) or reader.add(message[HEADER_BYTES:])
    if frame is None or len(message) != HEADER_BYTES + len(frame.body):
        raise WireError("data that is not a whole message")
    return frame


def read_piece(fd: int, reader: FrameReader) -> Frame | None:
    """Read once, as much as is there; EOFError at the end of the stream, WireError as ``add``."""
    part = os.read(fd, min(reader.wanted, PIECE_BYTES))
    if not part:
        raise EOFError
    return reader.add(part)


def read_frame(fd: int) -> Frame:
    """The next message, waiting for it; EOFError at the end of the stream, WireError as ``add``."""
    reader = FrameReader()
    while True:
        frame = read_piece(fd, reader)
        if frame is not None:
            return frame


def write_message(fd: int, message: bytes) -> None:
    """Write all of a message; raises OSError when nobody reads."""
    rest = memoryview(message)
    while rest:
        rest = rest[os.write(fd, rest) :]
