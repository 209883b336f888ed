"""Elements that two iterations of a loop surely touch: found by trying some iterations.

A dependence test says that two accesses may meet; here is an example of two that do. Only loops
whose bounds the source tells are tried, and only places over their indices alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, TypeAlias

from rooflint.facts.dependences import places_of
from rooflint.facts.directions import AccessSite
from rooflint.ir import Exit, IdentityKey, Loop, UnknownValueError, walk
from rooflint.records import NamedTuple
from rooflint.rule_kit.openmp import clause
from rooflint.rule_kit.sharing import TeamLoop, protected_statements, statement_protections

ENDS: Final = 8
"""Iterations tried at each end of a loop, and in its middle, where mirrored places meet."""
MOST: Final = 4000
"""Executions of a body that are tried: some ten milliseconds."""


class Touch(NamedTuple):
    """An access in one iteration of the outermost loop, the ``ordinal``th from 0."""

    site: AccessSite
    ordinal: int


class Collision(NamedTuple):
    """Two accesses that touch one element, of which one stores, in different iterations."""

    first: Touch
    second: Touch


def collisions(
    first: Iterable[AccessSite], second: Iterable[AccessSite] = ()
) -> Iterator[Collision]:
    """Meetings among the accesses ``first``, or of them with ``second`` where these are given.

    Ends and middle of each loop are tried, so that not every meeting is found.
    """
    seen: dict[_Place, dict[tuple[int, int], Touch]] = {}
    one, other = tuple(first), tuple(second)
    for number, place, touch in _touches(one):
        earlier = seen.setdefault(place, {})
        if (number, touch.ordinal) not in earlier:
            yield from () if other else _meetings(touch, earlier.values())
            earlier[number, touch.ordinal] = touch
    for _, place, touch in _touches(other):
        yield from _meetings(touch, seen.get(place, {}).values())


_Place: TypeAlias = tuple[str, int]
"""An array, and the byte at which an access begins."""


def _meetings(touch: Touch, earlier: Iterable[Touch]) -> Iterator[Collision]:
    for before in earlier:
        is_store = before.site.access.write or touch.site.access.write
        same = before.site.access.bytes == touch.site.access.bytes
        if is_store and same and before.ordinal != touch.ordinal:
            yield Collision(before, touch)


def _touches(sites: Sequence[AccessSite]) -> Iterator[tuple[int, _Place, Touch]]:
    """The number of each access and where it is, for the iterations that are tried."""
    for number, site in enumerate(sites):
        with suppress(UnknownValueError):
            for ordinal, values in _iterations(site.loops):
                byte = site.access.offset.evaluate(values)
                yield number, (site.access.array, byte), Touch(site, ordinal)


def _iterations(loops: Sequence[Loop]) -> Iterator[tuple[int, Mapping[str, int]]]:
    """Some iterations of the loops: the outermost one's number, and all indices."""
    left = MOST
    outermost, inner = loops[0], loops[1:]
    for ordinal, start in _ends(outermost, {}):
        for values in _inner_iterations(inner, {outermost.index: start}):
            left -= 1
            if left < 0:
                return
            yield ordinal, values


def _inner_iterations(
    loops: Sequence[Loop], values: Mapping[str, int]
) -> Iterator[Mapping[str, int]]:
    if not loops:
        yield values
        return
    for _, index in _ends(loops[0], values):
        yield from _inner_iterations(loops[1:], {**values, loops[0].index: index})


def _ends(loop: Loop, values: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Iterations at the ends and in the middle of a loop: their numbers and indices."""
    numbers = _indices(loop, values)
    size, half = len(numbers), len(numbers) // 2
    if size <= 3 * ENDS:
        tried: Iterable[int] = range(size)
    else:
        middle = range(half - ENDS // 2, half + ENDS // 2)
        tried = chain(range(ENDS), middle, range(size - ENDS, size))
    for ordinal in tried:
        yield ordinal, numbers[ordinal]


def _indices(loop: Loop, values: Mapping[str, int]) -> range:
    """The indices of a loop at the values of those around it.

    Raises UnknownValueError where the source does not tell the bounds, and where control may leave
    the loop before its end.
    """
    step = loop.step.evaluate(values)
    if not step or any(isinstance(node, Exit) for node in walk(loop.body)):
        raise UnknownValueError(loop.index)
    return range(loop.lower.evaluate(values), loop.upper.evaluate(values), step)


def plain_sites(loop: Loop) -> tuple[AccessSite, ...]:
    """The accesses that each execution of a loop's body surely makes, unprotected."""
    statements = statement_protections(tuple(protected_statements(loop.body)))
    sites = [(site, statements[IdentityKey(site.statement)]) for site in places_of((loop,))]
    return tuple([s for s, each in sites if each.surely_makes(s.access) and not each.protection])


def is_parted(team: TeamLoop, found: Collision) -> bool:
    """Whether the schedule gives the two iterations to different threads, of two at least."""
    if len(team.distributed) > 1:
        return False
    kind, _, chunk = (clause(team.region, "schedule") or "static").replace(" ", "").partition(",")
    one, other = sorted((found.first.ordinal, found.second.ordinal))
    if kind != "static":
        return True
    if chunk.isdecimal():
        return other // int(chunk) - one // int(chunk) == 1
    half = (len(_indices(team.loop, {})) + 1) // 2
    return not chunk and one < half <= other
