"""Trip counts of a program's loops as reports have them, so that weights and times rest on the
sizes that are shown."""

import os
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TypeAlias

from rooflint.pipeline.weights.basis import WeighedFile, WeighedKernel
from rooflint.program.linking import ProgramEquations
from rooflint.records import NamedTuple

_LoopsAt: TypeAlias = "dict[_LoopBegin, list[_LoopPosition]]"


class _LoopBegin(NamedTuple):
    """Where a loop begins; ``path`` as ``normal_path`` has it."""

    path: str
    line: int
    column: int


class _LoopPosition(NamedTuple):
    """A loop by its position in its file, whose first loop is at ``first`` in the program."""

    file: int
    first: int
    own: int


def normal_path(path: str) -> str:
    """The absolute path without ``.`` and ``..``."""
    return os.path.normpath(os.path.abspath(path))


def reported_trips(files: Iterable[WeighedFile], program: ProgramEquations) -> Mapping[int, float]:
    """Trips on the first machine, by the loops' positions in the program.

    Loops that no kernel lies in have none. One that does not run at the sizes of the report has
    none where the program bounds it, too: then guesses on both sides do not fit each other.
    """
    loops = _positions(program)
    found: dict[int, float] = {}
    for file in files:
        path = normal_path(file.path)
        for kernel in file.own_kernels:
            begin = _LoopBegin(path, kernel.line, kernel.column)
            for position in loops.get(begin, ()):
                for loop, trips in _trips_around(kernel, position, program):
                    found.setdefault(loop, trips)
    return found


def _positions(program: ProgramEquations) -> _LoopsAt:
    loops: _LoopsAt = {}
    normal = cache(normal_path)
    first = 0
    for number, file in enumerate(program.files):
        for own, (path, loop, *_) in enumerate(file.loops):
            begin = _LoopBegin(normal(path), loop.span.line, loop.span.column)
            loops.setdefault(begin, []).append(_LoopPosition(number, first, own))
        first += len(file.loops)
    return loops


def _trips_around(
    kernel: WeighedKernel, position: _LoopPosition, program: ProgramEquations
) -> Iterable[tuple[int, float]]:
    """The kernel's loop and those around it, as far as both sides have the same ones."""
    loops, own = program.files[position.file].loops, position.own
    for line, trips in zip(reversed(kernel.headers), reversed(kernel.trips), strict=False):
        if own < 0 or loops[own].loop.span.line != line:
            return
        # a largest number of steps, which the report may show, is no number of steps
        told = trips is not None or loops[own].trips is None
        if told and not loops[own].most:
            yield position.first + own, trips or 0.0
        own = loops[own].loop.parent
