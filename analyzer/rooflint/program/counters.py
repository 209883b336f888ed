"""Sizes that loops count up: how often a counter grows each time that it is set anew."""

from collections.abc import Callable, Iterator, Sequence

from rooflint.ir.equations import Term
from rooflint.program.frequencies import PlaceFrequencies
from rooflint.program.linking import LinkedFile, ProgramEquations
from rooflint.records import NamedTuple


class _Growth(NamedTuple):
    """The quantity at a position of the program, changed in a function of a file."""

    quantity: int
    function: int


def counted_values(
    program: ProgramEquations,
    trips: Sequence[float],
    probabilities: Sequence[Sequence[float]],
    size: Callable[[Term, LinkedFile], float],
) -> dict[int, float]:
    """Values of the program's counters, by position, at the trips of its loops.

    ``probabilities``: of each file, how often the first path of each of its branches is taken.
    """
    counted: dict[int, float] = {}
    begin = 0
    for file, branches in zip(program.files, probabilities, strict=True):
        end = begin + len(file.loops)
        if file.equations.counters:
            frequencies = PlaceFrequencies(file.equations, trips[begin:end], branches)
            for place, value in _counter_values(file, frequencies, size):
                counted[place] = max(counted.get(place, 0.0), value)
        begin = end
    return counted


def _counter_values(
    file: LinkedFile, frequencies: PlaceFrequencies, size: Callable[[Term, LinkedFile], float]
) -> Iterator[tuple[int, float]]:
    """Quantities of the program that functions of the file count up, and what they come to.

    A function that grows a counter in several places goes through one of them, or through one after
    the other, with the counter set anew between: the largest growth counts. What is set in a loop,
    as all elements of an array are, grows that much less. Of a counter that the function does not
    set, nobody knows how many calls have grown it.
    """
    growth: dict[_Growth, float] = {}
    settings: dict[_Growth, float] = {}
    for step in file.equations.counters:
        key = _Growth(file.positions[step.target], step.function)
        frequency = frequencies.of_place(step.loop, step.arm)
        if step.step is None:
            settings[key] = max(settings.get(key, 1.0), frequency)
        elif step.grows:
            grown = frequency * size(step.step, file)
            growth[key] = max(growth.get(key, 0.0), grown)
    for key in growth.keys() & settings.keys():
        yield key.quantity, growth[key] / settings[key]
