"""Functions analysed by an earlier run: an edit of a file costs the functions that it changed.

They are known by what they are, not by where they stand (``memo``), so code that moves, a comment,
another header or another ``#ifdef`` around them changes nothing.
"""

import hashlib
from collections.abc import Callable
from typing import Final

from rooflint.incremental.function_cache import Key, Outcome
from rooflint.workers.storage import restored, stored
from rooflint.workers.wire import Codec, WireError

KEYS: Final = Codec[Key](Key)
OUTCOMES: Final = Codec[dict[bytes, Outcome]](dict[bytes, Outcome])


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
        name = hashlib.blake2b(KEYS.canonical(key), digest_size=16).digest()
        known = self._used.get(name) or self._known.get(name)
        if known is None:
            self.computed += 1
            known = compute()
        self._used[name] = known
        return known

    def packed(self) -> bytes:
        """The functions of this run for the next one; empty where that has them already, or where
        they are too many."""
        if not self.computed:
            return b""
        try:
            return stored(OUTCOMES, self._used)
        except WireError:
            return b""


def _unpacked(packed: bytes) -> dict[bytes, Outcome]:
    if not packed:
        return {}
    try:
        return restored(OUTCOMES, packed)
    except WireError:
        return {}
