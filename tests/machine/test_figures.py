"""Figures of the shipped machines against sums by hand and vendors' data sheets."""

from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.machine import (
    CoreOperation,
    Machine,
    PortUse,
    builtin_dir,
    find_machine,
    least_cycles,
    list_machines,
)
from rooflint.machine.peak import best_rate

DIRS = [builtin_dir()]
WITH_TABLES = ["snb", "hsw", "bdw", "skx", "clx", "icx", "zen2", "zen3", "zen4", "a64fx"]
WITH_TABLES += ["graviton4", "generic-avx2"]


@pytest.fixture(scope="module")
def machines() -> dict[str, Machine]:
    return {name: find_machine(name, DIRS) for name in WITH_TABLES}


# Cores x GHz x flop a cycle: pipes x lanes x 2 (an FMA counts twice); without FMA add + multiply.
@pytest.mark.parametrize(
    ("name", "cores", "clock_ghz", "flop_per_cycle", "peak_gflop_s"),
    [
        ("snb", 16, 2.7, 4 + 4, 345.6),
        ("hsw", 28, 2.3, 2 * 4 * 2, 1030.4),
        ("bdw", 20, 2.2, 2 * 4 * 2, 704.0),
        ("skx", 40, 2.4, 2 * 8 * 2, 3072.0),
        ("clx", 40, 2.5, 2 * 8 * 2, 3200.0),
        ("icx", 72, 2.4, 2 * 8 * 2, 5529.6),
        ("zen2", 32, 2.35, 2 * 4 * 2, 1203.2),
        ("zen3", 128, 2.45, 2 * 4 * 2, 5017.6),
        ("zen4", 192, 2.4, 2 * 4 * 2, 7372.8),  # 512 bits take two passes
        ("a64fx", 48, 1.8, 2 * 8 * 2, 2764.8),
        ("graviton4", 64, 2.8, 4 * 2 * 2, 2867.2),
        ("generic-avx2", 8, 3.0, 2 * 4 * 2, 384.0),
    ],
)
def test_peaks_from_ports_are_those_of_the_data_sheets(
    machines: dict[str, Machine],
    name: str,
    cores: int,
    clock_ghz: float,
    flop_per_cycle: int,
    peak_gflop_s: float,
) -> None:
    machine = machines[name]
    assert (machine.cores_total, machine.clock_ghz) == (cores, clock_ghz)
    assert cores * clock_ghz * flop_per_cycle == pytest.approx(peak_gflop_s)
    assert machine.core is not None
    for kind, lanes in (("f64", 1), ("f32", 2)):
        rate = best_rate(machine.core, machine.simd, kind, "flop")
        assert rate is not None
        assert rate.per_cycle == pytest.approx(flop_per_cycle * lanes)
        peak = machine.peak_gops(kind, cores)
        assert peak is not None
        assert peak.value_g_per_s == pytest.approx(peak_gflop_s * lanes)


# Bytes a core loads and stores in a cycle, whole registers: ports x bytes / cycles a port is held.
@pytest.mark.parametrize(
    ("name", "load_bytes", "store_bytes"),
    [
        ("snb", 2 * 16, 16),
        ("hsw", 2 * 32, 32),
        ("bdw", 2 * 32, 32),
        ("skx", 2 * 64, 64),
        ("clx", 2 * 64, 64),
        ("icx", 2 * 64, 64),
        ("zen2", 2 * 32, 32),
        ("zen3", 2 * 32, 32),
        ("zen4", 2 * 32, 32),
        ("a64fx", 2 * 64, 64),
        ("graviton4", 3 * 16, 2 * 16),
    ],
)
def test_bytes_a_cycle_between_registers_and_l1(
    machines: dict[str, Machine], name: str, load_bytes: int, store_bytes: int
) -> None:
    machine = machines[name]
    assert machine.core is not None
    assert machine.simd is not None
    width = machine.simd.register_bytes
    for kind, expected in (("load", load_bytes), ("store", store_bytes)):
        operation = machine.core.operation(kind, "f64", width)
        assert operation is not None
        assert operation.per_cycle * width == pytest.approx(expected)


