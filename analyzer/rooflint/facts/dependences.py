"""Which iterations of a nest touch the same bytes: dependences with distances or directions.

Two accesses of one array, at least one of them a write, depend on each other wherever
``directions`` finds that they may meet. Allen, Kennedy: Optimizing Compilers for Modern
Architectures, chapter 2.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from rooflint.dependence import Assumption, FunctionMemory, references_in, unproven
from rooflint.facts.directions import MAX_QUESTIONS, Case, Component, Place, Vector
from rooflint.facts.systems import NotLinearError
from rooflint.ir import Loop, Node, Statement, children

Kind: TypeAlias = Literal["flow", "anti", "output"]


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
    """The dependences of a piece of code, and what they rest on."""

    places: tuple[Place, ...]
    found: tuple[Dependence, ...]
    assumes: tuple[Assumption, ...] = ()


def places_of(nodes: Iterable[Node], loops: tuple[Loop, ...] = ()) -> Iterator[Place]:
    """All accesses at or below ``nodes`` in program order."""
    for node in nodes:
        if isinstance(node, Statement):
            for value in node.values:
                if value.op in ("load", "store"):
                    yield Place(node.accesses[value.access], loops, node)
        elif isinstance(node, Loop):
            yield from places_of(node.body, (*loops, node))
        else:
            yield from places_of(children(node), loops)


def dependences_of(
    nodes: tuple[Node, ...], memory: FunctionMemory, outer: tuple[Loop, ...] = ()
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
    touched = references_in(nodes, memory)
    rows = [
        array.assumption
        for name in dict.fromkeys(place.access.array for place in places if place.access.write)
        if (array := memory.arrays.get(name)) is not None and array.assumption
    ]
    apart = unproven(touched.written, touched.used, memory)
    return Dependences(places, tuple(finder.found), (*apart, *rows, *finder.assumes))


class _Finder:
    """Looks at pairs of accesses of one array."""

    def __init__(self, places: tuple[Place, ...], outer: tuple[Loop, ...]) -> None:
        self.places, self.outer = places, outer
        self.found: list[Dependence] = []
        self.assumes: dict[str, None] = {}

    def pair(self, first: int, second: int) -> None:
        """Adds what two accesses of one array, in program order, ask for."""
        one, two = self.places[first], self.places[second]
        common = 0
        for a, b in zip(one.loops, two.loops, strict=False):
            if a is not b:
                break
            common += 1
        try:
            case = Case(one, two, one.loops[:common], self.outer)
        except NotLinearError as error:
            self.add(first, second, _anything(common), str(error))
            return
        self.assumes.update(dict.fromkeys(case.assumes))
        if case.apart:
            return
        case.search([])
        if case.questions > MAX_QUESTIONS:
            self.add(first, second, _anything(common), "too many cases to tell apart")
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


def _anything(loops: int) -> Vector:
    vector: list[Component] = ["*"] * loops
    return tuple(vector)


def _reversed(component: Component) -> Component:
    if isinstance(component, int):
        return -component
    return {"<": ">", ">": "<", "*": "*"}[component]  # type: ignore[return-value]
