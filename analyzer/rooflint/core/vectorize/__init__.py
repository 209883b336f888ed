"""Whether and how a compiler vectorizes a loop, and whether that pays."""

from collections.abc import Callable, Mapping
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.compiler_traits import CompilerName
from rooflint.core.vectorize.vectorizer import Vectorizer

__all__ = ["Vectorizer", "vectorizer_of"]


def _clang(compiler: Compiler) -> Vectorizer:
    from rooflint.core.vectorize.clang import ClangVectorizer  # noqa: PLC0415

    return ClangVectorizer(compiler)


def _gcc(compiler: Compiler) -> Vectorizer:
    from rooflint.core.vectorize.gcc import GccVectorizer  # noqa: PLC0415

    return GccVectorizer(compiler)


_VECTORIZERS: Final[Mapping[CompilerName, Callable[[Compiler], Vectorizer]]] = {
    "clang": _clang,
    "gcc": _gcc,
}


def vectorizer_of(compiler: Compiler) -> Vectorizer:
    """The vectorizer that makes code under ``compiler``'s flags; no other's modules are loaded."""
    return _VECTORIZERS[compiler.name](compiler)
