"""How often a place of a function runs in one call of the function."""

from collections.abc import Sequence
from typing import Final

from rooflint.ir.equations import BoundedLoop, BranchSite, Equations
from rooflint.program.branch_probabilities import path_probability

_LEAVING: Final = frozenset(("leaves-loop", "return"))
_EARLY_EXIT: Final = 0.5
"""Of the trips up to the bound, those that a loop runs that may be left before: the mean of an exit
that is equally likely in each iteration."""


class PlaceFrequencies:
    """Frequencies of the places of one file, from the trips of its loops."""

    def __init__(self, file: Equations, trips: Sequence[float]) -> None:
        self._iterations = _iterations(file, trips)
        self._paths = _paths(file.branches)

    def of_place(self, loop: int, arm: int) -> float:
        """Executions of a statement in the loop, and on the path of a branch; -1 for none."""
        iterations = self._iterations[loop] if loop >= 0 else 1.0
        return iterations * (self._paths[arm] if arm >= 0 else 1.0)

    def of_loop(self, loop: BoundedLoop) -> float:
        """Executions of the whole loop."""
        return self.of_place(loop.parent, loop.arm)


def _iterations(file: Equations, trips: Sequence[float]) -> list[float]:
    """Of each loop's body, in one call of its function."""
    left_early = {branch.loop for branch in file.branches if _leaves(branch)}
    iterations: list[float] = []
    for position, loop in enumerate(file.loops):
        own = trips[position]
        if position in left_early and loop.lower is not None:
            own = max(min(own, 1.0), own * _EARLY_EXIT)
        outer = iterations[loop.parent] if loop.parent >= 0 else 1.0
        iterations.append(outer * own)
    return iterations


def _paths(branches: Sequence[BranchSite]) -> list[float]:
    """Probabilities of both paths of each branch, with those of the branches around."""
    paths: list[float] = []
    for branch in branches:
        outer = paths[branch.arm] if branch.arm >= 0 else 1.0
        paths += [outer * path_probability(branch, path) for path in (0, 1)]
    return paths


def _leaves(branch: BranchSite) -> bool:
    return branch.loop >= 0 and bool(_LEAVING & {branch.then, branch.orelse})
