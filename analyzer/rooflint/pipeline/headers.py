"""Headers that files of a run include and that are no files of it themselves."""

import os
from collections.abc import Iterable

from rooflint.compile_flags.source_files import has_loop, relative_name
from rooflint.compile_flags.sources import Source
from rooflint.pipeline.run import Analysis
from rooflint.records import NamedTuple


class Headers(NamedTuple):
    """Headers of the project with loops, each once however many files include it.

    asked  those that the settings of such a file want; with the flags of the first one
    left   the others
    """

    asked: tuple[Source, ...] = ()
    left: tuple[str, ...] = ()


def included_headers(analysis: Analysis, sources: Iterable[str], others: bool = True) -> Headers:
    """Headers included by the files analysed so far, beyond ``sources`` and without excluded ones.

    Without ``others`` those that nobody asks for are not read, which takes time.
    """
    listed = {os.path.realpath(source) for source in sources}
    asked: dict[str, Source] = {}
    left: dict[str, str] = {}
    for header, source in analysis.included():
        real, path = os.path.realpath(header), relative_name(header)
        settings = analysis.setups.lint_of(source)
        if real in listed or settings.excludes(path):
            continue
        if settings.asks_header(path):
            asked.setdefault(real, Source(path, flags_of=source))
        elif others:
            left.setdefault(real, path)
    rest = [path for real, path in left.items() if real not in asked and _has_loop(path, analysis)]
    wanted = [source for source in asked.values() if _has_loop(source.path, analysis)]
    return Headers(tuple(sorted(wanted)), tuple(sorted(rest)))


def _has_loop(path: str, analysis: Analysis) -> bool:
    return has_loop(path) and not analysis.setups.lint_of(path).excludes(path)
