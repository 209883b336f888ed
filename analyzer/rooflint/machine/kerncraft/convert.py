"""A kerncraft machine as the keys of a machine file, and what could not be said in them."""

from collections.abc import Mapping
from pathlib import Path

from rooflint.machine.kerncraft.bandwidth import bandwidth_table, traffic_factor
from rooflint.machine.kerncraft.read import MEMORY, KerncraftCache, KerncraftLevel, KerncraftMachine
from rooflint.machine.model import Machine
from rooflint.machine.write import Value, six_digits
from rooflint.records import NamedTuple

POLICIES = {"LRU": "lru", "FIFO": "fifo", "RR": "random"}
TYPES = {"DP": "f64", "SP": "f32"}
TRIPLES = {"x86": "x86_64-linux-gnu", "x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
INHERITED_BY_CORE_ONLY = ("simd_clock_ghz", "peak_gflop_s", "peak_gop_s", "ceilings")
"""Keys that are not inherited from a machine with the same core."""


class KerncraftKeys(NamedTuple):
    """Keys and values in the order of a machine file, and the losses in words."""

    keys: Mapping[str, Value]
    losses: tuple[str, ...]


def convert(machine: KerncraftMachine, name: str, parent: Machine | None) -> KerncraftKeys:
    """``machine`` as a file called ``name``.

    ``parent`` is a machine with the same core; its instructions are inherited, for kerncraft's
    files have none. Raises ConfigurationError where the file contradicts itself.
    """
    losses = list(machine.skipped)
    peaks = _peaks(machine, losses)
    caches = _caches(machine, losses)
    table = bandwidth_table(machine)
    losses += table.skipped
    losses += _general_losses(parent)
    keys: dict[str, Value] = {"schema": 1, "name": name}
    if parent is not None:
        keys["extends"] = parent.name
    keys |= {
        "description": _description(machine),
        "figures": "measured",
        "sources": _sources(machine, bool(table.entries)),
        "clock_ghz": six_digits(machine.clock_hz / 1e9),
        "sockets": machine.sockets,
        "cores_per_socket": machine.cores_per_socket,
        "threads_per_core": machine.threads_per_core,
        "line_bytes": machine.line_bytes,
    }
    if parent is not None:
        keys |= dict.fromkeys(INHERITED_BY_CORE_ONLY)
    if peaks:
        keys["peak_gflop_s"] = peaks
    if tools := _tools(machine):
        keys["tools"] = tools
    keys["core"] = {"overlap": _overlap(machine)}
    keys["caches"] = caches
    keys["memory"] = _memory(machine, parent) | {
        "bandwidth": [dict(entry._asdict()) for entry in table.entries]
    }
    return KerncraftKeys(keys, tuple(dict.fromkeys(losses)))


def llvm_cpu(machine: KerncraftMachine) -> str | None:
    """llvm-mca's name for the core, from its flags."""
    words = machine.analyzers.get("LLVM-MCA", "").split()
    return next((w.removeprefix("-mcpu=") for w in words if w.startswith("-mcpu=")), None)


def _general_losses(parent: Machine | None) -> list[str]:
    if parent is not None:
        core = f"ports and instructions are those of {parent.name}"
    else:
        core = "no ports and no instructions, which kerncraft leaves to other tools"
    return [
        f"in-core model: {core}",
        "memory.write_allocate_evasion, latencies, SIMD clock: kerncraft's files do not say",
        "performance counter metrics, statistics of the measurements: not used",
    ]


def _description(machine: KerncraftMachine) -> str:
    names = [machine.model_name, f"({machine.model_type})" if machine.model_type else ""]
    words = " ".join(name for name in names if name) or Path(machine.file).stem
    cores = f"{machine.sockets} x {machine.cores_per_socket} cores"
    return f"{words}, {cores} at {six_digits(machine.clock_hz / 1e9):g} GHz"


def _sources(machine: KerncraftMachine, measured: bool) -> dict[str, Value]:
    file = Path(machine.file).name
    sources: dict[str, Value] = {"default": f"kerncraft machine file {file}"}
    if measured:
        factors = [
            f"{name} x {factor:g}"
            for name in ("copy", "triad", "update", "load")
            if (factor := traffic_factor(machine.kernels.get(name))) != 1
        ]
        added = f"; write-allocate added outside L1: {', '.join(factors)}" if factors else ""
        sources["memory.bandwidth"] = f"likwid-bench, in kerncraft machine file {file}{added}"
    return sources


def _peaks(machine: KerncraftMachine, losses: list[str]) -> dict[str, Value]:
    peaks: dict[str, Value] = {}
    cores = machine.sockets * machine.cores_per_socket
    for precision, flops in machine.flops.items():
        largest = max(flops.values())
        if largest > flops["total"]:
            words = f"total {flops['total']:g} is less than its part {largest:g}"
            losses.append(f"FLOPs per cycle.{precision}: {words}; {largest:g} is used")
        peaks[TYPES[precision]] = six_digits(largest * machine.clock_hz / 1e9 * cores)
    return peaks


def _tools(machine: KerncraftMachine) -> dict[str, Value]:
    tools = {
        "triple": TRIPLES.get(machine.isa),
        "cpu": llvm_cpu(machine),
        "osaca": machine.analyzers.get("OSACA"),
    }
    return {key: value for key, value in tools.items() if value}


def _overlap(machine: KerncraftMachine) -> dict[str, Value]:
    """Per level in the file; here loads for the first and links by name for the others."""
    first, *others = machine.levels
    links = [f"{a.name}-{b.name}" for a, b in zip(machine.levels, others, strict=False)]
    overlapping = [link for link, level in zip(links, others, strict=True) if level.overlaps]
    every = bool(links) and overlapping == links
    found: dict[str, Value] = {
        "non_overlapping": [] if first.overlaps else ["load"],
        "links": "overlapping" if every else "serial",
    }
    return found | ({"overlapping_links": overlapping} if overlapping and not every else {})


def _caches(machine: KerncraftMachine, losses: list[str]) -> list[Value]:
    caches: list[Value] = []
    victims = {level.cache.victims_to for level in machine.levels if level.cache}
    below_kib = 0.0
    for level in machine.levels:
        cache = level.cache
        if cache is None:
            continue
        if machine.cores_per_socket % level.cores:
            raise level.node.error(
                f"{level.name}: cores per group: expected a divisor of the "
                f"{machine.cores_per_socket} cores per socket, got {level.cores}"
            )
        line = cache.line_bytes or machine.line_bytes
        size_kib = cache.sets * cache.ways * line / 1024
        holds = "victim" if level.name in victims else "inclusive"
        if holds == "inclusive" and size_kib < below_kib * level.cores:
            holds = "noninclusive"
            losses.append(f"{level.name}: too small to include the nearer levels; noninclusive")
        keys: dict[str, Value] = {"level": level.name, "size_kib": six_digits(size_kib)}
        keys |= _policies(level, cache, holds, losses)
        keys |= _link(level, line, losses)
        caches.append(keys)
        below_kib = size_kib / level.cores
    return caches


def _policies(
    level: KerncraftLevel, cache: KerncraftCache, holds: str, losses: list[str]
) -> dict[str, Value]:
    policy = cache.replacement or "LRU"
    if policy not in POLICIES:
        losses.append(f"{level.name}: replacement policy {policy}: lru is used")
    if cache.write_combining:
        losses.append(f"{level.name}: write_combining: not modelled")
    return {
        "ways": cache.ways,
        "shared_by_cores": level.cores,
        "write_allocate": cache.write_allocate,
        "write_back": cache.write_back,
        "replacement": POLICIES.get(policy, "lru"),
        "holds": holds,
    }


def _link(level: KerncraftLevel, line_bytes: int, losses: list[str]) -> dict[str, Value]:
    if level.link and level.link.bytes_per_cycle:
        cycles = six_digits(line_bytes / level.link.bytes_per_cycle)
        duplex = "full" if level.link.full_duplex else "half"
        return {"cy_per_line_up": cycles, "cy_per_line_down": cycles, "duplex": duplex}
    if level.name != "L1":
        losses.append(f"{level.name}: upstream throughput: not given in B/cy")
    return {}


def _memory(machine: KerncraftMachine, parent: Machine | None) -> dict[str, Value]:
    domains = machine.domains_per_socket
    memory: dict[str, Value] = {}
    if parent is not None:
        keys = ("latency_ns", "write_allocate_evasion", "evasion_from_cores", "duplex")
        memory |= dict.fromkeys((*keys, "penalty_cy_per_line_up", "penalty_cy_per_line_down"), None)
    if machine.cores_per_socket % domains == 0:
        memory["numa_domains_per_socket"] = domains
    level = next((level for level in machine.levels if level.name == MEMORY), None)
    if level is None:
        return memory
    if level.link and level.link.full_duplex:
        memory["duplex"] = "full"
    if level.penalty_up:
        memory["penalty_cy_per_line_up"] = six_digits(level.penalty_up)
    if level.penalty_down:
        memory["penalty_cy_per_line_down"] = six_digits(level.penalty_down)
    return memory
