"""The open sizes that decide where the time of a program goes.

Each is tried at both quartiles of its range. What moves the time of set-up code alone is no
question for a user, so the time that moves is weighted by the share of the time, at typical sizes,
that depends on the size at all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp, log
from typing import Final, TypeVar

from rooflint.program.asking.open_names import OpenName, given_values, of_one_scale, open_names
from rooflint.program.asking.resting import (
    LEAST_SHARE,
    LOWER,
    UPPER,
    RestingGroup,
    has_range,
    inclusive_shares,
    loops_share,
)
from rooflint.program.budget import affordable_trips
from rooflint.program.linking import Place, ProgramEquations
from rooflint.program.relations.given_sizes import GivenSizes
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips
from rooflint.program.weights import ProgramWeights, program_weights
from rooflint.records import NamedTuple

MOST_ASKED: Final = 3
"""Sizes named at a time: more nobody looks up (specification of the scenario)."""
_QUARTILES: Final = 2
_CHANGED: Final = 0.01
"""Relative change of a loop's cost from which it depends on a size; below are roundings."""
_LOOPS_NAMED: Final = 2
_MOST_BISECTIONS: Final = 12
"""Weighings for one break-even: a range of four decades is then known to 0.2 %."""


_Group = TypeVar("_Group", "DecidingGroup", RestingGroup)


class LoopShare(NamedTuple):
    """A loop and its share of the time at typical sizes, without the loops in it."""

    place: Place
    share: float


class LargestFunction(NamedTuple):
    """The function of most time changes ``at`` a size: from there on it is ``above``."""

    below: str
    at: int
    above: str


class DecidingGroup(NamedTuple):
    """Open sizes of one scale, which are asked for together, and what rests on them.

    moves   share of the time that goes to other functions from the lower quartile to the upper one
    scales  share of the time, at typical sizes, of the loops whose cost they change
    loops   the largest of those
    """

    names: tuple[OpenName, ...]
    moves: float
    scales: float
    loops: tuple[LoopShare, ...] = ()


def first_asked(groups: Iterable[_Group]) -> list[_Group]:
    """As many of the groups as are asked for at a time; of one that is too large, a part."""
    left = MOST_ASKED
    asked: list[_Group] = []
    for group in groups:
        if len(group.names) <= left or not asked:
            asked.append(group._replace(names=group.names[:left]))
            left -= len(asked[-1].names)
    return asked


class DecidingSizes:
    """Ranks the open sizes of a program in which some, and trips of some loops, are ``given``."""

    def __init__(self, program: ProgramEquations, given: GivenSizes) -> None:
        self._program = program
        self._given = given
        solver = ProgramSolver(program, given.values, given.trips)
        typical = affordable_trips(program, solver)
        self._limits = typical.limits
        self._names = open_names(program, solver, typical)
        named = {loop for name in self._names for loop in name.loops}
        guessed = {
            number for number, loop in enumerate(program.loops) if not typical.of(loop).decided
        }
        self._uncounted = guessed - named
        self._typical = program_weights(program, typical=typical)
        self._inclusive = inclusive_shares(program, self._typical)

    @property
    def open_count(self) -> int:
        """Names that are open."""
        return len(self._names)

    @property
    def names(self) -> tuple[OpenName, ...]:
        """Those that are open."""
        return tuple(self._names)

    @property
    def weights(self) -> ProgramWeights:
        """At typical sizes."""
        return self._typical

    def ranked(self, effort: int) -> list[DecidingGroup]:
        """Those that move time, the most deciding first.

        Sizes in loops of more typical time are tried first; ``effort`` is the number of loops that
        may be weighed for it, one as often as it is.
        """
        groups = of_one_scale(self._names)
        groups.sort(key=lambda group: -max(map(self._direct_share, group)))
        most = effort // (_QUARTILES * max(1, len(self._program.loops)))
        tried = [self._tried(group) for group in list(filter(has_range, groups))[:most]]
        deciding = [each for each in tried if min(each.moves, each.scales) >= LEAST_SHARE]
        return sorted(deciding, key=lambda each: -each.moves * each.scales)

    def uncounted_share(self) -> float:
        """Of the time, in loops whose trip counts no size gives, and in the loops inside them."""
        return loops_share(self._program, self._uncounted, self._inclusive)

    def break_even(self, group: DecidingGroup) -> LargestFunction | None:
        """Where the function of most time changes, other sizes typical; None where nowhere.

        The sizes of the group are equal then.
        """
        lower, upper = (group.names[0].typical.points[each] for each in (LOWER, UPPER))
        below, above = self._largest(group, lower), self._largest(group, upper)
        if below == above:
            return None
        for _ in range(_MOST_BISECTIONS):
            if upper - lower <= 1:
                break
            middle = round(exp((log(max(lower, 1)) + log(max(upper, 1))) / 2))
            middle = min(max(middle, lower + 1), upper - 1)
            largest = self._largest(group, middle)
            if largest == below:
                lower = middle
            else:
                upper, above = middle, largest
        return LargestFunction(below, upper, above)

    def _tried(self, group: Sequence[OpenName]) -> DecidingGroup:
        low, high = (
            self._weights_at({each: each.typical.points[quartile] for each in group})
            for quartile in (LOWER, UPPER)
        )
        pairs = zip(low.functions, high.functions, strict=True)
        moved = sum(abs(one.weight.share - other.weight.share) for one, other in pairs)
        loops = sorted(self._changed(low, high), key=lambda each: -each.share)
        return DecidingGroup(
            names=tuple(group),
            moves=moved / 2,
            scales=min(1.0, sum(loop.share for loop in loops)),
            loops=tuple(loops[:_LOOPS_NAMED]),
        )

    def _changed(self, low: ProgramWeights, high: ProgramWeights) -> Iterator[LoopShare]:
        """Loops whose cost is not the same."""
        for one, typical, other in zip(low.loops, self._typical.loops, high.loops, strict=True):
            larger = max(one.operators, other.operators)
            if abs(one.operators - other.operators) > _CHANGED * larger:
                yield LoopShare(Place(typical.path, typical.span.line), typical.weight.share)

    def _direct_share(self, name: OpenName) -> float:
        return loops_share(self._program, frozenset(name.loops), self._inclusive)

    def _largest(self, group: DecidingGroup, value: int) -> str:
        weights = self._weights_at(dict.fromkeys(group.names, value))
        return max(weights.functions, key=lambda each: each.weight.share).function.name

    def _weights_at(self, values: Mapping[OpenName, int]) -> ProgramWeights:
        sizes = {**self._given.values, **given_values(values)}
        solver = ProgramSolver(self._program, sizes, self._given.trips)
        typical = typical_trips(self._program, solver, self._limits)
        return program_weights(self._program, typical=typical)
