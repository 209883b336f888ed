"""Peaks, bandwidths and core counts, against sums by hand."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import UsageError
from rooflint.machine import Machine, Pattern, builtin_dir, find_machine
from rooflint.machine.bandwidth import closest_pattern, from_entries
from rooflint.machine.load import load_machine
from rooflint.machine.parts import BandwidthEntry
from rooflint.workers.wire import Codec

DIRS = [builtin_dir()]

TOY = """
schema: 1
name: toy
description: for sums
sources: {default: made up}
clock_ghz: 2.0
simd_clock_ghz: 1.5
sockets: 2
cores_per_socket: 4
line_bytes: 64
simd: {isa: avx, register_bytes: 32}
core:
  operations:
OPERATIONS
caches:
  - {level: L1, size_kib: 32, ways: 8}
  - {level: L2, size_kib: 256, ways: 8, cy_per_line_up: 2, cy_per_line_down: 4, duplex: DUPLEX}
memory:
  numa_domains_per_socket: 2
  bandwidth:
    - {level: MEM, pattern: load, cores: 1, gb_s: 8}
    - {level: MEM, pattern: load, cores: 2, gb_s: 12}
    - {level: MEM, pattern: copy, cores: 8, gb_s: 40}
"""


def toy(folder: Path, operations: str = "", duplex: str = "half") -> Machine:
    lines = operations or "add: {ports: [0]}\nmul: {ports: [1]}\nload: {ports: [2, 3], cy: 2}"
    block = "\n".join(f"    {line}" for line in lines.splitlines())
    file = folder / "toy.yaml"
    file.write_text(TOY.replace("OPERATIONS", block).replace("DUPLEX", duplex))
    return load_machine(file)


def peak(machine: Machine, element_type: str, cores: int = 1, operation: str = "flop") -> float:
    found = machine.peak_gops(element_type, cores, operation)
    assert found is not None
    return found.value_g_per_s


def gb_s(machine: Machine, level: str, pattern: Pattern, cores: int) -> float:
    found = machine.bandwidth_gb_s(level, pattern, cores)
    assert found is not None
    assert found.how
    return found.gb_s


@pytest.mark.parametrize(
    ("operations", "flop_per_cycle"),
    [
        # 4 lanes of f64; adds and multiplies on ports of their own
        ("add: {ports: [0]}\nmul: {ports: [1]}", 4 * 2),
        # the same two on one port share it
        ("add: {ports: [0]}\nmul: {ports: [0]}", 4 * 1),
        # two shared ports
        ("add: {ports: [0, 1]}\nmul: {ports: [0, 1]}", 4 * 2),
        # add on port 0 only: 1 add + 1 multiply on the other
        ("add: {ports: [0]}\nmul: {ports: [0, 1]}", 4 * 2),
        # a multiply holds the shared port twice as long: adds fill it
        ("add: {ports: [0]}\nmul: {ports: [0], cy: 2}", 4 * 1),
        # one fma counts two
        ("fma: {ports: [0, 1]}\nadd: {ports: [0]}", 4 * 2 * 2),
        # an fma every 7 cycles, as on Cell
        ("fma: {ports: [0], cy: 7}", 4 * 2 / 7),
        # SIMD gains nothing where it holds the port twice as long as it is wide: scalar, 2 GHz
        ("add.scalar: {ports: [0]}\nadd.simd: {ports: [0], cy: 8}", 1 * 2.0 / 1.5),
    ],
)
def test_derived_peak(tmp_path: Path, operations: str, flop_per_cycle: float) -> None:
    machine = toy(tmp_path, operations)
    assert peak(machine, "f64") == pytest.approx(flop_per_cycle * 1.5)
    found = machine.peak_gops("f64", 8)
    assert found is not None
    assert found.origin == "derived"
    assert found.value_g_per_s == pytest.approx(8 * flop_per_cycle * 1.5)


def test_derived_peak_counts_lanes_of_the_type(tmp_path: Path) -> None:
    machine = toy(tmp_path, "add: {ports: [0]}")
    f64 = peak(machine, "f64")
    assert peak(machine, "f32") == 2 * f64
    assert peak(machine, "f32x4") == 2 * f64  # a vector type is its elements
    assert peak(machine, "i16", operation="iop") == 4 * f64
    assert peak(machine, "u8", operation="iop") == 8 * f64
    assert machine.peak_gops("i32", 1, "flop") is None
    assert machine.peak_gops("f64", 1, "iop") is None
    assert machine.peak_gops("f64", 1, "exchange") is None


def test_half_a_register_can_be_the_widest_for_integers() -> None:
    snb = find_machine("snb", DIRS)
    # AVX: 2 adds on ports 1 and 5 and a multiply on port 0, each of 4 i32, at 2.7 GHz
    assert peak(snb, "i32", operation="iop") == pytest.approx(3 * 4 * 2.7)


def test_stated_peak_scales_with_the_cores() -> None:
    x4 = find_machine("x4", DIRS)
    assert peak(x4, "f64", 8) == 73.6
    assert peak(x4, "f64", 2) == pytest.approx(73.6 / 4)


def test_operations_are_looked_up_from_special_to_general() -> None:
    skx = find_machine("skx", DIRS)
    core = skx.core
    assert core is not None

    def ports(name: str, element_type: str, width_bytes: int | None = None) -> tuple[str, ...]:
        found = core.operation(name, element_type, width_bytes)
        assert found is not None
        return found.ports

    assert ports("fma", "f64", 64) == ("0", "5")
    assert ports("fma", "f64", 32) == ("0", "1")
    assert ports("fma", "f32") == ("0", "1")
    assert core.operation("div", "f64", 64) != core.operation("div", "f64", 32)
    assert core.operation("fma", "i32") is None
    assert core.operation("gather", "i8", 64) is None


def test_links_and_sharing() -> None:
    snb = find_machine("snb", DIRS)
    assert snb.levels == ("L1", "L2", "L3", "MEM")
    assert snb.links == ("REG-L1", "L1-L2", "L2-L3", "L3-MEM")
    assert [snb.domain_cores(level) for level in snb.levels] == [1, 1, 8, 8]
    assert find_machine("icx", DIRS).domain_cores("MEM") == 18


def test_resolve_cores() -> None:
    snb = find_machine("snb", DIRS)
    assert [snb.resolve_cores(t) for t in ("1", "socket", "node", "12")] == [1, 8, 16, 12]
    for text in ("0", "17", "-1"):
        with pytest.raises(UsageError, match="has 2 x 8 cores, expected 1 to 16"):
            snb.resolve_cores(text)
    with pytest.raises(UsageError, match="--cores all: expected a number, 'socket' or 'node'"):
        snb.resolve_cores("all")


def test_link_bandwidth_from_cycles_per_line(tmp_path: Path) -> None:
    half, full = toy(tmp_path), toy(tmp_path, duplex="full")
    # load: 64 B in 2 cycles at 2 GHz = 64 GB/s
    assert gb_s(half, "L2", "load", 1) == pytest.approx(64)
    # copy: 2 lines up (one the write-allocate) and 1 down: 192 B in 2*2 + 4 cycles
    assert gb_s(half, "L1-L2", "copy", 1) == pytest.approx(192 / 8 * 2)
    # triad: 4 lines up (one the write-allocate) and 1 down: 320 B in 4*2 + 4 cycles
    assert gb_s(half, "L1-L2", "triad", 1) == pytest.approx(320 / 12 * 2)
    # update, and store with its write-allocate: 1 line up and 1 down, 128 B in 2 + 4 cycles
    for pattern in ("update", "store"):
        assert gb_s(half, "L1-L2", pattern, 1) == pytest.approx(128 / 6 * 2)
    # full duplex: max(4, 4) cycles
    assert gb_s(full, "L1-L2", "copy", 1) == pytest.approx(192 / 4 * 2)
    assert gb_s(half, "L2", "load", 3) == pytest.approx(3 * 64)


def test_l1_bandwidth_from_the_ports(tmp_path: Path) -> None:
    machine = toy(tmp_path)
    # one 32 B load a cycle (two ports, two cycles each) at 2 GHz
    assert gb_s(machine, "L1", "load", 1) == pytest.approx(64)
    assert machine.bandwidth_gb_s("L1", "copy", 1) is None  # no store ports given
    both = toy(tmp_path, "load: {ports: [2, 3]}\nstore: {ports: [4]}")
    # triad: 3 loads on two ports, 1 store on one: 128 B in 1.5 cycles
    assert gb_s(both, "L1", "triad", 1) == pytest.approx(128 / 1.5 * 2)
    # copy and update: a load and a store, store: nothing else; 1 cycle on the store port
    assert gb_s(both, "L1", "copy", 1) == pytest.approx(64 * 2)
    assert gb_s(both, "L1", "update", 1) == pytest.approx(64 * 2)
    assert gb_s(both, "L1", "store", 1) == pytest.approx(32 * 2)


def test_memory_bandwidth_by_cores(tmp_path: Path) -> None:
    machine = toy(tmp_path)  # domains of 2 cores; load 8 for one, 12 for a full domain
    assert [gb_s(machine, "MEM", "load", n) for n in (1, 2, 3, 4, 8)] == [8, 12, 20, 24, 48]
    found = machine.bandwidth_gb_s("MEM", "load", 2)
    assert found is not None
    assert (found.origin, found.how) == ("stated", "load figure for 2 cores")
    # copy is known for the node only: 2 of 4 domains get half, and one core is not known to be less
    assert [gb_s(machine, "MEM", "copy", n) for n in (1, 2, 4, 8)] == [10, 10, 20, 40]
    limit = machine.bandwidth_gb_s("MEM", "copy", 1)
    assert limit is not None
    assert limit.how.startswith("at most the copy figure for 8 cores")


def test_the_largest_figure_of_full_domains_is_scaled() -> None:
    # domains of 2 cores: 6 are the 4 that were measured together and 2 more
    rates = {1: 8.0, 2: 12.0, 4: 20.0}
    entries = [BandwidthEntry("MEM", "load", cores, rate) for cores, rate in rates.items()]
    found = from_entries(entries, "MEM", "load", 6, domain=2)
    assert found is not None
    assert (found.gb_s, found.origin) == (20 + 12, "derived")
    assert found.how == "load figure for 4 cores, scaled to 6 cores"


def test_pattern_fallback_says_so(tmp_path: Path) -> None:
    machine = toy(tmp_path)
    # store is next to copy, triad next to load; update is nearer to copy than to load
    found = machine.bandwidth_gb_s("MEM", "store", 8)
    assert found is not None
    assert (found.gb_s, found.origin) == (40, "derived")
    assert found.how == "copy figure for 8 cores (the pattern has none of its own)"
    assert gb_s(machine, "MEM", "triad", 1) == 8
    assert gb_s(machine, "MEM", "update", 8) == 40


def test_closest_pattern_prefers_more_stores_when_in_doubt() -> None:
    assert closest_pattern("update", ["load", "triad", "copy", "store"]) == "copy"
    assert closest_pattern("load", ["store"]) == "store"


def test_unknown_level_or_pattern_is_a_bug(tmp_path: Path) -> None:
    machine = toy(tmp_path)
    with pytest.raises(ValueError, match="L3"):
        machine.bandwidth_gb_s("L3", "load", 1)


def test_source_of(tmp_path: Path) -> None:
    snb = find_machine("snb", DIRS)
    assert "likwid-bench" in snb.source_of("memory.bandwidth")
    assert "likwid-bench" in snb.source_of("memory.bandwidth.MEM.load.8")
    assert "CPUID" in snb.source_of("caches.L3.ways")
    assert "kerncraft" in snb.source_of("caches.L3.size_kib")
    assert "llvm-mca" in snb.source_of("core.operations.add.float")
    assert snb.source_of("caches.L3").count("; ") >= 1  # each of its sources once
    with pytest.raises(KeyError):
        snb.source_of("caches.L4")


def test_a_machine_is_a_value(tmp_path: Path) -> None:
    one, two = toy(tmp_path), toy(tmp_path)
    assert one == two
    assert hash(one) == hash(two)
    machines = Codec[Machine](Machine)
    assert machines.decode(machines.encode(one)) == one


@pytest.mark.parametrize(
    ("entries", "cores", "gb_s"),
    [
        ({("copy", 1): 10.0}, 1, 10.0),
        ({("copy", 1): 10.0}, 2, None),  # where four cores saturate the memory nobody knows
        ({("copy", 1): 10.0}, 4, None),
        ({("copy", 1): 10.0, ("load", 4): 30.0}, 4, 30.0),  # the saturation of the loads
        ({("copy", 1): 10.0, ("load", 4): 50.0}, 4, 40.0),  # but not beyond 4 x one core
        ({("copy", 1): 10.0, ("copy", 2): 18.0}, 4, 18.0),
    ],
)
def test_several_cores_are_not_extrapolated_from_one(
    entries: dict[tuple[Pattern, int], float], cores: int, gb_s: float | None
) -> None:
    listed = [BandwidthEntry("MEM", key[0], key[1], rate) for key, rate in entries.items()]
    found = from_entries(listed, "MEM", "copy", cores, domain=4)
    assert (found.gb_s if found else None) == gb_s
    # a cache's links are each core's own, as the ECM model has them
    near = [entry._replace(level="L3") for entry in listed[:1]]
    beside = from_entries(near, "L3", "copy", cores, domain=4)
    assert beside is not None
    assert beside.gb_s == 10.0 * cores


POINTS = st.dictionaries(st.integers(1, 16), st.floats(1, 100), min_size=1, max_size=4)


@given(POINTS, st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 32))
def test_bandwidth_obeys_its_laws(points: dict[int, float], domain: int, cores: int) -> None:
    # rates that do not fall with more cores, as the loader demands
    rising, best = {}, 0.0
    for count in sorted(points):
        best = max(best, points[count])
        rising[count] = best
    entries = [BandwidthEntry("MEM", "load", c, v) for c, v in rising.items()]
    found = from_entries(entries, "MEM", "copy", cores, domain)
    if set(rising) == {1} and min(cores, domain) > 1:
        assert found is None  # no extrapolation from one core
        assert from_entries(entries, "MEM", "load", cores, domain) is None
        return
    assert found is not None
    assert found.origin == "derived"  # copy is not given
    exact = from_entries(entries, "MEM", "load", cores, domain)
    assert exact is not None
    assert 0 < exact.gb_s == found.gb_s
    if cores in rising:
        assert (exact.gb_s, exact.origin) == (rising[cores], "stated")
    elif 1 in rising:
        assert exact.gb_s <= cores * max(rising.values()) + 1e-9
    bigger = [v for c, v in rising.items() if c > cores]
    if bigger:
        assert exact.gb_s <= min(bigger) + 1e-9


@given(st.floats(1, 20), st.floats(1, 8), st.sampled_from([2, 4, 8]), st.integers(1, 31))
def test_more_cores_never_lower_the_bandwidth(
    single: float, factor: float, domain: int, cores: int
) -> None:
    entries = [
        BandwidthEntry("MEM", "load", 1, single),
        BandwidthEntry("MEM", "load", domain, single * min(factor, domain)),
    ]
    fewer = from_entries(entries, "MEM", "load", cores, domain)
    more = from_entries(entries, "MEM", "load", cores + 1, domain)
    assert fewer is not None
    assert more is not None
    assert fewer.gb_s <= more.gb_s + 1e-9
    assert fewer.gb_s <= cores * single + 1e-9
