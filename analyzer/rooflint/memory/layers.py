"""Layer conditions: how large sizes may be for a cache to keep rows, planes and blocks.

References to one array that move alike follow each other through memory. The one ahead brings a
line, those behind find it if the cache holds what is touched in between: their reuse distance.
While every reference moves on by a distance t, one that is followed at a distance d adds min(d, t)
to what is touched (J. Hammer et al., "Kerncraft: A Tool for Analytic Performance Modeling of Loop
Kernels", 2017, section 2.4.2); the cache has to hold the sum. The rule of thumb of the
Execution-Cache-Memory model's lectures counts the layers of the arrays that are reused alone, and
gives them half of the cache.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd, isqrt
from typing import Literal, TypeAlias

from rooflint.facts import KernelFacts, Stream
from rooflint.ir import ZERO, Array, Loop, Poly
from rooflint.ir.poly import UnknownValueError
from rooflint.records import NamedTuple

Rule: TypeAlias = Literal["exact", "half-cache"]
LAYERS = ("elements", "rows", "planes", "blocks")
"""Names of the reused layers, by loop from the innermost outwards."""
LARGE = 1 << 20
"""Stands for sizes without a value when distances are put in order."""


class Layer(NamedTuple):
    """Something that is reused, and what a cache has to hold for that.

    label       ``rows of a``, ``reuse of A, B over j``, ``all of a, b``
    required    bytes
    misses      references per iteration that miss when this is held and nothing larger; None where
                references move in different ways
    evicts      references per iteration that are stored
    below       whether the bytes must be fewer than the cache has, not as many
    carried_inside   how many loops lie inside the one whose iterations reuse it; 0: no such loop
    """

    label: str
    required: Poly
    misses: int | None = None
    evicts: int = 0
    below: bool = False
    carried_inside: int = 0

    def always(self, capacity_bytes: int) -> bool:
        """Whether a cache of that size holds it whatever the sizes are."""
        return not self.required.names() and bool(self.held(capacity_bytes, {}))

    def held(self, capacity_bytes: int, values: Mapping[str, int]) -> bool | None:
        """Whether a cache of that size holds it at these sizes; None where they are not enough."""
        try:
            required = self.required.evaluate(values)
        except UnknownValueError:
            return None
        return required < capacity_bytes if self.below else required <= capacity_bytes

    def depends_on_sizes(self, capacity_bytes: int) -> bool:
        """Whether a cache of that size holds it at some sizes, and at others not."""
        fixed = self.required.terms.get((), 0) + self.below
        return bool(self.required.names()) and fixed <= capacity_bytes

    def condition(self, capacity_bytes: int) -> str:
        """The inequality in integers without a common factor: ``2*n^2 - n <= 2048``."""
        limit = capacity_bytes - self.below - self.required.terms.get((), 0)
        rest = Poly({m: c for m, c in self.required.terms.items() if m})
        factor = max(1, gcd(*rest.terms.values()))
        reduced = Poly({m: c // factor for m, c in rest.terms.items()})
        return f"{_text(reduced)} <= {limit // factor}"

    def limit(self, capacity_bytes: int, name: str, values: Mapping[str, int]) -> int | None:
        """The largest value of ``name`` that a cache of that size holds, the others as given.

        None where any does, or where the bytes are no polynomial of it; -1 where none does.
        """
        others = {n: Poly.constant(v) for n, v in values.items() if n != name}
        return largest(self.required.substitute(others), name, capacity_bytes - self.below)


def largest(poly: Poly, name: str, most: int) -> int | None:
    """The largest integer value of ``name`` with ``poly <= most``, -1 if that is negative.

    None where ``poly`` does not grow with ``name`` alone.
    """
    if any(atom != name for atom in poly.atoms()):
        return None
    powers = {len(monomial): coefficient for monomial, coefficient in poly.terms.items()}
    degree = max(powers, default=0)
    if not degree or powers[degree] < 0:
        return None
    if degree > 2:
        return _largest_by_bisection(poly, name, most)
    a, b, c = powers.get(2, 0), powers.get(1, 0), powers.get(0, 0) - most
    if degree == 1:
        return max(-1, -c // b)
    inside = b * b - 4 * a * c
    return -1 if inside < 0 else max(-1, (isqrt(inside) - b) // (2 * a))


def _largest_by_bisection(poly: Poly, name: str, most: int) -> int:
    low, high = -1, 1
    while poly.evaluate({name: high}) <= most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if poly.evaluate({name: middle}) <= most:
            low = middle
        else:
            high = middle
    return low


def layers_of(
    facts: KernelFacts,
    arrays: Mapping[str, Array],
    values: Mapping[str, int],
    line_bytes: int,
    rule: Rule = "exact",
) -> tuple[Layer, ...]:
    """Layers that the kernel's nest can reuse, the most demanding first; () without closed form.

    ``values`` only put polynomials in order and name the layers.
    """
    moving = [s for s in facts.streams if s.pattern != "invariant"]
    if not moving or any(None in stream.strides for stream in moving):
        return ()
    whole = _whole(moving, arrays)
    if _alike(moving):
        return (*whole, *_by_distance(moving, values, rule))
    return (*whole, *_by_loop(facts, line_bytes, values))


def _whole(moving: Iterable[Stream], arrays: Mapping[str, Array]) -> Iterator[Layer]:
    total = ZERO
    names = tuple(dict.fromkeys(stream.array for stream in moving))
    for name in names:
        array = arrays.get(name)
        if array is None or not array.extents or None in array.extents:
            return
        size = Poly.constant(array.element_bytes)
        for extent in array.extents:
            size = size * (extent or ZERO)
        total += size
    yield Layer(label=f"all of {', '.join(names)}", required=total, misses=0, evicts=0, below=True)


def _alike(moving: Sequence[Stream]) -> bool:
    paces = set()
    for stream in moving:
        size = stream.element_bytes
        pace = []
        for stride in stream.strides:
            assert stride is not None
            if any(c % size for c in stride.terms.values()):
                return False
            pace.append(Poly({m: c // size for m, c in stride.terms.items()}))
        paces.add(tuple(pace))
    return len(paces) == 1


class _Followed(NamedTuple):
    """A reference and how far ahead of it, in bytes, the next one of its array is; None: none."""

    array: str
    distance: Poly | None

    def is_within(self, most: int, values: Mapping[str, int]) -> bool:
        """Whether the next one is at most so many bytes ahead."""
        return self.distance is not None and _at(self.distance, values) <= most


def _by_distance(
    moving: Sequence[Stream], values: Mapping[str, int], rule: Rule
) -> Iterator[Layer]:
    """The layers of references that all move alike, by falling reuse distance."""
    followed = [reference for stream in moving for reference in _followed(stream, values)]
    evicts = sum([reference.stored for stream in moving for reference in stream.references])
    distances = dict.fromkeys([f.distance for f in followed if f.distance])
    required_bytes = _exact_bytes if rule == "exact" else _lecture_bytes
    for reach in sorted(distances, key=lambda d: _at(d, values), reverse=True):
        near = [f for f in followed if f.is_within(_at(reach, values), values)]
        names = dict.fromkeys([f.array for f in near if f.distance == reach])
        misses = len(followed) - len(near)
        inside = _loops_inside(reach, moving[0], values)
        yield Layer(
            label=f"{LAYERS[min(inside, len(LAYERS) - 1)]} of {', '.join(names)}",
            required=required_bytes(reach, near, misses, moving[0].strides[-1 - inside]),
            misses=misses,
            evicts=evicts,
            carried_inside=inside,
        )
    missing = sum([f.distance != ZERO for f in followed])
    if missing < len(followed) or not distances:
        yield Layer(label="", required=ZERO, misses=missing, evicts=evicts)


def _exact_bytes(reach: Poly, near: Iterable[_Followed], misses: int, _whole: Poly | None) -> Poly:
    """All that is touched until the reference behind comes to the line."""
    return sum([f.distance or ZERO for f in near], start=reach * misses)


def _lecture_bytes(
    reach: Poly, near: Iterable[_Followed], _misses: int, whole: Poly | None
) -> Poly:
    """Twice the layers of the arrays that are reused, in whole rows and planes. Lectures count them
    whole, though neighbours are a few elements nearer."""
    reused = [f.array for f in near if f.distance == reach]
    return (whole or reach) * (len(reused) + len(set(reused))) * 2


def _followed(stream: Stream, values: Mapping[str, int]) -> list[_Followed]:
    """The references of a stream; one that is loaded and stored follows itself."""
    sign = -1 if _at(stream.strides[-1] or ZERO, values) < 0 else 1
    places = sorted(
        [reference.displacement * sign for reference in stream.references],
        key=lambda place: _at(place, values),
        reverse=True,
    )
    updated = [
        reference for reference in stream.references if reference.stored and reference.loaded
    ]
    return [
        _Followed(stream.array, None),
        *[_Followed(stream.array, ahead - behind) for ahead, behind in pairwise(places)],
        *[_Followed(stream.array, ZERO) for _ in updated],
    ]


def _loops_inside(distance: Poly, stream: Stream, values: Mapping[str, int]) -> int:
    """Of the loop whose step is nearest to the distance: 1 for rows, 2 for planes."""
    size = abs(_at(distance, values))
    steps = [abs(_at(stride or ZERO, values)) for stride in reversed(stream.strides)]
    ratios = [max(size, step) / max(1, min(size, step)) for step in steps if step]
    return ratios.index(min(ratios))


def _by_loop(facts: KernelFacts, line_bytes: int, values: Mapping[str, int]) -> Iterator[Layer]:
    """Lines that one iteration of each loop touches: cached, the next one hits on them."""
    loops = facts.kernel.loops
    trips = [_trip(loop, {other.index for other in loops}) for loop in loops]
    for depth, loop in enumerate(loops[:-1]):
        inner = [trip for trip in trips[depth + 1 :] if trip is not None]
        if depth + 1 + len(inner) == len(loops):
            required, reused = _touched_inside(facts.streams, depth, inner, line_bytes, values)
            if reused and required:
                label = f"reuse of {', '.join(reused)} over {loop.index}"
                yield Layer(label, required, carried_inside=len(inner))


def _touched_inside(
    streams: Iterable[Stream],
    depth: int,
    trips: Sequence[Poly],
    line_bytes: int,
    values: Mapping[str, int],
) -> tuple[Poly, Iterable[str]]:
    """Bytes of the lines touched by one iteration of a loop, and the arrays that the next reuses.
    ``trips`` of the loops inside."""
    required = ZERO
    reused: dict[str, None] = {}
    for stream in streams:
        own, *deeper = [stride or ZERO for stride in stream.strides[depth:]]
        required += _footprint(stream, deeper, trips, line_bytes, values)
        if abs(_at(own, values)) < line_bytes or len(stream.references) > 1:
            reused[stream.array] = None
    return required, reused


def _trip(loop: Loop, indices: Collection[str]) -> Poly | None:
    """The trip count; None where it depends on other loops or is no polynomial."""
    step = loop.step.value
    if step not in (1, -1):
        return None
    trip = (loop.upper - loop.lower) * step
    return None if trip.unknowns() or not trip.names().isdisjoint(indices) else trip


def _footprint(
    stream: Stream,
    strides: Sequence[Poly],
    trips: Sequence[Poly],
    line_bytes: int,
    values: Mapping[str, int],
) -> Poly:
    moving = [(abs(_at(s, values)), s, t) for s, t in zip(strides, trips, strict=True) if s]
    moving.sort(key=lambda each: each[0])
    run, size = stream.element_bytes, Poly.constant(stream.element_bytes)
    for step, _, trip in moving:
        if step <= max(run, line_bytes - 1):
            size = trip * step if step < line_bytes else size * trip
            run = max(run, step * max(1, _at(trip, values)))
        else:
            size = (size if run >= line_bytes else Poly.constant(line_bytes)) * trip
            run = line_bytes
    places = sorted(_at(reference.displacement, values) for reference in stream.references)
    apart = 1 + sum(b - a >= max(run, line_bytes) for a, b in pairwise(places))
    return (size if moving else Poly.constant(line_bytes)) * apart


def _at(poly: Poly, values: Mapping[str, int]) -> int:
    """The value, with a large number for each size without one, and for a division by zero."""
    known = dict.fromkeys(poly.names(), LARGE) | {u.text: LARGE for u in poly.unknowns()}
    try:
        return poly.evaluate({**known, **values})
    except UnknownValueError:
        return LARGE


def _text(poly: Poly) -> str:
    """Highest powers first: ``2*n^2 - n``."""
    found = ""
    for monomial in sorted(poly.terms, key=lambda m: (-len(m), str(m))):
        coefficient = poly.terms[monomial]
        powers = Counter(map(str, monomial))
        factors = [name if power == 1 else f"{name}^{power}" for name, power in powers.items()]
        if abs(coefficient) != 1:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        found += f" {sign} " if found else "-" if coefficient < 0 else ""
        found += "*".join(factors)
    return found or "0"
