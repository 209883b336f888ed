"""Inputs of a file's analysis: the files that were read, and the places that had none.

libclang says what it included, not where it looked in vain. So the directives of every file it read
are looked up again along the search path, and each place before the header that was found is kept:
a header that appears there later changes the result.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.guess import MAX_LEVELS, PROJECT_ROOT
from rooflint.compile_flags.installed import include_folders
from rooflint.compile_flags.regular_files import Inputs, digest_of
from rooflint.frontend.parse.shims import SHIM_ROOT
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

MARGIN_NS: Final = 20_000_000
"""File systems stamp files by a clock that ticks, so a stamp may lie so far before the change."""
MAX_HEADER_BYTES: Final = 64 << 20

_DIRECTIVE = late_pattern(
    rb"#[ \t]*(?:include(_next)?|import)[ \t]*([<\"])([^>\"\n]+)[>\"]"
    rb"|__has_include(_next)?[ \t]*\([ \t]*([<\"])([^>\"\n]+)[>\"]"
)
_FOLDER_OPTIONS = ("-I", "-iquote", "-isystem", "-idirafter")
_FILE_OPTIONS = ("-include", "-imacros")
_SEARCHED_BY_ENVIRONMENT = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
NAMED_AS_SOURCE: Final = frozenset((*options.EXTENSIONS, ".inc", ".def", ".tbl", ".cuh"))
MARKS: Final = (*PROJECT_ROOT, "compile_commands.json")


class Parse(NamedTuple):
    """One parse of a file: libclang's arguments, and the files it included, as it opened them.

    begin_ns  wall-clock time, to be compared with the stamps of files
    fresh     files that may have changed since, each with the digest of what libclang read
    """

    arguments: tuple[str, ...]
    included: tuple[str, ...]
    begin_ns: int
    fresh: tuple[tuple[str, str], ...] = ()


class _Header(NamedTuple):
    """A file's digest and the headers it names, as (quoted, to the end, name).

    read_ns  wall-clock time before it was read
    """

    stamp: tuple[int, ...]
    read_ns: int
    digest: str
    names: tuple[tuple[bool, bool, str], ...]


class InputReader:
    """Works out inputs; headers that many files include are read once while they do not change."""

    def __init__(self) -> None:
        self._headers: dict[str, _Header] = {}

    def inputs(self, path: str, data: bytes, parses: Sequence[Parse]) -> Inputs:
        """Those of the file with the content ``data`` after its ``parses``."""
        settled = True
        files: dict[str, str] = {}
        named = [(os.path.dirname(path), names_in(data))]
        for parse in parses:
            fresh = dict(parse.fresh)
            for name in parse.included:
                if name.startswith(SHIM_ROOT):
                    continue
                header = self._header(name)
                if header is None or not _was_read(header, parse.begin_ns, fresh.get(name)):
                    settled = False
                elif name not in files:
                    files[name] = header.digest
                    named.append((os.path.dirname(name), header.names))
        absent: dict[str, None] = {}
        for parse in parses:
            absent.update(dict.fromkeys(_absent(named, parse)))
        return Inputs(digest_of(data), tuple(sorted(files.items())), tuple(sorted(absent)), settled)

    def _header(self, name: str) -> _Header | None:
        """None for what is no file that can be read."""
        read_ns = time.time_ns()
        try:
            status = os.stat(name)
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
            known = self._headers.get(name)
            if known is not None and known.stamp == stamp and not _is_fresh(stamp, known.read_ns):
                return known
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_HEADER_BYTES:
                return None
            with open(name, "rb") as file:
                data = file.read()
        except OSError:
            return None
        header = self._headers[name] = _Header(
            stamp=stamp, read_ns=read_ns, digest=digest_of(data), names=names_in(data)
        )
        return header


def fresh_digests(
    names: Iterable[str], begin_ns: int, read: Callable[[str], bytes | None]
) -> Iterator[tuple[str, str]]:
    """The files that may have changed since a parse began, each with the digest of what it
    ``read``: their stamps do not tell whether they have."""
    for name in names:
        try:
            status = os.stat(name) if not name.startswith(SHIM_ROOT) else None
        except OSError:
            continue
        if status is not None and _is_fresh((status.st_mtime_ns, status.st_ctime_ns), begin_ns):
            text = read(name)
            if text is not None:
                yield name, digest_of(text)


def _is_fresh(stamp: tuple[int, ...], since_ns: int) -> bool:
    """Whether a file with the stamp may have changed since then."""
    return max(stamp[:2]) > since_ns - MARGIN_NS


def _was_read(header: _Header, begin_ns: int, digest: str | None) -> bool:
    """Whether a parse read the header as it is; ``digest`` as of ``fresh_digests``."""
    return header.digest == digest if digest else not _is_fresh(header.stamp, begin_ns)


def project_headers(path: str, parses: Iterable[Parse]) -> tuple[str, ...]:
    """Headers that a file includes, except those of the system and of ``-isystem`` folders."""
    found: dict[str, None] = {}
    for parse in parses:
        folders, _ = _folders(parse.arguments)
        others = (*include_folders(), *folders["-isystem"], *folders["-idirafter"])
        system = tuple([_real(each).rstrip(os.sep) + os.sep for each in others])
        for name in parse.included:
            if name.startswith(SHIM_ROOT) or _real(name).startswith(system):
                continue
            if not is_outside(name, path):
                plain = os.path.abspath(name)
                found[plain if os.path.realpath(plain) == _real(name) else _real(name)] = None
    return tuple(found)


@lru_cache(maxsize=4096)
def _real(name: str) -> str:
    """Files of a run include the same headers again and again."""
    return os.path.realpath(name)


def names_in(data: bytes) -> tuple[tuple[bool, bool, str], ...]:
    """The headers that a text names, in active code or not."""
    found: dict[tuple[bool, bool, str], None] = {}
    if b"include" in data or b"import" in data:
        for match in _DIRECTIVE.finditer(data):
            following, mark, name = match.groups()[:3] if match[3] else match.groups()[3:]
            found[mark == b'"', following is not None, os.fsdecode(name).strip()] = None
    return tuple(found)


def _absent(
    named: Iterable[tuple[str, tuple[tuple[bool, bool, str], ...]]], parse: Parse
) -> Iterator[str]:
    """Places before the first one that has the header, for every header that is named."""
    folders, forced = search_path(parse.arguments)
    after = set(folders)
    # the compiler's own folders show in what it found there
    virtual = {name for name in parse.included if name.startswith(SHIM_ROOT)}
    for folder in include_folders():
        if folder not in after:
            folders.append(folder)
    for name in forced:
        yield from _places(name, ("", *folders), virtual, to_the_end=False)
    for home, names in named:
        for quoted, to_the_end, name in names:
            yield from _places(name, (home, *folders) if quoted else folders, virtual, to_the_end)


def _places(
    name: str, folders: Sequence[str], virtual: set[str], to_the_end: bool
) -> Iterator[str]:
    found = False
    for folder in folders:
        place = os.path.join(folder, name)
        if place in virtual:
            return
        if folder.startswith(SHIM_ROOT):
            continue
        if os.path.isfile(place):
            found = True
            if not to_the_end:
                return
        else:
            yield place
    if not found:
        yield from [each for each in template_places(name, folders) if not os.path.isfile(each)]


def template_places(name: str, folders: Iterable[str]) -> Iterator[str]:
    """Where the template of a header may lie that a build makes."""
    for folder in folders:
        if not folder.startswith(SHIM_ROOT):
            for suffix in options.TEMPLATE_SUFFIXES:
                yield os.path.join(folder, name + suffix)


def _folders(arguments: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Folders by the option that names them, and files that are included unasked."""
    folders: dict[str, list[str]] = {option: [] for option in _FOLDER_OPTIONS}
    forced: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument in _FILE_OPTIONS:
            forced.append(next(waiting, ""))
            continue
        for option, found in folders.items():
            if argument.startswith(option) and not argument.startswith("-include"):
                found.append(argument[len(option) :] or next(waiting, ""))
                break
    return folders, forced


