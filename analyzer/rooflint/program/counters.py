"""Sizes that loops count up: how often a counter grows each time that it is set anew."""

from collections.abc import Callable, Collection, Iterator, Sequence

from rooflint.ir.equations import CounterStep, IntegerTerm, Term
from rooflint.program.frequencies import BranchPaths, PlaceFrequencies
from rooflint.program.linking import LinkedFile, ProgramEquations
from rooflint.program.terms import is_copy, quantities_of
from rooflint.records import NamedTuple


class _Growth(NamedTuple):
    """The quantity at a position of the program, changed in a function of a file."""

    quantity: int
    function: int


def counted_values(
    program: ProgramEquations,
    trips: Sequence[float],
    paths: Sequence[BranchPaths],
    size: Callable[[Term, LinkedFile], float],
) -> dict[int, float]:
    """Values of the program's counters, by position, at the trips of its loops.

    ``paths``: the branches of each file.
    """
    counted: dict[int, float] = {}
    begin = 0
    for file, branches in zip(program.files, paths, strict=True):
        end = begin + len(file.loops)
        if file.equations.counters:
            frequencies = PlaceFrequencies(file.equations, trips[begin:end], branches)
            for place, value in _counter_values(program, file, frequencies, size):
                counted[place] = max(counted.get(place, 0.0), value)
        begin = end
    return counted


def _counter_values(
    program: ProgramEquations,
    file: LinkedFile,
    frequencies: PlaceFrequencies,
    size: Callable[[Term, LinkedFile], float],
) -> Iterator[tuple[int, float]]:
    """Quantities of the program that functions of the file count up, and what they come to.

    A function that grows a counter in several places goes through one of them, or through one after
    the other, with the counter set anew between: the largest growth counts. What is set in a loop,
    as all elements of an array are, grows that much less. Of a counter that the function does not
    set, nobody knows how many calls have grown it.
    """
    growth: dict[_Growth, float] = {}
    settings: dict[_Growth, float] = {}
    steps = sorted(file.equations.counters, key=_is_sum)
    for step in steps:
        key = _Growth(file.positions[step.target], step.function)
        frequency = frequencies.of_place(step.loop, step.arm)
        if step.step is None:
            settings[key] = max(settings.get(key, 1.0), frequency)
        elif step.grows:
            items = [growth[each] for each in _items(program, file, step, growth)]
            grown = min([frequency * size(step.step, file), *items])
            growth[key] = max(growth.get(key, 0.0), grown)
    for key in growth.keys() & settings.keys():
        yield key.quantity, growth[key] / settings[key]


def _is_sum(step: CounterStep) -> bool:
    """Whether a quantity is added, and not a constant."""
    return step.step is not None and not isinstance(step.step, IntegerTerm)


def _items(
    program: ProgramEquations, file: LinkedFile, step: CounterStep, growth: Collection[_Growth]
) -> Iterator[_Growth]:
    """Elements of a histogram that the step adds: their sum is the number of the items that the
    function has counted into it."""
    waiting, seen = [*_copied(file, step)], set[int]()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        if program.quantities[place].kind == "element":
            own = _Growth(place, step.function)
            if own in growth:
                yield own
        else:
            for term in filter(is_copy, program.definitions[place]):
                waiting += quantities_of(term)


def _copied(file: LinkedFile, step: CounterStep) -> Iterator[int]:
    """The quantities that a step hands on as they are."""
    if step.step is not None and is_copy(step.step):
        for place in quantities_of(step.step):
            yield file.positions[place]
