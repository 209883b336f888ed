"""Flags for a file that no build says anything of: what a person would try first."""

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.flags import Flags, default_language
from rooflint.compile_flags.options import Language
from rooflint.compile_flags.regular_files import read_regular
from rooflint.compile_flags.source_files import is_header
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

# Newer C++ standards make the standard library's headers up to twice as expensive to read.
STANDARDS: Final[dict[Language, str]] = {
    "c": "gnu17",
    "c++": "gnu++17",
    "cuda": "gnu++17",
    "hip": "gnu++17",
    "cl": "CL2.0",
}
INCLUDE_FOLDERS: Final = ("include", "inc", "src", "source", "utilities", "common")
PROJECT_ROOT: Final = (".git", ".hg", ".svn", "LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING")
MAX_LEVELS: Final = 5
MAX_SHOWN: Final = 8
"""Folders that the assumption names."""


MAX_FILES: Final = 100_000
"""Files of a tree that are listed: beyond, its headers are not searched. By judgement."""
MAX_READ: Final = 400
"""Headers that are read for one file, to see what they include: a limit of time, by judgement."""
_EXTENSIONS: Final = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".def", ".tcc", ".ipp")
_SKIPPED: Final = frozenset(("node_modules", "CMakeFiles"))
_BODIES_MARK: Final = b"_IMPL"
_BODIES_TESTED = late_pattern(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|\b[^\n]*?(?<!!)(?<!! )\bdefined[ \t(]*)"
    rb"(\w+_IMPL(?:EMENTATION)?)\b",
    re.MULTILINE,
)
_BODIES_DEFINED = late_pattern(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+_IMPL(?:EMENTATION)?)\b", re.MULTILINE
)
_NO_CODE = late_pattern(
    rb"//[^\n]*|/\*.*?\*/|^[ \t]*#[ \t]*if[ \t]+0\b.*?^[ \t]*#[ \t]*endif", re.DOTALL | re.MULTILINE
)
_INCLUDE: Final = late_pattern(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)


class FoundHeaders(NamedTuple):
    """Folders to search, and headers by the names under which they are included and are nowhere."""

    folders: tuple[str, ...] = ()
    gathered: tuple[tuple[str, str], ...] = ()


class ProjectHeaders:
    """The headers of one project by their names, listed when somebody first asks."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._by_name: dict[str, list[str]] | None = None
        self._included: dict[str, tuple[str, ...]] = {}

    def headers_of(self, path: str, searched: Sequence[str]) -> FoundHeaders:
        """The headers that ``path`` and its headers include and ``searched`` does not have.

        Of several headers of a name the one nearest to ``path`` counts.
        """
        added: dict[str, None] = {}
        gathered: dict[str, str] = {}
        waiting, seen = deque([path]), {path}
        while waiting and len(seen) <= MAX_READ:
            file = waiting.popleft()
            for name in self._names(file):
                header = _first((os.path.dirname(file), *searched, *added), name)
                if header is None:
                    header = self._nearest(name, path)
                    if header is not None:
                        added[header[: -len(name)].rstrip(os.sep)] = None
                if header is None:
                    header = self._gathered(name)
                    if header is None:
                        continue
                    gathered[name] = header
                if header not in seen:
                    seen.add(header)
                    waiting.append(header)
        return FoundHeaders(tuple(added), tuple(gathered.items()))

    def _names(self, file: str) -> tuple[str, ...]:
        names = self._included.get(file)
        if names is None:
            try:
                data = read_regular(file)
            except (OSError, ValueError):  # a name that no system can have
                data = b""
            found = [os.fsdecode(name).strip() for name in _INCLUDE.findall(data)]
            names = self._included[file] = tuple(dict.fromkeys(found))
        return names

    def _nearest(self, name: str, path: str) -> str | None:
        """The project's header whose path ends in ``name``, or where its build would make it."""
        if os.pardir in name.split("/"):
            return None
        for suffix in ("", *options.TEMPLATE_SUFFIXES):
            found = self._nearest_file(name + suffix, path)
            if found is not None:
                return found.removesuffix(suffix)
        return None

    def _gathered(self, name: str) -> str | None:
        """The only header of the project with the last name of ``gsl/gsl_math.h``, whose folder
        bears the project's name: its build, or its installation, gathers headers there."""
        folder, _, last = name.rpartition("/")
        found = self._headers.get(last, ())
        if len(found) != 1 or "/" in folder or not folder:
            return None
        own = last.startswith(folder) or folder == os.path.basename(self._root)
        return found[0] if own else None

    @property
    def _headers(self) -> dict[str, list[str]]:
        if self._by_name is None:
            self._by_name = _listed(self._root)
        return self._by_name

    def _nearest_file(self, name: str, path: str) -> str | None:
        ending = os.sep + os.path.join(*name.split("/"))
        candidates = self._headers.get(os.path.basename(name), ())
        return min(
            (each for each in candidates if each.endswith(ending)),
            key=lambda each: (-len(os.path.commonpath((each, path))), len(each), each),
            default=None,
        )


def _first(folders: Sequence[str], name: str) -> str | None:
    for folder in folders:
        place = os.path.join(folder, name)
        if os.path.isfile(place):
            return place
    return None


