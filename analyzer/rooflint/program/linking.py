"""Files linked to one program: quantities by their keys, and who may set each of them."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from rooflint.ir.equations import (
    BoundedLoop,
    Equations,
    IntegerTerm,
    OperationTerm,
    Quantity,
    Term,
    UnknownSource,
    UnknownTerm,
)
from rooflint.ir.unit import Span
from rooflint.program.loop_patterns.guarded_counters import guarded_ends
from rooflint.program.loop_patterns.input_loops import loops_over_input
from rooflint.program.loop_patterns.resuming_loops import resuming_loops
from rooflint.program.loop_patterns.time_steps import loops_over_steps, step_limits
from rooflint.program.terms import in_program, needed_quantities
from rooflint.records import NamedTuple
from rooflint.scenario.roles import InputUnit

Definitions: TypeAlias = "dict[Term, Place | None]"


class ProgramLoop(NamedTuple):
    """A loop of the file or header ``path``, and its trip count as a term of the program.

    ``steps``: it goes from one time step or iteration to the next, of which there are at most as
    many as each of the terms in ``most`` says. ``reads``: what each iteration
    brings on, of a loop to the end of its input.
    ``resumes``: it goes on where the call before left off.
    """

    path: str
    loop: BoundedLoop
    trips: Term | None
    steps: bool = False
    most: tuple[Term, ...] = ()
    reads: InputUnit | None = None
    resumes: bool = False

    @property
    def place(self) -> "LoopSite":
        """That of no other loop of the program."""
        return LoopSite(self.path, self.loop.span)


class LoopSite(NamedTuple):
    """Where a loop lies: in a file or header, with its span."""

    path: str
    span: Span


class Place(NamedTuple):
    """A line of a file; 0 where it is another file's, such as a header's."""

    path: str
    line: int


class LinkedFile(NamedTuple):
    """A file, the program's positions of its quantities, and its loops."""

    equations: Equations
    positions: tuple[int, ...]
    loops: tuple[ProgramLoop, ...]


class ProgramEquations(NamedTuple):
    """All files; ``definitions`` are the terms of each quantity, in an order of their own.

    ``places`` are where they stand, None for what comes from outside; ``upper_ends`` are terms that
    no value of the quantity exceeds; ``defaults`` are those of its terms that no branch decides on;
    ``needed`` are the positions of the quantities in its terms, each once, in order.
    """

    quantities: tuple[Quantity, ...]
    definitions: tuple[tuple[Term, ...], ...]
    loops: tuple[ProgramLoop, ...]
    places: tuple[tuple[Place | None, ...], ...] = ()
    files: tuple[LinkedFile, ...] = ()
    upper_ends: tuple[tuple[Term, ...], ...] = ()
    defaults: tuple[tuple[Term, ...], ...] = ()
    needed: tuple[tuple[int, ...], ...] = ()

    def position(self, name: str, scope: str = "") -> int:
        """The quantity of that name in that scope; KeyError where there is none."""
        for position, quantity in enumerate(self.quantities):
            if (quantity.name, quantity.scope) == (name, scope):
                return position
        raise KeyError(f"{scope}::{name}")


def link_files(files: Iterable[Equations]) -> ProgramEquations:
    """The program of these files, the same for every order of them."""
    ordered = sorted(files, key=lambda file: file.path)
    accessors = _accessors(ordered)
    quantities = {each.key: each for file in reversed(ordered) for each in file.quantities}
    keys = sorted(quantities.keys() - accessors.keys())
    places = {key: place for place, key in enumerate(keys)}
    terms: list[Definitions] = [{} for _ in keys]
    defaults = _no_terms(len(keys))
    linked: list[LinkedFile] = []
    steps, reads = loops_over_steps(ordered), loops_over_input(ordered)
    for file, stepping, reading in zip(ordered, steps, reads, strict=True):
        own = tuple([places[_original(each.key, accessors)] for each in file.quantities])
        _add_equations(file, own, terms, defaults)
        linked.append(LinkedFile(file, own, tuple(_loops(file, own, stepping, reading))))
    own_quantities = [quantities[key] for key in keys]
    _add_outside(own_quantities, ordered, terms)
    definitions = tuple(map(tuple, terms))
    return ProgramEquations(
        quantities=tuple(own_quantities),
        definitions=definitions,
        needed=tuple(map(needed_quantities, definitions)),
        loops=tuple(chain.from_iterable([file.loops for file in linked])),
        places=tuple([tuple(each.values()) for each in terms]),
        files=tuple(linked),
        upper_ends=_upper_ends(linked, definitions),
        defaults=tuple(map(tuple, defaults)),
    )


def _no_terms(count: int) -> list[dict[Term, None]]:
    return [{} for _ in range(count)]


