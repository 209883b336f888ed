"""Folders of a project's headers that no include folder of the usual names has."""

import os
import re
from collections import deque
from collections.abc import Sequence
from typing import Final

from rooflint.compile_flags.regular_files import read_regular

MAX_FILES: Final = 100_000
"""Files of a tree that are listed: beyond, its headers are not searched. Linux has 80 000."""
MAX_READ: Final = 400
"""Headers that are read for one file, to see what they include; llvm's largest files have 350."""
_EXTENSIONS: Final = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".def", ".tcc", ".ipp")
_SKIPPED: Final = frozenset(("node_modules", "CMakeFiles"))
_INCLUDE: Final = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)


class ProjectHeaders:
    """The headers of one project by their names, listed when somebody first asks."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._by_name: dict[str, list[str]] | None = None
        self._included: dict[str, tuple[str, ...]] = {}

    def folders(self, path: str, searched: Sequence[str]) -> tuple[str, ...]:
        """Folders with what ``path`` and its headers include and ``searched`` does not have.

        Of several headers of a name the one nearest to ``path`` counts.
        """
        added: dict[str, None] = {}
        waiting, seen = deque([path]), {path}
        while waiting and len(seen) <= MAX_READ:
            file = waiting.popleft()
            for name in self._names(file):
                header = _first((os.path.dirname(file), *searched, *added), name)
                if header is None:
                    header = self._nearest(name, path)
                    if header is None:
                        continue
                    added[header[: -len(name)].rstrip(os.sep)] = None
                if header not in seen:
                    seen.add(header)
                    waiting.append(header)
        return tuple(added)

    def _names(self, file: str) -> tuple[str, ...]:
        names = self._included.get(file)
        if names is None:
            try:
                data = read_regular(file)
            except OSError:
                data = b""
            found = [os.fsdecode(name).strip() for name in _INCLUDE.findall(data)]
            names = self._included[file] = tuple(dict.fromkeys(found))
        return names

    def _nearest(self, name: str, path: str) -> str | None:
        """The project's header whose path ends in ``name``."""
        if os.pardir in name.split("/"):
            return None
        if self._by_name is None:
            self._by_name = _listed(self._root)
        ending = os.sep + os.path.join(*name.split("/"))
        candidates = self._by_name.get(os.path.basename(name), ())
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
            if name.endswith(_EXTENSIONS):
                found.setdefault(name, []).append(os.path.join(folder, name))
    return found
