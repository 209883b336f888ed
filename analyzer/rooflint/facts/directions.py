"""Where two accesses of one array meet: the distances and directions of their iterations.

Indices that stand alike in both accesses give exact distances; otherwise every combination of
directions is kept that the GCD test and the bounds of the loops do not exclude. The hierarchical
search is Burke and Cytron's (PLDI 1986), with Fourier–Motzkin in place of Banerjee's inequalities,
so triangular and symbolic bounds count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from math import gcd
from typing import Literal, TypeAlias

from rooflint.facts.affine import extreme_operands
from rooflint.facts.systems import LinearForms, NotLinearError, SplitSystem, is_feasible
from rooflint.ir import Access, Loop, Reason, Statement
from rooflint.ir.terms import Form, combine_forms, difference, scale_form
from rooflint.records import NamedTuple

Component: TypeAlias = int | Literal["<", ">", "*"]
"""Iterations from source to sink along one loop: exact, or later, earlier, or anything.

Where a loop starts at an index that an outer loop moves, an exact one is the difference of indices.
"""
Vector: TypeAlias = tuple[Component, ...]

MAX_QUESTIONS = 400
"""Systems solved for one pair of accesses, each in some 100 microseconds."""


class AccessSite(NamedTuple):
    """An access where it stands: the loops around it inside the nest, outermost first."""

    access: Access
    loops: tuple[Loop, ...]
    statement: Statement


class OverlapConstraints(NamedTuple):
    """Forms that are zero, or at least zero, where two accesses touch the same bytes."""

    zero: list[Form]
    at_least: list[Form]


class IndexConstraints(NamedTuple):
    """Forms that are at least zero, and such that are zero, for every index of a loop."""

    at_least: list[Form]
    zero: list[Form]


class _Choice(NamedTuple):
    """A component of a vector, and the form of the indices that is zero or at least zero then."""

    component: Component
    form: Form


class AccessPairTest:
    """One pair of accesses: the system of equations, and the search for directions.

    is_apart   the two never touch the same bytes
    vectors    those that cannot be excluded, after ``search``
    reason     why they are not exact; None where they are
    assumes    what has been taken for granted
    """

    def __init__(
        self, one: AccessSite, two: AccessSite, common: tuple[Loop, ...], outer: tuple[Loop, ...]
    ) -> None:
        """Raises NotLinearError when an address has no affine form."""
        self.common = common
        self.array = one.access.array
        self.assumes: list[str] = []
        self.linear = LinearForms()
        self.questions = 0
        self.vectors: list[Vector] = []
        self.reason: Reason | None = None
        first = {loop.index: f"{loop.index}@1" for loop in one.loops}
        second = {loop.index: f"{loop.index}@2" for loop in two.loops}
        self.moving = {*first.values(), *second.values()}
        self.names = [(first[loop.index], second[loop.index]) for loop in common]
        self.ends: dict[str, frozenset[str]] = {}
        self.bounds: list[Form] = []
        self.grids: list[Form] = []
        for loops, rename in ((outer, {}), (one.loops, first), (two.loops, second)):
            for loop in loops:
                self._bound(loop, rename)
        self.overlap = self._overlap(one.access, two.access, first, second)
        self.fixed = self._distances()
        self.is_apart = self.overlap is None or None in self.fixed.values()

    def _bound(self, loop: Loop, rename: dict[str, str]) -> None:
        name = rename.get(loop.index, loop.index)
        self.ends[name] = (loop.upper - loop.lower).names()
        bounds, grids = index_constraints(loop, rename, name, self.linear)
        self.bounds += bounds
        self.grids += grids

    def _overlap(
        self, a: Access, b: Access, first: dict[str, str], second: dict[str, str]
    ) -> OverlapConstraints | None:
        """The constraints under which both touch the same bytes; None when they never do."""
        apart = difference(self.linear.form(b.offset, second), self.linear.form(a.offset, first))
        divisor = gcd(*[c for n, c in apart.items() if n])
        shift = apart.get("", 0)
        if divisor == 0:
            return OverlapConstraints([], []) if -b.bytes < shift < a.bytes else None
        remainder = shift % divisor
        if remainder >= a.bytes and divisor - remainder >= b.bytes:
            return None  # other members of records
        if remainder:
            low = {**apart, "": shift + b.bytes - 1}
            high = {**scale_form(apart, -1), "": a.bytes - 1 - shift}
            return OverlapConstraints([], [low, high])
        equal: list[Form] = []
        if len(a.subscripts) == len(b.subscripts) > 1 and a.bytes == b.bytes:
            with suppress(NotLinearError):
                equal = [
                    difference(self.linear.form(v, second), self.linear.form(u, first))
                    for u, v in zip(a.subscripts, b.subscripts, strict=True)
                ]
        whole = {n: c // divisor for n, c in apart.items()}
        return OverlapConstraints(equal or self._rows(whole), [])

    def _rows(self, whole: Form) -> list[Form]:
        """An equation over rows and columns as one per dimension, where that is proven. ``n*f + g
        == 0`` with ``-n < g < n`` asks for ``f == 0`` and ``g == 0``."""
        by_size: dict[tuple[str, ...], Form] = {(): {}}
        still: Form = {}
        for name, c in whole.items():
            factors = self.linear.factors_of(name)
            sizes = tuple([factor for factor in factors if factor not in self.moving])
            if sizes and len(sizes) < len(factors):
                [index] = self.moving.intersection(factors)
                by_size.setdefault(sizes, {})[index] = c
            else:
                still[name] = c
        if len(by_size) == 1:
            return [whole]
        ordered = sorted(by_size, key=len, reverse=True)
        for name, c in still.items():
            factors = self.linear.factors_of(name)
            sizes = next(each for each in ordered if _divides(each, factors))
            rest = self.linear.product(_quotient(factors, sizes))
            by_size[sizes][rest] = by_size[sizes].get(rest, 0) + c
        if all(self._fits_row(by_size[s], s, large) for s, large in _pairs(ordered)):
            return [by_size[sizes] for sizes in ordered]
        return [whole]

    def _fits_row(self, form: Form, small: tuple[str, ...], large: tuple[str, ...]) -> bool:
        """Whether a form, in units of ``small``, is smaller than a row of ``large``. Where it is
        not proven it is assumed, if the sizes are not those that end its loops."""
        if not _divides(small, large):
            return False
        rest = _quotient(large, small)
        row = self.linear.product(rest)
        for sign in (1, -1):
            beyond = combine_forms(form, sign, {row: 1}, -1)
            if not is_feasible(self.grids, [*self.bounds, *self.linear.constraints, beyond]):
                continue
            if any(not self.ends.get(name, frozenset()).isdisjoint(rest) for name in form):
                self.reason = Reason("rows-overlap", (self.array,))
                return False
            self.assumes.append(f"rows of {self.array} do not overlap")
        return True

    def _distances(self) -> dict[int, int | None]:
        """Exact distances by loop, where an equation names one difference alone; None: never."""
        found: dict[int, int | None] = {}
        for form in self.overlap.zero if self.overlap is not None else ():
            level = self._only_level(form)
            if level is None:
                continue
            apart, rest = divmod(-form.get("", 0), form[self.names[level][1]])
            iterations, uneven = divmod(apart, self.index_step(level))
            exact = not rest and not uneven and found.get(level, iterations) == iterations
            found[level] = iterations if exact else None
        return found

    def _only_level(self, form: Form) -> int | None:
        """The loop whose two indices are subtracted in a form that names no others; else None."""
        for level, (source, sink) in enumerate(self.names):
            if form.keys() - {""} == {source, sink}:
                return level if form[source] == -form[sink] else None
        return None

    def index_step(self, level: int) -> int:
        """The gain of an index in one step: its own step where it always starts alike, else ±1."""
        loop = self.common[level]
        step = loop.step.value or 1
        steady = loop.lower.names().isdisjoint(other.index for other in self.common)
        return step if steady else 1 if step > 0 else -1

    def search(self, chosen: tuple[_Choice, ...] = ()) -> None:
        """Adds all vectors that begin with ``chosen`` and cannot be excluded."""
        level = len(chosen)
        if self.questions > MAX_QUESTIONS or not self._may_hold(chosen):
            return
        if level == len(self.common):
            self.vectors.append(tuple([choice.component for choice in chosen]))
            return
        for choice in self._choices(level):
            self.search((*chosen, choice))

    def _choices(self, level: int) -> tuple[_Choice, ...]:
        """The components that a vector may have for a loop."""
        source, sink = self.names[level]
        apart = {sink: 1, source: -1}
        distance = self.fixed.get(level)
        if distance is not None:
            return (_Choice(distance, {**apart, "": -distance * self.index_step(level)}),)
        sign = 1 if (self.common[level].step.value or 1) > 0 else -1
        return (
            _Choice(0, apart),
            _Choice("<", scale_form(apart, sign, -1)),
            _Choice(">", scale_form(apart, -sign, -1)),
        )

    def _may_hold(self, chosen: tuple[_Choice, ...]) -> bool:
        """Whether a meeting with these differences of indices cannot be excluded."""
        if self.overlap is None:
            return False
        if self.common and not chosen:
            return True
        self.questions += 1
        if len(chosen) > 1 and len(chosen) - 1 in self.fixed:
            return True  # an exact distance says no more than the equations, asked before
        equal = [choice.form for choice in chosen if isinstance(choice.component, int)]
        at_least = [choice.form for choice in chosen if not isinstance(choice.component, int)]
        return self.system.is_feasible_with(equal, at_least)

    @cached_property
    def system(self) -> SplitSystem:
        """All that holds where the two meet, whatever the difference of their indices."""
        overlap = self.overlap or OverlapConstraints([], [])
        return SplitSystem(
            [*overlap.zero, *self.grids],
            [*overlap.at_least, *self.bounds, *self.linear.constraints],
        )


def _divides(small: Sequence[str], large: Sequence[str]) -> bool:
    """Whether a product of names is a factor of another: ``n*n`` is none of ``n*m``."""
    return all(large.count(name) >= small.count(name) for name in small)


def _quotient(large: Iterable[str], small: Iterable[str]) -> list[str]:
    """The factors of ``large`` without those of ``small``."""
    return list((Counter(large) - Counter(small)).elements())


def _pairs(ordered: Sequence[tuple[str, ...]]) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    return zip(ordered[1:], ordered[:-1], strict=True)


def index_constraints(
    loop: Loop, rename: dict[str, str], name: str, linear: LinearForms
) -> IndexConstraints:
    """The bounds that the header of ``loop`` sets on its index, called ``name``.

    ``rename`` gives the names of indices in the bounds; a bound without affine form says nothing.
    """
    step = loop.step.value
    if not step:
        return IndexConstraints([], [])
    low, high = (loop.lower, loop.upper - 1) if step > 0 else (loop.upper + 1, loop.lower)
    at_least: list[Form] = []
    for bound in extreme_operands(low, "max"):
        with suppress(NotLinearError):
            at_least.append(combine_forms({name: 1}, 1, linear.form(bound, rename), -1))
    for bound in extreme_operands(high, "min"):
        with suppress(NotLinearError):
            at_least.append(combine_forms({name: -1}, 1, linear.form(bound, rename), 1))
    if abs(step) == 1:
        return IndexConstraints(at_least, [])
    try:
        start = linear.form(loop.lower, rename)
    except NotLinearError:
        return IndexConstraints(at_least, [])
    grid = combine_forms({name: 1, f"{name}:": -step}, 1, start, -1)
    return IndexConstraints(at_least, [grid])
