"""The machine files that come with the program: the paper's figures, sources, consistency."""

from pathlib import Path

import pytest
from rooflint.machine import PATTERNS, builtin_dir, find_machine, list_machines
from rooflint.machine.describe import check, describe

DIRS = [builtin_dir()]
FILES = sorted(builtin_dir().glob("*.yaml"))
PAPER = ["cell", "opteron-x2", "opteron-x4", "ultrasparc-t2plus", "xeon-clovertown"]


def test_the_expected_machines_are_there() -> None:
    expected = {*PAPER, "sandybridge-ep-e5-2680", "skylake-sp-6148", "icelake-sp-8360y"}
    expected |= {"haswell-ep-e5-2695v3", "broadwell-ep-e5-2630v4", "cascadelake-sp-6248"}
    expected |= {"zen2-7452", "zen3-7763", "zen4-9654", "a64fx-fx700", "graviton4-c8g"}
    expected |= {"generic-avx2", "generic-aarch64", "generic-2level", "sandybridge-erm"}
    expected |= {"titan-node", "k100-node", "vm7", "vm9", "vm9-600", "vm9-700", "vm9-cluster8"}
    expected.add("vm9-800")
    expected |= {"cell-spe", "h100-pcie-server", "mi300a", "gh200"}
    assert {file.stem for file in FILES} == expected


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_is_valid_consistent_and_called_by_its_name(file: Path) -> None:
    assert check(file) == []
    machine = find_machine(file.stem, DIRS)
    assert machine.name == file.stem
    assert machine.file == str(file)


def test_no_two_machines_share_a_name_or_alias() -> None:
    names = [name for entry in list_machines(DIRS) for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))


# UCB/EECS-2008-134: peaks are cores x clock x flop/cycle, roofs are those drawn in its figures.
#   X2   4 x 2.2 x 2          Xeon 8 x 2.333 x 4        X4  8 x 2.3 x 4
#   T2+ 16 x 1.1667 x 1       Cell 16 x 3.2 x 4/7
@pytest.mark.parametrize(
    ("name", "peak_gflop_s", "bandwidth_gb_s", "ridge"),
    [
        ("opteron-x2", 17.6, 16.86, 1.04),
        ("xeon-clovertown", 74.67, 11.2, 6.67),
        ("opteron-x4", 73.6, 16.85, 4.37),
        ("ultrasparc-t2plus", 18.67, 36.7, 0.509),
        ("cell", 29.26, 47.6, 0.615),
    ],
)
def test_roofs_of_the_paper_at_node_level(
    name: str, peak_gflop_s: float, bandwidth_gb_s: float, ridge: float
) -> None:
    machine = find_machine(name, DIRS)
    node = machine.resolve_cores("node")
    peak = machine.peak_gops("f64", node)
    assert peak is not None
    assert peak.value_g_per_s == pytest.approx(peak_gflop_s, rel=3e-4)
    assert peak.origin == "stated"
    for pattern in PATTERNS:  # only one pattern was measured: it serves for all
        bandwidth = machine.bandwidth_gb_s("MEM", pattern, node)
        assert bandwidth is not None
        assert bandwidth.gb_s == bandwidth_gb_s
        assert peak.value_g_per_s / bandwidth.gb_s == pytest.approx(ridge, rel=5e-3)


# min(peak, bandwidth x intensity) of the 16 pairs; the OIs of table 4, Opteron X4 as drawn.
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("xeon-clovertown", {0.25: 2.80, 1.07: 11.98, 0.50: 5.60, 1.64: 18.37}),
        ("opteron-x4", {0.25: 4.21, 1.07: 18.03, 0.50: 8.43, 1.64: 27.63}),
        ("ultrasparc-t2plus", {0.25: 9.18, 0.70: 18.67, 0.33: 12.11, 1.09: 18.67}),
        ("cell", {0.25: 11.90, 1.07: 29.26, 0.47: 22.37, 1.09: 29.26}),
    ],
)
def test_attainable_of_the_sixteen_pairs(name: str, expected: dict[float, float]) -> None:
    machine = find_machine(name, DIRS)
    peak = machine.peak_gops("f64", machine.cores_total)
    bandwidth = machine.bandwidth_gb_s("L2-MEM", "load", machine.cores_total)
    assert peak is not None
    assert bandwidth is not None
    for intensity, attainable in expected.items():
        roof = min(peak.value_g_per_s, bandwidth.gb_s * intensity)
        assert roof == pytest.approx(attainable, abs=0.006)