# Cycles a line needs up and down each link, and whether both directions go at once.
@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("snb", [(2, 2, "half"), (2, 2, "half")]),  # 32 B/cy
        ("hsw", [(1, 1, "half"), (2, 2, "half")]),  # 64 and 32 B/cy
        ("bdw", [(1, 1, "half"), (2, 2, "half")]),
        ("skx", [(1, 1, "half"), (4, 4, "full")]),  # 64 and 16 B/cy
        ("clx", [(1, 1, "half"), (4, 4, "full")]),
        ("icx", [(1, 1, "half"), (4, 4, "full")]),
        ("zen2", [(2, 2, "full"), (2.667, 2.667, "half")]),  # 32 and 24 B/cy
        ("a64fx", [(4, 8, "half")]),  # 256 B lines at 64 and 32 B/cy
    ],
)
def test_cycles_a_line(
    machines: dict[str, Machine], name: str, links: list[tuple[float, float, str]]
) -> None:
    caches = machines[name].caches[1:]
    assert [(c.cy_per_line_up, c.cy_per_line_down, c.duplex) for c in caches] == links


# Channels x transfers a second x 8 bytes of one socket (A64FX: one group's stack of HBM2).
@pytest.mark.parametrize(
    ("name", "channels_gb_s"),
    [
        ("snb", 4 * 12.8),
        ("hsw", 4 * 17.067),
        ("bdw", 4 * 17.067),
        ("skx", 6 * 21.333),
        ("clx", 6 * 23.467),
        ("icx", 8 * 25.6),
        ("zen2", 8 * 25.6),
        ("zen3", 8 * 25.6),
        ("zen4", 12 * 38.4),
        ("a64fx", 256.0),
        ("graviton4", 12 * 44.8),
    ],
)
def test_no_socket_is_faster_than_its_channels(
    machines: dict[str, Machine], name: str, channels_gb_s: float
) -> None:
    machine = machines[name]
    for pattern in ("load", "triad", "update", "copy"):
        rate = machine.bandwidth_gb_s("MEM", pattern, machine.cores_per_socket)
        assert rate is not None
        assert 0.6 * channels_gb_s < rate.gb_s < channels_gb_s
        one = machine.bandwidth_gb_s("MEM", pattern, 1)
        assert one is not None
        assert one.gb_s < 0.5 * channels_gb_s


FLOATS = [(kind, t) for t in ("f64", "f32") for kind in ("add", "mul", "div", "sqrt", "max")]
FLOATS += [(kind, t) for t in ("f64", "f32") for kind in ("compare", "select", "logic", "convert")]
INTEGERS = [(kind, t) for t in ("i32", "i64") for kind in ("add", "mul", "div", "rem", "compare")]
INTEGERS += [(kind, t) for t in ("i32", "i64") for kind in ("max", "select", "logic", "shift")]
MOVES = [(kind, t) for t in ("f64", "f32", "i32", "i64") for kind in ("load", "store", "shuffle")]
SCALAR_ONLY = {"div.i32", "div.i64", "rem.i32", "rem.i64"}


@pytest.mark.parametrize("name", WITH_TABLES)
def test_every_instruction_of_a_loop_is_in_the_table(
    machines: dict[str, Machine], name: str
) -> None:
    machine = machines[name]
    assert machine.core is not None
    assert machine.simd is not None
    for kind, element in (*FLOATS, *INTEGERS, *MOVES, ("branch", ""), ("move", "f64")):
        widths: list[int | None] = [None]
        vector = 16 if machine.simd.isa == "avx" and element[:1] == "i" else 1024
        if f"{kind}.{element}" not in SCALAR_ONLY:
            widths += [w for w in (16, 32, 64) if w <= min(machine.simd.register_bytes, vector)]
        for width in widths:
            operation = machine.core.operation(kind, element, width)
            assert operation is not None, (kind, element, width)
            assert operation.latency_cy or kind == "store", (kind, element, width)
    if machine.simd.fma:
        assert machine.core.operation("fma", "f64") is not None


@pytest.mark.parametrize("name", WITH_TABLES)
def test_wider_is_never_quicker_and_latency_covers_the_use(
    machines: dict[str, Machine], name: str
) -> None:
    machine = machines[name]
    assert machine.core is not None
    assert machine.simd is not None
    widths = [None, *(w for w in (16, 32, 64) if w <= machine.simd.register_bytes)]
    for kind, element in FLOATS:
        found = [machine.core.operation(kind, element, width) for width in widths]
        for narrow, wide in pairwise([op for op in found if op is not None]):
            if kind in ("convert", "logic", "compare", "select"):
                continue  # scalars cross register files or use masks
            assert wide.per_cycle <= narrow.per_cycle * (1 + 1e-9), (kind, element)
    for key, operation in machine.core.operations.items():
        assert operation.uops >= 1, key
        if key.startswith(("add", "mul.f", "fma", "max.f")):
            assert operation.latency_cy is not None
            assert operation.latency_cy >= 1 / operation.per_cycle, key


