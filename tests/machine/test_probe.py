"""Measuring the host: what Linux says, what is run, and how figures become a machine file."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import UsageError
from rooflint.machine import Machine, Tlb, builtin_dir, find_machine
from rooflint.machine.describe import check
from rooflint.machine.identity.processor import processor_numbers
from rooflint.machine.load import load_machine
from rooflint.machine.parts import FigureQuality
from rooflint.machine.probe.compiler import Built, build
from rooflint.machine.probe.convert import _penalties, describe_host
from rooflint.machine.probe.cores import core_name
from rooflint.machine.probe.disturbance import Disturbance, disturbance
from rooflint.machine.probe.host_load import HostLoad
from rooflint.machine.probe.measure import HostFigures, MeasuredRate, measure, plan
from rooflint.machine.probe.quality import (
    RoundSample,
    StepKey,
)
from rooflint.machine.probe.topology import CacheInfo, Topology, cpu_list, read_topology
from rooflint.machine.write import machine_text

DIRS = [builtin_dir()]
KIB, MIB = 1 << 10, 1 << 20


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


@pytest.fixture
def linux(tmp_path: Path) -> Path:
    """Two sockets of two cores of two threads; CPU n and n + 4 are one core; L3 a socket."""
    cpu = "sys/devices/system/cpu"
    files = {f"{cpu}/online": "0-7", "sys/devices/system/node/possible": "0-1"}
    for n in range(8):
        core, socket = n % 4, n % 4 // 2
        files[f"{cpu}/cpu{n}/topology/physical_package_id"] = str(socket)
        files[f"{cpu}/cpu{n}/topology/thread_siblings_list"] = f"{core},{core + 4}"
        here = [f"{core},{core + 4}"] * 3 + ["0-1,4-5" if socket == 0 else "2-3,6-7"]
        kinds = [("1", "Data", "32K", "8"), ("1", "Instruction", "32K", "8")]
        kinds += [("2", "Unified", "1024K", "16"), ("3", "Unified", "4M", "16")]
        for index, (level, kind, size, ways) in enumerate(kinds):
            at = f"{cpu}/cpu{n}/cache/index{index}"
            files |= {f"{at}/level": level, f"{at}/type": kind, f"{at}/size": size}
            files |= {f"{at}/ways_of_associativity": ways, f"{at}/shared_cpu_list": here[index]}
            files[f"{at}/coherency_line_size"] = "64"
    files["sys/devices/system/node/node0/cpulist"] = "0-1,4-5"
    files["sys/devices/system/node/node1/cpulist"] = "2-3,6-7"
    intel = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 7\n"
    files["proc/cpuinfo"] = f"processor\t: 0\n{intel}model name\t: Toy @ 2GHz\n\nmodel name\t: no"
    files["proc/meminfo"] = "MemTotal: 9 kB\nMemAvailable:    1048576 kB"
    write(tmp_path, files)
    return tmp_path


def test_topology_is_what_linux_says(linux: Path) -> None:
    found = read_topology(linux)
    assert (found.sockets, found.cores_per_socket, found.threads_per_core) == (2, 2, 2)
    assert found.domains == ((0, 1), (2, 3))
    assert found.cpus == (0, 1, 2, 3)  # one thread a core
    assert found.domains_per_socket == 1
    assert found.caches == (
        CacheInfo(1, 32 * KIB, 8, 64, 1),
        CacheInfo(2, 1024 * KIB, 16, 64, 1),
        CacheInfo(3, 4 * MIB, 16, 64, 2),
    )
    assert found.model_name == "Toy @ 2GHz"
    assert found.core == "cascadelake"
    assert found.memory_bytes == 1 << 30


def test_without_linux_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs Linux"):
        read_topology(tmp_path)


@given(st.sets(st.integers(0, 300), min_size=1))
def test_lists_of_cpus(cpus: set[int]) -> None:
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and runs[-1][-1] == cpu - 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    text = ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
    assert cpu_list(text) == sorted(cpus)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ("vendor_id=GenuineIntel;cpu family=6;model=85;stepping=4", "skylake-avx512"),
        ("vendor_id=GenuineIntel;cpu family=6;model=63;stepping=2", "haswell"),
        ("vendor_id=GenuineIntel;cpu family=6;model=207;stepping=2", "sapphirerapids"),
        ("vendor_id=AuthenticAMD;cpu family=23;model=49;stepping=0", "znver2"),
        ("vendor_id=AuthenticAMD;cpu family=25;model=1;stepping=1", "znver3"),
        ("vendor_id=AuthenticAMD;cpu family=25;model=17;stepping=1", "znver4"),
        ("CPU implementer=0x41;CPU part=0xd4f", "neoverse-v2"),
        ("CPU implementer=0x46;CPU part=0x001", "a64fx"),
        ("vendor_id=GenuineIntel;cpu family=6;model=1", None),
        ("", None),
    ],
)
def test_names_of_cores(fields: str, name: str | None) -> None:
    pairs = [pair.split("=") for pair in fields.split(";") if pair]
    assert core_name(processor_numbers(dict(pairs))) == name


def topology(cores: int = 4, sockets: int = 1, domains: int = 1, core: str = "") -> Topology:
    per = cores // domains
    return Topology(
        "Toy",
        sockets,
        cores // sockets,
        1,
        tuple(tuple(range(d * per, (d + 1) * per)) for d in range(domains)),
        (CacheInfo(1, 32 * KIB, 8, 64, 1), CacheInfo(2, MIB, 16, 64, 1),
         CacheInfo(3, 32 * MIB, 16, 64, min(cores, 8))),
        64 << 30,
        core or None,
    )  # fmt: skip


@pytest.mark.parametrize(("cores", "sockets", "domains"), [(1, 1, 1), (2, 1, 1), (192, 2, 8)])
def test_the_plan_takes_less_than_three_minutes(cores: int, sockets: int, domains: int) -> None:
    steps = plan(topology(cores, sockets, domains))
    places = {"clock": 1, "peak": 2, "rate": 4, "wait": 3, "step": 3}  # where the seconds are
    seconds = sum(float(step.arguments[min(places[step.arguments[0]], 3)]) for step in steps
                  if step.arguments[0] != "rate")  # fmt: skip
    seconds += sum(float(s.arguments[3]) for s in steps if s.arguments[0] == "rate")
    assert seconds < 90
    assert len({step.key for step in steps}) == len(steps)
    counts = {key[2] for key in (step.key for step in steps) if key[0] == "MEM"}
    assert {1, cores // domains, cores // sockets, cores} <= counts
    for step in steps:
        if step.arguments[0] == "rate":
            assert len(step.arguments) - 4 == step.key[2]


def test_data_come_from_the_level_that_is_measured() -> None:
    sizes: dict[str, set[int]] = {}
    for step in plan(topology()):
        if step.arguments[0] == "rate":
            sizes.setdefault(step.key[0], set()).add(int(step.arguments[2]) * step.key[2])
    assert sizes["L1"] == {16 * KIB}
    assert sizes["L2"] == {512 * KIB}
    assert sizes["L3"] == {16 * MIB}  # the threads share it
    assert min(sizes["MEM"]) >= 4 * 32 * MIB


BUILT = Built(Path("x"), "toycc 1.0", ("-O3",), "x86_64-linux-gnu", None)


def figures(copy_all: float = 20.0) -> HostFigures:
    """2 GHz; loads of one core 128, 64, 32 and 10 GB/s; 40 GB/s for four."""
    loads = {"L1": 128.0, "L2": 64.0, "L3": 32.0, "MEM": 10.0}
    rates = [MeasuredRate(level, "load", 1, value) for level, value in loads.items()]
    rates += [
        MeasuredRate("L1", "copy", 1, 200.0),
        MeasuredRate("L2", "copy", 1, 40.0),
        MeasuredRate("L2", "store", 1, 8.0),
    ]
    rates += [MeasuredRate("MEM", "copy", 1, 8.0), MeasuredRate("MEM", "load", 4, 40.0)]
    rates += [MeasuredRate("MEM", "copy", 4, copy_all), MeasuredRate("MEM", "update", 4, 36.0)]
    rates += [
        MeasuredRate("MEM", "triad", 1, 8.0),
        MeasuredRate("MEM", "triad", 4, 6.0),
    ]  # disturbed
    latencies = {"L1": 2.0, "L2": 7.0, "L3": 25.0, "MEM": 90.04}
    # up to 1536 pages nothing is lost; 4096 and more cost 10 ns each
    walks = {1024: 0.0, 1536: 0.0, 2048: 5.0, 4096: 10.0, 8192: 10.0}
    peaks = {"f64": 256.0, "f32": 512.0}
    quality = {StepKey("L1", "load", 1): FigureQuality(2, 0.01, 0.9, doubtful=False)}
    return HostFigures(32, True, "avx2", 2.0, peaks, latencies, tuple(rates), walks, quality)


def described(
    folder: Path, what: HostFigures, parent: Machine | None = None, implausible: Sequence[str] = ()
) -> Machine:
    """The machine of the figures, of which exactly those named are implausible."""
    host = topology(core=parent.tools.cpu or "" if parent and parent.tools else "")
    keys, remarks, _ = describe_host("host", host, what, BUILT, parent)
    file = folder / "host.yaml"
    file.write_text(machine_text(keys, remarks))
    messages = [message.partition(": ")[2] for message in check(file, DIRS)]
    assert [message.partition(": ")[0] for message in messages] == list(implausible)
    return load_machine(file, DIRS)


def test_figures_become_a_machine(tmp_path: Path) -> None:
    host = described(tmp_path, figures())
    assert (host.clock_ghz, host.cores_total) == (2.0, 4)
    assert host.peak_gflop_s == {"f64": 256.0, "f32": 512.0}
    assert host.simd == ("avx2", 32, None, True)
    assert [cache.latency_cy for cache in host.caches] == [4, 14, 50]  # ns x 2 GHz
    assert host.memory.latency_ns == 90
    # a quarter of 10 ns is lost half-way from 1536 to 2048 pages; 10 ns x 2 GHz
    assert host.tlb == Tlb(1792, 20, 4096)
    # 64 B x 2 GHz x (1/64 - 1/128) = 1; (1/32 - 1/64) = 2
    assert [cache.cy_per_line_up for cache in host.caches] == [None, 1, 2]
    rates = {(e.level, e.pattern, e.cores): e.gb_s for e in host.memory.bandwidth}
    assert rates["L1", "copy", 1] == 200
    assert rates["L2", "copy", 1] == 60
    assert rates["L2", "store", 1] == 16
    assert rates["MEM", "copy", 4] == 30
    assert rates["MEM", "triad", 1] == 10
    assert ("MEM", "triad", 4) not in rates
    assert host.memory.write_allocate_evasion == "nt_only"
    assert "rooflint machine probe, built with toycc 1.0" in host.source_of("memory.bandwidth")
    assert "/sys" in host.source_of("caches.L2.size_kib")


def test_copying_too_fast_for_write_allocates_means_evasion(tmp_path: Path) -> None:
    host = described(tmp_path, figures(copy_all=36.0))  # 54 GB/s with them, loads 40
    assert host.memory.write_allocate_evasion == "automatic"
    assert host.memory.evasion_from_cores == 4
    rates = {(e.level, e.pattern, e.cores): e.gb_s for e in host.memory.bandwidth}
    assert rates["MEM", "copy", 4] == 36
    assert rates["MEM", "copy", 1] == 12


@pytest.mark.parametrize("most", [0.0, 0.4])
def test_pages_that_cost_less_than_a_cycle_are_no_tlb(tmp_path: Path, most: float) -> None:
    what = figures()._replace(walk_ns={1024: 0.0, 8192: most})
    assert described(tmp_path, what).tlb is None


def test_a_known_core_lends_instructions_and_links(tmp_path: Path) -> None:
    zen2 = find_machine("zen2", DIRS)
    # 10 and 12 GB/s of one core are less than half of what the core of the same kind draws
    slow = [f"memory.bandwidth.MEM.{pattern}.1" for pattern in ("load", "copy", "triad")]
    host = described(tmp_path, figures(), zen2, slow)
    assert host.core == zen2.core
    assert host.peak_gflop_s == {}
    assert [cache.cy_per_line_up for cache in host.caches] == [None, 2, 2.667]
    assert host.caches[2].holds == "victim"
    assert host.source_of("caches.L3.cy_per_line_up") == zen2.source_of("caches.L3.cy_per_line_up")
    assert host.memory.penalty_cy_per_line_down == 0
    peak = host.peak_gops("f64", 4)
    assert peak is not None
    assert peak.value_g_per_s == 4 * 2.0 * 16


def test_compilers_that_are_missing_or_fail(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no C compiler \(no-such-cc\); name one with --cc"):
        build(tmp_path, "no-such-cc")
    bad = tmp_path / "badcc"
    bad.write_text("#!/bin/sh\necho 'x.c:1: error: no time' >&2\nexit 1\n")
    bad.chmod(0o755)
    with pytest.raises(
        UsageError, match=r"could not compile the benchmark: x\.c:1: error: no time"
    ):
        build(tmp_path, str(bad))
    bad.write_text("#!/bin/sh\nexit 0\n")  # says it worked, and left no program
    with pytest.raises(UsageError, match="benchmark info failed"):
        measure(build(tmp_path, str(bad)).program, topology(), lambda _: None)


def test_disturbance_is_that_between_both_ends() -> None:
    before, after = HostLoad(load=1.0, steal_s=1.0), HostLoad(load=7.5, steal_s=2.5)
    samples = [RoundSample(1.0, 1.0, 3.0, 1.0, 3.0), RoundSample(1.0, 1.0, 1.0, 1.0, 3.0)]
    found = disturbance(before, after, samples)
    assert (found.load, found.steal_s, found.wall_per_cpu) == (7.5, 1.5, 2.0)


def test_quality_and_dropped_rates_stand_in_the_file(tmp_path: Path) -> None:
    quality = {
        StepKey("MEM", "load", 1): FigureQuality(3, 0.4, 0.1, doubtful=True),
        StepKey("MEM", "triad", 4): FigureQuality(3, 0.4, 0.1, doubtful=True),
        StepKey("L2", "wait", 1): FigureQuality(2, 0.01, 0.9, doubtful=False),
    }
    what = figures()._replace(quality=quality, disturbance=Disturbance(9.1, 0.0, 2.4))
    keys, remarks, doubtful = describe_host("host", topology(), what, BUILT, None)
    assert doubtful == ("memory.bandwidth.MEM.load.1",)  # what is dropped is no figure of the file
    assert "Disturbance: load average up to 9.1, 0.0 s stolen" in "\n".join(remarks)
    assert "wall time 2.40 x CPU time" in "\n".join(remarks)
    file = tmp_path / "host.yaml"
    file.write_text(machine_text(keys, remarks))
    text = file.read_text()
    assert "dropped:\n  - {figure: memory.bandwidth.MEM.triad.4, gb_s: 7.5, reason:" in text
    host = load_machine(file, DIRS)
    assert host.doubtful == doubtful
    assert host.quality["caches.L2.latency_cy"].rounds == 2
    rate = host.bandwidth_gb_s("MEM", "load", 1)
    assert rate is not None
    assert rate.doubtful
    assert "doubtful" in rate.how
    shared = host.bandwidth_gb_s("MEM", "update", 4)
    assert shared is not None
    assert not shared.doubtful


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_benchmark_measures_this_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[measure.__module__]
    monkeypatch.setattr(module, "SECONDS", 0.01)
    monkeypatch.setattr(module, "MEMORY_SECONDS", 0.01)
    monkeypatch.setattr(module, "ROUNDS", 2)
    host = read_topology()._replace(caches=(CacheInfo(1, 32 * KIB, 8, 64, 1),))
    one = host._replace(domains=((host.cpus[0],),), sockets=1, cores_per_socket=1)
    built = build(tmp_path)
    lines: list[str] = []
    found = measure(built.program, one, lines.append)
    assert len(lines) == 2 * len(plan(one))
    assert lines[0].startswith("[round 1, 1/")
    assert lines[-1].startswith(f"[round 2, {len(plan(one))}/")
    assert 0.3 < found.clock_ghz < 8
    assert found.vector_bytes in (16, 32, 64)
    # at least a tenth of an instruction a cycle, at most four FMA pipes
    lanes = found.vector_bytes / 8
    assert 0.1 * found.clock_ghz < found.peak_gflop_s["f64"] < 1.3 * 8 * lanes * found.clock_ghz
    assert 1 < found.latency_ns["L1"] * found.clock_ghz < 100
    assert found.latency_ns["MEM"] > found.latency_ns["L1"]
    assert all(rate.asked_gb_s > 0.05 for rate in found.rates)


def test_what_one_core_takes_longer_is_a_penalty() -> None:
    rates = [
        MeasuredRate("MEM", "load", 1, 32.0),
        MeasuredRate("MEM", "load", 2, 64.0),
        MeasuredRate("MEM", "copy", 1, 40.0),
        MeasuredRate("MEM", "copy", 2, 80.0),
    ]
    # 64 B at 4 GHz: 256 cy GB/s; a load 256 (1/32 - 1/64) = 4 cy more, a copy 3 * 256 (1/40 - 1/80)
    # = 9.6 cy for two lines in and one out
    up, down = _penalties(rates, 256.0)
    assert (up, down) == pytest.approx((4.0, 1.6))