@pytest.mark.parametrize(
    ("name", "compute", "balanced", "memory"),
    [
        ("opteron-x2", [2.2, 8.8, 17.6], [2.2, 4.4, 17.6], [4.22, 11.04, 16.86]),
        ("xeon-clovertown", [6.22, 18.67, 37.33, 74.67], [6.22, 12.44, 37.33, 74.67], [5.9, 11.2]),
        ("opteron-x4", [4.6, 18.4, 36.8, 73.6], [4.6, 9.2, 36.8, 73.6], [7.0, 13.9, 16.85]),
        ("ultrasparc-t2plus", [4.67, 9.33, 18.67], [], [19.8, 36.7]),
        ("cell", [3.66, 7.31, 14.63, 29.26], [3.66, 7.31, 14.63, 29.26], [23.8, 47.6]),
    ],
)
def test_ceilings_of_the_paper_end_at_the_roofs(
    name: str, compute: list[float], balanced: list[float], memory: list[float]
) -> None:
    machine = find_machine(name, DIRS)
    ceilings = machine.ceilings
    assert [c.g_per_s for c in ceilings.compute] == compute
    assert [c.g_per_s for c in ceilings.compute_balanced] == balanced
    assert [c.g_per_s for c in ceilings.memory] == memory
    assert {c.metric for c in ceilings.compute} == {"flop"}
    assert all(c.lifted_by for c in (*ceilings.compute, *ceilings.memory))
    peak = machine.peak_gops("f64", machine.cores_total)
    assert peak is not None
    assert compute[-1] == pytest.approx(peak.value_g_per_s, rel=3e-4)


def test_cell_has_a_local_store_and_no_write_allocate() -> None:
    cell = find_machine("cell", DIRS)
    assert cell.caches == ()
    assert cell.local_store is not None
    assert cell.local_store.size_bytes == 256 * 1024
    assert cell.links == ("REG-LS", "LS-MEM")
    assert not cell.write_allocate
    exchange = cell.peak_gops("f64", 16, "exchange")
    assert exchange is not None
    assert exchange.value_g_per_s == 17.1


def test_sandy_bridge_is_the_ecm_machine() -> None:
    snb = find_machine("snb", DIRS)
    # 16 cores x 2.7 GHz x (4 adds + 4 multiplies)
    peak = snb.peak_gops("f64", 1)
    assert peak is not None
    assert peak.value_g_per_s == pytest.approx(2.7 * 8)
    assert snb.core is not None
    load = snb.core.operation("load", "f64", 32)
    assert load is not None
    # Jacobi 2D: 4 loads x 2 AVX vectors a line, each 2 cycles on one of 2 ports: T_nOL = 8
    assert 4 * 2 / load.per_cycle == 8
    l1 = snb.bandwidth_gb_s("REG-L1", "load", 1)
    assert l1 is not None
    # measured 84.07 of the 32 B x 2.7 GHz = 86.4 that the ports allow
    assert 0.95 * 86.4 < l1.gb_s <= 86.4
    copy = snb.bandwidth_gb_s("L3-MEM", "copy", 8)
    assert copy is not None
    assert copy.gb_s == 40  # 26.17 x 1.5 measured; 40 in the published examples


def test_ice_lake_evades_write_allocates_near_saturation_only() -> None:
    icx = find_machine("icx", DIRS)
    assert icx.write_allocate
    assert icx.write_allocates(1)
    assert icx.write_allocates(7)  # from 8 cores of a domain on
    assert not icx.write_allocates(8)
    assert not icx.write_allocates(36)
    assert find_machine("skx", DIRS).write_allocates(20)


def test_only_the_generic_machines_are_typical() -> None:
    for entry in list_machines(DIRS):
        machine = find_machine(entry.name, DIRS)
        assert (machine.figures == "typical") == entry.name.startswith("generic-")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_show_lists_every_source_and_is_stable(file: Path) -> None:
    machine = find_machine(file.stem, DIRS)
    shown = describe(machine)
    for source in machine.sources.values():
        assert source in shown
    assert shown == describe(find_machine(file.stem, DIRS))
    assert "None" not in shown
    if machine.figures == "typical":
        assert "not measured" in shown


def test_show_of_the_toy_machine() -> None:
    shown = describe(find_machine("generic-2level", DIRS))
    # 2 ports x 4 lanes x 2 flop x 2 GHz = 32 a core; ridge of the node 128 / 20
    assert "Gflop/s f64  32 (1 core), 128 (socket)" in shown
    assert "L2-MEM  load  10 (1 core), 20 (socket)" in shown
    assert "6.4 flop/B" in shown


def test_show_names_penalties_overlap_and_other_tools() -> None:
    zen2 = describe(find_machine("zen2", DIRS))
    assert "penalty 0.585 cy per line read, 2.57 cy per line written [" in zen2
    assert "no cycles add to transfers; L1-L2, L2-L3, L3-MEM overlap\n" in zen2
    assert "target x86_64-linux-gnu, cpu znver2, OSACA ZEN2" in zen2
    haswell = describe(find_machine("hsw", DIRS))
    assert "14 cy on port div + 1 cy on port 0 " in haswell
    assert "cycles of load add to the transfers; L1-L2, L2-L3, L3-MEM add up\n" in haswell
    assert "memory reads and writes at once" in describe(find_machine("a64fx", DIRS))
