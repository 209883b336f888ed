"""Measured figures as the keys of a machine file."""

import math
from collections.abc import Mapping, Sequence

from rooflint.machine.model import Machine
from rooflint.machine.parts import CacheLevel
from rooflint.machine.probe.compiler import Built
from rooflint.machine.probe.measure import ASKED_BYTES, HostFigures, MeasuredRate
from rooflint.machine.probe.topology import CacheInfo, Topology
from rooflint.machine.write import Value, six_digits
from rooflint.records import NamedTuple

LEFT_TO_PORTS = ("simd_clock_ghz", "peak_gflop_s", "peak_gop_s", "ceilings")
"""Keys that are not inherited from the machine with the same core: they hold for that one."""
LINK_CYCLES = ("cy_per_line_up", "cy_per_line_down")
LEAST_WALK_CY = 1.0
COPY_LINES = 1.5
"""Lines that a copy moves with its write-allocates, over those that the program asks for."""
EVADED = 1.1
"""Copy with its write-allocates added cannot be so many times as fast as loading."""


class HostKeys(NamedTuple):
    """Keys of the machine file, and remarks for its head."""

    keys: Mapping[str, Value]
    remarks: tuple[str, ...]


def describe_host(
    name: str, topology: Topology, figures: HostFigures, built: Built, parent: Machine | None
) -> HostKeys:
    """The machine file called ``name``; ``parent`` has the same core and lends its instructions."""
    node = topology.sockets * topology.cores_per_socket
    peaks = {kind: six_digits(_digits(value)) for kind, value in figures.peak_gflop_s.items()}
    evaded = _evades(figures, node)
    caches = [
        _cache(topology, position, figures, parent) for position in range(len(topology.caches))
    ]
    keys: dict[str, Value] = {"schema": 1, "name": name}
    if parent is not None:
        keys["extends"] = parent.name
    keys |= {
        "description": _description(topology, figures),
        "figures": "measured",
        "sources": _sources(caches, built, parent, evaded),
        "clock_ghz": _digits(figures.clock_ghz),
        "sockets": topology.sockets,
        "cores_per_socket": topology.cores_per_socket,
        "threads_per_core": topology.threads_per_core,
        "line_bytes": topology.line_bytes,
    }
    keys |= _compute_keys(peaks, figures) if parent is None else dict.fromkeys(LEFT_TO_PORTS)
    tools = {"triple": built.triple, "cpu": built.cpu}
    keys["tools"] = {key: value for key, value in tools.items() if value}
    keys["caches"] = caches
    tlb = _tlb(topology, figures)
    if tlb is not None or (parent is not None and parent.tlb is not None):
        keys["tlb"] = tlb
    keys["memory"] = _memory(topology, figures, parent, evaded)
    measured = ", ".join(f"{value:g} Gflop/s {kind}" for kind, value in peaks.items())
    remarks = (
        f"Multiply-adds measured with all {node} cores: {measured}.",
        f"Compiled with: {' '.join(built.flags)}",
        "The best of several samples each; other work on the machine makes figures too low.",
    )
    return HostKeys(keys, remarks)


def _compute_keys(peaks: Mapping[str, float], figures: HostFigures) -> dict[str, Value]:
    simd: dict[str, Value] = {
        "isa": figures.isa,
        "register_bytes": figures.vector_bytes,
        "fma": figures.fma,
    }
    return {"peak_gflop_s": dict(peaks), "simd": simd}


def _description(topology: Topology, figures: HostFigures) -> str:
    model = topology.model_name or "This computer"
    cores = f"{topology.sockets} x {topology.cores_per_socket} cores"
    return f"{model}, {cores} at {figures.clock_ghz:.3g} GHz (measured)"


