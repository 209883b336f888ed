"""Where two accesses of one array meet: the distances and directions of their iterations.

Indices that stand alike in both accesses give exact distances; otherwise every combination of
directions is kept that the GCD test and the bounds of the loops do not exclude. The hierarchical
search is Burke and Cytron's (PLDI 1986), with Fourier–Motzkin in place of Banerjee's inequalities,
so triangular and symbolic bounds count.
"""

from collections.abc import Sequence
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

from rooflint.facts.points import Form, difference
from rooflint.facts.systems import TIMES, LinearForms, NotLinearError, is_feasible
from rooflint.ir import Access, Loop, Poly, Statement
from rooflint.ir.poly import Function, Monomial

Component: TypeAlias = int | Literal["<", ">", "*"]
"""Iterations from source to sink along one loop: exact, or later, earlier, or anything.

Where a loop starts at an index that an outer loop moves, an exact one is the difference of indices.
"""
Vector: TypeAlias = tuple[Component, ...]

MAX_QUESTIONS = 400


class AccessSite(NamedTuple):
    """An access where it stands: the loops around it inside the nest, outermost first."""

    access: Access
    loops: tuple[Loop, ...]
    statement: Statement


class OverlapConstraints(NamedTuple):
    """Forms that are zero, or at least zero, where two accesses touch the same bytes."""

    equal: list[Form]
    at_least: list[Form]


def _divides(small: Sequence[str], large: Sequence[str]) -> bool:
    """Whether a product of names is a factor of another: ``n*n`` is none of ``n*m``."""
    return all(large.count(name) >= small.count(name) for name in small)


