"""The last gate before libclang: absolute file names, and options of the expected shapes only.

libclang hands its arguments to clang's driver, and the driver takes anything that begins with a
dash for an option: a source file named ``--config=x/y.c`` makes it read options from ``x/y.c``.
An absolute path can be read as nothing else.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.compile_flags import options
from rooflint.errors import AnalysisError
from rooflint.frontend.parse.shims import SHIM_ROOT

_LANGUAGE: Final = "-x"
NO_LIMIT: Final = "-ferror-limit=0"
NO_HEADERS: Final = "-nostdinc"
_EXACT: Final = frozenset(
    (
        NO_LIMIT,
        NO_HEADERS,
        "-stdlib=libc++",
        "-stdlib=libstdc++",
        # each begins with -x and the language
        *(option for given in options.LANGUAGE_ARGUMENTS.values() for option in given[2:]),
    )
)
_FOLDERS: Final = frozenset(options.DIRECTORY_OPTIONS.values()) - {"-I", "-F"}
_FILES: Final = frozenset(options.FILE_OPTIONS.values())
_FORCED: Final = ("-Xclang", "-include", "-Xclang")
_JOINED_FOLDERS: Final = ("-I", "-F")
_JOINED_PATHS: Final = ("--gcc-toolchain=", "--gcc-install-dir=")
_MACROS: Final = tuple(sorted(set(options.MACRO_OPTIONS.values())))
_PATTERNS: Final = (
    r"-(cl-)?std=[\w+.:]+",
    r"-march=[\w.+-]+",
    f"--target={options.TARGET}",
    options.LANGUAGE_SWITCHES,
    options.C_ONLY_SWITCHES,
    options.TARGET_SWITCHES,
    options.ARM_SWITCHES,
)


def absolute(path: str) -> str:
    """The path from the root, otherwise as it is: ``link/..`` leads where the system says."""
    return path if is_absolute(path) else os.path.join(os.getcwd(), path)


def is_absolute(path: str) -> bool:
    """Whether the path begins at a root; that of our own virtual headers is one everywhere."""
    return os.path.isabs(path) or path.startswith(f"{SHIM_ROOT}/")


def refuse_unexpected(path: str, arguments: Sequence[str], files: Iterable[str]) -> None:
    """Raises AnalysisError unless libclang can read this in one way only.

    path       of the source file
    arguments  options, without the file
    files      names of the files that come from memory
    """
    for name in (path, *files):
        if not is_absolute(name) or "\0" in name:
            raise AnalysisError("not passed to libclang: the path is not absolute", name)
    waiting = iter(arguments)
    for argument in waiting:
        if "\0" in argument or not _is_expected(argument, waiting):
            raise AnalysisError(f"not passed to libclang: the argument {argument!r}", path)


def _is_expected(argument: str, following: Iterator[str]) -> bool:
    """Whether the argument, with those after it that belong to it, has a shape of the tables."""
    if argument in _EXACT:
        return True
    if argument == _LANGUAGE:
        return next(following, "") in options.LANGUAGE_ARGUMENTS
    if argument in _FOLDERS:
        return _is_folder(next(following, ""))
    if argument in _FILES:
        return _is_file(next(following, ""))
    if argument == _FORCED[0]:
        rest = tuple(next(following, "") for _ in _FORCED)
        return rest[:-1] == _FORCED[1:] and _is_file(rest[-1])
    return _is_joined(argument)


def _is_joined(argument: str) -> bool:
    """Whether this is an option that has its value in the same argument, or has none."""
    for prefix in _JOINED_PATHS:
        if argument.startswith(prefix):
            return is_absolute(argument[len(prefix) :])
    if argument.startswith(_JOINED_FOLDERS):
        return _is_folder(argument[2:])
    if argument.startswith(_MACROS):
        return len(argument) > 2
    return any(re.fullmatch(pattern, argument) for pattern in _PATTERNS)


def _is_folder(path: str) -> bool:
    """A leading ``=`` stands for the system's root that ``-isysroot`` names."""
    return is_absolute(path.removeprefix("="))


def _is_file(path: str) -> bool:
    return is_absolute(path) or options.is_header_name(path)
