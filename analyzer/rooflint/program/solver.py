"""Values of quantities, on demand: one strongly connected component after the other."""

from collections.abc import Mapping
from typing import Final

from rooflint.ir.equations import Term
from rooflint.program.components import components
from rooflint.program.linking import LoopSite, ProgramEquations, ProgramLoop
from rooflint.program.terms import is_copy, quantities_of, term_values
from rooflint.program.value import NOTHING, PossibleValues, exactly, union_of, within_limits

NOTHING_GIVEN: Final[Mapping[int, int]] = {}
NO_TRIPS_GIVEN: Final[Mapping[LoopSite, int]] = {}
_CHANGED: Final = PossibleValues(unknown=frozenset(("counter",)))
"""A quantity that is computed from itself: ``n = n + 1``, or an argument of a recursive call."""


class ProgramSolver:
    """Solves quantities of a program, each once.

    A cycle contributes no constants: inside of one, values are handed on as they are; what is
    computed from members of the cycle counts only for a quantity that has no other value. Like a
    counter, such a quantity may have more values than the source shows.
    """

    def __init__(
        self,
        program: ProgramEquations,
        given: Mapping[int, int] = NOTHING_GIVEN,
        trips: Mapping[LoopSite, int] = NO_TRIPS_GIVEN,
    ) -> None:
        """``given``: values of quantities, by position, in place of those of the source;
        ``trips``: those of loops."""
        self._definitions = program.definitions
        self._needed = program.needed
        self.given = given
        self._trips = trips
        self._terms: dict[Term, PossibleValues] = {}
        self._solved: dict[int, PossibleValues] = {
            position: exactly(value) for position, value in given.items()
        }

    def value(self, position: int) -> PossibleValues:
        """The values of a quantity of the program."""
        found = self._solved.get(position)
        if found is None:
            if self._solved.keys() >= set(self._needed[position]):
                self._solve([position])
            else:
                for component in components(position, self._needed.__getitem__, self._solved):
                    self._solve(component)
            found = self._solved[position]
        return found

    def term_value(self, term: Term) -> PossibleValues:
        """The values of a term over the program's quantities."""
        found = self._terms.get(term)
        if found is None:
            found = self._terms[term] = term_values(term, self.value)
        return found

    def trips(self, loop: ProgramLoop) -> PossibleValues:
        """How often the body of a loop runs, in executions that run it at all."""
        if loop.place in self._trips:
            return exactly(self._trips[loop.place])
        if loop.trips is None:
            return PossibleValues(unknown=frozenset(("unmodelled",)))
        value = self.term_value(loop.trips)
        if value.constants == {0} and (not value.unknown or self._is_default(loop.trips)):
            return value
        running = value.constants - {0}
        typical = [value.typical] if value.typical else running
        return within_limits(running, value.unknown, typical)

    def _is_default(self, trips: Term) -> bool:
        """Whether all sizes of a trip count have positive defaults, which input may replace."""
        values = [self.value(position) for position in quantities_of(trips)]
        return bool(values) and all(
            (each.typical or 0) > 0 and "counter" not in each.unknown for each in values
        )

    def _solve(self, members: list[int]) -> None:
        """Solves a component, once those that it needs are solved."""
        first = members[0]
        if len(members) > 1 or first in self._needed[first]:
            self._solved.update(self._component_values(members))
        else:
            known = self._solved.__getitem__
            terms = self._definitions[first]
            self._solved[first] = union_of([term_values(term, known) for term in terms])

    def _component_values(self, members: list[int]) -> dict[int, PossibleValues]:
        inside = frozenset(members)
        values = dict.fromkeys(members, NOTHING)
        computed: dict[int, list[Term]] = {}
        handed: dict[int, list[Term]] = {}
        for member in members:
            outer: list[PossibleValues] = []
            for term in self._definitions[member]:
                if inside.isdisjoint(quantities_of(term)):
                    outer.append(term_values(term, self._solved.__getitem__))
                else:
                    (handed if is_copy(term) else computed).setdefault(member, []).append(term)
            if member in computed:
                outer.append(_CHANGED)
            values[member] = union_of(outer)
        values = self._settled(values, handed)
        while filled := self._filled(values, computed):
            values = self._settled(values | filled, handed)
        return values

    def _settled(
        self, values: dict[int, PossibleValues], handed: dict[int, list[Term]]
    ) -> dict[int, PossibleValues]:
        """The values when all copies inside of the component have been made.

        Sets only grow, up to the limit of constants, so that this ends.
        """
        changed = True
        while changed:
            after = dict(values)
            for member, terms in handed.items():
                before = values[member]
                value = union_of([before, *[self._inner(term, values) for term in terms]])
                if before.typical in value.constants:  # it stays, or rounds might never end
                    value = value._replace(typical=before.typical)
                after[member] = value
            changed = after != values
            values = after
        return values

    def _filled(
        self, values: dict[int, PossibleValues], computed: dict[int, list[Term]]
    ) -> dict[int, PossibleValues]:
        """Quantities without constants that have some when computed from the others."""
        filled: dict[int, PossibleValues] = {}
        for member, terms in computed.items():
            if values[member].constants or "too-many-values" in values[member].unknown:
                continue
            value = union_of([values[member], *[self._inner(term, values) for term in terms]])
            if value.constants:
                filled[member] = value
        return filled

    def _inner(self, term: Term, values: dict[int, PossibleValues]) -> PossibleValues:
        return term_values(
            term, lambda place: values[place] if place in values else self._solved[place]
        )