class AccessPairTest:
    """One pair of accesses: the system of equations, and the search for directions."""

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
        self.reason = ""
        first = {loop.index: f"{loop.index}@1" for loop in one.loops}
        second = {loop.index: f"{loop.index}@2" for loop in two.loops}
        self.moving = {*first.values(), *second.values()}
        self.names = [(first[loop.index], second[loop.index]) for loop in common]
        self.ends: dict[str, frozenset[str]] = {}
        self.bounds: list[Form] = []
        self.grids: list[Form] = []
        for loop in outer:
            self.fence(loop, {}, loop.index)
        for loop in one.loops:
            self.fence(loop, first, first[loop.index])
        for loop in two.loops:
            self.fence(loop, second, second[loop.index])
        self.touch = self.meeting(one.access, two.access, first, second)
        self.apart = self.touch is None
        self.fixed = self.distances() if self.touch else {}
        self.apart = self.apart or any(d is None for d in self.fixed.values())

    def fence(self, loop: Loop, rename: dict[str, str], name: str) -> None:
        """Adds what the header of ``loop`` says of its index."""
        self.ends[name] = (loop.upper - loop.lower).names()
        bounds, grids = fences(loop, rename, name, self.linear)
        self.bounds += bounds
        self.grids += grids

    def meeting(
        self, a: Access, b: Access, first: dict[str, str], second: dict[str, str]
    ) -> OverlapConstraints | None:
        """What must hold where both touch the same bytes; None when they never do."""
        here, there = self.linear.form(a.offset, first), self.linear.form(b.offset, second)
        apart = difference(there, here)
        divisor = gcd(*[c for n, c in apart.items() if n])
        shift = apart.get("", 0)
        if divisor == 0:
            return OverlapConstraints([], []) if -b.bytes < shift < a.bytes else None
        remainder = shift % divisor
        if remainder >= a.bytes and divisor - remainder >= b.bytes:
            return None  # other members of records
        if remainder:
            low = dict(apart)
            low[""] = shift + b.bytes - 1
            high = {n: -c for n, c in apart.items()}
            high[""] = a.bytes - 1 - shift
            return OverlapConstraints([], [low, high])
        equal: list[Form] = []
        if len(a.subscripts) == len(b.subscripts) > 1 and a.bytes == b.bytes:
            pairs = zip(a.subscripts, b.subscripts, strict=True)
            try:
                equal = [
                    difference(self.linear.form(v, second), self.linear.form(u, first))
                    for u, v in pairs
                ]
            except NotLinearError:
                equal = []
        whole = {n: c // divisor for n, c in apart.items()}
        return OverlapConstraints(equal or self.rows(whole), [])

    def rows(self, whole: Form) -> list[Form]:
        """An equation over rows and columns as one per dimension, where that is proven.

        ``n*f + g == 0`` with ``-n < g < n`` asks for ``f == 0`` and ``g == 0``.
        """
        moving = self.moving
        factors: dict[tuple[str, ...], Form] = {(): {}}
        for name, c in whole.items():
            parts = name.split(TIMES)
            sizes = tuple([p for p in parts if p not in moving])
            if len(sizes) < len(parts) and sizes:
                inner = next(p for p in parts if p in moving)
                factors.setdefault(sizes, {})[inner] = c
        if len(factors) == 1:
            return [whole]
        ordered = sorted(factors, key=len, reverse=True)
        for name, c in whole.items():
            parts = name.split(TIMES) if name else []
            if not moving.isdisjoint(parts) and len(parts) > 1:
                continue
            sizes = next(s for s in ordered if _divides(s, parts))
            rest = list(parts)
            for size in sizes:
                rest.remove(size)
            key = TIMES.join(rest)
            factors[sizes][key] = factors[sizes].get(key, 0) + c
        return self.split(ordered, factors) or [whole]

    def split(
        self, ordered: list[tuple[str, ...]], factors: dict[tuple[str, ...], Form]
    ) -> list[Form]:
        """The forms of ``factors`` when each is smaller than the ratio to the next; else none."""
        for small, large in zip(ordered[1:], ordered[:-1], strict=True):
            rest = list(large)
            if not _divides(small, rest):
                return []
            for size in small:
                rest.remove(size)
            ratio = TIMES.join(rest)
            for sign in (1, -1):
                beyond = {n: sign * c for n, c in factors[small].items()}
                beyond[ratio] = beyond.get(ratio, 0) - 1
                if not is_feasible(self.grids, [*self.bounds, *self.linear.fences, beyond]):
                    continue
                ends = {end for n in factors[small] for end in self.ends.get(n, ())}
                if not ends.isdisjoint(rest):
                    self.reason = f"rows of {self.array} may overlap"
                    return []
                self.assumes.append(f"rows of {self.array} do not overlap")
        return [factors[sizes] for sizes in ordered]

    def distances(self) -> dict[int, int | None]:
        """Exact distances by loop, where an equation names one difference alone; None: never."""
        assert self.touch is not None
        found: dict[int, int | None] = {}
        places = {name: k for k, pair in enumerate(self.names) for name in pair}
        for form in self.touch.equal:
            level = {places.get(n) for n in form if n}
            if len(level) != 1 or None in level:
                continue
            k = level.pop()
            assert k is not None
            source, sink = self.names[k]
            c = form.get(sink, 0)
            if form.get(source, 0) != -c or not c:
                continue
            apart, rest = divmod(-form.get("", 0), c)
            iterations, uneven = divmod(apart, self.pace(k))
            if rest or uneven or found.get(k, iterations) != iterations:
                found[k] = None
            else:
                found[k] = iterations
        return found

    def pace(self, level: int) -> int:
        """What an index gains in one step: its own step where it always starts alike, else ±1."""
        loop = self.common[level]
        step = loop.step.value or 1
        steady = loop.lower.names().isdisjoint(other.index for other in self.common)
        return step if steady else 1 if step > 0 else -1

    def search(self, chosen: list[tuple[Component, Form]]) -> None:
        """Adds all vectors that begin with ``chosen`` and cannot be excluded."""
        level = len(chosen)
        if self.questions > MAX_QUESTIONS:
            return
        if chosen or not self.common:
            self.questions += 1
            # an exact distance says no more than where the two meet, which has been asked with
            # those before
            known = level > 1 and level - 1 in self.fixed
            if not known and not self.holds([form for _, form in chosen], [c for c, _ in chosen]):
                return
        if level == len(self.common):
            self.vectors.append(tuple([component for component, _ in chosen]))
            return
        source, sink = self.names[level]
        apart = {sink: 1, source: -1}
        step = self.common[level].step.value or 1
        forward, backward = apart, {sink: -1, source: 1}
        if step < 0:
            forward, backward = backward, forward
        if level in self.fixed:
            distance = self.fixed[level]
            assert distance is not None
            exact = {**apart, "": -distance * self.pace(level)}
            self.search([*chosen, (distance, exact)])
            return
        self.search([*chosen, (0, apart)])
        self.search([*chosen, ("<", {**forward, "": -1})])
        self.search([*chosen, (">", {**backward, "": -1})])

    def holds(self, forms: list[Form], components: list[Component]) -> bool:
        """Whether a meeting with these differences of indices cannot be excluded."""
        assert self.touch is not None
        equal = [f for f, c in zip(forms, components, strict=True) if isinstance(c, int)]
        at_least = [f for f, c in zip(forms, components, strict=True) if not isinstance(c, int)]
        return is_feasible(
            [*self.touch.equal, *self.grids, *equal],
            [*self.touch.at_least, *self.bounds, *self.linear.fences, *at_least],
        )


def _parts(bound: Poly, kind: str) -> list[Poly]:
    """The operands of a bound that is ``max(...)`` or ``min(...)``, with what is added to it."""
    atoms: list[tuple[Monomial, Function]] = [
        (m, m[0])
        for m, c in bound.terms.items()
        if len(m) == 1 and isinstance(m[0], Function) and m[0].kind == kind and c == 1
    ]
    if len(atoms) != 1:
        return [bound]
    monomial, atom = atoms[0]
    rest = bound - Poly({monomial: 1})
    return [part for operand in atom.operands for part in _parts(operand + rest, kind)]


def fences(
    loop: Loop, rename: dict[str, str], name: str, linear: LinearForms
) -> tuple[list[Form], list[Form]]:
    """Forms that are at least zero, and such that are zero, for every index ``name`` of ``loop``.

    ``rename`` gives the names of indices in the bounds; a bound without affine form says nothing.
    """
    bounds: list[Form] = []
    step = loop.step.value
    if not step:
        return [], []
    low, high = (loop.lower, loop.upper) if step > 0 else (loop.upper + 1, loop.lower + 1)
    for bound, kind, sign in ((low, "max", 1), (high, "min", -1)):
        for part in _parts(bound, kind):
            try:
                form = linear.form(part, rename)
            except NotLinearError:
                continue
            fence = {n: -sign * c for n, c in form.items()}
            fence[name] = fence.get(name, 0) + sign
            if sign < 0:
                fence[""] = fence.get("", 0) - 1
            bounds.append(fence)
    if abs(step) == 1:
        return bounds, []
    try:
        start = linear.form(loop.lower, rename)
    except NotLinearError:
        return bounds, []
    grid = {n: -c for n, c in start.items()}
    grid[name] = grid.get(name, 0) + 1
    grid[f"{name}:"] = -step
    return bounds, [grid]
