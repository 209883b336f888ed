"""Paths as compilers recorded them, and the source files they mean."""

import os
from collections.abc import Iterable
from pathlib import PurePath


def normal_path(path: str, folder: str = "") -> str:
    """``path`` below ``folder`` without ``.`` and ``..``; it need not exist."""
    return os.path.normpath(os.path.join(folder, path))


class RecordedPaths:
    """Finds the path that a profile has for a source file.

    A program may be built in another folder than it is analysed in, and perf prints bare names. So
    without an equal path, the one with most trailing parts in common counts, if it is the only one.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(os.path.basename(path), []).append(path)

    def of(self, source: str) -> str | None:
        """The path of the profile for ``source``; None if there is none, or more than one."""
        path = normal_path(source, os.getcwd())
        if path in self._paths:
            return path
        candidates = self._by_name.get(os.path.basename(path), [])
        ranked = sorted([(_common_tail(path, each), each) for each in candidates])
        if not ranked or (len(ranked) > 1 and ranked[-2][0] == ranked[-1][0]):
            return None
        return ranked[-1][1]


def _common_tail(first: str, second: str) -> int:
    parts = zip(reversed(PurePath(first).parts), reversed(PurePath(second).parts), strict=False)
    length = 0
    for one, other in parts:
        if one != other:
            break
        length += 1
    return length