def search_path(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Folders in the order in which they are searched, and files that are included unasked."""
    folders, forced = _folders(arguments)
    environment = [
        folder
        for name in _SEARCHED_BY_ENVIRONMENT
        for folder in os.environ.get(name, "").split(os.pathsep)
        if folder
    ]
    order = ("-iquote", "-I", "-isystem", "-idirafter")
    listed = [folder for option in order for folder in folders[option]]
    return [*listed, *environment], forced


def is_outside(name: str, source: str) -> bool:
    """Whether ``name``, which ``source`` includes, has no name of a header and is not in its tree.

    Its text is not shown then: ``#include "/home/me/.netrc"`` makes a compiler quote that file in
    its messages, and a report may be read by others than the one whose computer makes it. The tree
    is below the nearest folder with the marks of a project, else the source's own folder.
    """
    real = os.path.realpath(name)
    if os.path.splitext(real)[1] in NAMED_AS_SOURCE:
        return False
    root = _tree_of(os.path.dirname(os.path.realpath(source)))
    return not real.startswith(root.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=64)
def _tree_of(folder: str) -> str:
    place = folder
    for _ in range(MAX_LEVELS):
        if any(os.path.exists(os.path.join(place, mark)) for mark in MARKS):
            return place
        place = os.path.dirname(place)
    return folder
