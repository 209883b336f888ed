"""The compiler that the core models plan code for, from the flags of a file."""

import os.path
from typing import Final

from rooflint.compile_flags.flags import CodeGeneration
from rooflint.core import Compiler
from rooflint.core.compiler import compiler_named
from rooflint.core.compiler_traits import Contraction

LEVELS: Final = {"0": 0, "1": 1, "g": 1, "2": 2, "s": 2, "z": 2, "3": 3, "fast": 3}
NARROW: Final = frozenset(("x86-64", "x86-64-v2", "k8", "nehalem", "westmere", "core2"))
"""x86 processors without AVX, as ``-march`` names them."""
WIDE: Final = ("avx", "fma")
COUNTING: Final = frozenset(("x86-64-v2", "nehalem", "westmere"))
"""Those of them that count bits by an instruction."""
COUNTS_BITS: Final = ("popcnt", "sse4.2", "abm")


def compiler_of(code: CodeGeneration, wanted: str = "") -> Compiler:
    """The compiler ``wanted`` (a name or a path), else what the file's command line names, else
    clang, with the flags given; without an ``-O`` the default level, which reports say is assumed.
    """
    compiler = compiler_named(os.path.basename(wanted) or code.driver)
    if code.fast_math or code.opt_level == "fast":
        compiler = compiler.fast
    elif code.associative_math:
        compiler = compiler._replace(reassociate=True)
    compiler = compiler._replace(
        reciprocal=_either(code.reciprocal_math, compiler.reciprocal),
        math_errno=_either(code.math_errno, compiler.math_errno),
        trapping_math=_either(code.trapping_math, compiler.trapping_math),
        contract=_contraction(code.ffp_contract, compiler.contract),
        vectorise=code.vectorize is not False,
        unroll=code.unroll_loops,
        strict_aliasing=code.strict_aliasing is not False,
        openmp=code.obeys_openmp,
        openmp_simd=code.openmp or code.openmp_simd,
        veclib=code.veclib not in ("", "none"),
        register_bytes=code.prefer_vector_bits // 8 if code.prefer_vector_bits else None,
    )
    if code.opt_level is None:
        return compiler
    if code.opt_level in ("s", "z") and not compiler.traits.vectorizes_for_size:
        compiler = compiler._replace(vectorise=code.vectorize is True)
    return compiler._replace(
        level=LEVELS.get(code.opt_level, 3),
        baseline=_is_baseline(code),
        counts_bits=_counts_bits(code),
        assumed=False,
    )


def _either(flag: bool | None, default: bool) -> bool:
    return default if flag is None else flag


def _contraction(word: str | None, default: Contraction) -> Contraction:
    if word is None:
        return default
    return "off" if word == "off" else "on" if word == "on" else "fast"


def _counts_bits(code: CodeGeneration) -> bool:
    if not _is_baseline(code):
        return True
    return code.march in COUNTING or any(each.startswith(COUNTS_BITS) for each in code.features)


def _is_baseline(code: CodeGeneration) -> bool:
    if code.march is not None:
        return code.march in NARROW
    return not any(feature.startswith(WIDE) for feature in code.features)
