"""The compiler and the flags that decide which instructions a loop becomes."""

from typing import Final

from rooflint.core.compiler_traits import TRAITS, CompilerName, CompilerTraits, Contraction
from rooflint.records import NamedTuple

DEFAULT_DRIVER: Final = "clang"
"""The program that compiles where nobody names one."""
CLANG_DRIVERS: Final = frozenset(("clang", "clang++"))
GCC_DRIVERS: Final = frozenset(("gcc", "g++", "gfortran"))
GCC_USUALLY: Final = frozenset(("cc", "c++"))
"""Names that stand for gcc on most systems."""

UNGROWN: Final = 2
"""Bodies that take no more room than a loop with its counter, its comparison and its jump: gcc
unrolls no more of them at -O2 (``tree_unroll_loops_completely``)."""


class Compiler(NamedTuple):
    """A compiler with the flags that shape a loop's code.

    name            the traits and the vectorizer that hold
    level           of optimisation: 0 to 3; size levels count as 2 without unrolling
    reassociate     sums may be reordered (``-ffast-math``, ``-fassociative-math``)
    finite_math     no NaN to care for: minima and maxima are reductions
    math_errno      ``sqrt`` and its like set errno, so calls of them are not moved or widened
    trapping_math   floating-point exceptions may have handlers: none is raised needlessly
    contract        products and sums fused: in an expression (``on``), across statements (``fast``)
    register_bytes  of the widest vector used; None: what the compiler prefers on the machine
    vectorise       ``-fno-vectorize`` and its like turn it off
    unroll          ``-funroll-loops``; None: the compiler's habit
    strict_aliasing accesses of different types touch different objects
    baseline        no ``-march``: code for every processor of the architecture (SSE2 on x86)
    assumed         nobody gave flags: an assumption that reports state
    guessed         nobody named a compiler, or one that is not known here: reports state that too
    reciprocal      a quotient may become a product with the reciprocal (``-freciprocal-math``)
    openmp          directives of OpenMP make teams of threads: not in a build without ``-fopenmp``
    openmp_simd     ``omp simd`` is obeyed (``-fopenmp``, ``-fopenmp-simd``)
    version         of gcc, where its name tells; None: 12 or later
    counts_bits     code may use the instructions that count bits (``-mpopcnt``, on x86)
    veclib          clang calls vector forms of mathematical functions (``-fveclib``)
    """

    name: CompilerName = "clang"
    level: int = 3
    reassociate: bool = False
    finite_math: bool = False
    math_errno: bool = True
    trapping_math: bool = True
    contract: Contraction = "on"
    register_bytes: int | None = None
    vectorise: bool = True
    unroll: bool | None = None
    strict_aliasing: bool = True
    baseline: bool = False
    assumed: bool = True
    guessed: bool = False
    reciprocal: bool = False
    openmp: bool = True
    openmp_simd: bool = False
    version: int | None = None
    veclib: bool = False
    counts_bits: bool = True

    @property
    def traits(self) -> CompilerTraits:
        """The decisions that no flag changes."""
        return TRAITS[self.name]

    @property
    def vector_calls(self) -> bool:
        """Whether calls of mathematical functions are vectorised."""
        if not self.traits.libmvec_declarations:
            return self.veclib and not self.math_errno
        return self.reassociate and self.finite_math and not self.math_errno

    @property
    def with_vector_calls(self) -> tuple[str, "Compiler"]:
        """Flags that make it call vector forms, and the compiler under them."""
        if self.traits.libmvec_declarations:
            return "-ffast-math (libmvec)", self.fast
        flags = "-fveclib=libmvec -fno-math-errno"
        return flags, self._replace(veclib=True, math_errno=False)

    @property
    def vectorises(self) -> bool:
        """Whether its loop vectoriser runs: from -O2, before gcc 12 from -O3."""
        least = 3 if self.version is not None and self.version < 12 else 2
        return self.vectorise and self.level >= least

    @property
    def whole_vectors_only(self) -> bool:
        """Whether only loops without checks and without a remainder are vectorised."""
        return self.level == self.traits.very_cheap_level

    @property
    def ordered_reductions(self) -> bool:
        """Whether a sum whose order counts is vectorised up to its additions, which stay scalar
        and one after another."""
        return self.traits.ordered_reductions and not self.reassociate

    @property
    def splits_sums(self) -> bool:
        """Whether it accumulates a sum in several vectors by itself."""
        return self.traits.interleaves and self.reassociate and self.vectorises

    @property
    def alias_checks(self) -> int:
        """Most pairs of pointers compared at run time to vectorise a loop."""
        return self.traits.alias_checks[self.level]

    @property
    def narrows_calls(self) -> bool:
        """Whether functions of doubles become those of floats where rounding may differ."""
        return self.traits.narrows_calls and self.level > 0 and self.reassociate

    @property
    def expands_round(self) -> bool:
        """Whether ``round`` needs no call on x86 from SSE4.1 on."""
        return self.traits.expands_round and not self.trapping_math and self.level > 0

    @property
    def promotes_sums(self) -> bool:
        """Whether sums in memory move to registers behind address checks."""
        return self._reaches(self.traits.promotion_level)

    @property
    def unswitches(self) -> bool:
        """Whether invariant tests leave loops."""
        return self._reaches(self.traits.unswitch_level)

    @property
    def interchanges(self) -> bool:
        """Whether loops over global arrays are interchanged."""
        return self._reaches(self.traits.interchange_level)

    @property
    def vectorises_outer_loops(self) -> bool:
        """Whether iterations of the loop around an innermost one may fill vectors."""
        return self.vectorises and self._reaches(self.traits.outer_level)

    @property
    def straightens_boundaries(self) -> bool:
        """Whether a branch taken at one end of a loop only is peeled off or masked."""
        return self._reaches(self.traits.boundary_level)

    def unrolls_completely(self, iterations: int, operations: int, fixed_rows: bool) -> bool:
        """Whether a loop of so many operations an iteration vanishes; ``fixed_rows`` where the
        outer loop walks along rows that are seen to be distinct."""
        rule = self.traits.complete_unrolling
        few = rule.iterations is None or iterations <= rule.iterations
        small = few and iterations * operations <= rule.operations
        return small and self._reaches(rule.level) and (fixed_rows or not rule.fixed_rows)

    def removes_loop(self, scalar: tuple[int, int], vectors: tuple[int, int]) -> bool:
        """Whether a loop is unrolled completely, by clang before or after its vectors are made, by
        gcc after: iterations and operations of each, without vectors and with them."""
        rule = self.traits.complete_unrolling
        bodies, operations = vectors
        if rule.iterations is None:
            return any(self.unrolls_completely(*each, True) for each in (scalar, vectors))
        small = bodies * operations <= rule.operations and bodies - 1 <= rule.iterations
        return small and (self._reaches(rule.level) or (self.level == 2 and bodies <= UNGROWN))

    def _reaches(self, level: int | None) -> bool:
        return level is not None and self.level >= level

    @property
    def fast(self) -> "Compiler":
        """The same with ``-ffast-math``."""
        return self._replace(
            reassociate=True,
            finite_math=True,
            math_errno=False,
            trapping_math=False,
            contract="fast",
            reciprocal=True,
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


def is_compiler(driver: str) -> bool:
    """Whether a program's name is that of a compiler known here."""
    return driver in GCC_USUALLY or _split(driver)[0] in CLANG_DRIVERS | GCC_DRIVERS


def compiler_named(driver: str) -> Compiler:
    """The compiler that a program of this name is, as it is without flags; clang, as a guess, for
    an empty name and for others that are not known here."""
    program, version = _split(driver)
    name: CompilerName = "gcc" if driver in GCC_USUALLY or program in GCC_DRIVERS else "clang"
    release = version.partition(".")[0]
    return Compiler(
        name=name,
        contract=TRAITS[name].contraction,
        version=int(release) if release and name == "gcc" else None,
        guessed=program not in CLANG_DRIVERS | GCC_DRIVERS,
    )


def _split(driver: str) -> tuple[str, str]:
    """Program and version: ``gcc`` and ``12.2`` of ``x86_64-linux-gnu-gcc-12.2``."""
    words = driver.split("-")
    versioned = len(words) > 1 and all(part.isdecimal() for part in words[-1].split("."))
    version = words.pop() if versioned else ""
    return words[-1], version
