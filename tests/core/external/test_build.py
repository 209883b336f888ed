"""What a compiler is handed, what is kept, and what is refused."""

import os
import stat
from pathlib import Path

import pytest
from rooflint.core.external.build import Assembly, CompilationUnit, compile_unit, select_flags
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import ProgramOutput, gcc_release, locate, run_program
from rooflint.incremental.disk_store import SHARDS
from rooflint.incremental.result_store import ResultStore

LOADS = """-fplugin=/tmp/x.so -Xclang -load -Xclang /tmp/x.so -fpass-plugin=/tmp/x.so -specs=/tmp/x
 -wrapper /tmp/x -B/tmp -o/tmp/x -save-temps -dumpbase x @/tmp/flags --config /tmp/x -Wp,-MD,/tmp/x
 -fopenmp-targets=x -fprofile-use=/tmp/x -mllvm -load=/tmp/x -Wl,-x -no-integrated-as""".split()


def test_flags_that_shape_code_get_through() -> None:
    flags = ["-O3", "-march=haswell", "-ffast-math", "-DN=4", "-I", "/inc", "-std=c99", "-x", "c"]
    assert select_flags(flags) == (flags, [])


def test_flags_that_load_run_or_write_do_not() -> None:
    handed, _ = select_flags(LOADS)
    assert handed == []


@pytest.mark.parametrize("pair", [["-I", "@/tmp/flags"], ["-include", "-fplugin=/tmp/x.so"]])
def test_nor_do_they_as_the_value_of_another(pair: list[str]) -> None:
    assert select_flags(pair) == ([], pair)


def test_a_name_that_is_no_compiler_is_not_run(tmp_path: Path) -> None:
    found = compile_unit(CompilationUnit(str(tmp_path / "k.c"), (), "/bin/sh"), ResultStore())
    assert found == ExternalFailure("sh is no compiler that is known here, expected clang or gcc")


def test_a_compiler_that_is_missing_is_said(tmp_path: Path) -> None:
    found = compile_unit(
        CompilationUnit(str(tmp_path / "k.c"), (), "/nowhere/clang"), ResultStore()
    )
    assert found == ExternalFailure("/nowhere/clang is not installed")


def fake(folder: Path, text: str, name: str = "clang") -> str:
    """A program under a compiler's name."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


CLANG = """
case "$1" in --version) echo 'clang version 0.1'; exit;; esac
echo run >> "$0.runs"
while [ $# -gt 0 ]; do
  case "$1" in
    -o) out=$2;; -MF) needed=$2;;
  esac
  last=$1; shift
done
printf 'k:\\n\\tret\\n' > "$out"
printf 'out.s: %s %s.h\\n' "$last" "$last" > "$needed"
echo "$last:3:5: remark: vectorized loop (vectorization width: 4, interleaved count: 2)" >&2
"""


def runs(compiler: str) -> int:
    path = Path(f"{compiler}.runs")
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.skipif(os.name != "posix", reason="the compiler here is a shell script")
def test_a_listing_is_kept_until_source_header_or_flags_change(tmp_path: Path) -> None:
    compiler = fake(tmp_path, CLANG)
    source, header = tmp_path / "k.c", tmp_path / "k.c.h"
    source.write_text("one")
    header.write_text("one")
    store = ResultStore(str(tmp_path / "cache"))
    unit = CompilationUnit(str(source), ("-O3",), compiler)

    first = compile_unit(unit, store)
    assert isinstance(first, Assembly), first
    assert first.text == "k:\n\tret\n"
    assert first.remarks == {3: (4, 2)}
    assert compile_unit(unit, store) == first
    assert runs(compiler) == 1
    compile_unit(unit._replace(flags=("-O2",)), store)
    assert runs(compiler) == 2
    header.write_text("two")
    compile_unit(unit, store)
    assert runs(compiler) == 3
    source.write_text("two")
    compile_unit(unit, store)
    assert runs(compiler) == 4


@pytest.mark.skipif(os.name != "posix", reason="the compiler here is a shell script")
def test_a_compiler_that_fails_gives_its_first_error(tmp_path: Path) -> None:
    failing = 'case "$1" in --version) echo 1; exit;; esac; echo "k.c:1: error: no" >&2; exit 1'
    compiler = fake(tmp_path, failing)
    (tmp_path / "k.c").write_text("")
    found = compile_unit(CompilationUnit(str(tmp_path / "k.c"), (), compiler), ResultStore())
    assert found == ExternalFailure("clang: k.c:1: error: no")


@pytest.mark.skipif(os.name != "posix", reason="the program here is a shell script")
def test_a_program_is_stopped_after_its_time(tmp_path: Path) -> None:
    found = run_program((fake(tmp_path, "sleep 20; true"),), limit_s=0.2)
    assert found == ExternalFailure("clang took longer than 0.2 s")


@pytest.mark.skipif(os.name != "posix", reason="the program here is a shell script")
def test_what_programs_inherit_holds_nothing_that_steers_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPILER_PATH", "/tmp/evil")
    monkeypatch.setenv("CCC_OVERRIDE_OPTIONS", "+-fplugin=/tmp/x.so")
    found = run_program((fake(tmp_path, "env"),))
    assert isinstance(found, ProgramOutput)
    assert "COMPILER_PATH" not in found.out
    assert "CCC_OVERRIDE_OPTIONS" not in found.out


@pytest.mark.skipif(os.name != "posix", reason="search paths of POSIX")
def test_programs_in_the_current_folder_are_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, "exit 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}")
    assert locate("clang") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert locate("clang") == str(tmp_path / "clang")


def test_a_store_without_a_folder_keeps_nothing() -> None:
    ResultStore().write("key", "text")
    assert ResultStore().read("key") is None


def test_a_broken_entry_is_a_miss(tmp_path: Path) -> None:
    store = ResultStore(str(tmp_path))
    store.write("key", "text")
    assert store.read("key") == "text"
    [entry] = [path for path in tmp_path.rglob("*") if path.is_file()]
    entry.write_bytes(b"[]")
    assert store.read("key") is None


def test_a_store_does_not_grow_for_ever(tmp_path: Path) -> None:
    store = ResultStore(str(tmp_path), limit_bytes=SHARDS * 100)  # one entry a shard
    for number in range(3 * SHARDS):
        store.write(str(number), "text")
    assert 1 <= len([path for path in tmp_path.rglob("*") if path.is_file()]) <= SHARDS


@pytest.mark.parametrize(
    ("line", "release"),
    [
        ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", 12),
        ("gcc (GCC) 11.4.1 20231218 (Red Hat 11.4.1-3)", 11),
        ("Apple clang version 15.0.0", None),
    ],
)
def test_the_release_of_a_gcc(tmp_path: Path, line: str, release: int | None) -> None:
    program = tmp_path / "gcc"
    program.write_text(f"#!/bin/sh\necho '{line}'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert gcc_release(str(program)) == release
    assert gcc_release(str(tmp_path / "missing")) is None