def _sources(
    caches: Sequence[Mapping[str, Value]], built: Built, parent: Machine | None, evaded: bool
) -> dict[str, Value]:
    how = f"rooflint machine probe, built with {built.compiler or 'the C compiler'}"
    kernel = "Linux, /sys/devices/system/cpu"
    added = "write-allocate added outside L1 (copy x 1.5, triad x 1.25, store x 2)"
    if evaded:
        added += ", but not in memory where it is evaded"
    sources: dict[str, Value] = {
        "default": how,
        "sockets": kernel,
        "cores_per_socket": kernel,
        "threads_per_core": kernel,
        "line_bytes": kernel,
        "memory.numa_domains_per_socket": "Linux, /sys/devices/system/node",
        "memory.bandwidth": f"{how}; {added}",
    }
    derived = f"{how}: extra time of one core's loads over the next nearer level"
    for cache in caches:
        path = f"caches.{cache['level']}"
        sources |= {f"{path}.{key}": kernel for key in ("size_kib", "ways", "shared_by_cores")}
        links = [f"{path}.{key}" for key in LINK_CYCLES if key in cache]
        inherited = parent.sources if parent is not None else {}
        up = inherited.get(f"{path}.{LINK_CYCLES[0]}", derived)
        sources |= {link: inherited.get(link, up) for link in links}
    return sources


def _cache(
    topology: Topology, position: int, figures: HostFigures, parent: Machine | None
) -> dict[str, Value]:
    info = topology.caches[position]
    level = f"L{position + 1}"
    relative = parent.cache(level) if parent else None
    nearer = topology.caches[position - 1] if position else None
    cores = min(info.cores, topology.cores_per_socket)
    if topology.cores_per_socket % cores:
        cores = 1
    cache: dict[str, Value] = {
        "level": level,
        "size_kib": six_digits(info.size_bytes / 1024),
        "ways": _ways(info),
        "shared_by_cores": cores,
        "holds": _holds(info, nearer, cores, relative),
    }
    if relative is not None:
        cache |= {"replacement": relative.replacement, "write_allocate": relative.write_allocate}
    latency = figures.latency_ns.get(level)
    if latency:
        cache["latency_cy"] = six_digits(round(latency * figures.clock_ghz, 1))
    if nearer is not None:
        cache |= _link(level, f"L{position}", info.line_bytes, figures, relative)
    return cache


def _ways(info: CacheInfo) -> int:
    """As the kernel says, else the most of 16 that fit the size."""
    lines = info.size_bytes // info.line_bytes
    if info.ways and lines % info.ways == 0:
        return info.ways
    return next(ways for ways in (16, 12, 11, 8, 4, 2, 1) if lines % ways == 0)


