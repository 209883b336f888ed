"""From the flags of a file to the compiler whose code is planned."""

import pytest
from rooflint.compile_flags.flags import CodeGeneration
from rooflint.core import Compiler
from rooflint.pipeline.setup.compilers import compiler_of


def test_without_flags_the_default_is_assumed() -> None:
    assert compiler_of(CodeGeneration()) == Compiler(guessed=True)
    assert Compiler().assumed
    assert not compiler_of(CodeGeneration(opt_level="2")).assumed


@pytest.mark.parametrize(
    ("written", "level"), [("0", 0), ("g", 1), ("s", 2), ("3", 3), ("fast", 3)]
)
def test_levels(written: str, level: int) -> None:
    assert compiler_of(CodeGeneration(opt_level=written)).level == level


def test_fast_math_reorders_fuses_and_forgets_errno() -> None:
    for code in (CodeGeneration(opt_level="fast"), CodeGeneration(opt_level="3", fast_math=True)):
        compiler = compiler_of(code)
        assert compiler.reassociate
        assert compiler.finite_math
        assert compiler.contract == "fast"
        assert not compiler.math_errno
    associative = compiler_of(CodeGeneration(opt_level="3", associative_math=True))
    assert associative.reassociate
    assert not associative.finite_math


def test_the_baseline_is_what_march_leaves_out() -> None:
    assert compiler_of(CodeGeneration(opt_level="3")).baseline
    assert compiler_of(CodeGeneration(opt_level="3", march="x86-64-v2")).baseline
    assert not compiler_of(CodeGeneration(opt_level="3", march="native")).baseline
    assert not compiler_of(CodeGeneration(opt_level="3", features=("avx2", "fma"))).baseline


def test_single_switches() -> None:
    code = CodeGeneration(
        opt_level="3",
        ffp_contract="off",
        vectorize=False,
        prefer_vector_bits=512,
        strict_aliasing=False,
        math_errno=False,
    )
    compiler = compiler_of(code)
    assert compiler.contract == "off"
    assert not compiler.vectorises
    assert compiler.register_bytes == 64
    assert not compiler.strict_aliasing
    assert not compiler.math_errno
    assert str(compiler) == (
        "clang -O3 -ffp-contract=off -fno-vectorize without -march with 512-bit vectors"
    )


@pytest.mark.parametrize(
    ("driver", "wanted", "name", "version", "guessed"),
    [
        ("", "", "clang", None, True),
        ("clang++-19", "", "clang", None, False),
        ("gcc", "", "gcc", None, False),
        ("x86_64-linux-gnu-g++-11", "", "gcc", 11, False),
        ("cc", "", "gcc", None, True),
        ("icpx", "", "clang", None, True),
        ("clang", "/usr/bin/gcc-12", "gcc", 12, False),
        ("gcc", "clang", "clang", None, False),
    ],
)
def test_whose_code_it_is(
    driver: str, wanted: str, name: str, version: int | None, guessed: bool
) -> None:
    compiler = compiler_of(CodeGeneration(opt_level="3", driver=driver), wanted)
    assert (compiler.name, compiler.version, compiler.guessed) == (name, version, guessed)
    assert not compiler.assumed


def test_gcc_fuses_across_statements_by_itself() -> None:
    assert compiler_of(CodeGeneration(), "gcc").contract == "fast"
    assert compiler_of(CodeGeneration(), "clang").contract == "on"
