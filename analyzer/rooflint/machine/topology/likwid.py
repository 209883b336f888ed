"""The tables of ``likwid-topology -O``, which separates values by commas."""

from collections.abc import Sequence
from typing import Final

from rooflint.errors import ConfigurationError
from rooflint.machine.identity.patterns import ProcessorArchitecture
from rooflint.machine.identity.processor import ProcessorNumbers
from rooflint.machine.topology.model import StatedCache, StatedTopology

HEAD: Final = "STRUCT,Info"
UNITS: Final = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
"""Of sizes: powers of 1024, by the 48 kB of a first level."""
CORES: Final = {
    "Zen4": "znver4",
    "Zen3": "znver3",
    "Zen2": "znver2",
    "Cascadelake": "cascadelake",
    "Icelake": "icelake-server",
    "Skylake": "skylake-avx512",
    "Broadwell": "broadwell",
    "Haswell": "haswell",
    "SandyBridge": "sandybridge",
    "Sandybridge": "sandybridge",
    "A64FX": "a64fx",
}
"""LLVM's names, by words in the name of a processor's type."""


def is_likwid(text: str) -> bool:
    """Whether a file is likwid's."""
    return HEAD in text[:4000]


def read_likwid(text: str, file: str) -> StatedTopology:
    """The topology; ConfigurationError where a table is missing."""
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines()]
    kind = _first(rows, "CPU type:")
    sockets, cores = (_count(rows, name, file) for name in ("Sockets:", "Cores per socket:"))
    threads = _count(rows, "Threads per core:", file)
    domains = _count(rows, "NUMA domains:", file)
    count, rest = divmod(domains, sockets)
    return StatedTopology(
        tool="likwid-topology",
        brand=_first(rows, "CPU name:"),
        processor=ProcessorNumbers(arch=_architecture(kind), vendor=""),
        core=next((core for word, core in CORES.items() if word in kind), ""),
        sockets=sockets,
        cores_per_socket=cores,
        threads_per_core=threads,
        domains_per_socket=count if count and not rest and cores % count == 0 else 1,
        caches=_caches(rows, threads, file),
    )


def _caches(rows: Sequence[Sequence[str]], threads: int, file: str) -> tuple[StatedCache, ...]:
    sizes = [row[1] for row in rows if row[0] == "Size:"]
    groups = [row[1:] for row in rows if row[0] == "Cache groups:"]
    if not sizes or len(sizes) != len(groups):
        raise ConfigurationError("expected a size and groups of each cache", file)
    return tuple(
        [
            StatedCache(size_bytes=_bytes(size, file), cores=_cores(group, threads))
            for size, group in zip(sizes, groups, strict=True)
        ]
    )


def _first(rows: Sequence[Sequence[str]], name: str) -> str:
    return next((row[1] for row in rows if row[0] == name and len(row) > 1), "")


def _count(rows: Sequence[Sequence[str]], name: str, file: str) -> int:
    text = _first(rows, name)
    if not text.isdecimal() or int(text) < 1:
        raise ConfigurationError(f"expected '{name}' with a number, got '{text}'", file)
    return int(text)


def _bytes(text: str, file: str) -> int:
    number, _, unit = text.partition(" ")
    try:
        return round(float(number) * UNITS[unit])
    except (ValueError, KeyError):
        raise ConfigurationError(f"expected a size such as 48 kB, got '{text}'", file) from None


def _cores(groups: Sequence[str], threads: int) -> int:
    """Of the first group, which lists hardware threads."""
    return max(len(groups[0].split()) // threads, 1) if groups else 1


def _architecture(kind: str) -> ProcessorArchitecture:
    is_x86 = kind.startswith(("Intel", "AMD"))
    return ProcessorArchitecture.X86_64 if is_x86 else ProcessorArchitecture.AARCH64
