"""Where a file's headers come from: our own declarations first, the machine's when they fail."""

from typing import Literal

from rooflint.compile_flags.installed import builtin_headers
from rooflint.compile_flags.options import Language
from rooflint.frontend.parse.shims import SHIM_ROOT, shim_arguments, shim_files


def shim_tier(language: Language) -> tuple[tuple[str, ...], tuple[tuple[str, bytes], ...]]:
    """Arguments and virtual files of the first tier: nothing installed is needed."""
    arguments = (*shim_arguments(_folder(language)), *_prelude(language))
    return arguments, shim_files(_folder(language))


def _folder(language: Language) -> Literal["c", "c++"]:
    return "c" if language in ("c", "cl") else "c++"


def _prelude(language: Language) -> tuple[str, ...]:
    """Headers that a GPU compiler includes before the file's first line."""
    return ("-include", f"{SHIM_ROOT}/c/cuda_runtime.h") if language in ("cuda", "hip") else ()


def real_tier(language: Language) -> tuple[tuple[str, ...], tuple[tuple[str, bytes], ...]] | None:
    """Arguments and virtual files of the second tier; None when the machine has no headers.

    Our own declarations come last there, for what is not installed (``omp.h``, ``mpi.h``).
    """
    builtin = builtin_headers()
    if builtin is None:
        return None
    behind: list[str] = []
    for argument in shim_arguments(_folder(language)):
        if not argument.startswith(("-nostdinc", "-isystem")):
            behind += ["-idirafter", argument]
    # our own assert is that of a release build
    arguments = ("-DNDEBUG", "-isystem", builtin, *behind, *_prelude(language))
    return arguments, shim_files(_folder(language))
