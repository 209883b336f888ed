"""Quantities that rest on others, by way of what they are set to and of what assertions allow."""

from collections.abc import Iterable, Iterator, Set

from rooflint.program.linking import ProgramEquations
from rooflint.program.terms import needed_quantities, quantities_of


class Dependents:
    """The users of each quantity of a program, by position, and the loops whose trips need it."""

    def __init__(self, program: ProgramEquations) -> None:
        self._of_trips = [
            frozenset(() if loop.trips is None else quantities_of(loop.trips))
            for loop in program.loops
        ]
        self._users: list[list[int]] = [[] for _ in program.quantities]
        for place, needed in enumerate(program.needed):
            for need in needed:
                self._users[need].append(place)
        for place, ends in enumerate(program.upper_ends):
            for need in needed_quantities(ends):
                self._users[need].append(place)

    def of(self, places: Iterable[int]) -> set[int]:
        """The ``places`` themselves, and all that is computed from them in turn."""
        found = set(places)
        waiting = list(found)
        while waiting:
            fresh = [each for each in self._users[waiting.pop()] if each not in found]
            found.update(fresh)
            waiting += fresh
        return found

    def loops_of(self, places: Set[int]) -> Iterator[int]:
        """The positions of the loops whose trips need one of the ``places`` themselves."""
        for position, needed in enumerate(self._of_trips):
            if not needed.isdisjoint(places):
                yield position
