"""Values as bytes that lie on a disk: compressed, and no larger when read than when written."""

import zlib
from typing import Final, TypeVar

from rooflint.workers.frames import Frame, unpack
from rooflint.workers.wire import MAX_BODY_BYTES, Codec, WireError, too_long

T = TypeVar("T")

LEVEL: Final = 1
"""Fast: an entry is written once for each file that is analysed."""
STORED: Final = 2
MAX_STORED_BYTES: Final = 4 << 20
"""Of one entry; reports shrink to less than a tenth."""


def compress(codec: Codec[T], value: T) -> bytes:
    """The value as bytes to keep; WireError where that is too much."""
    body = zlib.compress(codec.encode(value), LEVEL)
    if len(body) > MAX_STORED_BYTES:
        raise too_long(len(body), MAX_STORED_BYTES)
    return Frame(STORED, codec.schema, body).packed()


def decompress(codec: Codec[T], content: bytes) -> T:
    """The value that ``stored`` turned into ``content``; raises WireError for anything else."""
    frame = unpack(content, MAX_STORED_BYTES)
    if frame.kind != STORED or frame.schema != codec.schema:
        raise WireError("an entry of another version")
    return codec.decode(_inflated(frame.body, MAX_BODY_BYTES))


def _inflated(body: bytes, limit: int) -> bytes:
    """Decompresses; no more than ``limit`` bytes are ever made."""
    inflater = zlib.decompressobj()
    try:
        inflated = inflater.decompress(body, limit + 1)
    except zlib.error as error:
        raise WireError(str(error)) from None
    if len(inflated) > limit:
        raise WireError(f"an entry of more than {limit} bytes")
    if not inflater.eof or inflater.unused_data:
        raise WireError("an entry that is cut off, or followed by something else")
    return inflated
