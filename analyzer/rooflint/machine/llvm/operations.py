"""Regions of llvm-mca's tables as operations of a machine.

LLVM states the pressure on each unit, not which units are alternatives of one another: units of one
kind with equal pressure are read as one group.
"""

import string
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from rooflint.errors import ConfigurationError
from rooflint.machine.llvm.tables import CodeRegion, InstructionFigures
from rooflint.machine.parts import CoreOperation, PortUse, least_cycles
from rooflint.machine.write import six_digits

_NAME: Final = frozenset(f"{string.ascii_lowercase}{string.digits}._")
_TOLERANCE: Final = 0.01
"""Pressures and throughputs closer than this are equal: llvm-mca prints thirds."""


class OperationReader:
    """Collects the operations of a file's regions."""

    def __init__(self, path: Path, units: Sequence[str]) -> None:
        self.path = path
        self.units = tuple([_unit_name(unit) for unit in units])
        self.operations: dict[str, CoreOperation] = {}
        self.losses: list[str] = []

    def add(self, region: CodeRegion) -> None:
        """Raises ConfigurationError unless the region is one instruction with a name of its own."""
        name, listed = region.name, region.table.figures
        if not name or not _NAME.issuperset(name):
            raise self._error(f"a region called '{name}', expected one such as add.f64.simd")
        if name in self.operations:
            raise self._error(f"{name}: two regions with this name")
        if len(listed) != 1:
            raise self._error(f"{name}: expected one instruction, got {len(listed)}")
        uses = self._uses(region)
        if not uses:
            self.losses.append(f"{name}: its instruction occupies no unit")
            return
        figures, cycles = listed[0], least_cycles(uses)
        if cycles > figures.reciprocal_cy * (1 + _TOLERANCE):
            stated, read = six_digits(figures.reciprocal_cy), six_digits(cycles)
            self.losses.append(
                f"{name}: the model states one in {stated:g} cycles; its groups of units cannot be"
                f" told apart, and as read give one in {read:g}"
            )
        self.operations[name] = _operation(figures, uses)

    def _uses(self, region: CodeRegion) -> tuple[PortUse, ...]:
        pressures = {
            self._unit(each.resource_index): each.resource_usage
            for each in region.pressure.pressures
            if each.instruction_index == 0 and each.resource_usage > 0
        }
        return tuple(sorted(_groups(pressures), key=lambda use: -use.cy / len(use.ports)))

    def _unit(self, index: int) -> str:
        if index >= len(self.units):
            raise self._error(f"unit {index} of {len(self.units)}")
        return self.units[index]

    def _error(self, reason: str) -> ConfigurationError:
        return ConfigurationError(reason, str(self.path))


def _unit_name(unit: str) -> str:
    """``Zn4Load.0`` where llvm-mca prints the number of a unit as the character of that code."""
    return "".join(str(ord(letter)) if ord(letter) < ord(" ") else letter for letter in unit)


def _groups(pressures: Mapping[str, float]) -> Iterator[PortUse]:
    """Units of one kind with equal pressure: alternatives, occupied for the sum of it."""
    steps = {unit: round(pressure / _TOLERANCE) for unit, pressure in pressures.items()}

    def alike(unit: str) -> tuple[str, int]:
        return unit.rstrip(string.digits), steps[unit]

    for _, units in groupby(sorted(pressures, key=alike), alike):
        ports = tuple(units)
        yield PortUse(ports, six_digits(sum(pressures[unit] for unit in ports)))


def _operation(figures: InstructionFigures, uses: Sequence[PortUse]) -> CoreOperation:
    """Nothing waits for a store; no machine file has a latency of 0, so the loader replaces it."""
    waits = figures.latency_cy > 0 and not figures.stores
    return CoreOperation(
        latency_cy=figures.latency_cy if waits else None,
        ports=uses[0].ports,
        cy=uses[0].cy,
        uops=figures.uops,
        also=tuple(uses[1:]),
    )
