"""Functions analysed by an earlier run: an edit of a file costs the functions that it changed.

They are known by what they are, not by where they stand (``memo``), so code that moves, a comment,
another header or another ``#ifdef`` around them changes nothing.
"""

import hashlib
import zlib
from collections.abc import Callable

from rooflint.analysis.memo import Key, Outcome
from rooflint.frontend.packing import pack, plain, unpack


class KeptFunctions:
    """Outcomes of the functions of one file by digest, as an earlier run left them.

    computed  how many had to be analysed
    """

    def __init__(self, packed: bytes = b"") -> None:
        self._known = _unpacked(packed)
        self._used: dict[bytes, Outcome] = {}
        self.computed = 0

    def outcome(self, key: Key, compute: Callable[[], Outcome]) -> Outcome:
        """What is known of the function, else what ``compute`` says; its errors are not kept."""
        name = hashlib.blake2b(plain(key), digest_size=16).digest()
        known = self._used.get(name) or self._known.get(name)
        if known is None:
            self.computed += 1
            known = compute()
        self._used[name] = known
        return known

    def packed(self) -> bytes:
        """The functions of this run for the next one; empty where that has them already."""
        return zlib.compress(pack(self._used), 1) if self.computed else b""


def _unpacked(packed: bytes) -> dict[bytes, Outcome]:
    if not packed:
        return {}
    try:
        known = unpack(zlib.decompress(packed))
    except Exception:  # whatever a damaged pickle raises
        return {}
    return known if isinstance(known, dict) else {}
