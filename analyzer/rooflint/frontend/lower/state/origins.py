"""Where nodes of one function stand in the file."""

from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.source import SourceText
from rooflint.ir import Span


class OriginTable:
    """Byte ranges of nodes by their origin; ``loops_seen`` are offsets of the file's own loops.

    ``blocks_seen``: offsets of ``do`` keywords that begin a block, which never repeats.
    """

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._extent = source.extent
        self._latest: Cursor | None = None
        self._ranges: list[tuple[int, int]] = []
        self._calls: list[tuple[int, int]] = []
        self.loops_seen: set[int] = set()
        self.blocks_seen: set[int] = set()

    def origin(self, cursor: Cursor) -> int:
        """A new number for a node made from this cursor.

        A node of another file, from a function inlined here, gets the place of the call.
        """
        # a call and the statement around it are often one cursor
        span = self._ranges[-1] if cursor is self._latest else self._extent(cursor)
        if span[0] < 0 and self._calls:
            span = self._calls[-1]
        self._latest = cursor
        self._ranges.append(span)
        return len(self._ranges) - 1

    def add(self, begin: int, end: int) -> int:
        """A new number for a node that no cursor stands for."""
        self._latest = None
        self._ranges.append((begin, end))
        return len(self._ranges) - 1

    def begins_with_latest(self, origin: int) -> bool:
        """Whether a node and the latest one begin at the same offset."""
        return self._ranges[origin][0] == self._ranges[-1][0]

    def enter_call(self, cursor: Cursor) -> None:
        """A function is inlined from here on; its call is noted as seen from this file."""
        span = self._extent(cursor)
        self._calls.append(self._calls[-1] if span[0] < 0 and self._calls else span)

    def leave_call(self) -> None:
        """The inlined function has ended."""
        self._calls.pop()

    def see_loop(self, cursor: Cursor, origin: int = -1) -> str:
        """Counts a loop of the file's own text; of another file's, inlined here, tells the place.

        Empty for the file's own, ``kernels.hpp:12`` for one of another.
        """
        in_file = origin >= 0 and not self._calls
        begin = (self._ranges[origin] if in_file else self._extent(cursor))[0]
        if begin >= 0:
            self.loops_seen.add(begin)
            return ""
        return self._source.other_place(cursor)

    def see_block(self, cursor: Cursor) -> None:
        """Notes a ``do`` of the file's own text that is a block: it never repeats."""
        begin = self._extent(cursor)[0]
        if begin >= 0 and not self._calls:
            self.blocks_seen.add(begin)

    def span_table(self) -> tuple[Span, ...]:
        """Lines and columns of all origins so far."""
        return self._source.spans(self._ranges)
