"""Which files a run analyses, and what was wrong with the PATHs that gave none."""

import os
from collections.abc import Iterable

from rooflint.compile_flags.source_files import source_files
from rooflint.errors import near_miss
from rooflint.records import NamedTuple


class Source(NamedTuple):
    """A file to analyse.

    text      what an editor has not saved yet; None reads the file
    flags_of  the file whose flags hold for it; empty: its own
    """

    path: str
    text: bytes | None = None
    flags_of: str = ""


class SourceList(NamedTuple):
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


def find_sources(paths: Iterable[str]) -> SourceList:
    """The files that PATHs stand for; a PATH that is wrong is a problem, not an error."""
    found = [_sources_at(path) for path in paths]
    return SourceList(
        sources=tuple(dict.fromkeys(file for each in found for file in each.sources)),
        problems=tuple([problem for each in found for problem in each.problems]),
        unusable=any(each.unusable for each in found),
        database=next(filter(None, (each.database for each in found)), None),
        lost=any(each.lost for each in found),
    )


def _sources_at(path: str) -> SourceList:
    if os.path.isfile(path) and not os.access(path, os.R_OK):
        return SourceList((), (f"{path}: cannot be read: permission denied",), unusable=True)
    found = source_files([path])
    is_database = path.endswith(".json")
    absent = {file for file in found.files if is_database and not os.path.exists(file)}
    problems = [f"{problem}{_similar(path)}" for problem in found.problems]
    if absent:
        problems.append(f"{path}: {len(absent)} of its {len(found.files)} files do not exist")
    return SourceList(
        sources=tuple([os.path.normpath(file) for file in found.files if file not in absent]),
        problems=tuple(problems),
        unusable=bool(found.problems) and not os.path.isdir(path),
        database=path if is_database and not found.problems else None,
        lost=found.lost,
    )


def _similar(path: str) -> str:
    """The nearest name in the folder, where ``path`` does not exist."""
    folder, name = os.path.split(os.path.normpath(path))
    if os.path.lexists(path):
        return ""
    try:
        return near_miss(name, os.listdir(folder or "."))
    except OSError:
        return ""
