"""The compiler that the core models plan code for, from the flags of a file."""

import re
from typing import Final

from rooflint.core import DEFAULT_COMPILER, Compiler
from rooflint.core.compiler import Contraction
from rooflint.frontend.flags import CodeGeneration

LEVELS: Final = {"0": 0, "1": 1, "g": 1, "2": 2, "s": 2, "z": 2, "3": 3, "fast": 3}
NARROW: Final = frozenset(("x86-64", "x86-64-v2", "k8", "nehalem", "westmere", "core2"))
"""x86 processors without AVX, as ``-march`` names them."""
WIDE: Final = ("avx", "fma")
GNU: Final = re.compile(r"(?:.*-)?(?:gcc|g\+\+|gfortran)(?:-(\d+)(?:\.\d+)*)?")
GNU_USUALLY: Final = frozenset(("cc", "c++"))
"""Names that stand for gcc on most systems."""


def compiler_of(code: CodeGeneration) -> Compiler:
    """The compiler that the command line names, else clang, with the flags given; without an
    ``-O`` the default level, which reports say is assumed."""
    compiler = DEFAULT_COMPILER
    gnu = GNU.fullmatch(code.driver)
    if gnu or code.driver in GNU_USUALLY:
        version = int(gnu[1]) if gnu and gnu[1] else None
        compiler = compiler._replace(name="gcc", contract="fast", version=version)
    if code.fast_math or code.opt_level == "fast":
        compiler = compiler.fast
    elif code.associative_math:
        compiler = compiler._replace(reassociate=True)
    if code.math_errno is not None:
        compiler = compiler._replace(math_errno=code.math_errno)
    if code.ffp_contract is not None:
        compiler = compiler._replace(contract=_contraction(code.ffp_contract))
    compiler = compiler._replace(
        vectorise=code.vectorize is not False,
        unroll=code.unroll_loops,
        strict_aliasing=code.strict_aliasing is not False,
        openmp_simd=code.openmp or code.openmp_simd,
        register_bytes=code.prefer_vector_bits // 8 if code.prefer_vector_bits else None,
    )
    if code.opt_level is None:
        return compiler
    if compiler.name == "gcc" and code.opt_level in ("s", "z"):
        compiler = compiler._replace(vectorise=code.vectorize is True)
    return compiler._replace(
        level=LEVELS.get(code.opt_level, 3),
        baseline=_is_baseline(code),
        assumed=code.driver in GNU_USUALLY,
    )


def _contraction(word: str) -> Contraction:
    return "off" if word == "off" else "on" if word == "on" else "fast"


def _is_baseline(code: CodeGeneration) -> bool:
    if code.march is not None:
        return code.march in NARROW
    return not any(feature.startswith(WIDE) for feature in code.features)
