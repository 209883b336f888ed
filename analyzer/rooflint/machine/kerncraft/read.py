"""A kerncraft machine file, typed. Nothing is converted here but units to plain ones.

The format is that of kerncraft 0.8: levels nearest first with ``MEM`` last, the throughput of the
link to the next nearer level at the farther one, likwid-bench results by level and threads a core.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rooflint.machine.document import YamlNode, parse, read_text
from rooflint.machine.kerncraft.units import is_open, quantity
from rooflint.machine.section import Section
from rooflint.records import NamedTuple

MEMORY = "MEM"
PARTS_OF_FLOPS = ("total", "ADD", "MUL", "FMA")
UNUSED = (
    *("performance counter metrics", "size per group", "groups", "threads per group"),
    *("load_from", "store_to"),
)
"""Keys of a level that say nothing new: counters, and sums of what is said elsewhere."""


class UpstreamLink(NamedTuple):
    """The path to the next nearer level; ``bytes_per_cycle`` None where memory limits it."""

    bytes_per_cycle: float | None
    full_duplex: bool


class KerncraftCache(NamedTuple):
    """The geometry and policies of a cache; ``line_bytes`` None: those of the machine."""

    sets: int
    ways: int
    line_bytes: int | None
    replacement: str
    write_allocate: bool
    write_back: bool
    write_combining: bool
    victims_to: str | None


@dataclass(frozen=True, slots=True)
class KerncraftLevel:
    """One level of the hierarchy; ``cache`` is None for memory."""

    name: str
    node: YamlNode
    cores: int
    overlaps: bool
    link: UpstreamLink | None
    cache: KerncraftCache | None
    penalty_up: float
    penalty_down: float
    unknown: tuple[str, ...]


class BenchmarkKernel(NamedTuple):
    """Bytes an iteration of a likwid-bench kernel reads, writes, and does both with."""

    read: float
    write: float
    both: float


class Measurement(NamedTuple):
    """Rates in B/s by kernel, one for each of ``cores``; ``sizes`` are bytes a core."""

    level: str
    threads: int
    node: YamlNode
    cores: tuple[int, ...]
    sizes: tuple[float, ...] | None
    rates: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class KerncraftMachine:
    """The usable content of a file; ``skipped`` names the rest."""

    file: str
    model_name: str
    model_type: str
    clock_hz: float
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    domains_per_socket: int
    line_bytes: int
    isa: str
    flops: Mapping[str, Mapping[str, float]]
    analyzers: Mapping[str, str]
    levels: tuple[KerncraftLevel, ...]
    kernels: Mapping[str, BenchmarkKernel]
    measurements: tuple[Measurement, ...]
    skipped: tuple[str, ...]


def read_kerncraft(path: Path) -> KerncraftMachine:
    """The file's content; raises ConfigurationError with ``file:line``."""
    root = parse(read_text(path), str(path), tags=True)
    top = Section(root, "")
    clock = quantity(top.required("clock"), "clock", "Hz")
    if not clock:
        raise top.error("clock", "expected a clock above 0")
    levels = tuple(_level(section) for section in top.sections("memory hierarchy"))
    if not levels:
        raise root.error("memory hierarchy: expected the list of levels, nearest first")
    flops, open_flops = _flops(top)
    benchmarks = top.section("benchmarks")
    kernels, measurements = _benchmarks(benchmarks) if benchmarks else ({}, ())
    return KerncraftMachine(
        file=str(path),
        model_name=_text(top, "model name"),
        model_type=_text(top, "model type"),
        clock_hz=clock,
        sockets=top.count("sockets"),
        cores_per_socket=top.count("cores per socket"),
        threads_per_core=top.count_or("threads per core", 1),
        domains_per_socket=top.count_or("NUMA domains per socket", 1),
        line_bytes=int(quantity(top.required("cacheline size"), "cacheline size", "B")),
        isa=_text(top, "isa").lower(),
        flops=flops,
        analyzers=_analyzers(top),
        levels=levels,
        kernels=kernels,
        measurements=measurements,
        skipped=(
            *_left_aside(top),
            *[f"{path}: unknown key" for level in levels for path in level.unknown],
            *open_flops,
        ),
    )


def _text(section: Section, key: str) -> str:
    node = section.get(key)
    return node.data.strip() if node and isinstance(node.data, str) and not is_open(node) else ""


def _left_aside(top: Section) -> list[str]:
    """Top-level keys that describe what Rooflint has no use for, each with its reason."""
    known = {
        "kerncraft version": "",
        "cores per NUMA domain": "",
        "write-allocate": "",
        "compiler": "compilers and their flags are the user's",
        "transparent hugepage": "not part of a machine description",
        "machine state": "not part of a machine description",
        "overlapping model": "ports are named as the analyzers name them",
        "non-overlapping model": "ports are named as the analyzers name them",
    }
    reasons = [f"{key}: {why}" for key, why in known.items() if top.get(key) and why]
    return reasons + [f"{key}: unknown key" for key in top.unread()]


