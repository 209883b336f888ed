"""A machine file to a Machine, or one clear error."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import get_args

from rooflint.machine import parts
from rooflint.machine.coprocessors import read_coprocessors, read_host
from rooflint.machine.inherit import merge_parents
from rooflint.machine.load_core import read_core
from rooflint.machine.model import Machine
from rooflint.machine.order import check_bandwidth, check_caches
from rooflint.machine.section import Section, choice

SCHEMA = 1


def load_machine(
    path: Path, dirs: Sequence[Path] = (), shown: str = "", text: str | None = None
) -> Machine:
    """The machine described by ``path``; ``dirs`` are searched for what it extends.

    ``shown`` is what messages call the file where that is not its path, ``text`` what it says
    where that is not what is on disk.

    Raises ConfigurationError: ``file:line: what, expected, near miss``.
    """
    whole = merge_parents(path, dirs, shown=shown, text=text)
    top = Section(whole.root, "")
    if top.count("schema") != SCHEMA:
        raise top.error("schema", f"expected {SCHEMA}, the version this program reads")
    top.get("extends")
    top.get("sources")
    top.get("identify")  # read where a processor is identified; not a figure of the machine
    sockets, cores_per_socket = top.count("sockets"), top.count("cores_per_socket")
    line_bytes = top.count("line_bytes")
    _power_of_two(top, "line_bytes", line_bytes)
    caches, local_store = (
        _caches(top, line_bytes, cores_per_socket),
        top.read("local_store", _local_store),
    )
    if caches and local_store:
        raise top.error("local_store", "a machine has caches or a local store, not both")
    levels = ("LS",) if local_store else tuple(cache.level for cache in caches)
    quality = _quality(top)
    _check_dropped(top)
    machine = Machine(
        name=top.text("name"),
        file=str(path),
        aliases=top.texts("aliases"),
        description=top.text("description"),
        figures=top.choice_or("figures", get_args(parts.Figures), "measured"),
        clock_ghz=top.number("clock_ghz"),
        simd_clock_ghz=top.number_or_none("simd_clock_ghz"),
        sockets=sockets,
        cores_per_socket=cores_per_socket,
        threads_per_core=top.count_or("threads_per_core", 1),
        line_bytes=line_bytes,
        peak_gflop_s=_peaks(top, "peak_gflop_s", typed=True),
        peak_gop_s=_peaks(top, "peak_gop_s", typed=False),
        simd=top.read("simd", _simd),
        core=read_core(top, (*levels, "MEM")),
        caches=caches,
        local_store=local_store,
        memory=_memory(top, (*levels, "MEM"), _doubted(quality)),
        quality=quality,
        accepted=_accepted(top),
        ceilings=top.read("ceilings", _ceilings) or parts.MachineCeilings(),
        coprocessors=read_coprocessors(top),
        host=read_host(top),
        sources=whole.sources,
        tools=top.read_record("tools", parts.Tools),
        tlb=top.read("tlb", _tlb),
    )
    top.done()
    return machine


def _peaks(top: Section, key: str, *, typed: bool) -> dict[str, float]:
    return top.table(key, partial(_peak, typed=typed))


def _peak(section: Section, name: str, *, typed: bool) -> float:
    operation, _, kind = ("", "", name) if typed else name.partition(".")
    if not typed and not (operation.isascii() and operation.isalpha() and operation.islower()):
        raise section.error(name, "expected operation[.type] in lower-case letters")
    if kind and kind not in parts.TYPE_BYTES:
        expected = ", ".join(parts.TYPE_BYTES)
        raise section.error(name, f"unknown element type '{kind}', expected one of {expected}")
    return section.number(name)


def _simd(section: Section) -> parts.Simd:
    simd = section.record(parts.Simd)
    _power_of_two(section, "register_bytes", simd.register_bytes)
    return simd


def _caches(top: Section, line_bytes: int, cores_per_socket: int) -> tuple[parts.CacheLevel, ...]:
    read = []
    for position, section in enumerate(top.sections("caches"), start=1):
        cache = section.record(parts.CacheLevel)
        if cache.level != f"L{position}":
            raise section.error("level", f"expected L{position}: caches are listed nearest first")
        section.done()
        read.append((section, cache))
    check_caches(read, line_bytes, cores_per_socket)
    return tuple(cache for _, cache in read)


def _tlb(section: Section) -> parts.Tlb:
    tlb = section.record(parts.Tlb)
    _power_of_two(section, "page_bytes", tlb.page_bytes)
    return tlb


def _power_of_two(section: Section, key: str, value: int) -> None:
    if value & (value - 1):
        raise section.error(key, f"expected a power of two, got {value}")


def _local_store(section: Section) -> parts.LocalStore:
    dma = section.read_record("dma", parts.Dma) or parts.Dma()
    return section.record(parts.LocalStore, dma=dma)


def _quality(top: Section) -> dict[str, parts.FigureQuality]:
    """By the dotted path of the figure."""
    read = {}
    for item in top.sections("quality"):
        read[item.text("figure")] = parts.FigureQuality(
            rounds=item.count("rounds"),
            spread=item.number_or_none("spread", zero=True) or 0.0,
            clean=item.number_or_none("clean", zero=True) or 0.0,
            doubtful=item.flag_or("doubtful", False),
        )
        item.done()
    return read


def _accepted(top: Section) -> dict[str, str]:
    """The reasons by the dotted path of the figure."""
    reasons = {}
    for item in top.sections("accepted"):
        reasons[item.text("figure")] = item.text("reason")
        item.done()
    return reasons


def _check_dropped(top: Section) -> None:
    """The rates that a probe left out are for people alone."""
    for item in top.sections("dropped"):
        item.text("figure")
        item.number("gb_s")
        item.text("reason")
        item.done()


def _doubted(quality: Mapping[str, parts.FigureQuality]) -> set[str]:
    return {path for path, each in quality.items() if each.doubtful}


def _memory(top: Section, levels: tuple[str, ...], doubted: set[str]) -> parts.Memory:
    section = top.inner("memory")
    sockets, cores_per_socket = top.count("sockets"), top.count("cores_per_socket")
    read = []
    for item in section.sections("bandwidth"):
        entry = item.record(
            parts.BandwidthEntry,
            level=choice(item.required("level"), item.at("level"), levels),
            doubtful=item.path in doubted,
        )
        item.done()
        read.append((item, entry))
    check_bandwidth(read, sockets, cores_per_socket)
    domains = section.count_or("numa_domains_per_socket", 1)
    if cores_per_socket % domains:
        message = f"expected a divisor of the {cores_per_socket} cores per socket, got {domains}"
        raise section.error("numa_domains_per_socket", message)
    bandwidth = tuple([entry for _, entry in read])
    memory = section.record(parts.Memory, numa_domains_per_socket=domains, bandwidth=bandwidth)
    section.done()
    return memory


def _ceilings(section: Section) -> parts.MachineCeilings:
    compute, balanced = (_compute(section, key) for key in ("compute", "compute_balanced"))
    memory = [_ceiling(item, item.number("gb_s"), "byte") for item in section.sections("memory")]
    return parts.MachineCeilings(compute, balanced, _rising(section, "memory", memory))


def _compute(section: Section, key: str) -> tuple[parts.Ceiling, ...]:
    ceilings = []
    for item in section.sections(key):
        if "gop_s" in item:
            ceilings.append(_ceiling(item, item.number("gop_s"), item.text("operation")))
        else:
            ceilings.append(_ceiling(item, item.number("gflop_s"), "flop"))
    return _rising(section, key, ceilings)


def _ceiling(item: Section, value: float, metric: str) -> parts.Ceiling:
    ceiling = parts.Ceiling(
        name=item.text("name"), g_per_s=value, metric=metric, lifted_by=item.text("lifted_by")
    )
    item.done()
    return ceiling


def _rising(section: Section, key: str, ceilings: list[parts.Ceiling]) -> tuple[parts.Ceiling, ...]:
    for low, high in pairwise(ceilings):
        if low.metric == high.metric and low.g_per_s > high.g_per_s:
            message = f"expected bottom to top, got {low.name} {low.g_per_s:g} before "
            raise section.error(key, f"{message}{high.name} {high.g_per_s:g}")
    return tuple(ceilings)
