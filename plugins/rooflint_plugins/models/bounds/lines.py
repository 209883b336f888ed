"""Where the lines of every access come from: the traffic of the links, shared out to accesses.

Accesses of one array that move alike and stand close together walk the same lines; the one in front
brings them. The lines that an array moves over a link, per iteration, go to its accesses from the
front backwards, each taking as many as it meets. Of an access that misses only now and then, the
misses are spread evenly.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rooflint.core.graph.values import Graph
from rooflint.facts import affine
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

NEAR_LINES: Final = 4
"""Lines apart up to which accesses walk the same ones."""
EIGHTHS: Final = 8
RANKS: Final = (0, 4, 2, 6, 1, 5, 3, 7)
"""In which order events of a round of eight become misses: evenly spread, whatever their number."""


class MovedLines(NamedTuple):
    """Lines of an array per iteration, by link below the nearest: that come in, and that leave."""

    load: tuple[float, ...]
    evict: tuple[float, ...]


class LineWalk(NamedTuple):
    """How one access meets lines.

    leader     the access that brings its lines; itself, where it does
    behind     bytes that it stands behind the leader
    stride     bytes per iteration of the source's loop; 0 for places that never move or are unknown
    misses     in eighths of the lines it meets, by link: how many come over it
    leaves     of those, by link, how many leave later as changed lines
    scattered  every access meets a line of its own
    pages      in eighths of the lines it meets: how many need a page walk
    """

    leader: int
    behind: int
    stride: int
    misses: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    scattered: bool = False
    pages: int = 0

    def level(self, event: int) -> int:
        """How many links the line of the so-many-th event crosses."""
        rank = RANKS[event % EIGHTHS]
        return sum([1 for eighths in self.misses if rank < eighths])

    def walks(self, event: int) -> bool:
        """Whether the line of the so-many-th event lies in a page that needs a walk."""
        return RANKS[event % EIGHTHS] < self.pages

    def leaving(self, event: int) -> int:
        """Over how many links a changed line leaves at that event."""
        rank = RANKS[event % EIGHTHS]
        return sum([1 for eighths in self.leaves if rank < eighths])


def walks_of(context: Context, graph: Graph, sizes: Mapping[str, int]) -> dict[int, LineWalk]:
    """The walk of every load and store of the body."""
    line = context.machine.line_bytes
    groups: dict[tuple[str, object], list[int]] = {}
    for number in graph.accesses("load", "store"):
        place = graph.nodes[number].place
        assert place is not None
        groups.setdefault((place.array, place.walk), []).append(number)
    leaders: dict[str, list[tuple[int, float]]] = {}
    walks: dict[int, LineWalk] = {}
    for (array, _), numbers in groups.items():
        stride = stride_bytes(graph, numbers[0], sizes, line)
        if stride == 0:
            walks.update((number, LineWalk(number, 0, 0)) for number in numbers)
            continue
        for cluster in clusters(graph, numbers, stride, NEAR_LINES * line):
            front = place_of(graph, cluster[0])
            meets = min(1.0, abs(stride) / line)
            leaders.setdefault(array, []).append((cluster[0], meets))
            for number in cluster:
                behind = abs(front - place_of(graph, number))
                scattered = abs(stride) >= line
                walks[number] = LineWalk(cluster[0], behind, stride, scattered=scattered)
    _share_lines(context, walks, leaders)
    return walks


def _share_lines(
    context: Context, walks: dict[int, LineWalk], leaders: Mapping[str, list[tuple[int, float]]]
) -> None:
    line, moved = context.machine.line_bytes, moved_by_array(context)
    links = len(context.traffic.lines)
    for array, found in leaders.items():
        known = moved.get(array, MovedLines((0.0,) * links, (0.0,) * links))
        come, leave = list(known.load), list(known.evict)
        pages = [context.traffic.page_walks.get(array, 0.0)]
        anew = not context.facts.kernel.innermost and _met_anew(
            [meets for _, meets in found], max((*come, *leave), default=0.0)
        )
        for number, reached in found:
            meets = 1.0 if anew else reached
            if anew:
                walks.update(_anew(walks, number, line))
            walks[number] = walks[number]._replace(
                misses=_taken(come, meets),
                leaves=_taken(leave, meets),
                pages=_taken(pages, meets)[0],
            )


def stride_bytes(graph: Graph, number: int, sizes: Mapping[str, int], line: int) -> int:
    """Bytes per iteration at these sizes; a line where that is unknown or varies."""
    stride = graph.nodes[number].stride
    if stride is None:
        return line
    if isinstance(stride, int):
        return stride
    found = affine.number(stride, sizes)
    return line if found is None else found


def clusters(graph: Graph, numbers: list[int], stride: int, near: int) -> list[list[int]]:
    """Accesses that walk the same lines, each group from the front backwards."""
    ahead = 1 if stride > 0 else -1
    ordered = sorted(numbers, key=lambda n: (-ahead * place_of(graph, n), n))
    found: list[list[int]] = []
    for number in ordered:
        if found and abs(place_of(graph, found[-1][-1]) - place_of(graph, number)) < near:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def place_of(graph: Graph, number: int) -> int:
    """Bytes from what moves to where the access is."""
    place = graph.nodes[number].place
    assert place is not None
    return place.displacement


def moved_by_array(context: Context) -> dict[str, MovedLines]:
    """Lines per iteration of every array; the traffic's totals, shared out as the kernel by itself
    would miss."""
    traffic = context.traffic
    executions = max(1, traffic.space.executions)
    compulsory = {a.array: float(a.touched) for a in traffic.arrays}
    shares = list(_shares(context, compulsory))
    stored = {s.array for s in context.facts.streams if s.writes}
    links = list(zip(traffic.lines, shares, strict=False))
    writes = [sum([share[name] for name in stored if name in share]) or 1.0 for share in shares]
    found = {}
    for name in compulsory:
        load = [(total.load + total.allocate) * share[name] / executions for total, share in links]
        evict = [0.0] * len(links)
        if name in stored:
            evict = [
                total.evict * (share[name] / whole) / executions
                for (total, share), whole in zip(links, writes, strict=True)
            ]
        found[name] = MovedLines(tuple(load), tuple(evict))
    return found


def _shares(context: Context, compulsory: Mapping[str, float]) -> Iterator[dict[str, float]]:
    traffic = context.traffic
    for link, total in zip(context.rates.hierarchy, traffic.lines, strict=False):
        lines = total.load + total.allocate
        part = compulsory
        if len(compulsory) > 1 and lines > 1.02 * sum(compulsory.values()):
            grown = traffic.alone(link.above)
            part = {name: growth.load + growth.allocate for name, growth in grown.items()}
        whole = sum(part.values()) or 1.0
        yield {name: part.get(name, 0.0) / whole for name in compulsory}


def _met_anew(meets: Sequence[float], lines: float) -> bool:
    """Whether accesses meet their line again in each iteration, as more lines move than they reach.

    A loop inside drops it meanwhile. True where events in each iteration come nearer to the lines
    that move than events at the ends of lines.
    """
    if lines <= sum(meets):
        return False
    share = min(1.0, lines / len(meets))
    counted = round(EIGHTHS * share) / EIGHTHS * len(meets)
    return abs(lines - counted) < lines - sum(meets)


def _anew(walks: Mapping[int, LineWalk], leader: int, line: int) -> dict[int, LineWalk]:
    return {
        number: walk._replace(stride=line if walk.stride > 0 else -line, scattered=True)
        for number, walk in walks.items()
        if walk.leader == leader
    }


def _taken(left: list[float], meets: float) -> tuple[int, ...]:
    """Takes of the lines that are left, by link, what an access meets; in eighths of that."""
    found = []
    for link, lines in enumerate(left):
        mine = min(lines, meets)
        left[link] = lines - mine
        found.append(round(EIGHTHS * mine / meets) if meets else 0)
    # what crosses a farther link has crossed the nearer ones
    for link in range(len(found) - 2, -1, -1):
        found[link] = max(found[link], found[link + 1])
    return tuple(found)