def _flops(top: Section) -> tuple[dict[str, dict[str, float]], list[str]]:
    section = top.section("FLOPs per cycle")
    if section is None:
        return {}, []
    flops: dict[str, dict[str, float]] = {}
    skipped = []
    for precision in ("DP", "SP"):
        part = section.section(precision)
        if part is None:
            continue
        given = {key: part.get(key) for key in PARTS_OF_FLOPS}
        values = {k: part.number(k) for k, node in given.items() if node and not is_open(node)}
        if "total" in values:
            flops[precision] = values
        else:
            skipped.append(f"FLOPs per cycle.{precision}: not filled in")
    return flops, skipped


def _analyzers(top: Section) -> dict[str, str]:
    """Tool to the name it has for the core. An ordered map is a list of one-entry mappings."""
    found = {}
    for section in top.sections("in-core model") if top.get("in-core model") else []:
        for tool in section.keys():  # noqa: SIM118  (not a dict)
            found[tool] = _text(section, tool)
    return found


def _level(section: Section) -> KerncraftLevel:
    name = section.text("level")
    cache = _cache_group(section, name)
    link = _link(section)
    level = KerncraftLevel(
        name=name,
        node=section.node,
        cores=section.count_or("cores per group", 1),
        overlaps=section.flag_or("transfers overlap", False),
        link=link,
        cache=_geometry(cache, section.at("cl_size")) if cache else None,
        penalty_up=section.number_or_none("penalty cycles per cacheline load", zero=True) or 0.0,
        penalty_down=section.number_or_none("penalty cycles per cacheline store", zero=True) or 0.0,
        unknown=(),
    )
    parts = [section, cache] if cache else [section]
    unknown = [part.at(key) for part in parts for key in part.unread() if key not in UNUSED]
    return replace(level, unknown=tuple(unknown))


def _cache_group(section: Section, name: str) -> Section | None:
    if name == MEMORY:
        return None
    cache = section.section("cache per group")
    if cache is None:
        raise section.error("cache per group", f"missing for {name}")
    return cache


def _geometry(cache: Section, path_of_line: str) -> KerncraftCache:
    line = cache.get("cl_size")
    return KerncraftCache(
        sets=cache.count("sets"),
        ways=cache.count("ways"),
        line_bytes=int(quantity(line, path_of_line, "B")) if line else None,
        replacement=_text(cache, "replacement_policy"),
        write_allocate=cache.flag_or("write_allocate", True),
        write_back=cache.flag_or("write_back", True),
        write_combining=cache.flag_or("write_combining", False),
        victims_to=_text(cache, "victims_to") or None,
    )


def _link(section: Section) -> UpstreamLink | None:
    items = section.items("upstream throughput")
    if not items or is_open(items[0]):
        return None
    path = section.at("upstream throughput")
    words = [item.data for item in items]
    full = "full-duplex" in words
    if words[0] == "architecture code analyzer":
        return None
    if words[0] == "full socket memory bandwidth":
        return UpstreamLink(None, full)
    rate = quantity(items[0], path, "B/cy")
    if not rate:
        raise items[0].error(f"{path}: expected more than 0 B/cy")
    return UpstreamLink(rate, full)


def _benchmarks(section: Section) -> tuple[dict[str, BenchmarkKernel], tuple[Measurement, ...]]:
    kernels = {}
    part = section.section("kernels")
    for name in part.keys() if part else ():
        assert part is not None
        kernel = Section(part.required(name), part.at(name))
        streams = ("read streams", "write streams", "read+write streams")
        read, write, both = (_stream_bytes(kernel, key) for key in streams)
        kernels[name] = BenchmarkKernel(read, write, both)
    measured = []
    levels = section.section("measurements")
    for level in levels.keys() if levels else ():
        assert levels is not None
        by_threads = Section(levels.required(level), levels.at(level))
        for threads in by_threads.keys():  # noqa: SIM118  (not a dict)
            one = Section(by_threads.required(threads), by_threads.at(threads))
            if threads.isdecimal():
                measured.append(_measurement(level, int(threads), one))
    return kernels, tuple(measured)


def _stream_bytes(kernel: Section, key: str) -> float:
    section = kernel.section(key)
    node = section.get("bytes") if section else None
    return quantity(node, kernel.at(key), "B") if node else 0.0


def _measurement(level: str, threads: int, section: Section) -> Measurement:
    cores = tuple(int(quantity(node, section.at("cores"), "")) for node in section.items("cores"))
    sizes = section.items("size per core")
    known = len(sizes) == len(cores) and not any(is_open(node) for node in sizes)
    path = section.at("size per core")
    return Measurement(
        level=level,
        threads=threads,
        node=section.node,
        cores=cores,
        sizes=tuple(quantity(node, path, "B") for node in sizes) if known else None,
        rates=_rates(section.section("results"), len(cores)),
    )


def _rates(results: Section | None, expected: int) -> dict[str, tuple[float, ...]]:
    """Rates in B/s by kernel; raises ConfigurationError where there are not ``expected`` many."""
    rates = {}
    for kernel in results.keys() if results else ():
        assert results is not None
        path, items = results.at(kernel), results.items(kernel)
        rates[kernel] = tuple(quantity(node, path, "B/s") for node in items)
        if len(items) != expected:
            message = f"{len(items)} results for {expected} numbers of cores"
            raise results.error(kernel, f"expected one result per number of cores, got {message}")
    return rates
