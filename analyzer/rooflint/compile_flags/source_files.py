"""Which files a list of paths means: files as they are, folders and databases opened."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.compile_db import load_database
from rooflint.compile_flags.regular_files import read_regular
from rooflint.current_folder import current_folder
from rooflint.errors import ConfigurationError, UsageError
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

BUILD_FOLDERS: Final = frozenset(("build", "_build", "builddir", "CMakeFiles", "node_modules"))
BUILD_PREFIXES: Final = ("cmake-build-", "bazel-")
BUILD_MARKS: Final = ("CMakeCache.txt", "build.ninja", "meson-info")
SOURCE_MARKS: Final = ("CMakeLists.txt", "meson.build")

_NO_CODE = late_pattern(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_LOOP = late_pattern(rb"\b(?:(?:for|while)\s*\(|do\s*\{|parallel_\w|forall|for_each)")

Problem = UsageError | ConfigurationError


class SourceFiles(NamedTuple):
    """``files`` in a stable order, each once; ``databases`` that were named among the paths;
    ``problems`` are paths and entries of folders that gave nothing, with why; ``lost``: behind one
    of those entries there may be sources.
    """

    files: tuple[str, ...]
    databases: tuple[str, ...]
    problems: tuple[Problem, ...]
    lost: bool = False


class UnreadEntryError(UsageError):
    """An entry of a folder that nobody can look behind; it costs itself, not the folder."""

    def __init__(self, path: str, failed: str, error: OSError | ValueError) -> None:
        reason = getattr(error, "strerror", None) or str(error)
        super().__init__(f"{path}: {failed}: {reason.lower()}")
        # a link that leads back to itself has nothing behind it
        self.costs_sources = getattr(error, "errno", None) != errno.ELOOP


def source_files(paths: Sequence[str]) -> SourceFiles:
    """The C and C++ files that ``paths`` name.

    A file is taken whatever its extension; a folder gives the sources below it and the headers
    that have loops, each once however many files include it, or all headers when there is nothing
    else; a ``.json`` file is a compile database and gives its entries.
    Hidden folders and build folders are skipped, and a folder reached twice is walked once.
    """
    files: dict[str, None] = {}
    databases: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            files.update(dict.fromkeys(_files_of(path, problems)))
        except (UsageError, ConfigurationError) as error:
            problems.append(error)
        else:
            databases.extend([path] if path.endswith(".json") else [])
    unread = [problem for problem in problems if isinstance(problem, UnreadEntryError)]
    lost = any(problem.costs_sources for problem in unread)
    return SourceFiles(tuple(files), tuple(databases), tuple(problems), lost)


def _files_of(path: str, problems: list[Problem]) -> list[str]:
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from error
    except ValueError as error:  # no name that the system takes
        raise UsageError(f"{path}: {error}") from error
    if stat.S_ISDIR(mode):
        return _files_below(path, problems)
    if not stat.S_ISREG(mode):
        raise UsageError(f"{path}: expected a file or a folder")
    if path.endswith(".json"):
        return [relative_name(file) for file in load_database(path).paths]
    return [path]


def _files_below(folder: str, problems: list[Problem]) -> list[str]:
    below = list(_walk(folder, problems))
    files = [file for file in below if not is_header(file) or has_loop(file)] or below
    if not files:
        raise UsageError(f"{folder}: no C or C++ files there")
    return files


def _walk(root: str, problems: list[Problem]) -> Iterator[str]:
    """Sources and headers below ``root``, sorted; links may lead back or to one place twice.

    An entry that cannot be looked at is a problem and costs nothing else. No recursion: a tree may
    be deeper than Python's stack.
    """
    seen: set[tuple[int, int]] = set()
    open_folders = [iter(_children(root, seen, problems))]
    while open_folders:
        child = next(open_folders[-1], None)
        if child is None:
            open_folders.pop()
            continue
        try:
            if child.is_dir():
                if not _is_build_folder(child.path):
                    open_folders.append(iter(_children(child.path, seen, problems)))
            elif _is_source(child):
                yield child.path
        except (OSError, ValueError) as error:
            problems.append(UnreadEntryError(child.path, "cannot be read", error))


def _children(
    folder: str, seen: set[tuple[int, int]], problems: list[Problem]
) -> list[os.DirEntry[str]]:
    """Entries by name, hidden ones left out; none of a folder that was ``seen`` before."""
    try:
        status = os.stat(folder)
        identity = (status.st_dev, status.st_ino)
        if identity in seen:
            return []
        seen.add(identity)
        with os.scandir(folder) as entries:
            shown_entries = [entry for entry in entries if not entry.name.startswith(".")]
    except (OSError, ValueError) as error:
        problems.append(UnreadEntryError(folder, "cannot be listed", error))
        return []
    return sorted(shown_entries, key=lambda entry: entry.name)


def _is_source(entry: os.DirEntry[str]) -> bool:
    """By its name and, of a link, that of what it leads to: no ``kernel.c`` that is a password."""
    names = [entry.name, *([os.path.realpath(entry.path)] if entry.is_symlink() else [])]
    return all(os.path.splitext(n)[1] in options.EXTENSIONS for n in names) and entry.is_file()


def is_header(path: str) -> bool:
    """Whether a file is a header by its extension."""
    return os.path.splitext(path)[1] in options.HEADERS


def has_loop(path: str) -> bool:
    """Whether there may be one; a header that cannot be read is left to the analysis to refuse."""
    try:
        data = read_regular(path)
    except (OSError, ValueError):
        return True
    return bool(_LOOP.search(data) and _LOOP.search(_NO_CODE.sub(b" ", data)))


def _is_build_folder(path: str) -> bool:
    name = os.path.basename(path)
    if name in BUILD_FOLDERS or name.startswith(BUILD_PREFIXES):
        return True
    # A project built in place has a build's files beside its sources.
    return _has_any(path, BUILD_MARKS) and not _has_any(path, SOURCE_MARKS)


def _has_any(folder: str, names: Sequence[str]) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in names)


def relative_name(path: str) -> str:
    """Relative below the current folder, as a person would have typed it."""
    relative = os.path.relpath(path, current_folder()) if os.path.isabs(path) else path
    return path if relative.startswith(os.pardir) else os.path.normpath(relative)
