"""Cycle counts of a schedule, and the bounds that follow: issue, latency, stall, overlap, all.

    I_x   cycles in which class x starts nodes or holds a slot      P_issue   = W / |I_x|
    S_x   cycles until its results are there, I_x included          P_latency = W / |S_x|
    B_s   cycles in which buffer s is full and work waits           P_stall   = W / |I_x u B_s|
                                                                    P_all     = W / |S_x u B|
    overlap of a set of classes                                     P_overlap = W / |union of S_x|

All are sizes of sets of cycles: what happens at once counts once. W are the flops of the whole
program, so that every bound is a performance at the program's own intensity.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from rooflint_plugins.models.bounds.schedule import Segment


class Cycles:
    """How many cycles classes and buffers are busy, alone and together.

    ``groups`` are sets of classes that count as one; by default each class by itself.
    """

    def __init__(self, segments: Sequence[Segment], groups: Sequence[Sequence[int]]) -> None:
        self.groups = groups
        self._times = [segment.times for segment in segments]
        self._issue = [_joined(segment.issue, groups) for segment in segments]
        self._span = [_joined(segment.span, groups) for segment in segments]
        self._stall = [segment.stall for segment in segments]
        self.total = sum([segment.cycles * segment.times for segment in segments])

    def issue(self, group: int) -> int:
        """|I|."""
        return self._sum([marks[group] for marks in self._issue])

    def span(self, *groups: int) -> int:
        """|union of S|."""
        return self._sum([_union(marks, groups) for marks in self._span])

    def latency(self, group: int) -> int:
        """|S without I|: cycles that wait for results and start nothing."""
        return self.span(group) - self.issue(group)

    def stall(self, *buffers: int) -> int:
        """|union of B|, of all buffers where none is named."""
        return self._sum([_union(b, buffers or range(len(b))) for b in self._stall])

    def issue_and_stall(self, group: int, buffer: int) -> int:
        """|I u B_s|."""
        pairs = zip(self._issue, self._stall, strict=True)
        return self._sum([issue[group] | stall[buffer] for issue, stall in pairs])

    def span_and_stall(self, *groups: int) -> int:
        """|union of S u B|, all buffers together."""
        pairs = zip(self._span, self._stall, strict=True)
        return self._sum([_union(s, groups) | _union(b, range(len(b))) for s, b in pairs])

    def common(self, first: int, second: int) -> int:
        """|S_x n S_y|."""
        return self._sum([marks[first] & marks[second] for marks in self._span])

    def overlap(self, first: int, second: int) -> Fraction:
        """The common cycles as a share of the shorter span; 0 where one is empty."""
        shorter = min(self.span(first), self.span(second))
        return Fraction(self.common(first, second), shorter) if shorter else Fraction(0)

    @cached_property
    def busy(self) -> tuple[int, ...]:
        """The groups with nodes."""
        return tuple([g for g in range(len(self.groups)) if any(m[g] for m in self._span)])

    def _sum(self, marks: Iterable[int]) -> int:
        counted = zip(self._times, marks, strict=True)
        return sum([times * each.bit_count() for times, each in counted])


def smallest_cover(
    cycles: Cycles, groups: Sequence[int], stalls: bool, slack: float = 0.0
) -> tuple[int, ...] | None:
    """The fewest groups whose spans, with or without all stalls, fill all cycles but ``slack``.

    Of several with as few groups the first, in the order given; None where all together do not.
    """
    enough = cycles.total * (1 - slack)
    covered = cycles.span_and_stall if stalls else cycles.span
    for size in range(1, len(groups) + 1):
        for chosen in combinations(groups, size):
            if covered(*chosen) >= enough:
                return chosen
    return None


def _joined(marks: Sequence[int], groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple([_union(marks, group) for group in groups])


def _union(marks: Sequence[int], chosen: Iterable[int]) -> int:
    found = 0
    for each in chosen:
        found |= marks[each]
    return found
