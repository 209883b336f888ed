"""``extends``: merging, cycles, and where inherited figures come from."""

from pathlib import Path

import pytest
from rooflint.errors import ConfigurationError
from rooflint.machine import builtin_dir
from rooflint.machine.load import load_machine

BASE = """\
schema: 1
name: base
aliases: [b]
description: the base
sources: {default: base manual, memory: base bench}
clock_ghz: 2.0
sockets: 1
cores_per_socket: 4
line_bytes: 64
simd: {isa: avx, register_bytes: 32}
core:
  operations:
    add: {ports: [0]}
    mul: {ports: [1]}
caches: [{level: L1, size_kib: 32, ways: 8}]
memory:
  latency_ns: 90
  bandwidth:
    - {level: MEM, pattern: load, cores: 1, gb_s: 10}
    - {level: MEM, pattern: copy, cores: 1, gb_s: 9}
"""


def child(folder: Path, text: str, base: str = BASE) -> Path:
    (folder / "base.yaml").write_text(base)
    file = folder / "child.yaml"
    file.write_text(f"schema: 1\nname: child\nextends: base\n{text}")
    return file


def test_own_keys_win_mappings_merge_lists_replace_null_removes(tmp_path: Path) -> None:
    file = child(
        tmp_path,
        """\
sources: {default: my bench}
clock_ghz: 3.0
simd: null
core: {operations: {add: {ports: [0, 1]}}}
memory:
  bandwidth:
    - {level: MEM, pattern: load, cores: 1, gb_s: 20}
""",
    )
    machine = load_machine(file)
    assert machine.name == "child"
    assert machine.aliases == ()
    assert machine.description == "the base"
    assert machine.clock_ghz == 3.0
    assert machine.simd is None
    assert machine.core is not None
    assert machine.core.operations["add"].ports == ("0", "1")
    assert machine.core.operations["mul"].ports == ("1",)
    assert machine.memory.latency_ns == 90
    assert [entry.pattern for entry in machine.memory.bandwidth] == ["load"]


def test_a_changed_figure_does_not_borrow_its_parents_source(tmp_path: Path) -> None:
    machine = load_machine(child(tmp_path, "sources: {clock_ghz: my clock}\nclock_ghz: 3.0\n"))
    assert machine.source_of("clock_ghz") == "my clock"
    assert machine.source_of("sockets") == "base manual"
    assert machine.source_of("memory.latency_ns") == "base bench"
    with pytest.raises(ConfigurationError, match=r"child.yaml:4: clock_ghz: no source"):
        load_machine(child(tmp_path, "clock_ghz: 3.0\n"))


def test_sources_of_removed_figures_go_with_them(tmp_path: Path) -> None:
    machine = load_machine(child(tmp_path, "memory: {latency_ns: null}\n"))
    assert not any("latency" in path for path in machine.sources)
    assert machine.memory.latency_ns is None


def test_errors_name_the_file_that_has_the_figure(tmp_path: Path) -> None:
    file = child(tmp_path, "", BASE.replace("clock_ghz: 2.0", "clock_ghz: fast"))
    with pytest.raises(ConfigurationError, match=r"base.yaml:6: clock_ghz: expected a plain"):
        load_machine(file)


def test_grandparents_and_paths(tmp_path: Path) -> None:
    child(tmp_path, "")
    (tmp_path / "sub").mkdir()
    file = tmp_path / "sub" / "own.yaml"
    file.write_text("schema: 1\nname: own\nextends: ../child.yaml\n")
    assert load_machine(file).clock_ghz == 2.0
    file.write_text("schema: 1\nname: own\nextends: child\n")
    assert load_machine(file, [tmp_path]).clock_ghz == 2.0


def test_a_built_in_machine_can_be_extended(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "schema: 1\nname: mine\nextends: skylake-sp-6148\n"
        "sources: {default: my log}\nsimd_clock_ghz: 2.0\n"
    )
    machine = load_machine(file, [builtin_dir()])
    peak = machine.peak_gops("f64", 1)
    assert peak is not None
    assert peak.value_g_per_s == pytest.approx(32 * 2.0)  # at the SIMD clock


def test_cycles(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("schema: 1\nname: a\nextends: b\n")
    (tmp_path / "b.yaml").write_text("schema: 1\nname: b\nextends: a\n")
    with pytest.raises(ConfigurationError, match=r"b\.yaml:3: extends: cycle a -> b -> a"):
        load_machine(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text("schema: 1\nname: a\nextends: a\n")
    with pytest.raises(ConfigurationError, match="extends: cycle a -> a"):
        load_machine(tmp_path / "a.yaml")


def test_unknown_parent(tmp_path: Path) -> None:
    file = child(tmp_path, "")
    file.write_text("schema: 1\nname: child\nextends: bsae\n")
    with pytest.raises(
        ConfigurationError, match=r"child\.yaml:3: extends: no machine 'bsae'; did you mean 'base'"
    ):
        load_machine(file)