def _holds(
    info: CacheInfo, nearer: CacheInfo | None, cores: int, relative: CacheLevel | None
) -> str:
    if relative is not None and relative.holds != "inclusive":
        return relative.holds
    below = nearer.size_bytes * (cores // min(cores, nearer.cores)) if nearer else 0
    return "inclusive" if info.size_bytes >= below else "noninclusive"


def _link(
    level: str, nearer: str, line_bytes: int, figures: HostFigures, relative: CacheLevel | None
) -> dict[str, Value]:
    if relative is not None and relative.cy_per_line_up is not None:
        down = relative.cy_per_line_down or relative.cy_per_line_up
        return {
            "cy_per_line_up": six_digits(relative.cy_per_line_up),
            "cy_per_line_down": six_digits(down),
            "duplex": relative.duplex,
        }
    rates = {r.level: r.asked_gb_s for r in figures.rates if r.pattern == "load" and r.cores == 1}
    if level not in rates or nearer not in rates:
        return {}
    cycles = line_bytes * figures.clock_ghz * (1 / rates[level] - 1 / rates[nearer])
    return {"cy_per_line_up": six_digits(round(max(cycles, 0.1), 2))}


def _tlb(topology: Topology, figures: HostFigures) -> dict[str, Value] | None:
    """How many pages cost nothing, and what the others cost; None where none of them do. As many as
    cost a quarter of what the most cost, between the two counts beside that."""
    counts = sorted(figures.walk_ns)
    if not counts or figures.walk_ns[counts[-1]] * figures.clock_ghz < LEAST_WALK_CY:
        return None
    quarter = figures.walk_ns[counts[-1]] / 4
    first = next(number for number, count in enumerate(counts) if figures.walk_ns[count] > quarter)
    if first == 0:
        return None
    few, many = counts[first - 1], counts[first]
    low, high = figures.walk_ns[few], figures.walk_ns[many]
    entries = few + (quarter - low) / (high - low) * (many - few)
    return {
        "entries": round(entries),
        "walk_cy": six_digits(round(figures.walk_ns[counts[-1]] * figures.clock_ghz, 1)),
        "page_bytes": topology.page_bytes,
    }


def _memory(
    topology: Topology, figures: HostFigures, parent: Machine | None, evaded: bool
) -> dict[str, Value]:
    memory: dict[str, Value] = {}
    if parent is not None:
        memory |= dict.fromkeys(("duplex", "evasion_from_cores"))
    latency = figures.latency_ns.get("MEM")
    if latency:
        memory["latency_ns"] = six_digits(round(latency, 1))
    memory["numa_domains_per_socket"] = topology.domains_per_socket
    own = parent.memory.write_allocate_evasion if parent else "nt_only"
    memory["write_allocate_evasion"] = "automatic" if evaded else own
    if evaded:
        memory["evasion_from_cores"] = _evaded_from(figures)
    moved = [r._replace(asked_gb_s=r.asked_gb_s * _factor(r, figures)) for r in figures.rates]
    memory["bandwidth"] = [
        {
            "level": rate.level,
            "pattern": rate.pattern,
            "cores": rate.cores,
            "gb_s": _digits(rate.asked_gb_s),
        }
        for rate in _steady(moved)
    ]
    up, down = _penalties(_steady(moved), topology.line_bytes * figures.clock_ghz)
    memory |= {"penalty_cy_per_line_up": up, "penalty_cy_per_line_down": down}
    return memory


def _penalties(rates: Sequence[MeasuredRate], line_cy: float) -> tuple[float, float]:
    """Cycles more that one core takes for a line than memory at its fastest: read, written.
    ``line_cy``: bytes of a line times GHz. A copy reads two lines, one for the write-allocate, and
    writes one."""

    def excess(pattern: str) -> float:
        memory = [r for r in rates if (r.level, r.pattern) == ("MEM", pattern)]
        alone = [r.asked_gb_s for r in memory if r.cores == 1]
        if not alone:
            return 0.0
        return line_cy * (1 / alone[0] - 1 / max(r.asked_gb_s for r in memory))

    up = excess("load")
    down = max(0.0, 3 * excess("copy") - 2 * up)
    return _digits(up), _digits(down)


def _factor(rate: MeasuredRate, figures: HostFigures) -> float:
    read, write = ASKED_BYTES[rate.pattern]
    if rate.level == "L1" or rate.pattern == "update" or not write:
        return 1.0
    if rate.level == "MEM" and _evades(figures, rate.cores):
        return 1.0
    return (read + 2 * write) / (read + write)


def _evades(figures: HostFigures, cores: int) -> bool:
    """Whether memory copies are too fast to load what they overwrite. Compared with the best of up
    to so many cores: one disturbed rate is no evidence."""
    memory = [rate for rate in figures.rates if rate.level == "MEM" and rate.cores <= cores]
    copy = next((r.asked_gb_s for r in memory if (r.pattern, r.cores) == ("copy", cores)), 0.0)
    loads = [r.asked_gb_s for r in memory if r.pattern in ("load", "update")]
    return cores > 1 and copy * COPY_LINES > EVADED * max(loads, default=math.inf)


def _evaded_from(figures: HostFigures) -> int:
    counts = sorted({rate.cores for rate in figures.rates if rate.level == "MEM"})
    return next((cores for cores in counts if _evades(figures, cores)), 1)


def _steady(rates: Sequence[MeasuredRate]) -> list[MeasuredRate]:
    """Without rates that fall far below those of fewer cores: something else was running."""
    kept: list[MeasuredRate] = []
    for rate in rates:
        fewer = [
            other.asked_gb_s
            for other in kept
            if (other.level, other.pattern) == (rate.level, rate.pattern)
            and other.cores < rate.cores
        ]
        if rate.asked_gb_s > 0 and all(rate.asked_gb_s > 0.95 * value for value in fewer):
            kept.append(rate)
    return kept


def _digits(value: float) -> float:
    return float(f"{value:.4g}")
