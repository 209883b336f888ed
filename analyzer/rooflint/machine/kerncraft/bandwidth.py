"""likwid-bench rates to the rates that bandwidth entries state.

likwid-bench counts what the program asks for; entries count what moves. From the second level on a
store to a line that is not there loads it first, so bytes that are written but not read count
twice: copy x 1.5, triad x 1.25, load and update x 1 (the ECM literature's factors).
"""

from collections.abc import Sequence

from rooflint.machine.kerncraft import read
from rooflint.machine.order import FALL
from rooflint.machine.parts import PATTERNS, BandwidthEntry, Pattern
from rooflint.records import NamedTuple

LARGER = 1.5
"""Data less than so many times as large as a cache may come from it in part."""


class Table(NamedTuple):
    """Bandwidth entries, and what was left out of them and why."""

    entries: tuple[BandwidthEntry, ...]
    skipped: tuple[str, ...]


def bandwidth_table(machine: read.KerncraftMachine) -> Table:
    """Entries for one core, powers of two, full domains and the best rate in one NUMA domain."""
    entries: list[BandwidthEntry] = []
    skipped: list[str] = []
    nearer: read.KerncraftLevel | None = None
    for level in machine.levels:
        of_level = [m for m in machine.measurements if m.level == level.name]
        if len(of_level) > 1:
            skipped.append("benchmarks.measurements: those with more than one thread per core")
        if of_level:
            one = min(of_level, key=lambda m: m.threads)
            table = _level_table(machine, level, nearer, one)
            entries += table.entries
            skipped += table.skipped
        else:
            skipped.append(f"benchmarks.measurements: nothing for {level.name}")
        nearer = level
    return Table(tuple(entries), tuple(skipped))


def _level_table(
    machine: read.KerncraftMachine,
    level: read.KerncraftLevel,
    nearer: read.KerncraftLevel | None,
    measured: read.Measurement,
) -> Table:
    usable, reason = _usable(measured, nearer)
    skipped = [f"{level.name} rates with {reason}"] if reason else []
    unknown = [kernel for kernel in measured.rates if kernel not in PATTERNS]
    skipped += [f"benchmarks.kernels.{kernel}: no such pattern" for kernel in unknown]
    entries = []
    for pattern in (each for each in PATTERNS if each in measured.rates):
        factor = traffic_factor(machine.kernels.get(pattern)) if nearer else 1.0
        points = _points(measured, pattern, usable, factor)
        steady = _steady(points, machine.cores_per_socket)
        disturbed = sorted(set(points) - set(steady))
        skipped += [
            f"{level.name} {pattern} with {n} cores: slower than with fewer" for n in disturbed
        ]
        for n in _chosen(steady, machine, level):
            gb_s = _digits(steady[n] / 1e9)
            entries.append(BandwidthEntry(level=level.name, pattern=pattern, cores=n, gb_s=gb_s))
    return Table(tuple(entries), tuple(skipped))


def _points(
    measured: read.Measurement, pattern: Pattern, usable: Sequence[int], factor: float
) -> dict[int, float]:
    rates = zip(measured.cores, measured.rates[pattern], strict=True)
    return {n: rate * factor for n, rate in rates if n in usable and rate > 0}


def _digits(gb_s: float) -> float:
    return float(f"{gb_s:.4g}")


def traffic_factor(kernel: read.BenchmarkKernel | None) -> float:
    """Bytes that move for each byte the kernel asks for, write-allocates included."""
    if kernel is None or kernel.read + kernel.write <= 0:
        return 1.0
    return (kernel.read + 2 * kernel.write - kernel.both) / (kernel.read + kernel.write)


def _usable(one: read.Measurement, nearer: read.KerncraftLevel | None) -> tuple[list[int], str]:
    """Core counts whose data cannot have come from the nearer level; what the others are."""
    counts = list(one.cores)
    near = _held_by(one, nearer) if nearer is not None else []
    if nearer is None or not near or len(near) == len(counts):
        return counts, ""
    few = "1 core" if min(near) == 1 else f"{min(near)} cores"
    return [n for n in counts if n not in near], f"{few} or more: {nearer.name} held the data"


def _held_by(one: read.Measurement, nearer: read.KerncraftLevel) -> list[int]:
    """Core counts whose data may have come from the nearer level in part."""
    capacity = _capacity_bytes(nearer)
    if one.sizes is None or capacity is None:
        return []
    return [
        n
        for n, size in zip(one.cores, one.sizes, strict=True)
        if size * min(n, nearer.cores) < LARGER * capacity
    ]


def _capacity_bytes(level: read.KerncraftLevel) -> int | None:
    cache = level.cache
    return None if cache is None else cache.sets * cache.ways * (cache.line_bytes or 64)


def _steady(points: dict[int, float], socket: int) -> dict[int, float]:
    """Without rates that fall below those of fewer cores: the measurement was disturbed."""
    kept: dict[int, float] = {}
    for n in sorted(points):
        allowed = [
            points[n] * (1.0 if before <= socket < n else FALL) >= rate
            for before, rate in kept.items()
        ]
        if all(allowed):
            kept[n] = points[n]
    return kept


def _chosen(
    points: dict[int, float], machine: read.KerncraftMachine, level: read.KerncraftLevel
) -> Sequence[int]:
    if not points:
        return []
    domain = max(1, machine.cores_per_socket // machine.domains_per_socket)
    path = domain if level.name == read.MEMORY else level.cores
    wanted = {1, path, machine.cores_per_socket, machine.sockets * machine.cores_per_socket}
    if path > 1:
        wanted |= {2**k for k in range(path.bit_length())}
        inside = [n for n in points if n <= path]
        wanted.add(max(inside, key=lambda n: points[n], default=1))
    return sorted(n for n in points if n in wanted)
