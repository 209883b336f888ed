"""Standard-library headers of our own, served to libclang as virtual files.

Only what an analysis of loops needs is declared, so a parse needs no installed headers and costs a
small part of what real headers cost. The headers lie in a few packs per language: a line
``//@ name [alias ...]`` starts the virtual file of that name, an alias only includes it.
"""

import os
from functools import cache
from typing import Literal

Language = Literal["c", "c++"]

SHIM_ROOT = "/__rooflint__"
"""Folder of the virtual files; nothing lies there on disk."""

UNDEFINED_FOR_LOCAL_TYPE = "is used but not defined in this translation unit"
"""Part of libclang's error for a template that the headers only declare, used with a type that is
local to a function. It says nothing about the program: the tree is complete."""

_C_PACKS = (
    "standard",
    "errors",
    "library",
    "mathematics",
    "posix",
    "parallel",
    "mpi",
    "intrinsics",
    "gpu",
)
_CPP_PACKS = (
    "core",
    "wrappers",
    "arithmetic",
    "algorithms",
    "sequences",
    "associative",
    "text",
    "streams",
    "memory",
    "functions",
    "concurrency",
    "portability",
)
_MARK = "\n//@ "
# assert.h takes effect at every inclusion, so it must not be included only once.
_REPEATABLE = frozenset({"assert.h", "cassert"})


def shim_arguments(language: Language) -> tuple[str, ...]:
    """Compiler arguments that make the virtual files the only system headers.

    In C++ the C++ folder comes first: its ``math.h`` and ``stdlib.h`` build on those of C.
    """
    c_folder = ("-isystem", f"{SHIM_ROOT}/c")
    if language == "c":
        return ("-nostdinc", *c_folder)
    return ("-nostdinc", "-nostdinc++", "-isystem", f"{SHIM_ROOT}/cpp", *c_folder)


@cache
def shim_files(language: Language) -> tuple[tuple[str, bytes], ...]:
    """Virtual path and contents of every header for a language, ready to be unsaved files."""
    if language == "c":
        return tuple(_headers("c", _C_PACKS, "", ""))
    # Both say their linkage: programs include either kind inside an extern "C" of their own.
    return (
        *_headers("cpp", _CPP_PACKS, 'extern "C++" {\n', "\n}"),
        *_headers("c", _C_PACKS, 'extern "C" {\n', "\n}"),
    )


def _headers(
    folder: str, packs: tuple[str, ...], opening: str, closing: str
) -> list[tuple[str, bytes]]:
    """The virtual files of one folder, each section between ``opening`` and ``closing``."""
    home = os.path.join(os.path.dirname(__file__), folder)
    root = f"{SHIM_ROOT}/{folder}/"
    files: list[tuple[str, bytes]] = []
    for pack in packs:
        with open(os.path.join(home, f"{pack}.h"), encoding="ascii") as file:
            sections = file.read().split(_MARK)[1:]
        for section in sections:
            head, _, body = section.partition("\n")
            name, *aliases = head.split()
            once = "" if name in _REPEATABLE else "#pragma once\n"
            files.append((root + name, f"{once}{opening}{body}{closing}\n".encode()))
            # Quoted, so that a folder of the user's with a header of that name is not searched.
            files += [(root + alias, f'#include "{root}{name}"\n'.encode()) for alias in aliases]
    return files
