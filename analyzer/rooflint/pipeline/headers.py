"""Headers that files of a run include and that are no files of it themselves."""

import os
from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.compile_flags.source_files import has_loop, relative_name
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.sources import Source
from rooflint.records import NamedTuple

HEADERS_NAMED: Final = 3
"""Headers that a line names."""


class Headers(NamedTuple):
    """Headers of the project with loops, each once however many files include it.

    asked  those that the settings of such a file want; with the flags of the first one
    left   the others
    """

    asked: tuple[Source, ...] = ()
    left: tuple[str, ...] = ()

    def lines(self, remedy: str = "") -> Iterator[str]:
        """That loops of headers are not looked at, and what to do about it."""
        if self.left:
            count, more = len(self.left), ", …" if len(self.left) > HEADERS_NAMED else ""
            names = ", ".join(self.left[:HEADERS_NAMED])
            what, them = ("header", "it") if count == 1 else ("headers", "them")
            said = f"{count} included {what} with loops not analysed: {names}{more}"
            yield f"{said}; name {them}{remedy}"


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
