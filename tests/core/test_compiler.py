"""Which compiler a program's name stands for, and from which level its passes run."""

import pytest
from rooflint.core import Compiler
from rooflint.core.compiler import compiler_named, is_compiler
from rooflint.core.compiler_traits import CompilerName


@pytest.mark.parametrize(
    ("driver", "name", "version"),
    [
        ("gcc", "gcc", None),
        ("g++-12.2.1", "gcc", 12),
        ("aarch64-linux-gnu-gfortran-13", "gcc", 13),
        ("c++", "gcc", None),
        ("clang-19", "clang", None),
        ("x86_64-pc-linux-gnu-clang++-16.0", "clang", None),
    ],
)
def test_drivers(driver: str, name: CompilerName, version: int | None) -> None:
    assert is_compiler(driver)
    compiler = compiler_named(driver)
    assert (compiler.name, compiler.version) == (name, version)
    assert compiler.guessed is (driver == "c++")


@pytest.mark.parametrize(
    "driver", ["", "-", "gcc-", "gcc-12-13", "gcc12", "clang-cl", "clang-", "12", "arm-cc", "cc-12"]
)
def test_other_programs_are_taken_for_clang(driver: str) -> None:
    assert not is_compiler(driver)
    assert compiler_named(driver) == Compiler(guessed=True)


@pytest.mark.parametrize("level", range(4))
def test_levels_of_passes(level: int) -> None:
    gcc, clang = Compiler(name="gcc", level=level), Compiler(level=level)
    assert (gcc.unswitches, gcc.interchanges) == (level >= 3, level >= 3)
    assert (clang.unswitches, clang.interchanges) == (level >= 2, False)
    assert (gcc.promotes_sums, gcc.straightens_boundaries) == (False, False)
    assert (clang.promotes_sums, clang.straightens_boundaries) == (level >= 2, level >= 2)
    assert gcc.whole_vectors_only is (level == 2)
    assert (gcc.alias_checks, clang.alias_checks) == (10 if level == 3 else 0, 128)
    assert gcc.fast.narrows_calls is (level >= 1)
    assert not clang.fast.narrows_calls


@pytest.mark.parametrize(
    ("iterations", "operations", "fixed_rows", "gcc", "clang"),
    [
        (16, 12, True, True, True),  # 192 operations
        (16, 12, False, False, True),
        (17, 10, True, False, True),
        (10, 20, True, True, True),  # 200 and
        (3, 67, True, False, True),  # 201 operations: gcc's limit lies between
        (10, 30, True, False, True),  # so does clang's, between 300 and
        (7, 43, True, False, False),  # 301 operations
    ],
)
def test_what_is_unrolled_completely(
    iterations: int, operations: int, fixed_rows: bool, gcc: bool, clang: bool
) -> None:
    of = iterations, operations, fixed_rows
    assert Compiler(name="gcc").unrolls_completely(*of) is gcc
    assert Compiler().unrolls_completely(*of) is clang
    assert not Compiler(name="gcc", level=2).unrolls_completely(*of)
    assert not Compiler(level=1).unrolls_completely(*of)
