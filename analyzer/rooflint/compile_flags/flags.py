"""The compiler flags of one file as the rest of the front end sees them."""

import os
from typing import Self

from rooflint.compile_flags import options
from rooflint.compile_flags.options import Language
from rooflint.ir import Aliasing
from rooflint.records import NamedTuple


class CodeGeneration(NamedTuple):
    """Flags that shape the machine code: nothing here changes the source's meaning.

    ``None`` where the flags are silent. ``opt_level`` is ``0`` to ``3``, ``s``, ``z``, ``g`` or
    ``fast``; ``features`` are target switches such as ``avx2`` or ``no-fma`` in their order;
    ``march`` is as written, ``native`` included. ``driver`` is the compiler's file name where the
    command line has one.
    """

    opt_level: str | None = None
    march: str | None = None
    mtune: str | None = None
    target: str | None = None
    features: tuple[str, ...] = ()
    fast_math: bool = False
    associative_math: bool = False
    reciprocal_math: bool | None = None
    math_errno: bool | None = None
    trapping_math: bool | None = None
    ffp_contract: str | None = None
    openmp: bool = False
    openmp_simd: bool = False
    vectorize: bool | None = None
    unroll_loops: bool | None = None
    prefer_vector_bits: int | None = None
    strict_aliasing: bool | None = None
    veclib: str = ""
    driver: str = ""

    @property
    def obeys_openmp(self) -> bool:
        """Whether OpenMP's directives have an effect: not where the command line of a build lacks
        the flag. What has no such command line is taken to be built with it."""
        return self.openmp or not self.driver


class Flags(NamedTuple):
    """Options that libclang gets for one file, and those that it does not get.

    ``dropped`` are options that were not handed on; ``assumptions`` are sentences on those of them
    that could change the source's meaning, and on everything that had to be guessed; ``borrowed``
    are those of them that say whose flags these are where the file has none of its own.
    ``gathered``: headers of the project by the names under which code includes them, where a build
    has yet to gather them in one folder.
    """

    language: Language
    std: str | None = None
    options: tuple[str, ...] = ()
    code: CodeGeneration = CodeGeneration()
    dropped: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()
    gathered: tuple[tuple[str, str], ...] = ()

    @property
    def is_c(self) -> bool:
        """Whether the language is C, or OpenCL's."""
        return self.language in ("c", "cl")

    @property
    def aliasing(self) -> Aliasing:
        """Type-based aliasing rules that the compiler uses, if any.

        gcc turns -fstrict-aliasing on at -O2 and -Os, clang at -O1.
        """
        code = self.code
        strict = code.strict_aliasing
        if strict is None:
            early = "clang" in code.driver
            strict = code.opt_level not in (("0",) if early else ("0", "1", "g"))
        return Aliasing(strict=strict, retyping=self.is_c)

    @property
    def arguments(self) -> tuple[str, ...]:
        """libclang's arguments, without the file's name."""
        standard: tuple[str, ...] = ()
        if self.std is not None:
            standard = (("-cl-std=" if self.language == "cl" else "-std=") + self.std,)
        return (*options.LANGUAGE_ARGUMENTS[self.language], *standard, *self.options)

    @property
    def include_dirs(self) -> tuple[str, ...]:
        """The directories of ``-I``, in their order."""
        return tuple(option[2:] for option in self.options if option.startswith("-I"))

    def with_std(self, std: str) -> Self:
        """The same flags under another language standard, e.g. ``gnu89`` for K&R code."""
        return self._replace(std=std)

    def reduced(self) -> Self:
        """Without standard, target and language switches: for a parse that failed outright."""
        kept = (option for option in self.options if not option.startswith(("-m", "-f", "--")))
        note = "libclang refused the compiler flags: parsed with include paths and macros only"
        return self._replace(std=None, options=tuple(kept), assumptions=(*self.assumptions, note))


def default_language(path: str, driver: str = "") -> Language:
    """By extension, an unknown one is C++; a C++ driver reads ``.c`` as C++."""
    language = options.EXTENSIONS.get(os.path.splitext(path)[1], "c++")
    cxx_driver = "++" in driver or driver in options.CXX_DRIVERS
    return "c++" if language == "c" and cxx_driver else language
