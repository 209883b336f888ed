"""What turns a loop into instructions: the compiler and the flags that decide its code."""

import re
from typing import Final, Literal, NamedTuple, TypeAlias

Family: TypeAlias = Literal["clang", "gcc"]
Contraction: TypeAlias = Literal["off", "on", "fast"]

CLANG: Final = re.compile(r"(?:.*-)?clang(?:\+\+)?(?:-\d+(?:\.\d+)*)?")
GNU: Final = re.compile(r"(?:.*-)?(?:gcc|g\+\+|gfortran)(?:-(\d+)(?:\.\d+)*)?")
GNU_USUALLY: Final = frozenset(("cc", "c++"))
"""Names that stand for gcc on most systems."""


class Compiler(NamedTuple):
    """A compiler with the flags that shape a loop's code.

    name            whose vectoriser it is
    level           of optimisation: 0 to 3; size levels count as 2 without unrolling
    reassociate     sums may be reordered (``-ffast-math``, ``-fassociative-math``)
    finite_math     no NaN to care for: minima and maxima are reductions
    math_errno      ``sqrt`` and its like set errno, so calls of them are not moved or widened
    contract        products and sums fused: in an expression (``on``), across statements (``fast``)
    register_bytes  of the widest vector used; None: what the compiler prefers on the machine
    vectorise       ``-fno-vectorize`` and its like turn it off
    unroll          ``-funroll-loops``; None: the compiler's habit
    strict_aliasing accesses of different types touch different objects
    baseline        no ``-march``: code for every processor of the architecture (SSE2 on x86)
    assumed         nobody gave flags: an assumption that reports state
    guessed         nobody named a compiler, or one that is not known here: reports state that too
    reciprocal      a quotient may become a product with the reciprocal (``-freciprocal-math``)
    openmp_simd     ``omp simd`` is obeyed (``-fopenmp``, ``-fopenmp-simd``)
    version         of gcc, where its name tells; None: 12 or later
    veclib          clang calls vector forms of mathematical functions (``-fveclib``)
    """

    name: Family = "clang"
    level: int = 3
    reassociate: bool = False
    finite_math: bool = False
    math_errno: bool = True
    contract: Contraction = "on"
    register_bytes: int | None = None
    vectorise: bool = True
    unroll: bool | None = None
    strict_aliasing: bool = True
    baseline: bool = False
    assumed: bool = True
    guessed: bool = False
    reciprocal: bool = False
    openmp_simd: bool = False
    version: int | None = None
    veclib: bool = False

    @property
    def vector_calls(self) -> bool:
        """Whether calls of mathematical functions are vectorised: gcc takes glibc's declarations of
        libmvec, which hold under ``-ffast-math`` alone; clang has to be told."""
        fast = self.reassociate and self.finite_math and not self.math_errno
        return fast if self.name == "gcc" else self.veclib and not self.math_errno

    @property
    def vectorises(self) -> bool:
        """Whether its loop vectoriser runs: from -O2, before gcc 12 from -O3."""
        least = 3 if self.version is not None and self.version < 12 else 2
        return self.vectorise and self.level >= least

    @property
    def whole_vectors_only(self) -> bool:
        """Whether a loop is vectorised only where it needs no checks and no remainder: gcc's very
        cheap cost model, that of ``-O2``."""
        return self.name == "gcc" and self.level == 2

    @property
    def in_order(self) -> bool:
        """Whether a sum whose order counts is vectorised up to its additions, which stay scalar
        and one after another (gcc's fold-left reductions)."""
        return self.name == "gcc" and not self.reassociate

    @property
    def alias_checks(self) -> int:
        """How many pairs of pointers it compares at run time to vectorise a loop.

        clang 16 and later weigh the checks, with a hard limit of 128; gcc compares up to 10 at
        ``-O3`` and none at ``-O2`` (``vect-max-version-for-alias-checks``, very-cheap model).
        """
        if self.name == "clang":
            return 128
        return 10 if self.level >= 3 else 0

    @property
    def streams_vectors(self) -> bool:
        """Whether ``__builtin_nontemporal_store`` of elements becomes such stores where there are
        pairs of registers to store (``stnp``). On x86 it does not: LLVM vectorises no loop with it
        unless it can prove whole vectors aligned, and SSE2 has no such store of one double."""
        return self.name == "clang"

    @property
    def fast(self) -> "Compiler":
        """The same with ``-ffast-math``."""
        return self._replace(
            reassociate=True, finite_math=True, math_errno=False, contract="fast", reciprocal=True
        )

    def __str__(self) -> str:
        words = [self.name, f"-O{self.level}"]
        if self.reassociate:
            words.append("-ffast-math" if self.finite_math else "-fassociative-math")
        if self.contract == "off":
            words.append("-ffp-contract=off")
        if not self.vectorise:
            words.append("-fno-vectorize")
        if self.baseline:
            words.append("without -march")
        if self.register_bytes:
            words.append(f"with {8 * self.register_bytes}-bit vectors")
        return " ".join(words)


def is_compiler(name: str) -> bool:
    """Whether a program's name is that of a compiler known here."""
    return name in GNU_USUALLY or bool(CLANG.fullmatch(name) or GNU.fullmatch(name))


def compiler_named(driver: str) -> Compiler:
    """The compiler that a program of this name is, as it is without flags; clang, as a guess, for
    an empty name and for others that are not known here."""
    gnu = GNU.fullmatch(driver)
    if gnu or driver in GNU_USUALLY:
        version = int(gnu[1]) if gnu and gnu[1] else None
        return Compiler(name="gcc", contract="fast", version=version, guessed=gnu is None)
    return Compiler(guessed=CLANG.fullmatch(driver) is None)
