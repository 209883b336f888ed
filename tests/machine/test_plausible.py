"""Rules of ``machine check``, each on both sides of its limit, and what it says to the user."""

from pathlib import Path

import pytest
from rooflint.machine import builtin_dir
from rooflint.machine.describe import check
from rooflint.machine.load import load_machine
from rooflint.machine.plausible import implausible

DIRS = [builtin_dir()]
FILE = """schema: 1
name: toy
description: a machine of round figures
sources: {{default: {source}}}
clock_ghz: 2.0
sockets: 1
cores_per_socket: 4
line_bytes: 64
peak_gflop_s: {{f64: 64}}
caches:
  - {{level: L1, size_kib: 32, ways: 8, latency_cy: 4}}
  - {{level: L2, size_kib: 1024, ways: 16, latency_cy: {l2}}}
memory:
  latency_ns: {latency}
  bandwidth:
    - {{level: L2, pattern: load, cores: 1, gb_s: 50}}
    - {{level: MEM, pattern: load, cores: 1, gb_s: {one}}}
    - {{level: MEM, pattern: load, cores: 4, gb_s: {four}}}
{more}"""
PROBED = '"rooflint machine probe, built with cc"'


def written(
    folder: Path,
    *,
    one: float = 20.0,
    four: float = 40.0,
    l2: float = 14.0,
    latency: float = 90.0,
    source: str = "x",
    more: str = "",
) -> Path:
    path = folder / "toy.yaml"
    text = FILE.format(one=one, four=four, l2=l2, latency=latency, source=source, more=more)
    path.write_text(text)
    return path


def figures_of(path: Path) -> list[str]:
    return [each.figure for each in implausible(load_machine(path, DIRS), None)]


MANY, ONE = "memory.bandwidth.MEM.load.4", "memory.bandwidth.MEM.load.1"


@pytest.mark.parametrize(
    ("one", "four", "wrong"),
    [
        (20.0, 19.2, []),
        (20.0, 18.9, [MANY]),  # below 0.95 times one core
        (20.0, 83.9, []),
        (20.0, 84.1, [MANY]),  # above 4 x 1.05 times one core
        (52.4, 53.0, []),
        (52.6, 53.0, [ONE]),  # more from memory than 50 GB/s from L2
    ],
)
def test_rates_over_cores_and_levels(
    tmp_path: Path, one: float, four: float, wrong: list[str]
) -> None:
    assert figures_of(written(tmp_path, one=one, four=four)) == wrong


@pytest.mark.parametrize(
    ("latency", "l2", "wrong"),
    [
        (33.0, 14.0, []),  # 20 GB/s x 33 ns / 64 B are 10.3 lines
        (31.0, 14.0, [ONE]),
        (639.0, 14.0, []),  # 199.7 lines
        (641.0, 14.0, [ONE]),
        (33.0, 65.0, []),  # 33 ns are 66 cycles
        (33.0, 66.0, ["memory.latency_ns"]),
    ],
)
def test_latency_and_lines_in_flight(
    tmp_path: Path, latency: float, l2: float, wrong: list[str]
) -> None:
    assert figures_of(written(tmp_path, latency=latency, l2=l2)) == wrong


def test_a_cache_is_as_slow_as_on_the_machine_with_the_same_core(tmp_path: Path) -> None:
    parent = load_machine(written(tmp_path), DIRS)  # L2 14 cy, memory 20 GB/s
    limits = [
        (21.0, 20.0, []),
        (21.1, 20.0, ["caches.L2.latency_cy"]),
        (9.4, 20.0, []),
        (9.3, 20.0, ["caches.L2.latency_cy"]),
        (14.0, 10.0, []),
        (14.0, 9.9, [ONE]),
        (14.0, 40.0, []),
        (14.0, 40.1, [ONE]),
    ]
    for l2, one, wrong in limits:
        machine = load_machine(written(tmp_path, l2=l2, one=one, four=40.2), DIRS)
        assert [each.figure for each in implausible(machine, parent)] == wrong


def test_a_message_names_file_line_figure_and_remedy(tmp_path: Path) -> None:
    path = written(tmp_path, four=18.5)
    assert check(path, DIRS) == [
        f"{path}:18: {MANY}: 18.5 GB/s with 4 cores, 20 with one: several draw less;"
        " repeat the measurement on a quiet machine"
    ]
    accepted = f"accepted: [{{figure: {MANY}, reason: one core was boosted}}]"
    assert check(written(tmp_path, four=18.5, more=accepted), DIRS) == []


def test_a_probe_states_its_quality(tmp_path: Path) -> None:
    (old,) = check(written(tmp_path, source=PROBED), DIRS)
    assert "did not record its disturbance; probe the machine again" in old
    good = f"quality: [{{figure: {ONE}, rounds: 2, spread: 0.02, clean: 0.9}}]"
    assert check(written(tmp_path, source=PROBED, more=good), DIRS) == []
    bad = f"quality: [{{figure: {ONE}, rounds: 8, spread: 0.4, clean: 0.1, doubtful: true}}]"
    (doubt,) = check(written(tmp_path, source=PROBED, more=bad), DIRS)
    assert "8 rounds, the two best 40% apart, 10% of the samples undisturbed; repeat" in doubt


def test_a_disturbed_probe_is_found_out(tmp_path: Path) -> None:
    # 3.25 GB/s and 157 cycles were one machine's figures under load; 20.9 and 64 without
    assert figures_of(written(tmp_path, one=3.25, four=12.0, latency=78.5)) == [ONE]


@pytest.mark.parametrize("path", sorted(builtin_dir().glob("*.yaml")), ids=lambda p: p.stem)
def test_shipped_machines_are_plausible_or_say_why_not(path: Path) -> None:
    assert check(path, DIRS) == []
