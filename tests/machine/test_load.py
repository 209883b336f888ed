"""Broken machine files: one line each, with file, line, what was expected and the near miss."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import ConfigurationError
from rooflint.machine import Channel, HostSystem, builtin_dir
from rooflint.machine.describe import check
from rooflint.machine.load import load_machine

GOOD = """\
schema: 1
name: mine
description: a machine
sources: {default: measured}
clock_ghz: 2.0
sockets: 2
cores_per_socket: 4
line_bytes: 64
simd: {isa: avx, register_bytes: 32, fma: true}
core:
  issue_width: 4
  operations:
    add.f64.simd: {latency_cy: 3, ports: [1], cy: 1}
  overlap: {non_overlapping: [load], links: serial}
caches:
  - {level: L1, size_kib: 32, ways: 8, latency_cy: 4}
  - {level: L2, size_kib: 256, ways: 8, shared_by_cores: 2, latency_cy: 12}
memory:
  latency_ns: 80
  bandwidth:
    - {level: MEM, pattern: load, cores: 1, gb_s: 10}
    - {level: MEM, pattern: load, cores: 8, gb_s: 40}
ceilings:
  memory: [{name: affinity, gb_s: 40, lifted_by: pinning}]
tlb: {entries: 1536, walk_cy: 20}
"""

# what to replace, by what, the line of the error, and what it says
BROKEN = [
    ("clock_ghz: 2.0", "clock_gzh: 2.0", 1, "missing key 'clock_ghz'; is it 'clock_gzh'?"),
    ("clock_ghz: 2.0", "clock_ghz: 2 GHz", 5, 'expected a plain number in GHz, got "2 GHz"'),
    ("clock_ghz: 2.0", "clock_ghz: [2.0]", 5, "expected a plain number in GHz, got a list"),
    ("clock_ghz: 2.0", "clock_ghz: true", 5, "expected a plain number in GHz, got true"),
    ("clock_ghz: 2.0", "clock_ghz: .nan", 5, "expected a finite number, got nan"),
    ("clock_ghz: 2.0", "clock_ghz: 1e999", 5, "expected a finite number, got inf"),
    ("clock_ghz: 2.0", "clock_ghz: -2", 5, "expected a number above 0, got -2"),
    ("size_kib: 32", 'size_kib: "32 KB"', 16, 'plain number in KiB, got "32 KB"'),
    ("size_kib: 32", "size_kib: 0", 16, "caches.L1.size_kib: expected a number above 0, got 0"),
    ("sockets: 2", "sockets: 1.5", 6, "sockets: expected a whole number, got 1.5"),
    ("sockets: 2\n", "", 1, "missing key 'sockets'"),
    ("schema: 1", "schema: 2", 1, "schema: expected 1"),
    ("schema: 1", "shcema: 1", 1, "missing key 'schema'; is it 'shcema'?"),
    ("  latency_ns: 80", "  latncy_ns: 80", 19, "unknown key 'memory.latncy_ns'; did you mean"),
    ("level: L1,", "level: L1, lines: 3,", 16, "unknown key 'caches.L1.lines'"),
    ("level: L1", "level: L2", 16, "expected L1: caches are listed nearest first"),
    ("ways: 8, latency_cy: 4", "ways: 7, latency_cy: 4", 16, "7 ways of 64 B lines do not divide"),
    ("size_kib: 256", "size_kib: 32", 17, "32 KiB is smaller than the 2 x 32 KiB of L1"),
    ("latency_cy: 12", "latency_cy: 3", 17, "3 cycles is less than the 4 of L1"),
    ("shared_by_cores: 2", "shared_by_cores: 3", 17, "divisor of the 4 cores per socket, got 3"),
    ("latency_cy: 4}", "holds: inclusiv}", 16, "inclusive, victim, noninclusive, got"),
    ("latency_cy: 4}", "write_back: 1}", 16, "write_back: expected true or false, got 1"),
    ("cores: 1, gb_s: 10", "cores: 1, gb_s: 50", 22, "40 GB/s with 8 cores is less than 50 with 1"),
    ("cores: 8", "cores: 9", 22, "the machine has 8 cores, got 9"),
    ("cores: 8", "cores: 1", 22, "MEM load for 1 cores is stated twice"),
    ("pattern: load, cores: 1", "pattern: lod, cores: 1", 21, "got \"lod\"; did you mean 'load'?"),
    (
        "level: MEM, pattern: load, cores: 1",
        "level: L3, pattern: load, cores: 1",
        21,
        "one of L1, L2",
    ),
    ("add.f64.simd", "ad.f64.simd", 13, "unknown operation class 'ad'; did you mean 'add'?"),
    ("add.f64.simd", "add.f65.simd", 13, "class[.type][.width], got 'f65'; did you mean 'f64'?"),
    ("add.f64.simd", "add.simd.f64", 13, "got 'f64'"),
    ("ports: [1]", "ports: []", 13, "expected the list of ports that can do it"),
    ("ports: [1]", "ports: [1, 1]", 13, "a port is named twice"),
    ("[load], links: serial", "[laod]", 14, "unknown operation class 'laod'; did you mean 'load'?"),
    ("register_bytes: 32", "register_bytes: 24", 9, "expected a power of two, got 24"),
    ("line_bytes: 64", "line_bytes: 63", 8, "expected a power of two, got 63"),
    ("simd: {isa: avx, register_bytes: 32, fma: true}", "simd: avx", 9, "expected a mapping"),
    ("default: measured", "memory: measured", 5, "clock_ghz: no source"),
    (
        "default: measured",
        "default: x, memroy: y",
        4,
        "no figure under 'memroy'; did you mean 'mem",
    ),
    ("walk_cy: 20", "walk_ns: 20", 25, "tlb: missing key 'walk_cy'; is it 'walk_ns'?"),
    ("walk_cy: 20", "walk_cy: 20, page_bytes: 4000", 25, "expected a power of two, got 4000"),
    ("default: measured", "default: 7", 4, "sources.default: expected a text, got 7"),
    ("sockets: 2", "sockets: 2\nsockets: 3", 7, "duplicate key 'sockets', first on line 6"),
    (
        "sockets: 2",
        "sockets: 2\nlocal_store: {size_kib: 4}",
        7,
        "caches or a local store, not both",
    ),
    ("  latency_ns", "  numa_domains_per_socket: 3\n  latency_ns", 19, "divisor of the 4 cores"),
    ("gb_s: 40, lifted_by", "gflop_s: 40, lifted_by", 24, "missing key 'gb_s'"),
    (
        "[{name: affinity",
        "[{name: a, gb_s: 50, lifted_by: x}, {name: affinity",
        24,
        "bottom to top",
    ),
]


def test_the_unbroken_file_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    assert check(file) == []
    assert load_machine(file).aliases == ()


@pytest.mark.parametrize(("old", "new", "line", "message"), BROKEN)
def test_a_broken_file_says_where_and_what(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert GOOD.count(old) == 1
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(ConfigurationError) as caught:
        load_machine(file)
    text = str(caught.value)
    assert text.startswith(f"{file}:{line}: ")
    assert message in text
    assert "\n" not in text
    assert check(file) == [text]


@pytest.mark.parametrize("key", ["peak_gflop_s: {f63: 1}", "peak_gop_s: {iop.i31: 1}"])
def test_peaks_of_unknown_types_are_refused(tmp_path: Path, key: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"{GOOD}{key}\n")
    with pytest.raises(ConfigurationError, match="unknown element type"):
        load_machine(file)


def test_victim_caches_may_be_smaller_than_what_they_serve(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    # 105 MiB for 56 cores of 2 MiB, as Sapphire Rapids has it: less than the sum of the L2s
    file.write_text(
        GOOD.replace("size_kib: 256, ways: 8,", "size_kib: 48, ways: 8, holds: victim,")
    )
    assert check(file) == []


def test_measured_rates_may_fall_a_little_past_saturation(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    fall = "    - {level: MEM, pattern: copy, cores: %d, gb_s: %g}\n"
    entries = "  bandwidth:\n" + fall % (2, 20) + fall % (4, 19)
    file.write_text(GOOD.replace("  bandwidth:\n", entries))
    assert check(file) == []
    file.write_text(GOOD.replace("  bandwidth:\n", entries.replace("19", "16")))
    (problem,) = check(file)
    assert "16 GB/s with 4 cores is less than 20 with 2" in problem
    # across sockets nothing excuses a fall
    file.write_text(
        GOOD.replace("  bandwidth:\n", "  bandwidth:\n" + fall % (4, 20) + fall % (8, 19))
    )
    assert len(check(file)) == 1


@given(
    st.integers(0, GOOD.count("\n") - 1),
    st.sampled_from(["x", "-1", "0", "[]", "{}", "[{}]", "{a: 1}", "~", "1e400", "[1, [2]]", "é"]),
)
def test_no_value_anywhere_makes_a_traceback(number: int, value: str) -> None:
    lines = GOOD.splitlines()
    key, colon, _ = lines[number].partition(": ")
    lines[number] = f"{key}{colon or ' '}{value}"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "mine.yaml"
        file.write_text("\n".join(lines), encoding="utf-8")
        with suppress(ConfigurationError):
            load_machine(file)


def test_check_compares_stated_peak_with_the_ports(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    # one port x 4 lanes x 2 GHz x 8 cores = 64
    file.write_text(f"{GOOD}peak_gflop_s: {{f64: 128}}\n")
    (problem,) = check(file)
    assert "peak_gflop_s.f64: 128 stated, but the ports give 64" in problem
    file.write_text(f"{GOOD}peak_gflop_s: {{f64: 64}}\n")
    assert check(file) == []


def test_coprocessors_and_host_are_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    more = """\
coprocessors: {count: 4, memory_bytes: 6.0e+9, peak_gop_s: 1500, bandwidth_gb_s: 288, banks: 1,
               channels: {main: {bandwidth_gb_s: 32, shared: true, duplex: half, align_bytes: 16,
                                 latency_us: 0}}}
host: {memory_bytes: 128e9, peak_gop_s: 330}
"""
    file.write_text(GOOD + more)
    machine = load_machine(file)
    assert machine.coprocessors is not None
    assert machine.coprocessors.number == 4
    assert machine.coprocessors.memory_bytes == 6e9
    assert machine.coprocessors.channels["main"] == Channel(32, align_bytes=16)
    assert machine.host == HostSystem(128e9, 330)
    file.write_text(GOOD + more.replace("main:", "mian:"))
    with pytest.raises(ConfigurationError, match="expected a channel named main"):
        load_machine(file)


@pytest.mark.parametrize("file", sorted(builtin_dir().glob("*.yaml")), ids=lambda f: f.stem)
def test_no_key_of_a_shipped_file_is_ignored(file: Path, tmp_path: Path) -> None:
    """Doubling any top-level key's name is noticed, so every key is read."""
    lines = file.read_text().splitlines()
    for number, line in enumerate(lines):
        if line[:1].isalpha():
            key, _, rest = line.partition(":")
            broken = [*lines[:number], f"{key}x:{rest}", *lines[number + 1 :]]
            copy = tmp_path / file.name
            copy.write_text("\n".join(broken))
            with pytest.raises(ConfigurationError):
                load_machine(copy)
