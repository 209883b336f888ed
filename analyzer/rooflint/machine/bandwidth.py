"""Data rates for a level, an access pattern and a number of cores, from the few that are known.

Cores fill one domain (cores that share the path) after the other. Inside a domain ``n`` cores get
n times one core's rate until the rate known for the nearest larger number is reached.
"""

from collections.abc import Iterable, Mapping, Sequence

from rooflint.machine.parts import (
    PATTERNS,
    Bandwidth,
    BandwidthEntry,
    CacheLevel,
    CoreModel,
    Pattern,
)
from rooflint.records import NamedTuple


class LineTransfers(NamedTuple):
    """Line transfers of one line of work: towards the core (with write-allocates) and away."""

    up: int
    down: int


_CACHED = {
    **{"load": LineTransfers(1, 0), "triad": LineTransfers(4, 1), "update": LineTransfers(1, 1)},
    **{"copy": LineTransfers(2, 1), "store": LineTransfers(1, 1)},
}
_UNCACHED = _CACHED | {
    "triad": LineTransfers(3, 1),
    "copy": LineTransfers(1, 1),
    "store": LineTransfers(0, 1),
}


def closest_pattern(wanted: Pattern, known: Iterable[Pattern]) -> Pattern:
    """The pattern fewest steps from ``wanted`` in PATTERNS; of two, the one that stores more."""
    place = PATTERNS.index(wanted)
    return min(known, key=lambda p: (abs(PATTERNS.index(p) - place), -PATTERNS.index(p)))


def from_entries(
    entries: Sequence[BandwidthEntry], level: str, pattern: Pattern, cores: int, domain: int
) -> Bandwidth | None:
    """The rate at ``level`` from the figures given for it; None when there are none.

    ``domain`` is the number of cores that share one path to the level.
    """
    of_level = [entry for entry in entries if entry.level == level]
    if not of_level:
        return None
    used = closest_pattern(pattern, [entry.pattern for entry in of_level])
    points = {entry.cores: entry.gb_s for entry in of_level if entry.pattern == used}
    gb_s, how = _at(points, cores, domain)
    how = how.replace("figure", f"{used} figure", 1)
    if used != pattern:
        return Bandwidth(gb_s, "derived", f"{how} (the pattern has none of its own)")
    return Bandwidth(gb_s, "stated" if cores in points else "derived", how)


def _at(points: Mapping[int, float], cores: int, domain: int) -> tuple[float, str]:
    """The rate of ``cores`` in GB/s from those known for other counts, and how it was obtained."""
    if cores in points:
        return points[cores], f"figure for {_cores(cores)}"
    if cores > domain and min(points) < cores:
        return _over_domains(points, cores, domain)
    limit, how = _limit(points, cores, domain)
    if 1 in points and cores * points[1] <= limit:
        return cores * points[1], f"{cores} x the figure for 1 core"
    return limit, how


def _over_domains(points: Mapping[int, float], cores: int, domain: int) -> tuple[float, str]:
    """As many times the rate of the largest known count of whole domains as fit, and the rest."""
    block = max([count for count in points if count < cores and count % domain == 0] or [domain])
    blocks, rest = divmod(cores, block)
    of_block, how = _at(points, block, domain)
    gb_s = blocks * of_block + (_at(points, rest, domain)[0] if rest else 0.0)
    more = _next_larger(points, cores)
    if more is not None and points[more] < gb_s:
        return points[more], f"limited by the figure for {_cores(more)}"
    return gb_s, f"{how}, scaled to {_cores(cores)}"


def _limit(points: Mapping[int, float], cores: int, domain: int) -> tuple[float, str]:
    more = _next_larger(points, cores)
    if more is None:
        few = max(points)
        limit = points[few] if few > 1 else cores * points[1]
        return limit, f"saturated at the figure for {_cores(few)}"
    domains, of = -(-cores // domain), -(-more // domain)
    share = "" if domains == of else f", its share for {domains} of {of} domains"
    return points[more] * domains / of, f"at most the figure for {_cores(more)}{share}"


def _next_larger(points: Mapping[int, float], cores: int) -> int | None:
    return min([count for count in points if count > cores], default=None)


def from_link(
    cache: CacheLevel, pattern: Pattern, cores: int, line_bytes: int, clock_ghz: float
) -> Bandwidth | None:
    """The rate of the link between ``cache`` and the next nearer level, from cycles per line.

    Each core is taken to have the link to itself, as the ECM model does for shared caches.
    """
    up = cache.cy_per_line_up
    if up is None:
        return None
    down = cache.cy_per_line_down if cache.cy_per_line_down is not None else up
    lines = _CACHED[pattern]
    both = (lines.up * up, lines.down * down)
    cycles = max(both) if cache.duplex == "full" else sum(both)
    gb_s = (lines.up + lines.down) * line_bytes / cycles * clock_ghz * cores
    if lines.down:
        words = f"{up:g} cy per line up, {down:g} down, {cache.duplex} duplex"
    else:
        words = f"{up:g} cy per line"
    return Bandwidth(gb_s, "derived", f"{words}, {clock_ghz:g} GHz x {_cores(cores)}, {pattern}")


def from_ports(
    core: CoreModel, pattern: Pattern, cores: int, width_bytes: int, clock_ghz: float
) -> Bandwidth | None:
    """The rate between registers and the nearest level, from the load and store ports."""
    counts = _UNCACHED[pattern]
    kinds = (("load", counts.up), ("store", counts.down))
    cycles = 0.0
    for name, count in kinds:
        operation = core.operation(name, "", width_bytes)
        if count and operation is None:
            return None
        if operation is not None:
            cycles = max(cycles, count / operation.per_cycle)
    gb_s = (counts.up + counts.down) * width_bytes / cycles * clock_ghz * cores
    how = f"{width_bytes} B loads and stores on their ports, {clock_ghz:g} GHz x {_cores(cores)}"
    return Bandwidth(gb_s, "derived", f"{how}, {pattern}")


def _cores(count: int) -> str:
    return "1 core" if count == 1 else f"{count} cores"
