"""How the lines of streams spread over the sets of a cache, without looking at every line."""

from collections.abc import Iterable
from itertools import accumulate
from math import gcd
from operator import add

from rooflint.facts import Box
from rooflint.facts.footprint import Shape


def lines_per_set(boxes: Iterable[Box], address: int, sets: int, line_bytes: int) -> list[int]:
    """Per set, how many lines of disjoint ``boxes`` of the array at ``address`` fall into it."""
    found = _Histogram(sets, line_bytes)
    for start, shape in boxes:
        found.add(address + start, shape)
    return found.counts()


class _Histogram:
    """Counts per set: of single lines, and of runs as differences between neighbours."""

    __slots__ = ("_line_bytes", "_sets", "_single", "_steps")

    def __init__(self, sets: int, line_bytes: int) -> None:
        self._sets = sets
        self._line_bytes = line_bytes
        self._single = [0] * sets
        self._steps = [0] * (sets + 1)

    def counts(self) -> list[int]:
        """Lines in each set."""
        return list(map(add, self._single, accumulate(self._steps)))

    def add(self, start: int, shape: Shape) -> None:
        """The lines of a run of bytes and its repetitions, from the byte ``start`` on."""
        if not shape.repeats:
            self._run(start // self._line_bytes, int(start + shape.width - 1) // self._line_bytes)
            return
        *inner, (stride, times) = shape.repeats
        count = max(1, round(times))
        phases = self._line_bytes // gcd(stride, self._line_bytes)
        if inner or shape.width * phases > count * self._line_bytes:
            each = Shape(shape.width, tuple(inner))
            for number in range(count):
                self.add(start + number * stride, each)
            return
        apart = stride * phases // self._line_bytes
        for phase in range(min(phases, count)):
            begin = start + phase * stride
            last = int(begin + shape.width - 1) // self._line_bytes
            repeated = (count - phase + phases - 1) // phases
            for line in range(begin // self._line_bytes, last + 1):
                self._progression(line, apart, repeated)

    def _progression(self, line: int, stride: int, times: int) -> None:
        """Single lines ``stride`` lines apart: they come back to the first set."""
        sets, counts = self._sets, self._single
        grain = gcd(stride, sets)
        full, rest = divmod(times, sets // grain)
        if full:
            first = line % grain
            counts[first::grain] = [count + full for count in counts[first::grain]]
        for each in range(line, line + rest * stride, stride):
            counts[each % sets] += 1

    def _run(self, first: int, last: int) -> None:
        """Neighbouring lines."""
        sets, steps = self._sets, self._steps
        full, rest = divmod(last - first + 1, sets)
        steps[0] += full
        begin = first % sets
        end = begin + rest
        steps[begin] += 1
        if end > sets:
            steps[0] += 1
            end -= sets
        steps[end] -= 1