def _listed(root: str) -> dict[str, list[str]]:
    """The headers below ``root`` by their last name; none of a tree that is too large."""
    found: dict[str, list[str]] = {}
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if each[0] != "." and each not in _SKIPPED)
        count += len(files)
        if count > MAX_FILES:
            return {}
        for name in files:
            if name.endswith(_EXTENSIONS + options.TEMPLATE_SUFFIXES):
                found.setdefault(name, []).append(os.path.join(folder, name))
    return found


class FlagGuesser:
    """Guesses flags, and keeps the lists of projects' headers that it has read."""

    def __init__(self) -> None:
        self._headers: dict[str, ProjectHeaders] = {}
        self._folders: dict[str, tuple[list[str], str]] = {}

    def flags(self, path: str) -> Flags:
        """Language by extension, the usual standard, and include folders of the project."""
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        language = default_language(path)
        if path.endswith(".h") and _among_cxx(folder):
            language = "c++"
        std = STANDARDS[language]
        if folder not in self._folders:
            self._folders[folder] = _include_folders(folder)
        known, root = self._folders[folder]
        found = self._headers_of(path, known, root)
        # behind all others: a project may have a header of a system's name for another system
        behind = [each for added in found.folders for each in ("-idirafter", added)]
        given = [*(f"-I{each}" for each in known), *behind]
        folders = [*known, *found.folders]
        shown = [os.path.relpath(each, folder) for each in folders]
        more = len(shown) - MAX_SHOWN
        others = f" and {more} more" if more > 0 else ""
        searched = f"headers searched in {', '.join(shown[:MAX_SHOWN])}{others}"
        notes = (f"no compile command found: parsed as {std}, {searched}", *_taken(found, folder))
        return Flags(language, std, tuple(given), assumptions=notes, gathered=found.gathered)

    def _headers_of(self, path: str, searched: Sequence[str], root: str) -> FoundHeaders:
        """The headers of the project below ``root`` besides those of the folders searched."""
        if not root:
            return FoundHeaders()
        if root not in self._headers:
            self._headers[root] = ProjectHeaders(root)
        return self._headers[root].headers_of(path, searched)


def _taken(found: FoundHeaders, folder: str) -> Iterator[str]:
    """The assumption on headers that are included under other names than they have."""
    if found.gathered:
        name, header = found.gathered[0]
        further = f", {len(found.gathered) - 1} more likewise" if found.gathered[1:] else ""
        yield f"{name} is taken for {os.path.relpath(header, folder)}{further}"


def guess_flags(path: str) -> Flags:
    """The flags of one file, as ``FlagGuesser`` guesses them."""
    return FlagGuesser().flags(path)


def with_implementation(path: str, flags: Flags) -> Flags:
    """The flags of a file; of a header with bodies behind a macro, with that macro defined.

    Single-header libraries wait for a macro that one source of a program defines, as in
    ``#ifdef STB_IMAGE_IMPLEMENTATION``. Macros that the flags or the header set stay as they are.
    """
    if not is_header(path):
        return flags
    try:
        text = read_regular(path)
    except (OSError, ValueError):  # the analysis refuses it, with the reason
        return flags
    names = _waited_for(_NO_CODE.sub(b" ", text), flags.options) if _BODIES_MARK in text else []
    if not names:
        return flags
    note = f"parsed with {', '.join(names)} defined, as in the source that compiles its bodies"
    return flags._replace(
        options=(*flags.options, *(f"-D{name}" for name in names)),
        assumptions=(*flags.assumptions, note),
    )


def _waited_for(text: bytes, given: Sequence[str]) -> list[str]:
    known = {option[2:].partition("=")[0] for option in given if option[:2] in ("-D", "-U")}
    known.update(name.decode() for name in _BODIES_DEFINED.findall(text))
    tested = dict.fromkeys(name.decode() for name in _BODIES_TESTED.findall(text))
    return [name for name in tested if name not in known]


def _include_folders(folder: str) -> tuple[list[str], str]:
    """The file's folder and, up to the project's root, each parent and its include folders.

    And the root itself; empty where nothing marks one.
    """
    found = [folder]
    home = os.path.expanduser("~")
    for _ in range(MAX_LEVELS):
        found += [
            place
            for name in INCLUDE_FOLDERS
            if os.path.isdir(place := os.path.join(folder, name)) and place not in found
        ]
        parent = os.path.dirname(folder)
        if any(os.path.exists(os.path.join(folder, name)) for name in PROJECT_ROOT):
            return found, folder
        # Nothing of the project is in a home folder or beside /usr.
        if parent in {folder, home, os.path.dirname(parent)}:
            break
        folder = parent
        found.append(folder)
    return found, ""


def _among_cxx(folder: str) -> bool:
    """Whether C++ lies in the folder, or in the ``src`` beside it if the folder has no source."""
    for place in (folder, os.path.join(folder, os.pardir, "src")):
        try:
            extensions = {os.path.splitext(name)[1] for name in os.listdir(place)}
        except OSError:
            continue
        if any(options.EXTENSIONS.get(extension) in {"c++", "cuda"} for extension in extensions):
            return True
        if ".c" in extensions:
            return False
    return False
