"""Conditions around loops: what sizes decide, ``if (n > 4) for …``, and arms that exclude each
other, with probabilities by pattern where no run has counted them.

Probabilities are measured on the executed branches of LULESH, HPCG, NPB CG, LU, FT and IS, XSBench
and zlib with source-based coverage; beside each value the number of branches and the mean by
executions.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from rooflint import ir
from rooflint.facts.affine import number
from rooflint.ir.control_flow import BranchPattern, ConditionPattern, PathPattern
from rooflint.ir.poly_form import plain
from rooflint.ir.values import RelationalOperator
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    from rooflint.ir.equations import BranchSite

_RELATIONS: Final[dict[RelationalOperator, Callable[[int, int], bool]]] = {
    "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
    "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip
_OPPOSITES: Final[dict[RelationalOperator, RelationalOperator]] = {
    "<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==",
}  # fmt: skip

_EVEN: Final = 0.5
"""Of either arm where nothing tells."""
_AT_END: Final = 1 / 64
"""Of a pointer that a branch compares with the end of its buffer: buffers have at least so many
elements, and a pointer comes to their end once in so many times (judged)."""
_CONDITIONS: Final[dict[ConditionPattern, float]] = {
    "debug": 0.0,  # 48, 0.00
    "equal": 0.25,  # 141, 0.30
    "zero": 0.25,  # 136, 0.22
    "negative": 0.15,  # 14, 0.00; mean of the branches 0.16
    "nonzero": 0.5,  # 139, 0.56
    "unequal": 0.5,  # 50, 0.57
    "ordered": 0.5,  # 205, 0.48
    "at-end": _AT_END,
    "before-end": 1 - _AT_END,
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


def relation_holds(relation: RelationalOperator, left: int, right: int) -> bool:
    """Whether a comparison of two integers holds."""
    return _RELATIONS[relation](left, right)


class LoopGuard(NamedTuple):
    """A comparison of integers over sizes and indices that has to hold for code to run."""

    left: ir.Poly
    operator: RelationalOperator
    right: ir.Poly

    def verdict(self, values: Mapping[str, int]) -> bool | None:
        """Whether it holds at these values; None where they do not decide it."""
        left, right = number(self.left, values), number(self.right, values)
        if left is None or right is None:
            return None
        return relation_holds(self.operator, left, right)

    def opposite(self) -> "LoopGuard":
        """The guard of the code that runs instead."""
        return self._replace(operator=_OPPOSITES[self.operator])

    @property
    def names(self) -> frozenset[str]:
        """The sizes and indices that it compares."""
        return self.left.names() | self.right.names()

    def __str__(self) -> str:
        return f"{plain(self.left)} {self.operator} {plain(self.right)}"


def branch_guards(branch: ir.Branch) -> tuple[tuple[LoopGuard, ...], tuple[LoopGuard, ...]]:
    """The guards of the two arms: none for a condition that memory decides.

    ``a && b`` guards the first arm by both and the second by none, ``a || b`` the other way round.
    """
    values = branch.condition.values
    if not values:
        return (), ()
    both = _conjunction(values, len(values) - 1, holds=True)
    neither = _conjunction(values, len(values) - 1, holds=False)
    return both, neither


def _conjunction(values: tuple[ir.Value, ...], position: int, holds: bool) -> tuple[LoopGuard, ...]:
    """Comparisons that all hold where the value at ``position`` is true, or false."""
    value = values[position]
    if isinstance(value, ir.Relation):
        guard = _comparison(values, value)
        return () if guard is None else (guard if holds else guard.opposite(),)
    if value.op == "not":
        return _conjunction(values, value.args[0], not holds)
    if value.op == ("and" if holds else "or") and value.type == "bool":
        return tuple([g for a in value.args for g in _conjunction(values, a, holds)])
    return ()


def _comparison(values: tuple[ir.Value, ...], value: ir.Relation) -> LoopGuard | None:
    closed = [form for a in value.args if (form := values[a].closed_form) is not None]
    return LoopGuard(closed[0], value.operator, closed[1]) if len(closed) == 2 else None


def never_holds(guards: Iterable[LoopGuard], values: Mapping[str, int]) -> LoopGuard | None:
    """The first of the guards that is false at these values."""
    return next((guard for guard in guards if guard.verdict(values) is False), None)


def then_probability(branch: "BranchSite | BranchPattern") -> float:
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


class ExclusiveArm(NamedTuple):
    """One arm of a branch around code, of which every execution takes this one or the other.

    share   of the executions of the branch, where no size decides
    guards  comparisons that hold where this arm is taken; ``others``: where the other one is
    """

    share: float
    guards: tuple[LoopGuard, ...] = ()
    others: tuple[LoopGuard, ...] = ()

    def share_at(self, values: Mapping[str, int]) -> float:
        """The share at these values: 0 or 1 where they decide the branch."""
        if never_holds(self.guards, values) is not None:
            return 0.0
        return 1.0 if never_holds(self.others, values) is not None else self.share


def arms_of(branch: ir.Branch) -> tuple[ExclusiveArm, ExclusiveArm]:
    """The two arms; their shares add up to one."""
    then, orelse = branch_guards(branch)
    share = _EVEN if branch.pattern is None else then_probability(branch.pattern)
    return (
        ExclusiveArm(share=share, guards=then, others=orelse),
        ExclusiveArm(share=1 - share, guards=orelse, others=then),
    )


def excludes_loops(branch: ir.Branch) -> bool:
    """Whether either arm has loops, so that loops of one never run with those of the other.

    Loops of an arm with no alternative are taken to run: without them there is nothing to say.
    """
    return all(
        any(isinstance(n, ir.Loop) for n in ir.walk(a)) for a in (branch.then, branch.orelse)
    )


def share_of(arms: Iterable[ExclusiveArm], values: Mapping[str, int]) -> float:
    """The share of the executions of the outermost branch that takes all of these arms, one inside
    another. Whoever adds up code of several arms weights it so."""
    share = 1.0
    for arm in arms:
        share *= arm.share_at(values)
    return share
