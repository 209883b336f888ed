"""A topology as a machine file that takes all else from the nearest machine."""

from typing import Final

from rooflint.machine.model import Machine
from rooflint.machine.parts import CacheLevel
from rooflint.machine.topology.model import StatedCache, StatedTopology
from rooflint.machine.write import Value, six_digits

NOT_INHERITED: Final = ("peak_gflop_s", "peak_gop_s", "ceilings")
"""They hold for the whole of the other machine."""
USUAL_WAYS: Final = (16, 12, 11, 8, 4, 2, 1)
KIB: Final = 1024


def topology_keys(
    topology: StatedTopology, name: str, file: str, parent: Machine
) -> dict[str, Value]:
    """Keys of the machine file called ``name``; ``parent`` lends what ``file`` does not state."""
    stated = f"{topology.tool}, {file}"
    lent = f"of {parent.name}, not of this computer"
    caches = [_cache(topology, position, parent) for position in range(len(topology.caches))]
    cores = topology.cores_per_socket
    keys: dict[str, Value] = {
        "schema": 1,
        "name": name,
        "extends": parent.name,
        "description": (
            f"{topology.brand or 'Processor'}, {topology.sockets} x {cores} cores by"
            f" {topology.tool}; core and memory {lent}"
        ),
        "figures": "typical",
        "sources": _sources(stated, lent, caches),
        "sockets": topology.sockets,
        "cores_per_socket": cores,
        "threads_per_core": topology.threads_per_core,
    }
    if topology.clock_ghz:
        keys |= {"clock_ghz": six_digits(topology.clock_ghz), "simd_clock_ghz": None}
    if topology.caches[0].line_bytes:
        keys["line_bytes"] = topology.caches[0].line_bytes
    keys |= dict.fromkeys(NOT_INHERITED)
    keys["caches"] = caches
    keys["memory"] = _memory(topology, parent)
    return keys


def _sources(stated: str, lent: str, caches: list[dict[str, Value]]) -> dict[str, Value]:
    sources: dict[str, Value] = {"default": stated, "memory.bandwidth": lent}
    for cache in caches:
        borrowed = [key for key in ("ways", *_TIMES) if key in cache]
        sources |= {f"caches.{cache['level']}.{key}": lent for key in borrowed}
        if "ways" in cache and cache.pop("stated", False):
            sources[f"caches.{cache['level']}.ways"] = stated
    return sources


_TIMES: Final = ("latency_cy", "cy_per_line_up", "cy_per_line_down")


def _cache(topology: StatedTopology, position: int, parent: Machine) -> dict[str, Value]:
    stated = topology.caches[position]
    level = f"L{position + 1}"
    relative = parent.cache(level)
    cores = min(stated.cores, topology.cores_per_socket)
    cache: dict[str, Value] = {
        "level": level,
        "size_kib": six_digits(stated.size_bytes / KIB),
        "ways": _ways(stated, relative, topology.caches[0].line_bytes or parent.line_bytes),
        "shared_by_cores": cores if topology.cores_per_socket % cores == 0 else 1,
        "holds": _holds(topology, position, cores, relative),
    }
    if stated.ways and cache["ways"] == stated.ways:
        cache["stated"] = True
    if relative is not None:
        cache |= {"replacement": relative.replacement, "write_allocate": relative.write_allocate}
        times = {key: getattr(relative, key) for key in _TIMES}
        cache |= {key: six_digits(value) for key, value in times.items() if value is not None}
        if position:
            cache["duplex"] = relative.duplex
    return cache


def _ways(stated: StatedCache, relative: CacheLevel | None, line_bytes: int) -> int:
    """As stated, else those of the other machine, else the most usual ones that fit the size."""
    lines = stated.size_bytes // line_bytes
    own = (stated.ways, relative.ways if relative is not None else 0)
    return next(ways for ways in (*own, *USUAL_WAYS) if ways and lines % ways == 0)


def _holds(topology: StatedTopology, position: int, cores: int, relative: CacheLevel | None) -> str:
    stated = topology.caches[position]
    if relative is not None and relative.holds == "victim" and not stated.inclusive:
        return "victim"
    nearer = topology.caches[position - 1] if position else None
    below = nearer.size_bytes * max(cores // nearer.cores, 1) if nearer else 0
    if stated.size_bytes < below or (stated.inclusive is False and position > 1):
        return "noninclusive"
    return "inclusive"


def _memory(topology: StatedTopology, parent: Machine) -> dict[str, Value]:
    cores = topology.sockets * topology.cores_per_socket
    levels = {"MEM", *[f"L{number}" for number in range(1, len(topology.caches) + 1)]}
    return {
        "numa_domains_per_socket": topology.domains_per_socket,
        "evasion_from_cores": None,
        "bandwidth": [
            {
                "level": entry.level,
                "pattern": entry.pattern,
                "cores": entry.cores,
                "gb_s": six_digits(entry.gb_s),
            }
            for entry in parent.memory.bandwidth
            if entry.cores <= cores and entry.level in levels
        ],
    }
