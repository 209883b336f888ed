"""kerncraft's machine files, read into ours. The one below has its format and round numbers."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import ConfigurationError
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.machine.describe import check
from rooflint.machine.document import YamlNode
from rooflint.machine.imported import ImportedMachine
from rooflint.machine.kerncraft import import_kerncraft
from rooflint.machine.kerncraft.bandwidth import traffic_factor
from rooflint.machine.kerncraft.read import BenchmarkKernel
from rooflint.machine.kerncraft.units import quantity
from rooflint.machine.load import load_machine

DIRS = [builtin_dir()]

# Two sockets of four cores at 2 GHz; L3 a victim cache shared by four; two NUMA domains a socket.
TOY = (Path(__file__).parent / "toy_cpu.yml").read_text(encoding="utf-8")


def imported(folder: Path, text: str = TOY, name: str | None = "toy-cpu") -> ImportedMachine:
    file = folder / "Toy_CPU-2000.yml"
    file.write_text(text)
    return import_kerncraft(file, name, DIRS)


def machine(folder: Path, text: str = TOY) -> Machine:
    result = folder / "toy-cpu.yaml"
    result.write_text(imported(folder, text).text)
    assert check(result, DIRS) == []
    return load_machine(result, DIRS)


def test_shape_and_peaks(tmp_path: Path) -> None:
    toy = machine(tmp_path)
    assert (toy.sockets, toy.cores_per_socket, toy.threads_per_core) == (2, 4, 2)
    assert (toy.clock_ghz, toy.line_bytes, toy.memory.numa_domains_per_socket) == (2.0, 64, 2)
    # 8 cores x 2 GHz x 16; the total for SP is less than its own part for FMA, which is used
    assert toy.peak_gflop_s == {"f64": 256.0, "f32": 512.0}
    assert toy.description == "Toy CPU @ 2.0GHz (Round figures), 2 x 4 cores at 2 GHz"
    assert toy.tools is not None
    assert toy.tools == ("x86_64-linux-gnu", "no-such-core", "TOY")


def test_caches_and_links(tmp_path: Path) -> None:
    toy = machine(tmp_path)
    l1, l2, l3 = toy.caches
    assert [cache.size_kib for cache in toy.caches] == [32, 256, 4096]
    assert [cache.ways for cache in toy.caches] == [8, 8, 16]
    assert (l1.holds, l2.holds, l3.holds) == ("inclusive", "inclusive", "victim")
    assert l1.cy_per_line_up is None
    assert (l2.cy_per_line_up, l2.cy_per_line_down, l2.duplex) == (1, 1, "half")  # 64 B / 64 B/cy
    assert (l3.cy_per_line_up, l3.cy_per_line_down, l3.duplex) == (4, 4, "full")  # 64 B / 16 B/cy
    assert (l3.shared_by_cores, l3.write_allocate) == (4, False)
    assert toy.core is not None
    assert toy.core.overlap.non_overlapping == ("load",)
    assert [link for link in toy.links if toy.core.overlap.overlaps(link)] == ["L1-L2"]
    assert toy.memory.penalty_cy_per_line_up == 1.5
    assert toy.memory.penalty_cy_per_line_down == 0  # its key is misspelt, and named as a loss


def test_rates_count_write_allocates_outside_the_first_level(tmp_path: Path) -> None:
    rates = {(e.level, e.pattern, e.cores): e.gb_s for e in machine(tmp_path).memory.bandwidth}
    assert rates["L1", "copy", 1] == 100
    assert rates["MEM", "copy", 1] == 12  # 8 asked for: (8 + 2 x 8) / (8 + 8) = 1.5 of it move
    assert rates["MEM", "copy", 2] == 18
    assert rates["MEM", "copy", 4] == 33
    assert rates["MEM", "load", 4] == 30  # T is 1e12
    assert rates["MEM", "load", 1] == 10  # from one thread a core
    assert ("MEM", "copy", 3) not in rates
    assert {pattern for _, pattern, _ in rates} == {"copy", "load"}
    # 300 kB a core are less than 1.5 x 256 KiB: what those four cores read came from L2
    assert rates["L3", "load", 1] == 20
    assert ("L3", "load", 4) not in rates


def test_every_loss_is_named_in_the_file_and_apart(tmp_path: Path) -> None:
    result = imported(tmp_path)
    comments = [line for line in result.text.splitlines() if line.startswith("#")]
    for loss in result.losses:
        assert f"#   {loss}" in comments
    told = "\n".join(result.losses)
    for words in (
        "compiler: ",
        "transparent hugepage: ",
        "memory hierarchy.MEM.penalty cycles per cachlinie store: unknown key",
        "FLOPs per cycle.SP: total 16 is less than its part 32; 32 is used",
        "L2: replacement policy MRU: lru is used",
        "L3: write_combining: not modelled",
        "L3 rates with 4 cores or more: L2 held the data",
        "MEM copy with 3 cores: slower than with fewer",
        "benchmarks.kernels.daxpy: no such pattern",
        "more than one thread per core",
        "benchmarks.measurements: nothing for L2",
        "no ports and no instructions",
    ):
        assert words in told, words


def test_a_known_core_lends_its_instructions_and_nothing_else(tmp_path: Path) -> None:
    toy = machine(tmp_path, TOY.replace("no-such-core", "haswell"))
    haswell = find_machine("hsw", DIRS)
    assert toy.core is not None
    assert haswell.core is not None
    assert toy.core.operations == haswell.core.operations
    assert toy.core.overlap.overlaps("L1-L2")
    assert toy.simd == haswell.simd
    assert toy.memory.write_allocate_evasion == "none"
    assert toy.memory.latency_ns is None
    assert {entry.level for entry in toy.memory.bandwidth} == {"L1", "L3", "MEM"}
    assert toy.source_of("core.operations.fma") == haswell.source_of("core.operations.fma")
    assert "Toy_CPU-2000.yml" in toy.source_of("clock_ghz")


def test_figures_left_open_are_missing_not_wrong(tmp_path: Path) -> None:
    text = TOY.replace("total: 16, FMA: 16, ADD: 8, MUL: 8", "total: INFORMATION_REQUIRED")
    toy = machine(tmp_path, text.replace("model name: Toy CPU @ 2.0GHz", "model name: null"))
    assert "f64" not in toy.peak_gflop_s
    assert toy.description.startswith("(Round figures)")
    assert "FLOPs per cycle.DP: not filled in" in imported(tmp_path, text).losses


def test_the_name_is_that_of_the_file(tmp_path: Path) -> None:
    assert "\nname: toy-cpu-2000\n" in imported(tmp_path, name=None).text
    assert "\nname: toy-cpu\n" in imported(tmp_path).text


FAST = 'clock: expected a quantity in Hz such as 8 Hz, got "fast"'
THIRD = "cores per group: {}\n  upstream throughput: [16"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("clock: 2.0 GHz", "clock: fast", 4, FAST),
        ("clock: 2.0 GHz\n", "", 1, "missing key 'clock'"),
        ("clock: 2.0 GHz", "clock: 2.0 GB", 4, "clock: expected a quantity in Hz"),
        ("sockets: 2", "sockets: two", 5, 'sockets: expected a plain number, got "two"'),
        (THIRD.format(4), THIRD.format(3), 39, "expected a divisor of the 4 cores per socket"),
        ("[64 B/cy, half", "[64 B/s, half", 37, "throughput: expected a quantity in B/cy"),
        ("20.00 GB/s, 40.00 GB/s, 60.00 GB/s,", "20.00 GB/s,", 76, "2 results for 4 numbers"),
        ("- level: L1", "- level: [L1]", 26, "level: expected a text, got a list"),
        ("- level: L2", "- level: L4", 1, "expected L2: caches are listed nearest first"),
        ("model type: Round", "model type: [Round", 4, "not valid YAML"),
    ],
)
def test_errors_are_one_line_with_the_place(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert TOY.count(old) == 1
    with pytest.raises(ConfigurationError) as raised:
        imported(tmp_path, TOY.replace(old, new))
    text = str(raised.value)
    assert message in text
    assert text.startswith(f"{tmp_path / 'Toy_CPU-2000.yml'}:{line}:")
    assert "\n" not in text


def test_another_programs_yaml_is_refused(tmp_path: Path) -> None:
    for content in ("", "- 1\n", "just text\n", "a: 1\n"):
        with pytest.raises(ConfigurationError):
            imported(tmp_path, content)


@pytest.mark.parametrize(
    ("streams", "factor"),
    [
        (BenchmarkKernel(8, 0, 0), 1),  # load
        (BenchmarkKernel(8, 8, 8), 1),  # update: the line stored to is read anyhow
        (BenchmarkKernel(8, 8, 0), 1.5),  # copy: 1 read + 1 write-allocate + 1 write for 2
        (BenchmarkKernel(24, 8, 0), 1.25),  # triad: 3 + 1 + 1 for 4
        (BenchmarkKernel(16, 8, 8), 1),  # daxpy
        (BenchmarkKernel(0, 8, 0), 2),  # store
    ],
)
def test_traffic_for_each_byte_asked_for(streams: BenchmarkKernel, factor: float) -> None:
    assert traffic_factor(streams) == factor


@given(st.floats(1e-6, 1e6), st.sampled_from(["", "k", "M", "G", "T"]))
def test_quantities_have_powers_of_a_thousand(value: float, prefix: str) -> None:
    factor = {"": 1e0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[prefix]
    node = YamlNode(f"{value!r} {prefix}B/s", "f", 1)
    assert quantity(node, "x", "B/s") == pytest.approx(value * factor)
    with pytest.raises(ConfigurationError):
        quantity(node, "x", "B/cy")
