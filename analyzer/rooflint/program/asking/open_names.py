"""Sizes that the source leaves open and trip counts rest on, by the names that set them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rooflint.ir.equations import Quantity, UnknownSource
from rooflint.program.linking import Place, ProgramEquations
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import deciding_quantities
from rooflint.program.trips import TypicalTrips
from rooflint.program.typical_value import TypicalValue
from rooflint.records import NamedTuple
from rooflint.scenario.roles import SizeRole

_NOT_NAMED: Final = frozenset(("result", "written-target"))
"""Kinds of quantities that no name sets."""


class OpenName(NamedTuple):
    """A name that sets open quantities, at these ``positions`` of the program.

    name     as ``-D`` takes it: ``gemm:n``, ``Grid::nx``, or ``n`` wherever it is open
    typical  the value that it has by its role, with the range
    reasons  why the source does not decide it, and the ``place`` where that shows
    loops    of the program whose trip counts rest on it
    """

    name: str
    positions: tuple[int, ...]
    typical: TypicalValue
    reasons: frozenset[UnknownSource]
    place: Place | None
    loops: tuple[int, ...]


def open_names(
    program: ProgramEquations, solver: ProgramSolver, typical: TypicalTrips
) -> list[OpenName]:
    """Names whose value would decide trip counts that are guessed, in the order of positions."""
    return _OpenNames(program, solver, typical).names()


def of_one_scale(names: Iterable[OpenName]) -> list[tuple[OpenName, ...]]:
    """The names in groups of which one alone is no answer: ``nx``, ``ny`` and ``nz``.

    Those are of one scope and role and differ in one character, subscripts aside.
    """
    groups: list[list[OpenName]] = []
    for each in names:
        group = next((group for group in groups if _are_alike(group[0], each)), None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    return [tuple(group) for group in groups]


class _OpenNames:
    def __init__(
        self, program: ProgramEquations, solver: ProgramSolver, typical: TypicalTrips
    ) -> None:
        self._program = program
        self._solver = solver
        self._typical = typical
        self._resting = self._loops()

    def names(self) -> list[OpenName]:
        plain: dict[tuple[str, SizeRole | None], list[int]] = defaultdict(list)
        for position in sorted(self._resting):
            role = self._typical.quantity(position).role
            plain[self._program.quantities[position].name, role].append(position)
        decided = {
            quantity.name
            for position, quantity in enumerate(self._program.quantities)
            if self._solver.value(position).constants and position not in self._resting
        }
        names: list[OpenName] = []
        for (name, _), own in plain.items():
            scopes = {self._program.quantities[each].scope for each in own}
            if len(scopes) > 1 and name not in decided:
                names.append(self._named(name, own))
            else:
                names += self._scoped(own)
        return sorted(names, key=lambda each: each.positions)

    def _scoped(self, positions: Iterable[int]) -> Iterator[OpenName]:
        by_name: dict[str, list[int]] = defaultdict(list)
        for position in positions:
            by_name[scoped_name(self._program.quantities[position])].append(position)
        for name, own in by_name.items():
            yield self._named(name, own)

    def _named(self, name: str, positions: list[int]) -> OpenName:
        unknown = [self._solver.value(each).unknown for each in positions]
        places = [place for each in positions for place in self._program.places[each] if place]
        return OpenName(
            name=name,
            positions=tuple(positions),
            typical=self._typical.quantity(positions[0]),
            reasons=frozenset[UnknownSource]().union(*unknown),
            place=min((place for place in places if place.line), default=None),
            loops=tuple(sorted({loop for each in positions for loop in self._resting[each]})),
        )

    def _loops(self) -> dict[int, list[int]]:
        """The open quantities, each with the loops whose trip counts rest on it."""
        loops: dict[int, list[int]] = defaultdict(list)
        for number, loop in enumerate(self._program.loops):
            trips = self._typical.of(loop)
            # from p[i] to p[i + 1]: no value of an element says how far apart they are
            if loop.trips is not None and not trips.decided and trips.role is not SizeRole.ROW:
                needed = frozenset[int]().union(
                    *map(self._sources, deciding_quantities(loop.trips))
                )
                for position in sorted(needed):
                    loops[position].append(number)
        return loops

    def _sources(self, position: int) -> frozenset[int]:
        """The open quantities with names that one is computed from; itself where there are none."""
        if not self._is_open(position):
            return frozenset()
        sources: set[int] = set()
        seen, waiting = {position}, [position]
        while waiting:
            each = waiting.pop()
            before = self._origins(each)
            if not before and self._is_named(each):
                sources.add(each)
            waiting += sorted(before - seen)
            seen |= before
        if not sources and self._is_named(position):  # computed from itself
            return frozenset((position,))
        return frozenset(sources)

    def _origins(self, position: int) -> set[int]:
        """The nearest open quantities with names that give one its value."""
        origins: set[int] = set()
        seen, waiting = {position}, [position]
        while waiting:
            definitions = self._program.definitions[waiting.pop()]
            needed = {each for term in definitions for each in deciding_quantities(term)} - seen
            seen |= needed
            for each in filter(self._is_open, needed):
                if self._is_named(each):
                    origins.add(each)
                else:
                    waiting.append(each)
        return origins

    def _is_named(self, position: int) -> bool:
        return self._program.quantities[position].kind not in _NOT_NAMED

    def _is_open(self, position: int) -> bool:
        """Whether the source gives no value: ``0`` only stands there until there is one."""
        solved = self._solver.value(position).typical
        return not (solved or 0) > 0 and not self._typical.quantity(position).decided


def scoped_name(quantity: Quantity) -> str:
    """``Grid::nx`` of a type, ``gemm:n`` of a function, ``n`` of the program."""
    if not quantity.scope:
        return quantity.name
    mark = "::" if quantity.kind == "member" else ":"
    return f"{quantity.scope}{mark}{quantity.name}"


def _are_alike(one: OpenName, other: OpenName) -> bool:
    (scope, name), (other_scope, other_name) = _parts(one.name), _parts(other.name)
    if (one.typical.role, scope) != (other.typical.role, other_scope):
        return False
    if len(name) != len(other_name):
        return False
    return sum(a != b for a, b in zip(name, other_name, strict=True)) <= 1


def _parts(name: str) -> tuple[str, str]:
    """Scope and name without its subscript."""
    scope, _, own = name.rpartition(":")
    return scope, own.partition("[")[0]


def given_values(names: Mapping[OpenName, int]) -> dict[int, int]:
    """Values by position."""
    return {position: value for each, value in names.items() for position in each.positions}
