"""Sizes that loops count up: how often a counter grows each time that it is set anew."""

from collections.abc import Callable, Iterator

from rooflint.ir.equations import Term
from rooflint.program.frequencies import PlaceFrequencies
from rooflint.program.linking import LinkedFile
from rooflint.records import NamedTuple


class _Growth(NamedTuple):
    """The quantity at a position of the program, changed in a function of a file."""

    quantity: int
    function: int


def counter_values(
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
        else:
            grown = frequency * size(step.step, file)
            growth[key] = max(growth.get(key, 0.0), grown)
    for key in growth.keys() & settings.keys():
        yield key.quantity, growth[key] / settings[key]
