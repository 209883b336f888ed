"""Whether and how a compiler vectorizes a loop, and whether that pays."""

from collections.abc import Callable, Mapping
from typing import Final

from rooflint.core.compiler import Compiler
from rooflint.core.compiler_traits import CompilerName
from rooflint.core.vectorize.clang import ClangVectorizer
from rooflint.core.vectorize.gcc import GccVectorizer
from rooflint.core.vectorize.vectorizer import Vectorizer

__all__ = ["Vectorizer", "vectorizer_of"]

_VECTORIZERS: Final[Mapping[CompilerName, Callable[[Compiler], Vectorizer]]] = {
    "clang": ClangVectorizer,
    "gcc": GccVectorizer,
}


def vectorizer_of(compiler: Compiler) -> Vectorizer:
    """The vectorizer that makes code under ``compiler``'s flags."""
    return _VECTORIZERS[compiler.name](compiler)
