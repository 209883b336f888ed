"""Predicts the work of a replay, so that it is not begun where it is too much.

Loops whose iterations differ in work are evaluated at their first, middle and last index (Simpson's
rule: exact for bounds that are polynomials up to the third degree of one outer index), others once.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rooflint.records import NamedTuple
from rooflint.replay.arithmetic import Evaluator, UndefinedValueError
from rooflint.replay.program import REFERENCE_STEPS, UNKNOWN_VALUE, AccessProgram, ProgramNode
from rooflint.replay.repeats import is_even

_REPEATS: Final = 4
"""Passes that are played before the rest of them is extrapolated, of two levels."""


ALIKE: Final = 2
"""Iterations that are played of those that are alike: the first one, and one like the others."""


class PredictedWork(NamedTuple):
    """Of one run: ``touches`` of lines through all sets, and steps, which part of the sets take
    as well. A walk takes as many steps as setting up its references costs touches."""

    touches: float
    steps: float

    @property
    def total(self) -> float:
        """Through all sets."""
        return self.touches + self.steps

    def plus(self, other: "PredictedWork") -> "PredictedWork":
        """Both."""
        return PredictedWork(self.touches + other.touches, self.steps + other.steps)

    def times(self, factor: float) -> "PredictedWork":
        """So often."""
        return PredictedWork(self.touches * factor, self.steps * factor)


NO_WORK: Final = PredictedWork(0.0, 0.0)
WALK_STEPS: Final = 2


def predicted_work(program: AccessProgram, line_bytes: int, ways: int) -> PredictedWork | None:
    """The work of one run; None where a value is undefined.

    ``ways`` of the nearest level: passes of fewer touches are played once.
    """
    try:
        return WorkPrediction(program, line_bytes, ways).of(program.root)
    except UndefinedValueError:
        return None


class WorkPrediction:
    """The work of single nodes. What a node needs of the loops around it is in their slots."""

    def __init__(self, program: AccessProgram, line_bytes: int, ways: int) -> None:
        self._code = program.code
        self._ways = ways
        self._line_bytes = line_bytes
        self._slots = [0] * program.slots
        self._even: dict[int, bool] = {}
        self._values = Evaluator(program.code, self._slots)
        self._nodes: dict[int, Callable[[Sequence[int], int], PredictedWork]] = {
            ProgramNode.SEQUENCE: self._sequence,
            ProgramNode.LOOP: self._loop,
            ProgramNode.REPEAT: self._repeat,
            ProgramNode.WALK: self._walk,
            ProgramNode.ACCESSES: lambda code, at: PredictedWork(0.0, float(code[at + 1])),
            ProgramNode.BRANCH: self._branch,
            ProgramNode.EXIT: lambda _code, _at: NO_WORK,
            ProgramNode.ASSIGN: self._assign,
        }

    def of(self, at: int) -> PredictedWork:
        """The work of a node. Raises UndefinedValueError."""
        return self._nodes[self._code[at]](self._code, at)

    def values_of(self, at: int) -> range:
        """The index values of a loop or walk. Raises UndefinedValueError."""
        return self._trips(self._code, at)

    def value_of(self, expression: int) -> int:
        """An expression at the present slots. Raises UndefinedValueError."""
        return self._values.at(expression)

    @property
    def slots(self) -> list[int]:
        """The values of indices and variables, to be set."""
        return self._slots

    def leaves_at_once(self, at: int) -> bool:
        """Whether a loop only asks whether it runs."""
        return self._code[at] == ProgramNode.LOOP and self._leaves_at_once(
            self._code, self._code[at + 5]
        )

    def _sequence(self, code: Sequence[int], at: int) -> PredictedWork:
        return _sum([self.of(each) for each in code[at + 2 : at + 2 + code[at + 1]]])

    def _assign(self, code: Sequence[int], at: int) -> PredictedWork:
        self._slots[code[at + 1]] = self._values.at(code[at + 2])
        return NO_WORK

    def _branch(self, code: Sequence[int], at: int) -> PredictedWork:
        """The dearer side: which one runs may differ from iteration to iteration."""
        taken = self._values.at(code[at + 1])
        sides = [self.of(code[at + 2]), self.of(code[at + 3])]
        if taken != UNKNOWN_VALUE or code[at + 4] < 2:
            return max(sides, key=lambda side: side.total)
        return _sum(sides)

    def _trips(self, code: Sequence[int], at: int) -> range:
        lower, upper, step = [self._values.at(each) for each in code[at + 2 : at + 5]]
        if step == 0:
            raise UndefinedValueError
        return range(lower, upper, step)

    def _loop(self, code: Sequence[int], at: int) -> PredictedWork:
        values = self._trips(code, at)
        if not values:
            return NO_WORK
        if self._leaves_at_once(code, code[at + 5]):
            values = values[:1]
        if len(values) == 1 or self.is_even(at):
            mean = self._at(code, at, values[0])
        else:
            places = (values[0], values[len(values) // 2], values[-1])
            first, middle, last = [self._at(code, at, value) for value in places]
            mean = _sum([first, middle.times(4), last]).times(1 / 6)
        return mean.plus(PredictedWork(0.0, 1.0)).times(len(values))

    def _at(self, code: Sequence[int], at: int, value: int) -> PredictedWork:
        """The body of a loop at one value of its index."""
        self._slots[code[at + 1]] = value
        return self.of(code[at + 5])

    def is_even(self, at: int) -> bool:
        """Whether all iterations of a loop take the same work."""
        even = self._even.get(at)
        if even is None:
            code = self._code
            even = self._even[at] = is_even(code, code[at + 5], code[at + 1])
        return even

    def _repeat(self, code: Sequence[int], at: int) -> PredictedWork:
        """Of iterations that are all alike, those that are played."""
        values = self._trips(code, at)
        if not values:
            return NO_WORK
        self._slots[code[at + 1]] = values[0]
        once = self.of(code[at + 5]).plus(PredictedWork(0.0, 1.0))
        return once.times(min(len(values), ALIKE))

    def _leaves_at_once(self, code: Sequence[int], at: int) -> bool:
        """Whether the body ends with an exit, as where its loop only asks whether it runs."""
        if code[at] != ProgramNode.SEQUENCE or not code[at + 1]:
            return code[at] == ProgramNode.EXIT
        return self._leaves_at_once(code, code[at + 1 + code[at + 1]])

    def _walk(self, code: Sequence[int], at: int) -> PredictedWork:
        """Blocks of iterations in which no reference changes its line, and their touches."""
        values = self._trips(code, at)
        if not values:
            return NO_WORK
        self._slots[code[at + 1]] = values[0]
        count, trips = code[at + 5], len(values)
        at_once = {
            (abs(self._values.at(stride)), self._values.at(address) % self._line_bytes)
            for address, stride in [
                code[place : place + 2] for place in range(at + 6, at + 6 + 3 * count, 3)
            ]
        }
        changes = sum([min(1.0, stride / self._line_bytes) for stride, _ in at_once])
        blocks = min(trips, 1 + trips * changes)
        repeats = 1.0 if count < self._ways else min(_REPEATS, trips / blocks)
        touches = blocks * (1 + count * repeats)
        return PredictedWork(touches, float(WALK_STEPS + REFERENCE_STEPS * count))


def _sum(parts: Iterable[PredictedWork]) -> PredictedWork:
    total = NO_WORK
    for part in parts:
        total = total.plus(part)
    return total
