"""Chains: the steps by which a quantity gets its value, from the line that begins it."""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from rooflint.ir.equations import Quantity
from rooflint.program.linking import Place, ProgramEquations
from rooflint.program.solver import ProgramSolver
from rooflint.program.terms import quantities_of
from rooflint.records import NamedTuple
from rooflint.scenario.values import ChainStep, ValueOrigin

MAX_STEPS: Final = 8
"""Of one chain: longer ones are no help to a reader."""


_Origin: TypeAlias = tuple[int | None, Place | None]
_User: TypeAlias = tuple[int, Place | None] | None


class ValueChain(NamedTuple):
    """Steps, the first one first; ``given``: who set the value that it begins at."""

    steps: tuple[ChainStep, ...]
    given: ValueOrigin | None = None


class ChainReader:
    """Chains of the quantities of a program.

    ``given``: who set quantities, by position.
    """

    def __init__(
        self, program: ProgramEquations, solver: ProgramSolver, given: Mapping[int, ValueOrigin]
    ) -> None:
        self._program = program
        self._solver = solver
        self._given = given
        self._sources: dict[int, tuple[_Origin, ...]] = {}
        self._steps_at: dict[_Origin, ChainStep] = {}

    def chain(self, position: int) -> ValueChain:
        """The shortest chain of a quantity that has a typical value."""
        # each quantity with the one that it gives its value to, and where
        users: dict[int, _User] = {position: None}
        waiting = deque([position])
        while waiting:
            each = waiting.popleft()
            if each in self._given:
                return ValueChain(tuple(self._steps(each, None, users)), self._given[each])
            for before, place in self._origins(each):
                if before is None:
                    return ValueChain(tuple(self._steps(each, place, users)))
                if before not in users:
                    users[before] = each, place
                    waiting.append(before)
        return ValueChain((self._step(position, None),))

    def _steps(
        self, begin: int, place: Place | None, users: Mapping[int, _User]
    ) -> Iterator[ChainStep]:
        yield self._known_step(begin, place)
        user = users[begin]
        for _ in range(MAX_STEPS - 1):
            if user is None:
                return
            position, place = user
            yield self._known_step(position, place)
            user = users[position]

    def _origins(self, position: int) -> tuple[_Origin, ...]:
        """Where the typical value may come from: other quantities, None for the line itself."""
        if position not in self._sources:
            self._sources[position] = tuple(self._found_origins(position))
        return self._sources[position]

    def _found_origins(self, position: int) -> Iterator[_Origin]:
        typical = self._solver.value(position).typical
        program = self._program
        for term, place in zip(
            program.definitions[position], program.places[position], strict=True
        ):
            if typical not in self._solver.term_value(term).constants:
                continue
            needed = dict.fromkeys(quantities_of(term))
            valued = [each for each in needed if self._solver.value(each).constants]
            if not valued:
                yield None, place
            for each in valued:
                yield each, place

    def _known_step(self, position: int, place: Place | None) -> ChainStep:
        step = self._steps_at.get((position, place))
        if step is None:
            step = self._steps_at[position, place] = self._step(position, place)
        return step

    def _step(self, position: int, place: Place | None) -> ChainStep:
        quantity = self._program.quantities[position]
        value = self._solver.value(position).typical
        assert value is not None, "a step has a typical value"
        if position in self._given:
            return ChainStep(_name(quantity), value, self._given[position])
        if place is None or not place.line:
            return ChainStep(_name(quantity), value)
        return ChainStep(_name(quantity), value, step_place(place.path, place.line))


def step_place(path: str, line: int) -> str:
    """Where a step of a chain lies, for people."""
    return f"{step_begin(path)}{line}"


def step_begin(path: str) -> str:
    """The begin of the place of every step in a file of this name."""
    return f"{os.path.basename(path)}:"


def _name(quantity: Quantity) -> str:
    """``Domain::m_numElem``, ``n`` of a function."""
    member = quantity.kind == "member" and quantity.scope
    return f"{quantity.scope}::{quantity.name}" if member else quantity.name
