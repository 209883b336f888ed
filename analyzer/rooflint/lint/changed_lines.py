"""Which lines of a text are not in an earlier one.

Lines that both texts have once are paired as far as their order agrees, and what lies between two
pairs is compared in the same way: patience diff, after Bram Cohen (2010). It takes n log n steps
where a shortest edit script takes n squared, and a stranger chooses the texts.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from rooflint.records import NamedTuple

SMALL: Final = 200
"""Lines of a stretch without a line of its own that are compared one by one: 200 x 200 pairs take
about 10 ms. Of a longer one all lines count as changed."""
DEEPEST: Final = 64
"""Stretches in stretches; halving a file of 2^64 lines would go so deep."""


class DiffSpan(NamedTuple):
    """Lines from ``first`` up to ``end``, exclusive, of the earlier text and of the later one."""

    old_first: int
    old_end: int
    first: int
    end: int


def changed_ranges(old: bytes, new: bytes) -> list[tuple[int, int]]:
    """First and last lines of ``new`` that ``old`` lacks, from 1, both inclusive.

    Lines that were taken out leave a seam between two that stay: both of them count. How a line
    ends makes no difference, so that a checkout may turn ``\\n`` into ``\\r\\n``.
    """
    before, after = old.splitlines(), new.splitlines()
    whole = DiffSpan(old_first=0, old_end=len(before), first=0, end=len(after))
    return [
        (part.first + 1, part.end) if part.end > part.first else (part.first, part.first + 1)
        for part in _differences(before, after, whole, DEEPEST)
    ]


def _differences(
    old: Sequence[bytes], new: Sequence[bytes], part: DiffSpan, deeper: int
) -> Iterator[DiffSpan]:
    part = _trimmed(old, new, part)
    if part.old_first == part.old_end and part.first == part.end:
        return
    pairs = _pairs(old, new, part) if deeper else []
    if not pairs:
        yield from _compared(old, new, part)
        return
    old_first, first = part.old_first, part.first
    for old_place, place in (*pairs, (part.old_end, part.end)):
        yield from _differences(
            old,
            new,
            DiffSpan(old_first=old_first, old_end=old_place, first=first, end=place),
            deeper - 1,
        )
        old_first, first = old_place + 1, place + 1


def _trimmed(old: Sequence[bytes], new: Sequence[bytes], part: DiffSpan) -> DiffSpan:
    old_first, old_end, first, end = part
    while old_first < old_end and first < end and old[old_first] == new[first]:
        old_first, first = old_first + 1, first + 1
    while old_first < old_end and first < end and old[old_end - 1] == new[end - 1]:
        old_end, end = old_end - 1, end - 1
    return DiffSpan(old_first=old_first, old_end=old_end, first=first, end=end)


def _pairs(old: Sequence[bytes], new: Sequence[bytes], part: DiffSpan) -> list[tuple[int, int]]:
    before, after = old[part.old_first : part.old_end], new[part.first : part.end]
    times, times_before = Counter(after), Counter(before)
    place_of = {line: part.first + n for n, line in enumerate(after) if times[line] == 1}
    common = [
        (part.old_first + number, place_of[line])
        for number, line in enumerate(before)
        if times_before[line] == 1 and line in place_of
    ]
    ends: list[int] = []  # the smallest last place of a rising sequence, by its length
    members: list[int] = []
    previous: list[int | None] = []
    for number, (_, place) in enumerate(common):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        members[length : length + 1] = [number]
        previous.append(members[length - 1] if length else None)
    found = []
    last = members[-1] if members else None
    while last is not None:
        found.append(common[last])
        last = previous[last]
    return found[::-1]


def _compared(old: Sequence[bytes], new: Sequence[bytes], part: DiffSpan) -> Iterator[DiffSpan]:
    """Line by line where that is cheap; else the stretch as a whole."""
    if max(part.old_end - part.old_first, part.end - part.first) > SMALL:
        yield part
        return
    matcher = SequenceMatcher(
        None, old[part.old_first : part.old_end], new[part.first : part.end], autojunk=False
    )
    for kind, old_first, old_end, first, end in matcher.get_opcodes():
        if kind != "equal":
            yield DiffSpan(
                old_first=part.old_first + old_first,
                old_end=part.old_first + old_end,
                first=part.first + first,
                end=part.first + end,
            )
