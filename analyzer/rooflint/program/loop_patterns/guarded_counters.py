"""Largest values of counters that grow only where there is room: ``if (n < 8) a[n++] = x;``."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.ir.equations import (
    BranchSite,
    BranchTest,
    CounterStep,
    Equations,
    IntegerTerm,
    QuantityTerm,
    Term,
    UnknownTerm,
)
from rooflint.ir.values import MIRRORED, RelationalOperator
from rooflint.program.terms import in_program

_ROOM: Final[frozenset[RelationalOperator]] = frozenset(("<", "<=", "!="))
_FULL: Final[frozenset[RelationalOperator]] = frozenset((">", ">=", "=="))


def guarded_ends(
    files: Sequence[tuple[Equations, Sequence[int]]], definitions: Sequence[Sequence[Term]]
) -> Iterator[tuple[int, Term]]:
    """Positions of counters and the ends that they do not grow beyond.

    ``files``: with the positions of their quantities in the program; ``definitions``: the terms of
    each quantity. A counter is also set to constants, and to nothing else.
    """
    ends: defaultdict[int, set[Term | None]] = defaultdict(set)
    for file, here in files:
        for step in file.counters:
            if step.grows:
                end = _end(file, step) if isinstance(step.step, IntegerTerm) else None
                term = None if end is None else in_program(end, here, {})
                ends[here[step.target]].add(term)
    for place, found in ends.items():
        end = next(iter(found))
        if len(found) == 1 and end is not None and all(map(_is_plain, definitions[place])):
            yield place, end


def _is_plain(definition: Term) -> bool:
    return isinstance(definition, IntegerTerm) or definition == UnknownTerm("counter")


def _end(file: Equations, step: CounterStep) -> Term | None:
    """The term that the counter is compared with on the way to a step; None where nothing is."""
    arm = step.arm
    while arm >= 0:
        branch = file.branches[arm // 2]
        for test in _tests(branch, otherwise=bool(arm % 2)):
            end = _room_before(test, step.target, _FULL if arm % 2 else _ROOM)
            if end is not None:
                return end
        arm = branch.arm
    return None


def _tests(branch: BranchSite, otherwise: bool) -> Sequence[BranchTest]:
    """The comparisons that hold on one path, or of which the only one does not on the other."""
    return branch.tests if not otherwise or len(branch.tests) == 1 else ()


def _room_before(
    test: BranchTest, target: int, relations: frozenset[RelationalOperator]
) -> Term | None:
    counter = QuantityTerm(target)
    if test.left == counter and test.relation in relations:
        return test.right
    if test.right == counter and MIRRORED[test.relation] in relations:
        return test.left
    return None
