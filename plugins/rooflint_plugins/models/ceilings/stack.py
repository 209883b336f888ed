"""Stacks of ceilings, and the order in which to break them.

A stack starts at a floor; each step raises it by a factor, and the steps that a loop has already
taken are kept apart from those it has not. What a loop attains is the lowest of its stacks:

    P = min(C, B * I)             1e9 work/s

with C the compute stack, B * I the memory stack at the loop's intensity I. The climb raises, again
and again, the stack that binds, until the roof is reached; what it never raised can be skipped.

S. Williams, A. Waterman, D. Patterson: Roofline. UCB/EECS-2008-134, sections 3 and 4, appendix A.
"""

from collections.abc import Collection, Sequence
from math import inf
from typing import Literal, TypeAlias

from rooflint.records import NamedTuple

Side: TypeAlias = Literal["compute", "memory", "cache"]
Region: TypeAlias = Literal["memory", "compute", "both", "none"]

EXACT = 1e-9
TOLERANCE = 0.05
"""Gains below it do not move a loop into another region: the paper paints its second kernel
compute-only although 4 % of bandwidth are missing (Figure 2c)."""


class StackStep(NamedTuple):
    """One ceiling: ``factor`` is its height over the line below, at least 1.

    ``reached`` is how much of the factor the loop has already, from 1 to all of it; ``broken`` says
    that it has all of it, or that nothing is missing where the height is unknown.
    """

    name: str
    factor: float
    reached: float = 1.0
    broken: bool = False


class Stack(NamedTuple):
    """Ceilings of one kind, bottom to top; ``floor`` in 1e9 work/s lies below the first step."""

    side: Side
    floor: float
    steps: tuple[StackStep, ...] = ()

    @property
    def lines(self) -> tuple[float, ...]:
        """The height of each step with all below it broken, in 1e9 work/s."""
        found: list[float] = []
        line = self.floor
        for step in self.steps:
            line *= step.factor
            found.append(line)
        return tuple(found)

    @property
    def top(self) -> float:
        """With every step taken: the roof on this side."""
        return self.lines[-1] if self.steps else self.floor

    def rate(self, taken: Collection[str]) -> float:
        """The rate of a loop with the steps ``taken``; of the others as far as it reached."""
        rate = self.floor
        for step in self.steps:
            rate *= step.factor if step.name in taken else step.reached
        return rate


class Rise(NamedTuple):
    """A step of the climb: the rate after it, and the ratio to the rate before."""

    name: str
    side: Side
    g_per_s: float
    factor: float


class Climb(NamedTuple):
    """From what the loop attains now (``base``) to the roof, in 1e9 work/s.

    ``skipped`` are the ceilings above the roof's reach; one of unknown height (factor 1) is none.
    """

    base: float
    roof: float
    path: tuple[Rise, ...]
    skipped: tuple[str, ...]


def climb(stacks: Sequence[Stack]) -> Climb:
    """Raises what binds next until the roof is reached.

    A step that stands in several stacks under one name is taken in all of them at once: threads
    raise what cores compute and what memory delivers to them.
    """
    taken = _broken(stacks)
    base = now = _rate(stacks, taken)
    roof = _top(stacks)
    path: list[Rise] = []
    while now < roof * (1 - EXACT):
        lowest = min(stacks, key=lambda stack: stack.rate(taken))
        step = next((s for s in lowest.steps if s.name not in taken), None)
        if step is None:
            break
        taken.add(step.name)
        after = _rate(stacks, taken)
        path.append(Rise(name=step.name, side=lowest.side, g_per_s=after, factor=after / now))
        now = after
    left = [s.name for stack in stacks for s in stack.steps if s.name not in taken and s.factor > 1]
    return Climb(base=base, roof=roof, path=tuple(path), skipped=tuple(dict.fromkeys(left)))


def region_of(stacks: Sequence[Stack]) -> Region:
    """Which kinds of ceilings lie between the loop and its roof (Figure 2c of the report).

    memory   under the roof the compute side never binds;     compute   the other way round;
    both     each of them binds somewhere on the way;         none      the loop is at its roof
    """
    taken = _broken(stacks)
    compute = [stack for stack in stacks if stack.side == "compute"]
    memory = [stack for stack in stacks if stack.side != "compute"]
    if _rate(stacks, taken) >= _top(stacks) * (1 - TOLERANCE):
        return "none"
    if _top(memory) <= _rate(compute, taken):
        return "memory"
    if _rate(memory, taken) >= _top(compute) * (1 - TOLERANCE):
        return "compute"
    return "both"


def _broken(stacks: Sequence[Stack]) -> set[str]:
    return {step.name for stack in stacks for step in stack.steps if step.broken}


def _top(stacks: Sequence[Stack]) -> float:
    return min([stack.top for stack in stacks], default=inf)


def _rate(stacks: Sequence[Stack], taken: Collection[str]) -> float:
    return min([stack.rate(taken) for stack in stacks], default=inf)
