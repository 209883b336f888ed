"""The wishes of a reader of the text report, and the commands that tell more of the same run."""

import shlex
from collections.abc import Sequence
from enum import Enum
from typing import Final

from rooflint.records import NamedTuple
from rooflint.verdict.choose import SortKey

SAME_ARGUMENTS: Final = "…"
"""Stands for the paths and options of the run where they are long."""
_LONGEST_ARGUMENTS: Final = 60


class ReportView(Enum):
    """``SCREEN``: where the time goes; ``LOOPS``: the details of all; ``ALL``: both."""

    SCREEN = "screen"
    LOOPS = "loops"
    ALL = "all"


class RerunCommand(NamedTuple):
    """The parts of the command line that say what the run is about, to write commands that work.

    shared   options that ``analyze`` and ``lint`` both have
    own      those of ``analyze`` alone
    flags    of the compiler, after ``--``
    """

    paths: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    def analyze(self, *words: str) -> str:
        """``analyze`` on the same files with more words."""
        return self._command("analyze", self.paths, words, (*self.shared, *self.own))

    def analyze_place(self, path: str, line: int) -> str:
        """The details of one loop; its file stands for itself where it is the only path."""
        alone = self.paths in ((), (path,))
        paths = () if alone else self.paths
        return self._command("analyze", paths, (f"{path}:{line}",), (*self.shared, *self.own))

    def lint(self, *words: str) -> str:
        """``lint`` on the same files."""
        return self._command("lint", self.paths, words, self.shared)

    def _command(
        self, name: str, paths: Sequence[str], words: Sequence[str], options: Sequence[str]
    ) -> str:
        flags = ("--", *self.flags) if self.flags else ()
        if len(shlex.join([*paths, *options, *flags])) > _LONGEST_ARGUMENTS:
            return " ".join(["rooflint", name, SAME_ARGUMENTS, *map(shlex.quote, words)])
        return shlex.join(["rooflint", name, *paths, *words, *options, *flags])


class RankedRequest(NamedTuple):
    """The wishes of the reader.

    top     rows, whatever part of the time they cover; None: as many as cover most of it
    quiet   the table alone
    models  the models' own answers beside the verdicts
    """

    top: int | None = None
    sort: SortKey = SortKey.TIME
    quiet: bool = False
    view: ReportView = ReportView.SCREEN
    models: bool = False
    rerun: RerunCommand = RerunCommand()


PLAIN_REQUEST: Final = RankedRequest()
