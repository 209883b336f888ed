"""Which iterations of a nest touch the same bytes: dependences with distances or directions.

Two accesses of one array, at least one of them a write, depend on each other wherever
``directions`` finds that they may meet. Allen, Kennedy: Optimizing Compilers for Modern
Architectures, chapter 2.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, takewhile
from typing import Final, Literal, TypeAlias

from rooflint.dependence import Assumption, FunctionMemory, references_in, unproven
from rooflint.facts.directions import MAX_QUESTIONS, AccessPairTest, AccessSite, Component, Vector
from rooflint.facts.systems import NotLinearError
from rooflint.ir import Loop, Node, Reason, Statement, children
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
    for numbers in by_array.values():
        for first, second in combinations_with_replacement(numbers, 2):
            if places[first].access.write or places[second].access.write:
                finder.pair(first, second)
    touched = references_in(nodes, memory)
    written = dict.fromkeys([place.access.array for place in places if place.access.write])
    arrays = [memory.arrays[name] for name in written if name in memory.arrays]
    rows = [array.assumption for array in arrays if array.assumption]
    apart = unproven(touched.written, touched.used, memory)
    return NestDependences(places, tuple(finder.found), (*apart, *rows, *finder.assumes))


class _PairFinder:
    """Looks at pairs of accesses of one array."""

    def __init__(self, places: tuple[AccessSite, ...], outer: tuple[Loop, ...]) -> None:
        self.places, self.outer = places, outer
        self.found: list[Dependence] = []
        self.assumes: dict[str, None] = {}

    def pair(self, first: int, second: int) -> None:
        one, two = self.places[first], self.places[second]
        shared = takewhile(lambda pair: pair[0] is pair[1], zip(one.loops, two.loops, strict=False))
        common = tuple([loop for loop, _ in shared])
        try:
            test = AccessPairTest(one, two, common, self.outer)
        except NotLinearError as error:
            self.add(first, second, _anything(common), error.reason)
            return
        self.assumes.update(dict.fromkeys(test.assumes))
        if test.is_apart:
            return
        test.search()
        if test.questions > MAX_QUESTIONS:
            self.add(first, second, _anything(common), Reason("too-many-cases"))
            return
        for vector in test.vectors:
            self.add(first, second, vector, test.reason)

    def add(self, first: int, second: int, vector: Vector, reason: Reason | None) -> None:
        level = next((c for c in vector if c != 0), 0)
        backward = level == ">" or (isinstance(level, int) and level < 0)
        if first == second and (backward or level == 0):
            return  # the same two touches, seen from the other end, or one touch
        if backward:
            first, second, vector = second, first, tuple(map(_reversed, vector))
        source, sink = self.places[first].access, self.places[second].access
        self.found.append(
            Dependence(
                array=source.array,
                kind=_KINDS[source.write, sink.write],
                source=first,
                sink=second,
                vector=vector,
                reason=reason,
            )
        )


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
