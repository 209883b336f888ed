"""Long loops in pieces: what is played of them, and what the rest counts for.

A loop is played from its begin until the levels are full, and in *windows*: some iterations at
equal distances, the last ones among them. What was left out before a window leaves nothing known
of the levels, so some iterations fill them first, without counting. Misses in between follow the
parabola through three windows one after the other: exact for triangular nests of three loops.

With every second window alone the sum differs by as much as it may be wrong: ``coarse``.
"""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Final

from rooflint.records import NamedTuple
from rooflint.replay.caches import DISCARDED, LoopPiece, LoopPieces
from rooflint.replay.long_loops import LongLoop, long_loops, work_of
from rooflint.replay.prediction import NO_WORK, PredictedWork
from rooflint.replay.program import AccessProgram

WORTH: Final = 0.7
"""A loop whose pieces take more than this part of it is played as a whole."""
FILL: Final = 1.5
"""Touches before a window, as a multiple of the lines of the largest level with sets."""
FIRST_BANK: Final = DISCARDED + 1


class WindowShape(NamedTuple):
    """Windows in a loop, and the length of each in phases of the lines."""

    number: int
    phases: float


SHAPES: Final = (
    WindowShape(9, 1.0),
    WindowShape(5, 1.0),
    WindowShape(5, 0.5),
    WindowShape(5, 0.0),
    WindowShape(3, 0.0),
)
"""The most accurate first; at least one iteration a window."""
MANY_TOUCHES: Final = 64
"""Of an iteration, in the mean, that is a sample of lines by itself."""
WALKED_LINES: Final = 64
"""Phases that a window lasts at least in a loop of less: one access in eight misses where elements
of 8 B are walked, and of the lines of one walk each class of sets has one in 64."""


class WindowPlan(NamedTuple):
    """``loops`` in pieces, the ``work`` of one run, and the weights of the banks of counters."""

    loops: tuple[LoopPieces, ...]
    fine: tuple[float, ...]
    coarse: tuple[float, ...]
    work: PredictedWork


def window_plans(
    program: AccessProgram,
    whole: PredictedWork,
    line_bytes: int,
    ways: int,
    lines: int,
    fits: Callable[[PredictedWork], bool] = lambda _: True,
) -> Iterator[WindowPlan]:
    """Plans with ever less work; none where no loop is long, or where the work of the last one
    does not fit. Raises UndefinedValueError.

    ``whole``: the work of the program; ``lines``: of the largest level with sets.
    """
    loops = long_loops(program, line_bytes, ways)
    rest = whole.plus(work_of(loops).times(-1.0))
    if not fits(_plan(rest, [_Cut(loop, SHAPES[-1], lines) for loop in loops]).work):
        return
    for shape in SHAPES:
        cuts = [_Cut(loop, shape, lines) for loop in loops]
        if not any(each.is_worth for each in cuts):
            continue
        yield _plan(rest, cuts)


def _plan(rest: PredictedWork, cuts: Sequence["_Cut"]) -> WindowPlan:
    work = rest
    loops: list[LoopPieces] = []
    fine, coarse = [1.0] * FIRST_BANK, [1.0] * FIRST_BANK
    fine[DISCARDED] = coarse[DISCARDED] = 0.0
    for cut in cuts:
        if not cut.is_worth:
            work = work.plus(cut.loop.whole.times(cut.loop.executions))
            continue
        work = work.plus(cut.work.times(cut.loop.executions))
        loops.append(cut.pieces(len(fine)))
        fine += cut.weights(1)
        coarse += cut.weights(2)
    return WindowPlan(loops=tuple(loops), fine=tuple(fine), coarse=tuple(coarse), work=work)


class _Cut:
    """The pieces of one loop."""

    def __init__(self, loop: LongLoop, shape: WindowShape, lines: int) -> None:
        self.loop = loop
        self._fill = FILL * lines
        phases = shape.phases
        if loop.whole.touches < MANY_TOUCHES * loop.trips:
            phases = max(WALKED_LINES, phases)
        self._length = max(1, int(phases * loop.phases))
        head = self._filling(0, 1)
        last = loop.trips - self._length
        steps = shape.number - 1
        self._begins = [head + (last - head) * n // steps for n in range(shape.number)]
        self._is_cut = head + shape.number * self._length < last
        self.work = self._work() if self._is_cut else loop.whole
        self.is_worth = self._is_cut and self.work.total < WORTH * loop.whole.total

    def _filling(self, trip: int, way: int) -> int:
        """Iterations from one on, or back from it, that touch enough lines to fill the levels."""
        trips, touched = 0, 0.0
        while touched < self._fill and trips < self.loop.trips:
            more = max(1, trips)
            each = self.loop.work_at(trip + way * (trips + more // 2)).touches
            if each > 0:
                more = min(more, ceil((self._fill - touched) / each))
            touched += more * each
            trips += more
        return trips

    def pieces(self, bank: int) -> LoopPieces:
        """From a bank on, one for each window."""
        first, *others = self._begins
        pieces = [LoopPiece(begin=0, end=first, bank=0)]
        pieces.append(LoopPiece(begin=first, end=first + self._length, bank=bank))
        for number, begin in enumerate(others, 1):
            played = pieces[-1].end
            filling = max(played, begin - self._filling(begin - 1, -1))
            apart = filling > played
            pieces.append(LoopPiece(begin=filling, end=begin, bank=DISCARDED, empties=apart))
            pieces.append(LoopPiece(begin=begin, end=begin + self._length, bank=bank + number))
        return LoopPieces(node=self.loop.node, trips=self.loop.trips, pieces=tuple(pieces))

    def _work(self) -> PredictedWork:
        total = NO_WORK
        for piece in self.pieces(0).pieces:
            middle = (piece.begin + piece.end) // 2
            total = total.plus(self.loop.work_at(middle).times(piece.end - piece.begin))
        return total

    def weights(self, every: int) -> list[float]:
        """Of the windows; with ``every`` second one the others count nothing."""
        weights = [0.0] * len(self._begins)
        kept = list(range(0, len(self._begins), every))
        for number in kept:
            weights[number] = 1.0
        while len(kept) > 1:
            through, kept = kept[:3], kept[2:]
            for number, times in zip(through, self._between(through), strict=True):
                weights[number] += times
        return weights

    def _between(self, windows: Sequence[int]) -> list[float]:
        """How often each of these windows counts for the iterations between them."""
        length = self._length
        centers = [self._begins[each] + length / 2 for each in windows]
        gaps = [(centers[n] + length / 2, centers[n + 1] - length / 2)
                for n in range(len(windows) - 1)]  # fmt: skip
        return [
            sum([_area(begin, end, center, centers) for begin, end in gaps]) / length
            for center in centers
        ]


def _area(begin: float, end: float, one: float, nodes: Sequence[float]) -> float:
    """Under the parabola that is 1 at one of the nodes and 0 at the others (Simpson's rule)."""

    def at(place: float) -> float:
        value = 1.0
        for node in nodes:
            value *= 1.0 if node == one else (place - node) / (one - node)
        return value

    return (end - begin) / 6 * (at(begin) + 4 * at((begin + end) / 2) + at(end))
