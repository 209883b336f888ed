"""The machine a prediction is made for."""

from collections.abc import Mapping

from msgspec import Struct, field

from rooflint.errors import UsageError
from rooflint.machine import parts
from rooflint.machine.bandwidth import (
    STREAM_LINES,
    LineTransfers,
    from_entries,
    from_link,
    from_ports,
)
from rooflint.machine.coprocessors import Coprocessors, HostSystem
from rooflint.machine.peak import best_rate


class Machine(Struct, frozen=True, array_like=True):
    """One node, as its file describes it; a section the file leaves out is None or empty.

    ``peak_gflop_s`` (by element type) and ``peak_gop_s`` (by operation, ``exchange`` or
    ``iop.i32``) are stated for the whole node. ``figures`` is ``typical`` when no such machine
    exists. ``quality`` says how figures were measured, ``accepted`` why some may contradict others,
    both by dotted path. ``file`` is where the description was read from.
    """

    name: str
    file: str
    aliases: tuple[str, ...]
    description: str
    figures: parts.Figures
    clock_ghz: float
    simd_clock_ghz: float | None
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    line_bytes: int
    peak_gflop_s: Mapping[str, float]
    peak_gop_s: Mapping[str, float]
    simd: parts.Simd | None
    core: parts.CoreModel | None
    caches: tuple[parts.CacheLevel, ...]
    local_store: parts.LocalStore | None
    memory: parts.Memory
    ceilings: parts.MachineCeilings
    coprocessors: Coprocessors | None
    host: HostSystem | None
    sources: Mapping[str, str]
    tools: parts.Tools | None = None
    tlb: parts.Tlb | None = None
    quality: Mapping[str, parts.FigureQuality] = field(default_factory=dict)
    accepted: Mapping[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        # equal machines have equal files, and mappings have no hash
        return hash((self.name, self.file, self.clock_ghz, self.caches, self.memory))

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The figures, by dotted path, that their own measurement does not trust.

        Those that the file accepts, with its reason, are left out.
        """
        doubted = [path for path, each in self.quality.items() if each.doubtful]
        return tuple([path for path in doubted if path not in self.accepted])

    @property
    def cores_total(self) -> int:
        """Cores of the node."""
        return self.sockets * self.cores_per_socket

    @property
    def levels(self) -> tuple[str, ...]:
        """Where data can be, nearest first: ``L1``, ``L2``, …, ``MEM``; ``LS`` for local store."""
        nearest = ("LS",) if self.local_store else tuple(cache.level for cache in self.caches)
        return (*nearest, "MEM")

    @property
    def links(self) -> tuple[str, ...]:
        """Data paths, nearest first: ``REG-L1``, ``L1-L2``, …, ``L3-MEM``."""
        return tuple(
            f"{near}-{far}" for near, far in zip(("REG", *self.levels), self.levels, strict=False)
        )

    @property
    def write_allocate(self) -> bool:
        """Whether a store to a line that is not cached first loads it from memory."""
        return any(cache.write_allocate for cache in self.caches)

    def write_allocates(self, cores: int) -> bool:
        """``write_allocate`` with ``cores`` active, automatic evasion taken into account."""
        in_domain = min(cores, self.domain_cores("MEM"))
        evades = self.memory.write_allocate_evasion == "automatic"
        return self.write_allocate and not (evades and in_domain >= self.memory.evasion_from_cores)

    def cache(self, level: str) -> parts.CacheLevel | None:
        """The cache called ``level`` (``L2``)."""
        return next((cache for cache in self.caches if cache.level == level), None)

    def domain_cores(self, level: str) -> int:
        """How many cores share one instance of ``level``: for ``MEM`` those of a NUMA domain."""
        if level == "MEM":
            return max(1, self.cores_per_socket // self.memory.numa_domains_per_socket)
        cache = self.cache(level)
        return cache.shared_by_cores if cache else 1

    def resolve_cores(self, text: str) -> int:
        """The number that ``--cores`` names: ``socket``, ``node`` or a number.

        Raises UsageError for another word, for less than 1 and for more than the machine has.
        """
        if text == "socket":
            return self.cores_per_socket
        if text == "node":
            return self.cores_total
        try:
            cores = int(text)
        except ValueError:
            message = f"--cores {text}: expected a number, 'socket' or 'node'"
            raise UsageError(message) from None
        if not 1 <= cores <= self.cores_total:
            has = f"{self.name} has {self.sockets} x {self.cores_per_socket} cores"
            raise UsageError(f"--cores {cores}: {has}, expected 1 to {self.cores_total}")
        return cores

    def peak_gops(
        self, element_type: str, cores: int, operation: str = "flop"
    ) -> parts.ComputePeak | None:
        """The compute roof of ``cores`` cores in 1e9 ``operation`` a second.

        ``operation`` is ``flop``, ``iop`` or a key of ``peak_gop_s``. A stated peak is the node's
        and scales with the cores; otherwise ports, register width and clock decide (see
        ``rooflint.machine.peak``). None when the file gives neither.
        """
        base = parts.scalar_type(element_type)
        if operation == "flop":
            stated = self.peak_gflop_s.get(base)
        else:
            stated = self.peak_gop_s.get(f"{operation}.{base}", self.peak_gop_s.get(operation))
        if stated is not None:
            total = self.cores_total
            how = f"stated {stated:g} for {total} cores"
            scaled = how if cores == total else f"{how}, {cores} of them"
            return parts.ComputePeak(stated * cores / total, "stated", scaled)
        rate = best_rate(self.core, self.simd, base, operation) if self.core else None
        if rate is None:
            return None
        clock = self.simd_clock_ghz if rate.simd and self.simd_clock_ghz else self.clock_ghz
        how = f"{rate.how} x {clock:g} GHz x {cores} core{'s' if cores > 1 else ''}"
        return parts.ComputePeak(rate.per_cycle * clock * cores, "derived", how)

    def bandwidth_gb_s(
        self,
        level: str,
        pattern: parts.Pattern,
        cores: int,
        lines: LineTransfers | None = None,
    ) -> parts.Bandwidth | None:
        """The data rate of ``level`` (or of the link that ends there) with ``cores`` active.

        Write-allocate traffic is part of the rate. From the figures given for the level, else from
        cycles per line (of the ``lines`` that cross the link, else of those of the pattern) or, for
        the nearest level, the load and store ports. None when the file gives none of them, and for
        several cores on memory of which only the rate of one is known. Raises ValueError for a
        level or pattern that does not exist.
        """
        level = level.rpartition("-")[2]
        if level not in self.levels or pattern not in parts.PATTERNS:
            raise ValueError(f"{self.name} has no {pattern} bandwidth of {level}")
        domain = self.domain_cores(level)
        found = from_entries(self.memory.bandwidth, level, pattern, cores, domain)
        if found is not None or level == "MEM":
            return found
        cache = self.cache(level)
        if cache is not None and cache.cy_per_line_up is not None:
            crossing = lines or STREAM_LINES[pattern]
            return from_link(cache, crossing, cores, self.line_bytes, self.clock_ghz)
        return self._port_gb_s(pattern, cores) if level == self.levels[0] else None

    def _port_gb_s(self, pattern: parts.Pattern, cores: int) -> parts.Bandwidth | None:
        if self.core is None or self.simd is None:
            return None
        return from_ports(self.core, pattern, cores, self.simd.register_bytes, self.clock_ghz)

    def source_of(self, path: str) -> str:
        """Where the figure at a dotted path comes from; of a group, each source once.

        Paths are those of the file, list items by level or name: ``memory.bandwidth.MEM.load.8``.
        Raises KeyError when nothing is stated there.
        """
        if path in self.sources:
            return self.sources[path]
        below = [text for key, text in self.sources.items() if key.startswith(f"{path}.")]
        if not below:
            raise KeyError(f"{self.name} states no figure at {path}")
        return "; ".join(dict.fromkeys(below))
