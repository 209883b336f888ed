"""Which iterations of a nest touch the same bytes: dependences with distances or directions.

Two accesses of one array, at least one of them a write, depend on each other wherever
``directions`` finds that they may meet. Allen, Kennedy: Optimizing Compilers for Modern
Architectures, chapter 2.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, takewhile
from operator import sub
from typing import Final, Literal, TypeAlias

from rooflint.dependence import Assumption, FunctionMemory, references_in, unproven
from rooflint.facts.directions import MAX_QUESTIONS, AccessPairTest, AccessSite, Component, Vector
from rooflint.facts.systems import NotLinearError
from rooflint.ir import Loop, Node, Poly, Reason, Statement, children
from rooflint.records import NamedTuple

Kind: TypeAlias = Literal["flow", "anti", "output"]


class Dependence(NamedTuple):
    """The sink must come after the source.

    source, sink   numbers of places in program order
    vector         over the loops common to both, outermost first; lexicographically not negative,
                   but for ``*``, which stands for any number
    reason         why nothing more exact is known; None where the vector is proven possible
    """

    array: str
    kind: Kind
    source: int
    sink: int
    vector: Vector
    reason: Reason | None = None

    @property
    def level(self) -> int | None:
        """The loop that carries it, from 0; None when one iteration holds both ends."""
        return next((k for k, c in enumerate(self.vector) if c != 0), None)


class NestDependences(NamedTuple):
    """The dependences of a piece of code, and what they rest on."""

    places: tuple[AccessSite, ...]
    found: tuple[Dependence, ...]
    assumes: tuple[Assumption, ...] = ()


def places_of(nodes: Iterable[Node], loops: tuple[Loop, ...] = ()) -> Iterator[AccessSite]:
    """All accesses at or below ``nodes`` in program order."""
    for node in nodes:
        if isinstance(node, Statement):
            for value in node.values:
                if value.op in ("load", "store"):
                    yield AccessSite(node.accesses[value.access], loops, node)
        elif isinstance(node, Loop):
            yield from places_of(node.body, (*loops, node))
        else:
            yield from places_of(children(node), loops)


def dependences_of(
    nodes: tuple[Node, ...], memory: FunctionMemory, outer: tuple[Loop, ...] = ()
) -> NestDependences:
    """The dependences among ``nodes`` within one iteration of the loops ``outer`` around them."""
    places = tuple(places_of(nodes))
    by_array: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        by_array.setdefault(place.access.array, []).append(number)
    finder = _PairFinder(places, outer)
    for array, numbers in by_array.items():
        finder.look_at(array, numbers)
    touched = references_in(nodes, memory)
    written = dict.fromkeys([place.access.array for place in places if place.access.write])
    arrays = [memory.arrays[name] for name in written if name in memory.arrays]
    rows = [array.assumption for array in arrays if array.assumption]
    apart = unproven(touched.written, touched.used, memory)
    return NestDependences(places, tuple(finder.found), (*apart, *rows, *finder.assumes))


class _AccessShape(NamedTuple):
    """An access without the constants of its address.

    Two pairs of accesses of the same shapes meet in the same iterations where their constants
    differ by as much: one search serves them all.

    nest  number of the piece of a body that it stands in: the loops around it
    """

    nest: int
    bytes: int
    offset: Poly
    subscripts: tuple[Poly, ...]


class _Way(NamedTuple):
    """How two accesses meet.

    vector     from the earlier to the later one
    backward   the second one in program order is the earlier one
    is_within  one iteration holds both
    """

    vector: Vector
    backward: bool
    is_within: bool


class _Meeting(NamedTuple):
    """The ways in which two accesses meet, and why they are not exact."""

    ways: tuple[_Way, ...]
    reason: Reason | None = None
    assumes: tuple[str, ...] = ()


_PairCase: TypeAlias = tuple[int, int, tuple[int, ...]]
"""The numbers of two shapes, and by how much the constants of their addresses differ."""


class _PairFinder:
    """Looks at pairs of accesses of one array."""

    def __init__(self, places: tuple[AccessSite, ...], outer: tuple[Loop, ...]) -> None:
        self.places, self.outer = places, outer
        self.found: list[Dependence] = []
        self.assumes: dict[str, None] = {}
        self._writes = [place.access.write for place in places]
        self._shapes, self._constants = _shapes_and_constants(places)

    def look_at(self, array: str, numbers: Sequence[int]) -> None:
        """Adds the dependences among the accesses of an array: one search for each case."""
        writes = self._writes
        pairs = [
            (first, second)
            for first, second in combinations_with_replacement(numbers, 2)
            if writes[first] or writes[second]
        ]
        cases = [self._case(first, second) for first, second in pairs]
        examples: dict[_PairCase, tuple[int, int]] = {}
        for case, pair in zip(cases, pairs, strict=True):
            examples.setdefault(case, pair)
        meetings = {case: self._meeting(*pair) for case, pair in examples.items()}
        for meeting in meetings.values():
            self.assumes.update(dict.fromkeys(meeting.assumes))
        for case, (first, second) in zip(cases, pairs, strict=True):
            self._add(array, first, second, meetings[case])

    def _add(self, array: str, first: int, second: int, meeting: _Meeting) -> None:
        for vector, backward, is_within in meeting.ways:
            if first == second and (backward or is_within):
                continue  # the same two touches, seen from the other end, or one touch
            source, sink = (second, first) if backward else (first, second)
            self.found.append(
                Dependence(
                    array=array,
                    kind=_KINDS[self._writes[source], self._writes[sink]],
                    source=source,
                    sink=sink,
                    vector=vector,
                    reason=meeting.reason,
                )
            )

    def _case(self, first: int, second: int) -> _PairCase:
        apart = tuple(map(sub, self._constants[second], self._constants[first]))
        return self._shapes[first], self._shapes[second], apart

    def _meeting(self, first: int, second: int) -> _Meeting:
        one, two = self.places[first], self.places[second]
        shared = takewhile(lambda pair: pair[0] is pair[1], zip(one.loops, two.loops, strict=False))
        common = tuple([loop for loop, _ in shared])
        try:
            test = AccessPairTest(one, two, common, self.outer)
        except NotLinearError as error:
            return _Meeting((_way(_anything(common)),), error.reason)
        assumes = tuple(test.assumes)
        if test.is_apart:
            return _Meeting((), None, assumes)
        test.search()
        if test.questions > MAX_QUESTIONS:
            return _Meeting((_way(_anything(common)),), Reason("too-many-cases"), assumes)
        return _Meeting(tuple(map(_way, test.vectors)), test.reason, assumes)


def _way(vector: Vector) -> _Way:
    """The way that a vector from the first access to the second one stands for."""
    level = next((c for c in vector if c != 0), 0)
    backward = level == ">" or (isinstance(level, int) and level < 0)
    return _Way(tuple(map(_reversed, vector)) if backward else vector, backward, level == 0)


def _shapes_and_constants(
    places: Sequence[AccessSite],
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Of each access the number of its shape, and the constants that the shape leaves out."""
    nest, around = 0, places[0].loops if places else ()
    numbers: dict[_AccessShape, int] = {}
    shapes: list[int] = []
    constants: list[tuple[int, ...]] = []
    for access, loops, _ in places:
        nest += loops is not around  # one object for all accesses of a body
        around = loops
        polys = (access.offset, *access.subscripts)
        own = tuple([poly.terms.get((), 0) for poly in polys])
        offset, *subscripts = [poly - c for poly, c in zip(polys, own, strict=True)]
        shape = _AccessShape(
            nest=nest,
            bytes=access.bytes,
            offset=offset,
            subscripts=tuple(subscripts),
        )
        shapes.append(numbers.setdefault(shape, len(numbers)))
        constants.append(own)
    return shapes, constants


_KINDS: Final[Mapping[tuple[bool, bool], Kind]] = {
    (True, True): "output",
    (True, False): "flow",
    (False, True): "anti",
}
"""By whether source and sink write."""


def _anything(loops: Sequence[Loop]) -> Vector:
    anything: Component = "*"
    return (anything,) * len(loops)


def _reversed(component: Component) -> Component:
    if isinstance(component, int):
        return -component
    return ">" if component == "<" else "<" if component == ">" else "*"
