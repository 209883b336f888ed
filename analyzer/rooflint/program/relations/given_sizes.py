"""Sizes that people set: by options and configurations, and by comments in the files of a program.

All that solves the program takes them from here. In falling priority: options, comments, the
configuration.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from rooflint.ir.equations import Quantity
from rooflint.program.linking import LoopSite, ProgramEquations
from rooflint.program.terms import quantities_of
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import SizeLayer

GivenOrigin: TypeAlias = Literal["command line", "comment", "configuration"]


class CommentedSizes(NamedTuple):
    """Values that comments of a file set, of its quantities and loops by their positions in it."""

    sizes: Mapping[int, int] = {}
    trips: Mapping[int, int] = {}


NO_COMMENTS: Final = CommentedSizes()
NOTHING_COMMENTED: Final[Mapping[str, CommentedSizes]] = {}
"""Sizes that comments set, by the path of their file."""


class GivenSizes(NamedTuple):
    """Quantities that were set, by position, by whom, and the names that set them.

    matched  those of the names of options and configurations that a trip count rests on
    trips    of loops whose own trip count a comment sets
    """

    values: Mapping[int, int]
    origins: Mapping[int, GivenOrigin]
    matched: frozenset[str]
    trips: Mapping[LoopSite, int]


class _SetSize(NamedTuple):
    position: int
    value: int
    origin: GivenOrigin
    name: str = ""


def given_sizes(
    program: ProgramEquations,
    layers: Sequence[SizeLayer],
    commented: Mapping[str, CommentedSizes] = NOTHING_COMMENTED,
) -> GivenSizes:
    """The sizes of the ``layers``, in falling priority, and those that comments set."""
    configured = [layer for layer in layers if layer.origin == "configuration"]
    options = [layer for layer in layers if layer.origin != "configuration"]
    found = [
        *_of_layers(program, options, "command line"),
        *_of_comments(program, commented),
        *_of_layers(program, configured, "configuration"),
    ]
    first = {each.position: each for each in reversed(found)}
    return GivenSizes(
        values={position: each.value for position, each in first.items()},
        origins={position: each.origin for position, each in first.items()},
        matched=_matched(program, found),
        trips=dict(_trips(program, commented)),
    )


def _matched(program: ProgramEquations, found: Sequence[_SetSize]) -> frozenset[str]:
    named = [each for each in found if each.name]
    used = _used(program) if named else frozenset()
    return frozenset([each.name for each in named if each.position in used])


def _trips(
    program: ProgramEquations, commented: Mapping[str, CommentedSizes]
) -> Iterator[tuple[LoopSite, int]]:
    for file in program.files:
        for own, trips in commented.get(file.equations.path, NO_COMMENTS).trips.items():
            yield file.loops[own].place, trips


def _of_layers(
    program: ProgramEquations, layers: Sequence[SizeLayer], origin: GivenOrigin
) -> Iterator[_SetSize]:
    for layer in [each for each in layers if each.sizes]:
        for position, name in _named(program, layer.sizes):
            value = layer.sizes[name]
            yield _SetSize(position=position, value=value, origin=origin, name=name)


def _of_comments(
    program: ProgramEquations, commented: Mapping[str, CommentedSizes]
) -> Iterator[_SetSize]:
    for file in program.files:
        sizes = commented.get(file.equations.path, NO_COMMENTS).sizes
        for own, value in sizes.items():
            yield _SetSize(position=file.positions[own], value=value, origin="comment")


def _named(program: ProgramEquations, names: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """Quantities that one of the names means; a scope is nearer than the program."""
    for position, quantity in enumerate(program.quantities):
        name = next((name for name in _spellings(quantity) if name in names), "")
        if name:
            yield position, name


def _used(program: ProgramEquations) -> frozenset[int]:
    """Quantities that others, or trip counts, are computed from."""
    terms = [term for each in program.definitions for term in each]
    terms += [loop.trips for loop in program.loops if loop.trips is not None]
    return frozenset(position for term in terms for position in quantities_of(term))


def used_names(program: ProgramEquations) -> frozenset[str]:
    """All names that trip counts rest on."""
    return frozenset(
        name for place in _used(program) for name in _spellings(program.quantities[place])
    )


def _spellings(quantity: Quantity) -> Iterator[str]:
    """Names by which a quantity is set: with its scope, and without."""
    if quantity.kind in ("result", "written-target"):
        return
    if quantity.scope:
        yield f"{quantity.scope}::{quantity.name}"
        yield f"{quantity.scope}:{quantity.name}"
    yield quantity.name