def _upper_ends(
    files: Sequence[LinkedFile], definitions: Sequence[Sequence[Term]]
) -> tuple[tuple[Term, ...], ...]:
    """The terms that no value of a quantity exceeds, by its position."""
    ends = _no_terms(len(definitions))
    for file in files:
        for end in file.equations.upper_ends:
            term = in_program(end.term, file.positions, {})
            ends[file.positions[end.target]][term] = None
    placed = [(file.equations, file.positions) for file in files]
    for place, term in guarded_ends(placed, definitions):
        ends[place][term] = None
    return tuple(map(tuple, ends))


def _add_equations(
    file: Equations,
    here: Sequence[int],
    terms: list[Definitions],
    defaults: list[dict[Term, None]],
) -> None:
    """Adds the file's equations to the ``terms`` of each quantity."""
    indices = _indices(file, here)
    for equation in file.equations:
        target = here[equation.target]
        term = in_program(equation.term, here, indices)
        terms[target].setdefault(term, Place(file.path, equation.line))
        if not equation.conditional:
            defaults[target][term] = None


def _loops(
    file: Equations,
    here: Sequence[int],
    steps: Container[int],
    reads: Mapping[int, InputUnit],
) -> Iterator[ProgramLoop]:
    """The loops of a file; ``steps``: those that go from one time step to the next."""
    indices, resuming = _indices(file, here), resuming_loops(file)
    for position, loop in enumerate(file.loops):
        is_step = position in steps
        ends = step_limits(file, loop) if is_step else ()
        yield ProgramLoop(
            path=loop.header or file.path,
            loop=loop,
            trips=_trips(loop, here, indices),
            steps=is_step,
            reads=reads.get(position),
            resumes=position in resuming,
            most=tuple([in_program(each, here, indices) for each in ends]),
        )


def _accessors(files: list[Equations]) -> dict[str, str]:
    """Keys of results that are a quantity by reference, and the key of that quantity."""
    return {
        file.quantities[each.result].key: file.quantities[each.quantity].key
        for file in files
        for each in file.accessors
    }


def _original(key: str, accessors: Mapping[str, str]) -> str:
    """The quantity behind accessors of accessors."""
    passed = {key}
    while key in accessors and accessors[key] not in passed:
        key = accessors[key]
        passed.add(key)
    return key if key not in accessors else min(passed)


def _indices(file: Equations, here: Sequence[int]) -> dict[int, Term]:
    """For each loop's index the middle of its range; outer loops come first."""
    indices: dict[int, Term] = {}
    for position, loop in enumerate(file.loops):
        if loop.lower is not None and loop.upper is not None:
            ends = (loop.lower, loop.upper)
            lower, upper = (in_program(each, here, indices) for each in ends)
            middle = OperationTerm("add", (lower, upper))
            indices[position] = OperationTerm("div", (middle, IntegerTerm(2)))
    return indices


def _trips(loop: BoundedLoop, here: Sequence[int], indices: Mapping[int, Term]) -> Term | None:
    if loop.lower is None or loop.upper is None:
        return None
    lower, upper, step = (
        in_program(each, here, indices) for each in (loop.lower, loop.upper, loop.step)
    )
    falling = isinstance(step, IntegerTerm) and step.value < 0
    if falling:
        lower, upper = upper, lower
    size = IntegerTerm(abs(step.value)) if isinstance(step, IntegerTerm) else step
    distance: Term = OperationTerm("sub", (upper, lower))
    if loop.relation in ("<=", ">="):
        distance = OperationTerm("add", (distance, IntegerTerm(1)))
    if size != IntegerTerm(1):
        rounded = OperationTerm("sub", (OperationTerm("add", (distance, size)), IntegerTerm(1)))
        distance = OperationTerm("div", (rounded, size))
    return OperationTerm("max", (distance, IntegerTerm(0)))


def _add_outside(
    quantities: list[Quantity], files: list[Equations], terms: list[Definitions]
) -> None:
    """Adds what comes from outside: arguments that no file passes, and bodies that no file has."""
    entries = {
        file.quantities[each.result].key: each.entry for file in files for each in file.functions
    }
    is_whole = any(entries.values())
    for quantity, own in zip(quantities, terms, strict=True):
        source = _outside_source(quantity, entries, bool(own))
        if not is_whole and _is_only_cleared(quantity, own):
            source = "memory"
        if source is not None:
            own[UnknownTerm(source)] = None


def _is_only_cleared(quantity: Quantity, terms: Iterable[Term]) -> bool:
    """Whether files that are no whole program give a member nothing but zero: those that give it a
    size are elsewhere."""
    return quantity.kind == "member" and set(terms) == {IntegerTerm(0)}


def _outside_source(
    quantity: Quantity, entries: Mapping[str, bool], defined: bool
) -> UnknownSource | None:
    """Whence a quantity may come from outside; ``entries``: functions with bodies."""
    if quantity.kind == "result":
        return None if quantity.key in entries else "unresolved-call"
    if quantity.kind == "written-target":
        return None if quantity.function in entries else "input"
    if defined or quantity.kind not in ("parameter", "target"):
        return None
    return "input" if entries.get(quantity.function) else "external-caller"
