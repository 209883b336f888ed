"""Remarks of gcc and clang: read from what they print, and joined to loops."""

import os
from pathlib import Path

import pytest
from rooflint.core.external.build import CompilationUnit
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.remarks import (
    CompilerRemark,
    FileRemarks,
    LoopFate,
    compiler_remarks,
    remarks_on,
)

posix_only = pytest.mark.skipif(os.name != "posix", reason="the compiler here is a shell script")
VECTORS = CompilerRemark(3, True, "loop vectorized using 32 byte vectors")
CLANG_VECTORS = CompilerRemark(3, True, "vectorized loop (vectorization width: 4, interleaved: 4)")
OUTER = CompilerRemark(2, True, "outer loop vectorized using 32 byte vectors")
MISSED = CompilerRemark(3, False, "couldn't vectorize loop")
REASON = CompilerRemark(4, False, "not vectorized: unsupported use in stmt.")
CALL = CompilerRemark(3, True, "Loop 1 distributed: split to 0 loops and 1 library calls.")
SPLIT = CompilerRemark(3, True, "Loop 1 distributed: split to 1 loops and 1 library calls.")
MEMSET = CompilerRemark(
    4, True, "Transformed loop-strided store in z function into a call to memset"
)
UNROLLED = CompilerRemark(3, True, "loop with 3 iterations completely unrolled")
BY_FACTOR = CompilerRemark(3, True, "unrolled loop by a factor of 8 with run-time trip count")


@pytest.mark.parametrize(
    ("remarks", "fate"),
    [
        ([VECTORS], LoopFate.VECTORS),
        ([CLANG_VECTORS, BY_FACTOR], LoopFate.VECTORS),
        ([MISSED, REASON, VECTORS], LoopFate.VECTORS),  # one of several versions
        ([VECTORS, UNROLLED], LoopFate.VECTORS),  # the remainder is what vanishes
        ([OUTER, MISSED], LoopFate.VECTORS),
        ([CALL], LoopFate.CALL),
        ([MEMSET], LoopFate.CALL),
        ([SPLIT, MISSED], LoopFate.SCALAR),
        ([MISSED], LoopFate.SCALAR),
        ([MISSED, BY_FACTOR], LoopFate.SCALAR),
        ([UNROLLED], LoopFate.UNROLLED),
        ([BY_FACTOR], LoopFate.SILENT),
        ([], LoopFate.SILENT),
    ],
)
def test_what_became_of_a_loop(remarks: list[CompilerRemark], fate: LoopFate) -> None:
    assert remarks_on(remarks, own={3, 4}, around={2}).fate is fate


def test_remarks_on_other_lines_say_nothing() -> None:
    later = VECTORS._replace(line=5)
    before = VECTORS._replace(line=1)
    assert remarks_on([before, later], own={3, 4}, around={2}).fate is LoopFate.SILENT


def test_a_refusal_of_the_loop_around_is_not_the_loops_own() -> None:
    refused = MISSED._replace(line=2)
    assert remarks_on([refused], own={3, 4}, around={2}).fate is LoopFate.SILENT


def test_reasons_are_kept_once_and_only_of_loops_that_stay_scalar() -> None:
    assert remarks_on([MISSED, REASON, REASON], {3, 4}, {2}).remarks == (REASON,)
    assert remarks_on([MISSED, REASON, VECTORS], {3, 4}, {2}).remarks == (VECTORS,)


def compiler(folder: Path, name: str, version: str, remarks: str) -> str:
    """A program under a compiler's name that writes remarks, with the source's path for SOURCE."""
    path = folder / name
    text = f"""#!/bin/sh
case "$1" in --version) echo '{version}'; exit;; esac
echo "$*" > "$0.asked"
for last; do :; done
sed "s|SOURCE|$last|" >&2 <<'END'
{remarks}
END
"""
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def remarks_of(folder: Path, program: str, flags: tuple[str, ...] = ("-O3",)) -> FileRemarks:
    source = folder / "k.c"
    source.write_text("int x;\n")
    found = compiler_remarks(CompilationUnit(str(source), flags, program))
    assert isinstance(found, FileRemarks), found
    return found


@posix_only
def test_gcc_is_read(tmp_path: Path) -> None:
    text = """SOURCE:3:23: optimized: loop vectorized using 32 byte vectors
SOURCE:3:23: optimized:  loop versioned for vectorization because of possible aliasing
SOURCE:10:5: missed: couldn't vectorize loop
SOURCE:12:5: note: ***** Analysis failed with vector mode V4DF
 scalar_type: double
/usr/include/other.h:3:1: optimized: loop vectorized using 32 byte vectors"""
    found = remarks_of(tmp_path, compiler(tmp_path, "gcc", "gcc (made up) 12.2", text))
    assert found.compiler == "gcc (made up) 12.2"
    assert found.remarks == (
        CompilerRemark(3, True, "loop vectorized using 32 byte vectors"),
        CompilerRemark(3, True, "loop versioned for vectorization because of possible aliasing"),
        CompilerRemark(10, False, "couldn't vectorize loop"),
    )


@posix_only
def test_clang_is_read(tmp_path: Path) -> None:
    text = """SOURCE:3:5: remark: vectorized loop (vectorization width: 4) [-Rpass=loop-vectorize]
    3 |     for (int i = 0; i < n; i++)
SOURCE:9:5: remark: loop not vectorized: call [-Rpass-analysis=loop-vectorize]
SOURCE:9:5: remark: loop not vectorized [-Rpass-missed=loop-vectorize]
SOURCE:9:7: warning: unused"""
    found = remarks_of(tmp_path, compiler(tmp_path, "clang", "clang version 19", text))
    assert found.remarks == (
        CompilerRemark(3, True, "vectorized loop (vectorization width: 4)"),
        CompilerRemark(9, False, "loop not vectorized: call"),
        CompilerRemark(9, False, "loop not vectorized"),
    )


@posix_only
def test_flags_that_load_or_write_reach_no_compiler(tmp_path: Path) -> None:
    program = compiler(tmp_path, "gcc", "gcc 12", "")
    flags = ("-O2", "-fplugin=/tmp/x.so", "-o", "/tmp/x", "@/tmp/flags", "-save-temps")
    assert remarks_of(tmp_path, program, flags).flags == ("-O2",)
    asked = Path(f"{program}.asked").read_text(encoding="utf-8")
    assert "-O2" in asked
    assert not any(word in asked for word in ("plugin", "/tmp/x ", "@", "save-temps"))


def test_without_a_compiler_the_reason_is_a_line(tmp_path: Path) -> None:
    unit = CompilationUnit(str(tmp_path / "k.c"), (), "/nowhere/gcc")
    assert compiler_remarks(unit) == ExternalFailure("/nowhere/gcc is not installed")
