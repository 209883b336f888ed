"""The loops of a program that are long enough to be played in pieces."""

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Final

from rooflint.replay.prediction import ALIKE, NO_WORK, PredictedWork, WorkPrediction
from rooflint.replay.program import AccessProgram, ExpressionForm, ProgramNode

LEAST_TRIPS: Final = 12
"""Five windows with what goes before them leave nothing out of fewer."""
PARTS: Final = 8
"""Of a loop whose iterations differ: the work is evaluated where they meet."""


class LongLoop:
    """A loop or walk that runs ``executions`` times, each time as at the first one.

    ``phases``: iterations after which its references begin at the same byte of a line again.
    """

    def __init__(
        self, prediction: WorkPrediction, code: Sequence[int], node: int, executions: float,
        phases: int,
    ) -> None:  # fmt: skip
        self.node, self.executions, self.phases = node, executions, phases
        self._prediction, self._code = prediction, code
        self._slots = tuple(prediction.slots)
        self._values = prediction.values_of(node)
        self.trips = len(self._values)
        self.whole = prediction.of(node)
        self._known: dict[int, PredictedWork] = {}

    def work_at(self, trip: int) -> PredictedWork:
        """The work of one iteration; between some of them, what lies on a line."""
        if self._code[self.node] == ProgramNode.WALK:
            return PredictedWork(self.whole.touches / self.trips, 0.0)
        if self._prediction.is_even(self.node):
            return self._known_at(0)
        trip, last = min(max(trip, 0), self.trips - 1), self.trips - 1
        if last < PARTS:
            return self._known_at(trip)
        part = min(PARTS - 1, trip * PARTS // last)
        begin, end = part * last // PARTS, (part + 1) * last // PARTS
        share = (trip - begin) / (end - begin)
        return self._known_at(begin).times(1 - share).plus(self._known_at(end).times(share))

    def _known_at(self, trip: int) -> PredictedWork:
        known = self._known.get(trip)
        if known is None:
            known = self._known[trip] = self._work_at(trip)
        return known

    def _work_at(self, trip: int) -> PredictedWork:
        slots = self._prediction.slots
        slots[:] = self._slots
        slots[self._code[self.node + 1]] = self._values[trip]
        return self._prediction.of(self._code[self.node + 5]).plus(PredictedWork(0.0, 1.0))


def long_loops(program: AccessProgram, line_bytes: int, ways: int) -> list[LongLoop]:
    """The outermost loops of many iterations. Raises UndefinedValueError."""
    return list(_LongLoopSearch(program, line_bytes, ways).of(program.root, 1.0))


class _LongLoopSearch:
    def __init__(self, program: AccessProgram, line_bytes: int, ways: int) -> None:
        self._code, self._line_bytes = program.code, line_bytes
        self._prediction = WorkPrediction(program, line_bytes, ways)

    def of(self, at: int, executions: float) -> Iterator[LongLoop]:
        """Those of a node."""
        code = self._code
        if code[at] == ProgramNode.SEQUENCE:
            for each in code[at + 2 : at + 2 + code[at + 1]]:
                yield from self.of(each, executions)
        elif code[at] == ProgramNode.ASSIGN:
            self._prediction.of(at)
        elif code[at] == ProgramNode.REPEAT:
            yield from self._repeat(at, executions)
        elif code[at] in (ProgramNode.LOOP, ProgramNode.WALK):
            yield from self._loop(at, executions)

    def _repeat(self, at: int, executions: float) -> Iterator[LongLoop]:
        """Those of iterations that are all alike: few of them are played."""
        values = self._prediction.values_of(at)
        if values:
            self._prediction.slots[self._code[at + 1]] = values[0]
            played = min(len(values), ALIKE)
            yield from self.of(self._code[at + 5], executions * played)

    def _loop(self, at: int, executions: float) -> Iterator[LongLoop]:
        values = self._prediction.values_of(at)
        if not values:
            return
        once = self._prediction.leaves_at_once(at)
        if len(values) >= LEAST_TRIPS and not once:
            phases = max([1, *self._phases(at, self._code[at + 1])])
            yield LongLoop(self._prediction, self._code, at, executions, phases)
        elif self._code[at] == ProgramNode.LOOP:
            self._prediction.slots[self._code[at + 1]] = values[0]
            trips = 1 if once else len(values)
            yield from self.of(self._code[at + 5], executions * trips)

    def _phases(self, at: int, slot: int) -> Iterator[int]:
        """For each address the iterations until it is at the same byte of a line."""
        code = self._code
        if code[at] == ProgramNode.SEQUENCE:
            for each in code[at + 2 : at + 2 + code[at + 1]]:
                yield from self._phases(each, slot)
        elif code[at] in (ProgramNode.LOOP, ProgramNode.REPEAT):
            yield from self._phases(code[at + 5], slot)
        elif code[at] == ProgramNode.BRANCH:
            yield from self._phases(code[at + 2], slot)
            yield from self._phases(code[at + 3], slot)
        elif code[at] in (ProgramNode.WALK, ProgramNode.ACCESSES):
            head, width = (6, 3) if code[at] == ProgramNode.WALK else (2, 2)
            for place in range(at + head, at + head + width * code[at + head - 1], width):
                yield self._period(code[place], slot)
                if code[at] == ProgramNode.WALK and code[at + 1] == slot:
                    yield self._line_bytes // gcd(
                        self._line_bytes, self._prediction.value_of(code[place + 1])
                    )

    def _period(self, address: int, slot: int) -> int:
        code = self._code
        if code[address] != ExpressionForm.AFFINE:
            return 1
        terms = range(address + 3, address + 3 + 2 * code[address + 1], 2)
        factors = [code[each + 1] for each in terms if code[each] == slot]
        return max([self._line_bytes // gcd(self._line_bytes, each) for each in factors], default=1)


def work_of(loops: Sequence[LongLoop]) -> PredictedWork:
    """All executions of loops."""
    total = NO_WORK
    for each in loops:
        total = total.plus(each.whole.times(each.executions))
    return total