def test_every_table_names_its_core_for_other_tools(machines: dict[str, Machine]) -> None:
    cpus = set()
    for name, machine in machines.items():
        assert machine.tools is not None
        assert machine.tools.cpu
        assert machine.tools.triple in ("x86_64-linux-gnu", "aarch64-linux-gnu")
        assert machine.tools.osaca or name == "generic-avx2"
        cpus.add(machine.tools.cpu)
    assert len(cpus) == len(machines)
    for entry in list_machines(DIRS):
        assert entry.problem is None


# Cycles a divider is busy, per instruction: llvm-mca and OSACA agree on these.
@pytest.mark.parametrize(
    ("name", "kind", "element", "width", "cycles"),
    [
        ("snb", "div", "f64", 32, 42),
        ("hsw", "div", "f64", 32, 28),
        ("hsw", "div", "f64", None, 14),
        ("bdw", "div", "f64", 32, 16),
        ("skx", "div", "f64", 64, 16),
        ("skx", "div", "f64", 32, 8),
        ("icx", "sqrt", "f64", 32, 12),
        ("zen2", "div", "f64", 32, 5),
        ("zen3", "div", "f64", 32, 4.5),
        ("zen4", "div", "f64", 64, 9),
        ("a64fx", "div", "f64", 64, 154),
        ("graviton4", "div", "f64", 16, 5),
    ],
)
def test_dividers(
    machines: dict[str, Machine],
    name: str,
    kind: str,
    element: str,
    width: int | None,
    cycles: float,
) -> None:
    core = machines[name].core
    assert core is not None
    operation = core.operation(kind, element, width)
    assert operation is not None
    assert 1 / operation.per_cycle == pytest.approx(cycles)


def test_several_groups_of_ports() -> None:
    # one micro-operation on 0, one on 1 or 5: a cycle; two that only 0 can do: two cycles
    assert CoreOperation(4, ("0",), 1, 2, (PortUse(("1", "5")),)).per_cycle == 1
    assert CoreOperation(4, ("0",), 1, 2, (PortUse(("0",)),)).per_cycle == 0.5
    # divider for 8 cycles, port 0 for one
    assert CoreOperation(14, ("div",), 8, 1, (PortUse(("0",)),)).per_cycle == 1 / 8
    # 1 on {0,1} and 2 on {1}: 1.5 cycles, for both ports share 3
    assert least_cycles((PortUse(("0", "1"), 1), PortUse(("1",), 2))) == 2
    assert least_cycles((PortUse(("0", "1"), 2), PortUse(("1",), 1))) == 1.5


USES = st.lists(
    st.builds(
        PortUse,
        st.sets(st.sampled_from("abcd"), min_size=1).map(lambda ports: tuple(sorted(ports))),
        st.integers(1, 9).map(float),
    ),
    min_size=1,
    max_size=4,
)


@given(USES)
def test_least_cycles_is_the_busiest_set_of_ports(uses: list[PortUse]) -> None:
    sets = chain.from_iterable(combinations("abcd", n) for n in range(1, 5))
    loads = [
        sum(use.cy for use in uses if set(use.ports) <= set(ports)) / len(ports) for ports in sets
    ]
    assert least_cycles(tuple(uses)) == pytest.approx(max(loads))


# The best rate inside one NUMA domain, write-allocates counted: what kerncraft 0.8.18 divides by.
@pytest.mark.parametrize(
    ("name", "load", "triad", "copy"),
    [
        ("snb", 44.56, 40, 40),
        ("hsw", 61.82, 55.275, 53.355),
        ("bdw", 58.47, 53.2375, 53.55),
        ("skx", 120.64, 109.6125, 107.085),
        ("clx", 61.43, 55.175, 54.81),
        ("zen2", 35.67, 33.725, 34.65),
    ],
)
def test_saturated_memory_rates(
    machines: dict[str, Machine], name: str, load: float, triad: float, copy: float
) -> None:
    machine = machines[name]
    for pattern, expected in (("load", load), ("triad", triad), ("copy", copy)):
        rates = [
            entry.gb_s
            for entry in machine.memory.bandwidth
            if (entry.level, entry.pattern) == ("MEM", pattern)
            and entry.cores <= machine.domain_cores("MEM")
        ]
        assert max(rates) == pytest.approx(expected, rel=5e-4)
