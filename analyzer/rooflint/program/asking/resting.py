"""The time that rests on open sizes, told from one weighing of the program."""

from collections.abc import Iterable, Set
from math import log
from typing import Final

from rooflint.program.asking.open_names import OpenName, of_one_scale
from rooflint.program.linking import ProgramEquations
from rooflint.program.weights import ProgramWeights
from rooflint.records import NamedTuple

LEAST_SHARE: Final = 0.01
"""Of the time that a size must move, and of that in its loops: as for findings (static shares)."""
LOWER, UPPER = 1, 3
"""Positions of the quartiles among the points of a range."""


class RestingGroup(NamedTuple):
    """Open sizes of one scale, and the share of the time in loops that rest on them."""

    names: tuple[OpenName, ...]
    share: float


def resting_groups(
    program: ProgramEquations, names: Iterable[OpenName], weights: ProgramWeights
) -> list[RestingGroup]:
    """Those of most time and widest range first; names without a range decide nothing."""
    inclusive = inclusive_shares(program, weights)

    def share_of(group: Iterable[OpenName]) -> float:
        return loops_share(program, {loop for each in group for loop in each.loops}, inclusive)

    groups = [
        RestingGroup(group, share)
        for group in of_one_scale(names)
        if has_range(group) and (share := share_of(group)) >= LEAST_SHARE
    ]
    return sorted(groups, key=lambda each: -each.share * _decades(each.names))


def inclusive_shares(program: ProgramEquations, weights: ProgramWeights) -> list[float]:
    """The share of each loop of the program with the loops in it, but not in functions called."""
    own = {(each.path, each.span): each.weight.share for each in weights.loops}
    shares = [own.get((loop.path, loop.loop.span), 0.0) for loop in program.loops]
    end = len(shares)
    for file in reversed(program.files):
        first = end - len(file.loops)
        for number in range(end - 1, first - 1, -1):  # those around a loop come before it
            parent = program.loops[number].loop.parent
            if parent >= 0:
                shares[first + parent] += shares[number]
        end = first
    return shares


def loops_share(program: ProgramEquations, loops: Set[int], inclusive: list[float]) -> float:
    """Of these loops of the program and the loops in them, each once."""
    share, first = 0.0, 0
    for file in program.files:
        inside: set[int] = set()
        for place, loop in enumerate(file.loops):
            if loop.loop.parent in inside:
                inside.add(place)
            elif first + place in loops:
                inside.add(place)
                share += inclusive[first + place]
        first += len(file.loops)
    return min(1.0, share)


def has_range(group: Iterable[OpenName]) -> bool:
    """Whether the quartiles of any of the sizes differ."""
    return any(each.typical.points[LOWER] < each.typical.points[UPPER] for each in group)


def _decades(names: Iterable[OpenName]) -> float:
    """The width of the widest range between quartiles, in a logarithm."""
    return max(
        log(each.typical.points[UPPER] / max(1, each.typical.points[LOWER])) for each in names
    )
