"""Parts of a machine. Names contain the unit; ``None`` means that the machine file has no figure.

Plain NamedTuples: every run defines them, and a dataclass takes forty times as long.
"""

from collections.abc import Mapping
from itertools import product
from typing import Literal, TypeAlias

from rooflint.records import NamedTuple

Pattern: TypeAlias = Literal["load", "triad", "update", "copy", "store"]
Duplex: TypeAlias = Literal["half", "full"]
Figures: TypeAlias = Literal["measured", "datasheet", "typical"]
MemoryOrder: TypeAlias = Literal["none", "x86", "arm"]
Prefetch: TypeAlias = Literal["none", "L1", "L2", "L3"]
Origin: TypeAlias = Literal["stated", "derived"]

PATTERNS: tuple[Pattern, ...] = ("load", "triad", "update", "copy", "store")
"""By falling share of loads in the traffic; ``closest`` means fewest steps in this order.

load    s += a[i]               triad   a[i] = b[i] + c[i]*d[i]
update  a[i] = s*a[i]           copy    a[i] = b[i]             store   a[i] = s
"""

FLOAT_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "f80": 16, "f128": 16}
INT_BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "i128": 16}
TYPE_BYTES = FLOAT_BYTES | INT_BYTES
TYPE_GROUPS = {"f32": "float", "f64": "float"} | dict.fromkeys(("i8", "i16", "i32", "i64"), "int")
"""``float`` and ``int`` in an operation's name stand for these types."""

CLASSES = (
    *("load", "store", "gather", "scatter", "add", "mul", "fma", "div", "rem", "sqrt", "max"),
    *("compare", "select", "convert", "logic", "shift", "shuffle", "move", "branch", "exchange"),
    *(
        "masked_load",
        "masked_store",
        "crossing_load",
        "crossing_store",
        "forward",
        "crossing_forward",
        "masked_forward",
        "popcount",
        "leading_zeros",
        "trailing_zeros",
        "byte_swap",
        "rotate",
        "widen",
        "round",
        "test",
    ),
)
"""Operation classes. ``crossing_load`` and ``crossing_store`` are the second accesses of those that
cross a line, ``forward`` and ``crossing_forward`` loads of what a store has just written, and
``masked_forward`` of what one under a mask has. ``add`` covers subtraction and negation, ``max``
also the minimum. ``widen`` is one that makes integers of twice the size or more of those in half a
register or less, ``round`` one that makes floating-point numbers of others: of another size, or
whole ones. ``test`` is a comparison of scalar floating-point numbers that sets flags, and its
latency how much later others have what it reads."""

WIDTHS = ("scalar", "simd", "simd16", "simd32", "simd64", "simd128", "simd256")
"""``simd`` is an instruction on whole registers; ``simd32`` one on 32 bytes of them."""


class CacheLevel(NamedTuple):
    """One cache level. ``holds`` states which lines of nearer levels it keeps.

    ``cy_per_line_up`` and ``_down`` are the cycles of a line on the link to the next nearer level,
    towards the core and away from it, for each requesting core; if ``duplex`` is full, both
    directions run at once.
    """

    level: str
    size_kib: float
    ways: int
    shared_by_cores: int = 1
    write_allocate: bool = True
    write_back: bool = True
    replacement: Literal["lru", "plru", "fifo", "random"] = "lru"
    holds: Literal["inclusive", "victim", "noninclusive"] = "inclusive"
    latency_cy: float | None = None
    cy_per_line_up: float | None = None
    cy_per_line_down: float | None = None
    duplex: Duplex = "half"

    @property
    def size_bytes(self) -> int:
        """Capacity in bytes."""
        return int(self.size_kib * 1024)


class Simd(NamedTuple):
    """The widest vector registers."""

    isa: str
    register_bytes: int
    registers: int | None = None
    fma: bool = False


class Tools(NamedTuple):
    """Names by which other tools know the core: compilers and llvm-mca (``cpu``), OSACA."""

    triple: str | None = None
    cpu: str | None = None
    osaca: str | None = None


class Buffers(NamedTuple):
    """Out-of-order resources, in entries.

    rs         of the schedulers, all together or those of integers and addresses
    vector_rs  of the schedulers of floating-point and vector instructions that have their own
    """

    rob: int | None = None
    rs: int | None = None
    vector_rs: int | None = None
    load: int | None = None
    store: int | None = None
    line_fill: int | None = None


