"""How often a place of a function runs in one call of the function."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from rooflint.ir.equations import BoundedLoop, BranchSite, Equations
from rooflint.program.linking import ProgramEquations
from rooflint.program.run_counts import NO_COUNTS, NOTHING_COUNTED, LoopKeyword, RunCounts
from rooflint.records import NamedTuple

_LEAVING: Final = frozenset(("leaves-loop", "return"))
_EARLY_EXIT: Final = 0.5
"""Of the trips up to the bound, those that a loop runs that may be left before: the mean of an exit
that is equally likely in each iteration."""


class SwitchWay(NamedTuple):
    """One of the ways of a ``switch``, both by the positions of branches in their file."""

    switch: int
    label: int


class SwitchChoice(NamedTuple):
    """The ways of the switches around a place, from the outermost on, that a ``part`` of runs take.

    Of 35 switches of Lua, zlib and LULESH that runs executed a hundred times or more, the way that
    each took most often had 90 % of the executions in the median, of eight ways.
    """

    ways: tuple[SwitchWay, ...]
    part: float


NO_CHOICE: Final = SwitchChoice((), 1.0)


class BranchPaths(NamedTuple):
    """The branches of a file: of each how ``likely`` its first path is.

    Of both paths of each branch, ``parts`` are the probabilities with those of the branches around,
    and ``choices`` the ways of switches that they lie on.
    """

    likely: Sequence[float]
    parts: Sequence[float]
    choices: Sequence[SwitchChoice]


def branch_paths(branches: Sequence[BranchSite], likely: Sequence[float]) -> BranchPaths:
    """The paths of branches whose first ones are so ``likely``."""
    return BranchPaths(
        likely=likely, parts=_parts(branches, likely, {}), choices=_choices(branches, likely)
    )


class PlaceFrequencies:
    """Frequencies of the places of one file, from the trips of its loops.

    What a run has counted in a function whose calls it counted stands in place of trips and
    probabilities.
    """

    def __init__(
        self,
        file: Equations,
        trips: Sequence[float],
        paths: BranchPaths,
        counts: RunCounts = NO_COUNTS,
    ) -> None:
        self._paths = paths.parts
        if counts.branches:
            self._paths = _parts(file.branches, paths.likely, counts.branches)
        self._choices = paths.choices
        counted = self._counted(file, counts) if counts.loops else {}
        self._iterations = _iterations(file, trips, counted)

    def _counted(self, file: Equations, counts: RunCounts) -> dict[int, float]:
        """Iterations of loops in one call, by position; paths of branches come on top of them."""
        calls = {
            each.result: counts.calls(each.span) for each in file.functions if each.span is not None
        }
        counted: dict[int, float] = {}
        for position, loop in enumerate(file.loops):
            own = counts.loops.get(LoopKeyword(loop.span.line, loop.span.column))
            begun = calls.get(loop.function)
            if own is not None and begun is not None and not loop.header:
                path = self._paths[loop.arm] if loop.arm >= 0 else 1.0
                counted[position] = own / (begun * path) if begun and path else 0.0
        return counted

    def of_place(self, loop: int, arm: int) -> float:
        """Executions of a statement in the loop, and on the path of a branch; -1 for none."""
        iterations = self._iterations[loop] if loop >= 0 else 1.0
        return iterations * (self._paths[arm] if arm >= 0 else 1.0)

    def choice_at(self, arm: int) -> SwitchChoice:
        """The ways of the switches around a statement on the path of a branch; -1 for none."""
        return self._choices[arm] if arm >= 0 else NO_CHOICE

    def of_loop(self, loop: BoundedLoop) -> float:
        """Executions of the whole loop."""
        return self.of_place(loop.parent, loop.arm)


def frequencies_of(
    program: ProgramEquations,
    trips: Sequence[float],
    paths: Sequence[BranchPaths],
    counts: Mapping[str, RunCounts] = NOTHING_COUNTED,
) -> list[PlaceFrequencies]:
    """Those of each file, from the trips of all loops of the program, from the branches of each
    file, and from counts by path."""
    own = iter(trips)
    return [
        PlaceFrequencies(
            file.equations,
            list(islice(own, len(file.loops))),
            branches,
            counts.get(file.equations.path, NO_COUNTS),
        )
        for file, branches in zip(program.files, paths, strict=True)
    ]


def _iterations(
    file: Equations, trips: Sequence[float], counted: Mapping[int, float]
) -> list[float]:
    """Of each loop's body, in one call of its function."""
    left_early = {branch.loop for branch in file.branches if _leaves(branch)}
    iterations: list[float] = []
    for position, loop in enumerate(file.loops):
        if position in counted:
            iterations.append(counted[position])
            continue
        own = trips[position]
        if position in left_early and loop.lower is not None:
            own = max(min(own, 1.0), own * _EARLY_EXIT)
        outer = iterations[loop.parent] if loop.parent >= 0 else 1.0
        iterations.append(outer * own)
    return iterations


def _parts(
    branches: Sequence[BranchSite], likely: Sequence[float], counted: Mapping[int, float]
) -> list[float]:
    """Probabilities of both paths of each branch, with those of the branches around.

    ``counted``: those of conditions, by line.
    """
    paths: list[float] = []
    for branch, probability in zip(branches, likely, strict=True):
        outer = paths[branch.arm] if branch.arm >= 0 else 1.0
        then = None if branch.condition == "case" else counted.get(branch.line)
        if then is None:
            then = probability
        paths += [outer * then, outer * (1 - then)]
    return paths


def _choices(branches: Sequence[BranchSite], likely: Sequence[float]) -> list[SwitchChoice]:
    """Of both paths of each branch, the ways of switches that they lie on."""
    choices: list[SwitchChoice] = []
    labels: dict[tuple[int, int, int, int], list[int]] = {}
    for position, (branch, probability) in enumerate(zip(branches, likely, strict=True)):
        outer = choices[branch.arm] if branch.arm >= 0 else NO_CHOICE
        own = outer
        if branch.condition == "case":
            key = branch.function, branch.loop, branch.arm, branch.ways
            before = labels.setdefault(key, [])
            if len(before) == branch.ways:  # those of another switch at the same place
                before.clear()
            before.append(position)
            way = SwitchWay(before[0], position)
            own = SwitchChoice((*outer.ways, way), outer.part * probability)
        choices += [own, outer]
    return choices


def _leaves(branch: BranchSite) -> bool:
    return branch.loop >= 0 and bool(_LEAVING & {branch.then, branch.orelse})
