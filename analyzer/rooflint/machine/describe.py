"""A machine as text for people, and what is suspicious about a machine file."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rooflint.errors import ConfigurationError
from rooflint.machine.document import YamlNode
from rooflint.machine.inherit import figures, merge_parents, parent_of
from rooflint.machine.load import load_machine
from rooflint.machine.model import Machine
from rooflint.machine.parts import PATTERNS, Bandwidth, CacheLevel, Ceiling, Pattern
from rooflint.machine.plausible import ImplausibleFigure, implausible


def describe(machine: Machine) -> str:
    """Clock, cores, peaks, caches, bandwidths, ridge points, ceilings; each with its source.

    A number in brackets is a source, listed at the end; ``derived`` figures say from what.
    """
    notes = _Notes(machine)
    lines = [f"{machine.name}: {machine.description}"]
    if machine.aliases:
        lines.append(f"  also called  {', '.join(machine.aliases)}")
    lines.append(f"  file         {machine.file}")
    if machine.figures != "measured":
        words = {"typical": "typical of such machines, not measured on one"}
        lines.append(f"  figures      {words.get(machine.figures, 'from data sheets')}")
    for part in (_shape, _peaks, _levels, _bandwidths, _ridges, _core, _ceilings, _coprocessors):
        lines += part(machine, notes)
    lines += ["", "Sources", *notes.listed()]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def check(path: Path, dirs: Sequence[Path] = (), shown: str = "") -> list[str]:
    """Errors and suspicious figures of a machine file, one line each.

    ``shown`` is what the lines call the file where that is not its path.
    """
    return [str(problem) for problem in machine_problems(path, dirs, shown)]


def machine_problems(
    path: Path, dirs: Sequence[Path] = (), shown: str = "", text: str | None = None
) -> list[ConfigurationError]:
    """The first error of a machine file, else its suspicious figures, each with file and line.

    ``text`` is what the file says where that is not what is on disk, as in an editor.
    """
    try:
        machine = load_machine(path, dirs, shown, text)
        root = merge_parents(path, dirs, shown=shown, text=text).root
        parent = _parent(root, path, dirs)
    except ConfigurationError as error:
        return [error]
    nodes = list(figures(root))

    def problem(each: ImplausibleFigure) -> ConfigurationError:
        message = f"{each.figure}: {each.reason}; {each.remedy}"
        at = [node for stated, node in nodes if f"{stated}.".startswith(f"{each.figure}.")]
        return at[0].error(message) if at else ConfigurationError(message, shown or str(path))

    return [
        *(ConfigurationError(each, shown or str(path)) for each in _suspicious(machine)),
        *(problem(each) for each in implausible(machine, parent)),
    ]


def _parent(root: YamlNode, path: Path, dirs: Sequence[Path]) -> Machine | None:
    """The machine that a file extends."""
    extends = parent_of(root, path, dirs)
    return load_machine(extends, dirs) if extends is not None else None


class _Notes:
    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._numbers: dict[str, int] = {}

    def mark(self, path: str) -> str:
        sources = self._machine.sources
        below = [source for key, source in sources.items() if f"{key}.".startswith(f"{path}.")]
        unique = dict.fromkeys(below)
        numbers = [self._numbers.setdefault(source, len(self._numbers) + 1) for source in unique]
        return "".join(f" [{number}]" for number in numbers)

    def row(self, name: str, value: str, key: str) -> tuple[str, str]:
        return name, f"{value}{self.mark(key)}"

    def listed(self) -> list[str]:
        for source in self._machine.sources.values():
            self._numbers.setdefault(source, len(self._numbers) + 1)
        return [f"  [{number}] {source}" for source, number in self._numbers.items()]


def _table(title: str, rows: Iterable[Sequence[str]]) -> list[str]:
    rows = [list(row) for row in rows]
    if not rows:
        return []
    columns = len(rows[0]) - 1
    widths = [max(len(row[column]) for row in rows) for column in range(columns)]
    lines = [
        "  " + "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    return ["", title, *lines]


def _shape(machine: Machine, notes: _Notes) -> list[str]:
    row = notes.row
    rows = [
        row("sockets x cores", f"{machine.sockets} x {machine.cores_per_socket}", "sockets"),
        row("threads per core", f"{machine.threads_per_core}", "threads_per_core"),
        row("clock", f"{machine.clock_ghz:g} GHz", "clock_ghz"),
    ]
    if machine.simd_clock_ghz:
        rows.append(row("SIMD clock", f"{machine.simd_clock_ghz:g} GHz", "simd_clock_ghz"))
    if machine.simd:
        simd = machine.simd
        fma = ", fused multiply-add" if simd.fma else ""
        rows.append(row("SIMD", f"{simd.isa}, {simd.register_bytes} B registers{fma}", "simd"))
    rows.append(row("cache line", f"{machine.line_bytes} B", "line_bytes"))
    if machine.tools:
        named = zip(("target", "cpu", "OSACA"), machine.tools, strict=True)
        words = ", ".join(f"{label} {name}" for label, name in named if name)
        rows.append(("other tools", words))
    return _table("Cores", rows)


def _counts(machine: Machine) -> list[tuple[str, int]]:
    named = {machine.cores_total: "node", machine.cores_per_socket: "socket", 1: "1 core"}
    return [(name, cores) for cores, name in sorted(named.items())]


def _peaks(machine: Machine, notes: _Notes) -> list[str]:
    wanted = [("flop", kind) for kind in ("f64", "f32", "f16")] + [("iop", "i32"), ("iop", "i64")]
    for key in machine.peak_gop_s:
        operation, _, kind = key.partition(".")
        wanted.append((operation, kind))
    rows = [_peak_row(machine, notes, *each) for each in dict.fromkeys(wanted)]
    return _table("Compute roof", filter(None, rows))


def _peak_row(
    machine: Machine, notes: _Notes, operation: str, kind: str
) -> tuple[str, str, str] | None:
    by_count = [
        (name, machine.peak_gops(kind, cores, operation)) for name, cores in _counts(machine)
    ]
    peaks = [(name, peak) for name, peak in by_count if peak is not None]
    if not peaks:
        return None
    values = ", ".join(f"{peak.value_g_per_s:.4g} ({name})" for name, peak in peaks)
    _, last = peaks[-1]
    key = f"peak_gflop_s.{kind}" if operation == "flop" else f"peak_gop_s.{operation}"
    how = f"stated{notes.mark(key)}" if last.origin == "stated" else f"derived: {last.how}"
    return f"G{operation}/s {kind}".rstrip(), values, how


def _levels(machine: Machine, notes: _Notes) -> list[str]:
    rows = [
        (cache.level, *_cache_words(cache), notes.mark(f"caches.{cache.level}").strip())
        for cache in machine.caches
    ]
    title = "Caches"
    if machine.local_store:
        title = "Local store (software-managed, one per core)"
        dma = machine.local_store.dma
        align = f"DMA in multiples of {dma.align_bytes} B" if dma.align_bytes else ""
        size = f"{machine.local_store.size_kib:g} KiB"
        rows = [("LS", size, align, "", notes.mark("local_store").strip())]
    lines = _table(title, rows)
    if machine.tlb is not None:
        tlb = machine.tlb
        kept = f"{tlb.entries} pages of {tlb.page_bytes / 1024:g} KiB"
        lines.append(f"  TLB {kept}; {tlb.walk_cy:g} cy per page walk{notes.mark('tlb')}")
    return lines


def _cache_words(cache: CacheLevel) -> tuple[str, str, str]:
    shared = f"shared by {cache.shared_by_cores} cores" if cache.shared_by_cores > 1 else "private"
    policy = "write-allocate" if cache.write_allocate else "no write-allocate"
    writes = "write-back" if cache.write_back else "write-through"
    geometry = f"{cache.size_kib:g} KiB, {cache.ways}-way {cache.replacement}"
    speed = [f"{cache.latency_cy:g} cy"] if cache.latency_cy else []
    if cache.cy_per_line_up:
        down = cache.cy_per_line_down or cache.cy_per_line_up
        speed.append(
            f"{cache.cy_per_line_up:g}/{down:g} cy per line up/down, {cache.duplex} duplex"
        )
    return geometry, ", ".join([shared, cache.holds, policy, writes]), "; ".join(speed)


def _bandwidths(machine: Machine, notes: _Notes) -> list[str]:
    rows = []
    for link, level in zip(machine.links, machine.levels, strict=True):
        stated = {entry.pattern for entry in machine.memory.bandwidth if entry.level == level}
        for pattern in [p for p in PATTERNS if p in stated] or ["load"]:
            cells = _rate_cells(machine, level, pattern, is_stated=bool(stated))
            if cells is not None:
                values, how = cells
                mark = notes.mark(f"memory.bandwidth.{level}.{pattern}") if stated else ""
                rows.append((link, pattern, values, f"{how}{mark}"))
    title = "Bandwidth, GB/s with write-allocates counted"
    return [*_table(title, rows), *_memory_lines(machine, notes)]


def _rate_cells(
    machine: Machine, level: str, pattern: Pattern, *, is_stated: bool
) -> tuple[str, str] | None:
    by_count = [
        (name, machine.bandwidth_gb_s(level, pattern, cores)) for name, cores in _counts(machine)
    ]
    rates = [(name, rate) for name, rate in by_count if rate is not None]
    if not rates:
        return None
    _, first = rates[0]
    values = [f"{rate.gb_s:.4g} ({name}{_unlike_others(rate, is_stated)})" for name, rate in rates]
    return ", ".join(values), "stated" if is_stated else f"derived: {first.how}"


def _memory_lines(machine: Machine, notes: _Notes) -> Iterator[str]:
    memory = machine.memory
    if memory.latency_ns:
        yield f"  memory latency {memory.latency_ns:g} ns{notes.mark('memory.latency_ns')}"
    up, down = memory.penalty_cy_per_line_up, memory.penalty_cy_per_line_down
    if up or down:
        mark = notes.mark("memory.penalty_cy_per_line_up")
        yield f"  penalty {up:g} cy per line read, {down:g} cy per line written{mark}"
    if memory.penalty_cy_per_nearer_line:
        mark = notes.mark("memory.penalty_cy_per_nearer_line")
        cycles = memory.penalty_cy_per_nearer_line
        yield f"  penalty {cycles:g} cy per line of a nearer cache beside memory{mark}"
    if memory.write_gb_s is not None:
        mark = notes.mark("memory.write_gb_s")
        yield f"  cores of one last cache write {memory.write_gb_s:g} GB/s at most{mark}"
    if memory.scattered_gb_s is not None:
        mark = notes.mark("memory.scattered_gb_s")
        yield f"  one core brings lines here and there at {memory.scattered_gb_s:g} GB/s{mark}"
    if memory.duplex == "full":
        yield "  memory reads and writes at once (full duplex)"
    if memory.write_allocate_evasion == "automatic":
        yield "  write-allocates are evaded automatically near saturation"


def _unlike_others(rate: Bandwidth, stated: bool) -> str:
    """Marks what is derived in a row of stated figures."""
    return ", derived" if stated and rate.origin == "derived" else ""


def _ridges(machine: Machine, notes: _Notes) -> list[str]:
    del notes  # a ridge point is computed from figures that are marked where they stand
    rows = []
    for name, cores in _counts(machine):
        peak, rate = machine.peak_gops("f64", cores), machine.bandwidth_gb_s("MEM", "load", cores)
        if peak and rate:
            ridge = f"{peak.value_g_per_s / rate.gb_s:.3g} flop/B"
            rows.append((name, ridge, f"{peak.value_g_per_s:.4g} / {rate.gb_s:.4g}"))
    return _table("Ridge point, f64 over memory", rows)


def _core(machine: Machine, notes: _Notes) -> list[str]:
    if machine.core is None:
        return []
    rows = []
    for name, operation in machine.core.operations.items():
        latency = "" if operation.latency_cy is None else f"latency {operation.latency_cy:g} cy"
        if operation.accumulate_cy is not None:
            latency += f", {operation.accumulate_cy:g} in a sum"
        use = " + ".join(
            f"{use.cy:g} cy on port {' or '.join(use.ports)}" for use in operation.uses
        )
        if operation.uops != 1:
            use += f", {operation.uops:g} micro-operations"
        rows.append((name, latency, use, notes.mark(f"core.operations.{name}").strip()))
    width = f", {machine.core.issue_width} issued per cycle" if machine.core.issue_width else ""
    return [*_table(f"Operations of one core{width}", rows), *_overlap(machine)]


def _overlap(machine: Machine) -> list[str]:
    assert machine.core is not None
    overlap = machine.core.overlap
    adding = ", ".join(overlap.non_overlapping)
    cycles = f"cycles of {adding} add to the transfers" if adding else "no cycles add to transfers"
    links = [link for link in machine.links[1:] if overlap.overlaps(link)]
    serial = [link for link in machine.links[1:] if not overlap.overlaps(link)]
    words = [f"{', '.join(links)} overlap"] if links else []
    words += [f"{', '.join(serial)} add up"] if serial else []
    return [f"  {cycles}; {', '.join(words)}"]


def _ceilings(machine: Machine, notes: _Notes) -> list[str]:
    lines = []
    for key, title, unit in (
        ("compute", "Compute ceilings", "flop/s"),
        ("compute_balanced", "Compute ceilings where adds and multiplies balance", "flop/s"),
        ("memory", "Memory ceilings", "B/s"),
    ):
        ceilings: tuple[Ceiling, ...] = getattr(machine.ceilings, key)
        rows = [
            (c.name, f"{c.g_per_s:g} G{unit if c.metric in ('flop', 'byte') else c.metric + '/s'}",
             f"{c.lifted_by}{notes.mark(f'ceilings.{key}.{c.name}')}")
            for c in ceilings
        ]  # fmt: skip
        lines += _table(f"{title}, bottom to top", rows)
    return lines


def _coprocessors(machine: Machine, notes: _Notes) -> list[str]:
    found, host = machine.coprocessors, machine.host
    if found is None:
        return []
    row = notes.row
    banks = f", a page in one of {found.banks} banks" if found.banks > 1 else ""
    rows = [
        row("number", f"{found.number}", "coprocessors.count"),
        row("memory", f"{found.memory_bytes:.6g} B each{banks}", "coprocessors.memory_bytes"),
        row("peak", f"{found.peak_gop_s:g} Gop/s each", "coprocessors.peak_gop_s"),
        row("own memory", f"{found.bandwidth_gb_s:g} GB/s each", "coprocessors.bandwidth_gb_s"),
    ]
    for name, channel in found.channels.items():
        shared = "shared by all" if channel.shared else "for each"
        words = f"{channel.bandwidth_gb_s:g} GB/s {shared}, {channel.duplex} duplex"
        if channel.align_bytes > 1:
            words += f", runs in multiples of {channel.align_bytes} B"
        if channel.gather_bytes:
            words += f", {channel.gather_bytes} B for an element fetched by index"
        if channel.rates:
            words += f", {len(channel.rates)} rates by pattern"
        rows.append(row(f"channel {name}", words, f"coprocessors.channels.{name}"))
    if host is not None:
        rows.append(row("host memory", f"{host.memory_bytes:.6g} B", "host.memory_bytes"))
    return _table("Coprocessors", rows)


def _suspicious(machine: Machine) -> Iterator[str]:
    if machine.bandwidth_gb_s("MEM", "load", 1) is None:
        yield "memory.bandwidth: no figure for MEM, so no memory roof"
    if machine.coprocessors is not None:
        return  # hosts of coprocessors are often known by their coprocessors alone
    if machine.peak_gops("f64", 1) is None and machine.peak_gops("f32", 1) is None:
        yield "peak_gflop_s, core: neither is given for f64 or f32, so no compute roof"
