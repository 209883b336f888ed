"""The profiles of a run: each file is read once, and is said once what was wrong with it."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.compile_flags.options import EXTENSIONS, HEADERS
from rooflint.machine import Machine
from rooflint.pipeline.profiled.matching import packed_counts
from rooflint.pipeline.profiled.times import timed_files
from rooflint.plugin_api.report import FileReport
from rooflint.profiles import (
    CountGap,
    LoopProfile,
    ProfileError,
    ProfileFormat,
    ProfileProblem,
    TimeProfile,
    read_counts,
    read_shares,
)
from rooflint.workers.wire import WireError

NAMED: Final = 3
"""Files that one line names."""


class RunProfiles:
    """Counts and times of a run's files.

    problems  files that are no usable profile, a line each; they cost only themselves
    failures  plugins that failed on a file, a line each
    """

    def __init__(self, formats: Sequence[ProfileFormat] = ()) -> None:
        self._formats = formats
        self._counts: dict[tuple[str, ...], LoopProfile] = {}
        self._times: dict[str, None] = {}
        self.problems: list[str] = []
        self.failures: list[str] = []

    def counts_of(self, path: str, profiles: tuple[str, ...]) -> bytes:
        """The packed counts of a source file; empty where ``profiles`` have none."""
        if profiles not in self._counts:
            self._counts[profiles] = read_counts(profiles, self._formats)
            self._note(self._counts[profiles].problems)
        counts = self._counts[profiles].of_file(path)
        try:
            return packed_counts(counts) if counts is not None else b""
        except WireError as error:
            self.problems.append(f"{path}: its counts are not used: {error}")
            return b""

    def add_times(self, profiles: Iterable[str]) -> None:
        """Profiles that hold for some file of the run, and so for the run."""
        self._times.update(dict.fromkeys(profiles))

    @property
    def has_times(self) -> bool:
        """Whether there are profiles of time."""
        return bool(self._times)

    def time(self) -> TimeProfile | None:
        """The time of the run; None where no profile tells."""
        if not self._times:
            return None
        reading = read_shares(self._times, self._formats)
        self._note(reading.problems)
        return reading.profile if reading.profile.total else None

    def with_times(
        self, files: tuple[FileReport, ...], machines: Sequence[Machine]
    ) -> tuple[FileReport, ...]:
        """The reports with the shares that the profiles give their functions and kernels."""
        profile = self.time()
        return files if profile is None else timed_files(files, profile, machines)

    def _note(self, errors: Iterable[ProfileError]) -> None:
        for error in errors:
            failed = error.problem is ProfileProblem.FAILED_PLUGIN
            lines = self.failures if failed else self.problems
            if str(error) not in lines:
                lines.append(str(error))

    def summary(self, files: Sequence[tuple[FileReport, int]]) -> Iterator[str]:
        """``counts: 98 of 109 loops matched, 3 files unknown (a.c, b.c, c.c)``.

        ``files``: reports, and how many loops each file has.
        """
        readable = [each for each in self._counts.values() if each.has_functions]
        if not readable:
            return
        matched = sum([len(each.counts.loops) for each, _ in files if each.counts is not None])
        gaps = _gaps(files)
        text = f"counts: {matched} of {matched + gaps.total()} loops matched"
        reasons = [f"of {count}, {reason}" for reason, count in gaps.most_common()]
        yield "; ".join([text + _unknown(readable, [each.path for each, _ in files]), *reasons])


def _unknown(profiles: Iterable[LoopProfile], sources: Sequence[str]) -> str:
    """``, 3 files unknown (a.c, b.c, c.c)``: those of profiles that the run did not analyse."""
    names = {name for each in profiles for name in each.unmatched(sources)}
    unknown = sorted(filter(_is_source, names))
    if not unknown:
        return ""
    listed = ", ".join(unknown[:NAMED]) + (", …" if len(unknown) > NAMED else "")
    return f", {len(unknown)} file{'s' * (len(unknown) != 1)} unknown ({listed})"


def _gaps(files: Iterable[tuple[FileReport, int]]) -> Counter[str]:
    """Why loops have no counts."""
    gaps: Counter[str] = Counter()
    for each, loops in files:
        if each.counts is not None:
            gaps.update([gap.reason for gap in each.counts.gaps])
        elif loops:
            gaps[CountGap.UNKNOWN_FILE.value] += loops
    return gaps


def _is_source(path: str) -> bool:
    """Whether a file stands for itself in a run; headers are analysed where somebody names them."""
    extension = os.path.splitext(path)[1]
    return extension in EXTENSIONS and extension not in HEADERS