class PortUse(NamedTuple):
    """One of ``ports``, occupied for ``cy`` cycles."""

    ports: tuple[str, ...]
    cy: float = 1.0


class CoreOperation(NamedTuple):
    """One instruction occupies one of ``ports`` for ``cy`` cycles; its latency is ``latency_cy``.

    ``uops`` counts against the issue width; ``also`` are further ports that it occupies, one of
    each group. ``accumulate_cy`` is the latency of a multiply-add from its addend if that comes
    from another multiply-add.
    """

    latency_cy: float | None
    ports: tuple[str, ...]
    cy: float = 1.0
    uops: float = 1.0
    also: tuple[PortUse, ...] = ()
    accumulate_cy: float | None = None

    @property
    def uses(self) -> tuple[PortUse, ...]:
        """Every group of ports of which the instruction holds one."""
        return (PortUse(self.ports, self.cy), *self.also)

    @property
    def per_cycle(self) -> float:
        """Instructions per cycle when nothing else uses the ports."""
        if not self.also:
            return len(self.ports) / self.cy
        return 1 / least_cycles(self.uses)


def least_cycles(uses: tuple[PortUse, ...]) -> float:
    """The minimum cycles of ``uses`` with their ports shared optimally.

    The busiest set of ports decides: the work that fits no other port, over the number of its
    ports. Only unions of the given groups need to be examined.
    """
    most = 0.0
    for picked in product((False, True), repeat=len(uses)):
        taken = [use for use, pick in zip(uses, picked, strict=True) if pick]
        ports = {port for use in taken for port in use.ports}
        cycles = sum(use.cy for use in uses if ports.issuperset(use.ports))
        most = max(most, cycles / len(ports)) if ports else most
    return most


class Overlap(NamedTuple):
    """Which operations' cycles add to the transfers, and whether links add to each other.

    ``overlapping_links`` are the links (``L1-L2``) that overlap with all others although ``links``
    is serial.
    """

    non_overlapping: tuple[str, ...] = ("load",)
    links: Literal["serial", "overlapping"] = "serial"
    overlapping_links: tuple[str, ...] = ()

    def overlaps(self, link: str) -> bool:
        """Whether the transfers of ``link`` overlap with those of the other links."""
        return self.links == "overlapping" or link in self.overlapping_links


class CoreModel(NamedTuple):
    """One core's instruction issue.

    fused_loads   a load that is part of another instruction does not count against issue_width
    in_order      no instruction starts before the previous one in program order
    memory_order  between loads and stores with any addresses: x86 starts loads in order, and stores
                  after loads and stores; arm loads after loads and stores, and stores after loads;
                  none is a core that speculates
    prefetch_into  the level that receives sequential lines ahead of their use; None: unknown
    mispredict_cy  from a mispredicted branch to the right instructions
    set_fill_cy, set_evict_cy  that a line takes its set of the nearest cache when it comes
                   and when it goes, one line after the other; None: they move side by side
    set_read_cy    the same when it comes, where one walk that loads is alone in its sets
    """

    issue_width: int | None
    buffers: Buffers
    ports: Mapping[str, tuple[str, ...]]
    operations: Mapping[str, CoreOperation]
    overlap: Overlap
    fused_loads: bool = False
    in_order: bool = False
    memory_order: MemoryOrder = "none"
    prefetch_into: Prefetch | None = None
    mispredict_cy: float | None = None
    set_fill_cy: float | None = None
    set_read_cy: float | None = None
    set_evict_cy: float | None = None

    def operation(
        self, name: str, element_type: str = "", width_bytes: int | None = None
    ) -> CoreOperation | None:
        """The operation of class ``name`` on ``element_type`` in ``width_bytes`` (None: scalar).

        Looked up as class.type.width, class.type, class.width, class; a type before its group
        (``f64`` before ``float``), ``simd32`` before ``simd``. None when the file has none.
        """
        base = scalar_type(element_type)
        types = [t for t in (base, TYPE_GROUPS.get(base)) if t]
        widths = ["scalar"] if width_bytes is None else [f"simd{width_bytes}", "simd"]
        keys = [f"{name}.{t}.{w}" for t in types for w in widths]
        keys += [f"{name}.{t}" for t in types] + [f"{name}.{w}" for w in widths] + [name]
        return next((self.operations[key] for key in keys if key in self.operations), None)


