"""Which iterations of a nest touch the same bytes: dependences with distances or directions.

Two accesses of one array, at least one of them a write, give one equation per subscript. Where
indices stand alike in both (uniform), the distance follows exactly; else every combination of
directions is kept that the GCD test and the bounds of the loops do not exclude. Allen, Kennedy:
Optimizing Compilers for Modern Architectures, chapter 3; the hierarchical search is Burke and
Cytron's (PLDI 1986), with Fourier–Motzkin in place of Banerjee's inequalities, so triangular and
symbolic bounds count.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

from rooflint.facts.points import Form, difference
from rooflint.facts.systems import Linear, NotLinearError, possible
from rooflint.ir import Access, Array, Loop, Node, Poly, Statement, children
from rooflint.ir.poly import Function, Monomial

Component: TypeAlias = int | Literal["<", ">", "*"]
"""Iterations from source to sink along one loop: exact, or later, earlier, or anything."""
Vector: TypeAlias = tuple[Component, ...]
Kind: TypeAlias = Literal["flow", "anti", "output"]

MAX_QUESTIONS = 400
OWN = frozenset(("local", "heap", "global"))


class Place(NamedTuple):
    """An access where it stands: the loops around it inside the nest, outermost first."""

    access: Access
    loops: tuple[Loop, ...]
    statement: Statement


class Dependence(NamedTuple):
    """The sink must come after the source.

    source, sink   numbers of places in program order
    vector         over the loops common to both, outermost first; lexicographically not negative,
                   but for ``*``, which stands for any number
    reason         why nothing more exact is known; empty where the vector is proven possible
    """

    array: str
    kind: Kind
    source: int
    sink: int
    vector: Vector
    reason: str = ""

    @property
    def level(self) -> int | None:
        """The loop that carries it, from 0; None when one iteration holds both ends."""
        return next((k for k, c in enumerate(self.vector) if c != 0), None)


class Dependences(NamedTuple):
    """The dependences of a piece of code; ``assumes`` are sentences they rest on."""

    places: tuple[Place, ...]
    found: tuple[Dependence, ...]
    assumes: tuple[str, ...] = ()


def places_of(nodes: Iterable[Node], loops: tuple[Loop, ...] = ()) -> Iterator[Place]:
    """All accesses at or below ``nodes`` in program order."""
    for node in nodes:
        if isinstance(node, Statement):
            for value in node.values:
                if value.access >= 0:
                    yield Place(node.accesses[value.access], loops, node)
        elif isinstance(node, Loop):
            yield from places_of(node.body, (*loops, node))
        else:
            yield from places_of(children(node), loops)


def dependences_of(
    nodes: tuple[Node, ...], outer: tuple[Loop, ...] = (), arrays: Mapping[str, Array] | None = None
) -> Dependences:
    """The dependences among ``nodes`` within one iteration of the loops ``outer`` around them."""
    places = tuple(places_of(nodes))
    by_array: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        by_array.setdefault(place.access.array, []).append(number)
    finder = _Finder(places, outer)
    for numbers in by_array.values():
        for position, first in enumerate(numbers):
            for second in numbers[position:]:
                if places[first].access.write or places[second].access.write:
                    finder.pair(first, second)
    return Dependences(places, tuple(finder.found), _apart(places, arrays or {}))


def _apart(places: tuple[Place, ...], arrays: Mapping[str, Array]) -> tuple[str, ...]:
    """What differently named arrays are taken for granted: they may be pointers to one place."""
    written = {p.access.array: p.access.type for p in places if p.access.write}
    used = {p.access.array: p.access.type for p in places}
    found: dict[str, None] = {}
    for name, kind in written.items():
        for other, its_kind in used.items():
            if name == other or kind != its_kind:
                continue
            a, b = arrays.get(name), arrays.get(other)
            if a is None or b is None or not _distinct(a, b):
                first, second = sorted((name, other))
                found[f"{first} and {second} do not overlap"] = None
    return tuple(found)


def _distinct(a: Array, b: Array) -> bool:
    if a.restrict or b.restrict or {a.storage, b.storage} & {"local", "heap"}:
        return True
    return a.storage in OWN and b.storage in OWN


class _Unequal(NamedTuple):
    """Forms that are zero, or at least zero, where two accesses touch the same bytes."""

    equal: list[Form]
    at_least: list[Form]


class _Finder:
    """Looks at pairs of accesses of one array."""

    def __init__(self, places: tuple[Place, ...], outer: tuple[Loop, ...]) -> None:
        self.places, self.outer = places, outer
        self.found: list[Dependence] = []

    def pair(self, first: int, second: int) -> None:
        """Adds what two accesses of one array, in program order, ask for."""
        one, two = self.places[first], self.places[second]
        common = 0
        for a, b in zip(one.loops, two.loops, strict=False):
            if a is not b:
                break
            common += 1
        try:
            case = _Case(one, two, one.loops[:common], self.outer)
        except NotLinearError as error:
            self.add(first, second, ("*",) * common, str(error))
            return
        if case.apart:
            return
        case.search([])
        if case.questions > MAX_QUESTIONS:
            self.add(first, second, ("*",) * common, "too many cases to tell apart")
            return
        for vector in case.vectors:
            self.add(first, second, vector, case.reason)

    def add(self, first: int, second: int, vector: Vector, reason: str) -> None:
        level = next((c for c in vector if c != 0), 0)
        backward = level == ">" or (isinstance(level, int) and level < 0)
        if first == second and (backward or level == 0):
            return  # the same two touches, seen from the other end, or one touch
        if backward:
            first, second, vector = second, first, tuple(map(_reversed, vector))
        writes = (self.places[first].access.write, self.places[second].access.write)
        kind: Kind = "output" if all(writes) else "flow" if writes[0] else "anti"
        array = self.places[first].access.array
        self.found.append(Dependence(array, kind, first, second, vector, reason))


def _reversed(component: Component) -> Component:
    if isinstance(component, int):
        return -component
    return {"<": ">", ">": "<", "*": "*"}[component]  # type: ignore[return-value]


class _Case:
    """One pair of accesses: the system of equations, and the search for directions."""

    def __init__(
        self, one: Place, two: Place, common: tuple[Loop, ...], outer: tuple[Loop, ...]
    ) -> None:
        self.common = common
        self.linear = Linear()
        self.questions = 0
        self.vectors: list[Vector] = []
        self.reason = ""
        first = {loop.index: f"{loop.index}@1" for loop in one.loops}
        second = {loop.index: f"{loop.index}@2" for loop in two.loops}
        self.names = [(first[loop.index], second[loop.index]) for loop in common]
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
        step = loop.step.value
        if not step:
            return
        low, high = (loop.lower, loop.upper) if step > 0 else (loop.upper + 1, loop.lower + 1)
        for bound, kind, sign in ((low, "max", 1), (high, "min", -1)):
            for part in _parts(bound, kind):
                try:
                    form = self.linear.form(part, rename)
                except NotLinearError:
                    continue
                fence = {n: -sign * c for n, c in form.items()}
                fence[name] = fence.get(name, 0) + sign
                if sign < 0:
                    fence[""] = fence.get("", 0) - 1
                self.bounds.append(fence)
        if abs(step) > 1:
            try:
                start = self.linear.form(loop.lower, rename)
            except NotLinearError:
                return
            grid = {n: -c for n, c in start.items()}
            grid[name] = grid.get(name, 0) + 1
            grid[f"{name}:"] = -step
            self.grids.append(grid)

    def meeting(
        self, a: Access, b: Access, first: dict[str, str], second: dict[str, str]
    ) -> _Unequal | None:
        """What must hold where both touch the same bytes; None when they never do."""
        here, there = self.linear.form(a.offset, first), self.linear.form(b.offset, second)
        apart = difference(there, here)
        divisor = gcd(*[c for n, c in apart.items() if n])
        shift = apart.get("", 0)
        if divisor == 0:
            return _Unequal([], []) if -b.bytes < shift < a.bytes else None
        remainder = shift % divisor
        if remainder >= a.bytes and divisor - remainder >= b.bytes:
            return None  # other members of records
        if remainder:
            low = dict(apart)
            low[""] = shift + b.bytes - 1
            high = {n: -c for n, c in apart.items()}
            high[""] = a.bytes - 1 - shift
            return _Unequal([], [low, high])
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
        return _Unequal(equal or self.rows(whole), [])

    def rows(self, whole: Form) -> list[Form]:
        """An equation over rows and columns as one per dimension, where that is proven.

        ``n*f + g == 0`` with ``-n < g < n`` asks for ``f == 0`` and ``g == 0``.
        """
        moving = {new for pair in self.linear_names for new in pair}
        factors: dict[tuple[str, ...], Form] = {(): {}}
        for name, c in whole.items():
            parts = name.split("*")
            sizes = tuple([p for p in parts if p not in moving])
            if len(sizes) < len(parts) and sizes:
                inner = next(p for p in parts if p in moving)
                factors.setdefault(sizes, {})[inner] = c
        if len(factors) == 1:
            return [whole]
        ordered = sorted(factors, key=len, reverse=True)
        for name, c in whole.items():
            parts = name.split("*") if name else []
            if not moving.isdisjoint(parts) and len(parts) > 1:
                continue
            sizes = next(s for s in ordered if not (set(s) - set(parts)))
            rest = list(parts)
            for size in sizes:
                rest.remove(size)
            key = "*".join(rest)
            factors[sizes][key] = factors[sizes].get(key, 0) + c
        return self.split(ordered, factors) or [whole]

    def split(
        self, ordered: list[tuple[str, ...]], factors: dict[tuple[str, ...], Form]
    ) -> list[Form]:
        """The forms of ``factors`` when each is smaller than the ratio to the next; else none."""
        for small, large in zip(ordered[1:], ordered[:-1], strict=True):
            rest = list(large)
            if set(small) - set(rest):
                return []
            for size in small:
                rest.remove(size)
            ratio = "*".join(rest)
            for sign in (1, -1):
                beyond = {n: sign * c for n, c in factors[small].items()}
                beyond[ratio] = beyond.get(ratio, 0) - 1
                if possible(self.grids, [*self.bounds, *self.linear.fences, beyond]):
                    return []
        return [factors[sizes] for sizes in ordered]

    @property
    def linear_names(self) -> list[tuple[str, ...]]:
        return [tuple([n for form in self.bounds for n in form if "@" in n]), *self.names]

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
            step = self.common[k].step.value or 1
            apart, rest = divmod(-form.get("", 0), c)
            steady = self.common[k].lower.names().isdisjoint(loop.index for loop in self.common)
            iterations, uneven = divmod(apart, step) if steady else (apart, 0)
            if rest or uneven or found.get(k, iterations) != iterations:
                found[k] = None
            else:
                found[k] = iterations
        return found

    def search(self, chosen: list[tuple[Component, Form]]) -> None:
        """Adds all vectors that begin with ``chosen`` and cannot be excluded."""
        level = len(chosen)
        if self.questions > MAX_QUESTIONS:
            return
        if chosen or not self.common:
            self.questions += 1
            if not self.holds([form for _, form in chosen], [c for c, _ in chosen]):
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
            steady = self.common[level].lower.names().isdisjoint(x.index for x in self.common)
            exact = {**apart, "": -distance * (step if steady else 1)}
            self.search([*chosen, (distance, exact)])
            return
        self.search([*chosen, (0, apart)])
        self.search([*chosen, ("<", {**forward, "": -1})])
        self.search([*chosen, (">", {**backward, "": -1})])

    def holds(self, forms: list[Form], components: list[Component]) -> bool:
        assert self.touch is not None
        equal = [f for f, c in zip(forms, components, strict=True) if isinstance(c, int)]
        at_least = [f for f, c in zip(forms, components, strict=True) if not isinstance(c, int)]
        return possible(
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
