"""Processors, caches and memory of this computer, as Linux lists them (``/sys``, ``/proc``)."""

import os
from collections.abc import Mapping
from pathlib import Path

from rooflint.errors import UsageError
from rooflint.machine.identity.processor import cpuinfo_fields, processor_numbers
from rooflint.machine.probe.cores import core_name
from rooflint.records import NamedTuple

KIB = 1024


class CacheInfo(NamedTuple):
    """One level as the first core sees it; ``ways`` 0 where the kernel does not say."""

    level: int
    size_bytes: int
    ways: int
    line_bytes: int
    cores: int


class Topology(NamedTuple):
    """``domains`` are the first hardware threads of each core, by NUMA domain, socket by socket.

    ``core`` is LLVM's name for the core where it is known; ``page_bytes`` are those of the pages
    that programs get where they ask for none.
    """

    model_name: str
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    domains: tuple[tuple[int, ...], ...]
    caches: tuple[CacheInfo, ...]
    memory_bytes: int
    core: str | None
    page_bytes: int = 4096

    @property
    def cpus(self) -> tuple[int, ...]:
        """One hardware thread a core, in the order in which cores are filled."""
        return tuple(cpu for domain in self.domains for cpu in domain)

    @property
    def line_bytes(self) -> int:
        """Of a cache line; 64 where the kernel knows no caches."""
        return self.caches[0].line_bytes if self.caches else 64

    @property
    def domains_per_socket(self) -> int:
        """NUMA domains of a socket; 1 where they do not divide evenly."""
        count, rest = divmod(len(self.domains), self.sockets)
        return count if count and not rest and self.cores_per_socket % count == 0 else 1


def read_topology(root: Path = Path("/")) -> Topology:
    """Of the computer whose ``sys`` and ``proc`` are below ``root``.

    Raises UsageError where there are none: the figures come from the Linux kernel.
    """
    system = root / "sys/devices/system"
    online = _text(system / "cpu/online")
    if not online:
        raise UsageError("machine probe: no /sys/devices/system/cpu/online; it needs Linux")
    threads = cpu_list(online)
    cores = {min(_listed(system, cpu, "topology/thread_siblings_list")) for cpu in threads}
    package = {core: _text(_cpu(system, core) / "topology/physical_package_id") for core in cores}
    sockets = sorted(set(package.values()))
    socket = {core: sockets.index(package[core]) for core in cores}
    processor = processor_numbers(cpuinfo_fields(root / "proc/cpuinfo"))
    memory = cpuinfo_fields(root / "proc/meminfo").get("MemAvailable", "")
    first = min(cores, key=lambda core: (socket[core], core))
    return Topology(
        model_name=processor.brand,
        sockets=len(sockets),
        cores_per_socket=len(cores) // len(sockets),
        threads_per_core=max(1, len(threads) // len(cores)),
        domains=_domains(system, socket),
        caches=_caches(_cpu(system, first), cores),
        memory_bytes=int((memory.split() or ["0"])[0]) * KIB,
        core=core_name(processor),
        page_bytes=os.sysconf("SC_PAGE_SIZE"),
    )


def _domains(system: Path, socket: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    """The cores of each NUMA domain, socket by socket; one domain where the kernel lists none."""
    ordered = sorted(socket, key=lambda core: (socket[core], core))
    nodes = [set(cpu_list(_text(node / "cpulist"))) for node in _numbered(system / "node", "node")]
    domains = [tuple(core for core in ordered if core in node) for node in nodes]
    domains = [domain for domain in domains if domain] or [tuple(ordered)]
    return tuple(sorted(domains, key=lambda domain: (socket[domain[0]], domain)))


def cpu_list(text: str) -> list[int]:
    """``0-3,8`` as 0, 1, 2, 3, 8."""
    found: list[int] = []
    for part in text.replace(",", " ").split():
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


def _caches(cpu: Path, cores: set[int]) -> tuple[CacheInfo, ...]:
    found = {}
    for index in _numbered(cpu / "cache", "index"):
        if _text(index / "type") not in ("Data", "Unified"):
            continue
        size = _text(index / "size")
        level = int(_text(index / "level") or 0)
        shared = set(cpu_list(_text(index / "shared_cpu_list"))) & cores
        if level and size:
            found[level] = CacheInfo(
                level=level,
                size_bytes=int(size.rstrip("KMG")) * KIB ** ("KMG".find(size[-1]) + 1),
                ways=int(_text(index / "ways_of_associativity") or 0),
                line_bytes=int(_text(index / "coherency_line_size") or 64),
                cores=max(1, len(shared)),
            )
    return tuple(found[level] for level in sorted(found))


def _cpu(system: Path, cpu: int) -> Path:
    return system / "cpu" / f"cpu{cpu}"


def _listed(system: Path, cpu: int, name: str) -> list[int]:
    return cpu_list(_text(_cpu(system, cpu) / name)) or [cpu]


def _numbered(folder: Path, stem: str) -> list[Path]:
    found = [path for path in folder.glob(f"{stem}*") if path.name[len(stem) :].isdecimal()]
    return sorted(found, key=lambda path: int(path.name[len(stem) :]))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