class Dma(NamedTuple):
    """How software moves data between a local store and memory."""

    align_bytes: int | None = None
    max_transfer_bytes: int | None = None
    latency_ns: float | None = None


class LocalStore(NamedTuple):
    """Software-managed memory of one core, in place of caches."""

    size_kib: float
    dma: Dma

    @property
    def size_bytes(self) -> int:
        """Capacity in bytes."""
        return int(self.size_kib * 1024)


class Tlb(NamedTuple):
    """The address translations that one core keeps, in all levels of its TLB together.

    ``walk_cy`` is the cost of each missing translation in a loop whose loads are independent:
    simultaneous walks of the page table share their time.
    """

    entries: int
    walk_cy: float
    page_bytes: int = 4096


class FigureQuality(NamedTuple):
    """How a figure was measured: rounds, the spread of the two best, the undisturbed share."""

    rounds: int
    spread: float
    clean: float
    doubtful: bool

    @property
    def words(self) -> str:
        """For messages: why to trust the figure or not."""
        return (
            f"{self.rounds} rounds, the two best {self.spread:.0%} apart,"
            f" {self.clean:.0%} of the samples undisturbed"
        )


class BandwidthEntry(NamedTuple):
    """Measured data rate with ``cores`` active; write-allocate traffic is counted."""

    level: str
    pattern: Pattern
    cores: int
    gb_s: float
    doubtful: bool = False


class Memory(NamedTuple):
    """Main memory, and the known bandwidths of any level.

    Automatic evasion of write-allocates works from ``evasion_from_cores`` active cores of a NUMA
    domain on: processors with evasion use it only if the memory interface is nearly saturated.
    The penalties are core cycles that a line read (up) or written (down) costs one core beyond its
    share of the bandwidth. If ``duplex`` is full, reads and writes run at once. The cores of one
    domain of the last cache write no more than ``write_gb_s``; None: as much as they move.
    One core brings lines at ``scattered_gb_s`` until prefetchers have seen ``run_lines`` of them in
    a row, in any of ``prefetched_runs`` runs at once; None: as fast as all others. Each line that
    a nearer cache serves beside memory keeps one core for ``penalty_cy_per_nearer_line``, which
    counts where links overlap: elsewhere the time of each link is added already.
    """

    latency_ns: float | None
    numa_domains_per_socket: int
    bandwidth: tuple[BandwidthEntry, ...]
    write_allocate_evasion: Literal["none", "nt_only", "automatic"] = "none"
    evasion_from_cores: int = 1
    duplex: Duplex = "half"
    penalty_cy_per_line_up: float = 0.0
    penalty_cy_per_line_down: float = 0.0
    write_gb_s: float | None = None
    scattered_gb_s: float | None = None
    run_lines: int = 1
    prefetched_runs: int = 1
    penalty_cy_per_nearer_line: float = 0.0


class Ceiling(NamedTuple):
    """A line under the roof. ``name`` is the step that reaches it, ``lifted_by`` how to take it.

    ``g_per_s`` counts 1e9 of ``metric`` a second for the whole node: ``byte`` for memory
    ceilings, ``flop`` or another operation for compute ceilings.
    """

    name: str
    g_per_s: float
    metric: str
    lifted_by: str


class MachineCeilings(NamedTuple):
    """Stated ceilings, bottom to top. ``compute_balanced`` is the order for kernels whose adds
    and multiplies balance by nature (the paper's order for SpMV)."""

    compute: tuple[Ceiling, ...] = ()
    compute_balanced: tuple[Ceiling, ...] = ()
    memory: tuple[Ceiling, ...] = ()


class ComputePeak(NamedTuple):
    """A compute roof in 1e9 operations a second, and how it was obtained."""

    value_g_per_s: float
    origin: Origin
    how: str


class Bandwidth(NamedTuple):
    """A data rate in GB/s (1e9 bytes), and how it was obtained.

    ``doubtful`` says that it rests on a figure that its own measurement does not trust.
    """

    gb_s: float
    origin: Origin
    how: str
    doubtful: bool = False


def scalar_type(element_type: str) -> str:
    """``f64`` of ``f64x4``; unsigned and boolean types are counted as the signed of their size."""
    base = element_type.partition("x")[0]
    if base == "bool":
        return "i8"
    return f"i{base[1:]}" if base[:1] == "u" and base[1:].isdigit() else base
