"""Probabilities of branches by pattern, where no run has counted them.

Measured on the executed branches of LULESH, HPCG, NPB CG, LU, FT and IS, XSBench and zlib with
source-based coverage; beside each value the number of branches and the mean by executions.
"""

from typing import Final

from rooflint.ir.equations import BranchSite
from rooflint.ir.nodes import BranchPattern, ConditionPattern, PathPattern

_CONDITIONS: Final[dict[ConditionPattern, float]] = {
    "debug": 0.0,  # 48, 0.00
    "equal": 0.25,  # 141, 0.30
    "zero": 0.25,  # 136, 0.22
    "negative": 0.15,  # 14, 0.00; mean of the branches 0.16
    "nonzero": 0.5,  # 139, 0.56
    "unequal": 0.5,  # 50, 0.57
    "ordered": 0.5,  # 205, 0.48
    "other": 0.5,  # 69, 0.65
}
_PATHS: Final[dict[PathPattern, float]] = {
    "no-return": 0.0,  # it ends the program: once at most
    "leaves-loop": 0.02,  # 33, 0.02
    "return": 0.15,  # 27, 0.15
    "reports-error": 0.12,  # 77 that exit, write to stderr or throw, 0.12
}
_RARE: Final = {path: _PATHS[path] for path in ("no-return", "reports-error")}
"""Of a way of a ``switch``; the others of its ends are as likely as any."""


def then_probability(branch: BranchSite | BranchPattern) -> float:
    """The share of executions of the branch that take its first path."""
    if branch.condition == "case":
        return min(1 / branch.ways, _RARE.get(branch.then, 1.0))
    if branch.then == "no-return":
        return 0.0
    if branch.orelse == "no-return":
        return 1.0
    if branch.condition == "debug":
        return 0.0
    leaving = _PATHS.get(branch.then)
    if leaving is not None and branch.orelse not in _PATHS:
        return leaving
    otherwise = None if branch.orelse is None else _PATHS.get(branch.orelse)
    if otherwise is not None and leaving is None:
        return 1 - otherwise
    return _CONDITIONS[branch.condition]
