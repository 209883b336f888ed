"""Which files a run analyses, and what was wrong with the PATHs that gave none."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from rooflint.compile_flags.source_files import source_files
from rooflint.errors import near_miss


class Found(NamedTuple):
    """Files in the order named or found, each once.

    problems  a line for each PATH that could not be used
    unusable  whether one of those was no folder: a folder without C or C++ files is no mistake
    database  the compilation database among the PATHs: it has the flags of its files
    lost      whether sources may lie where a folder could not be looked into
    """

    sources: tuple[str, ...]
    problems: tuple[str, ...] = ()
    unusable: bool = False
    database: str | None = None
    lost: bool = False


def find_sources(paths: Iterable[str]) -> Found:
    """The files that PATHs stand for; a PATH that is wrong is a problem, not an error."""
    sources: dict[str, None] = {}
    problems: list[str] = []
    unusable = lost = False
    database: str | None = None
    for path in paths:
        if os.path.isfile(path) and not os.access(path, os.R_OK):
            problems.append(f"{path}: cannot be read: permission denied")
            unusable = True
            continue
        found = source_files([path])
        absent = [file for file in found.files if path.endswith(".json") and _absent(file)]
        sources.update((os.path.normpath(file), None) for file in found.files if file not in absent)
        lost = lost or found.lost
        problems += [f"{problem}{_similar(path)}" for problem in found.problems]
        unusable = unusable or (bool(found.problems) and not os.path.isdir(path))
        if path.endswith(".json") and not found.problems:
            database = database or path
        if absent:
            problems.append(f"{path}: {len(absent)} of its {len(found.files)} files do not exist")
    return Found(tuple(sources), tuple(problems), unusable, database, lost)


def _absent(path: str) -> bool:
    return not os.path.exists(path)


def _similar(path: str) -> str:
    """The nearest name in the folder, where ``path`` does not exist."""
    folder, name = os.path.split(os.path.normpath(path))
    if os.path.lexists(path):
        return ""
    try:
        return near_miss(name, os.listdir(folder or "."))
    except OSError:
        return ""
