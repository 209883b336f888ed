"""Profiles of any format, recognised by content; a broken file costs that file."""

from collections.abc import Iterable, Sequence

import msgspec

from rooflint.ir.unit import BranchPlace, LoopPlace, Span
from rooflint.profiles.counts import CountRecord, RecordedFunctions
from rooflint.profiles.formats import ProfileFormat, read_profile
from rooflint.profiles.gcov import FunctionLines
from rooflint.profiles.llvm_cov import FunctionRegions
from rooflint.profiles.places import (
    BranchAnswer,
    CountGap,
    LoopAnswer,
    LoopCounts,
    sum_of_branches,
    sum_of_loops,
)
from rooflint.profiles.problems import ProfileError, ProfileProblem


class FileCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of the functions of one source file."""

    regions: tuple[FunctionRegions, ...]
    lines: tuple[FunctionLines, ...]


class LoopProfile:
    """Counts of all files; those of llvm-cov, which knows columns, before those of gcov."""

    def __init__(
        self,
        regions: Iterable[FunctionRegions],
        lines: Iterable[FunctionLines],
        problems: Sequence[ProfileError] = (),
    ) -> None:
        self._regions = RecordedFunctions(regions)
        self._lines = RecordedFunctions(lines)
        self.problems = tuple(problems)

    @classmethod
    def of_counts(cls, counts: FileCounts) -> "LoopProfile":
        """The counts of one file by themselves."""
        return cls(counts.regions, counts.lines)

    @property
    def has_functions(self) -> bool:
        """Whether anything was read."""
        return bool(self._regions or self._lines)

    def of_file(self, path: str) -> FileCounts | None:
        """All that is known of one file; None where that is nothing."""
        counts = FileCounts(
            regions=tuple(self._regions.of_file(path)), lines=tuple(self._lines.of_file(path))
        )
        return counts if counts.regions or counts.lines else None

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop of the source; a gap says why there are none."""
        keyword = (place.loop.line, place.loop.column)
        regions = self._regions.around(keyword, place.path, place.function)
        lines = self._lines.around(keyword, place.path, place.function)
        answer = _loop_in(regions, place)
        return answer if isinstance(answer, LoopCounts) else _better(_loop_in(lines, place), answer)

    def branch(self, place: BranchPlace) -> BranchAnswer:
        """Counts of an ``if`` of the source, from llvm-cov only."""
        regions = self._regions.around(place.keyword, place.path, place.function)
        if not isinstance(regions, CountGap):
            return sum_of_branches([each.branch(place) for each in regions])
        has_lines = not isinstance(self._lines.of(place.path, place.function), CountGap)
        return CountGap.LINES_ONLY if has_lines else regions

    def calls(self, path: str, function: Span) -> int | CountGap:
        """How often a function ran, over all its instances."""
        regions = self._regions.of(path, function)
        instances: Sequence[CountRecord] | CountGap = regions
        if isinstance(regions, CountGap):
            lines = self._lines.of(path, function)
            instances = _informed(lines, regions) if isinstance(lines, CountGap) else lines
        if isinstance(instances, CountGap):
            return instances
        return sum([each.executions for each in instances])

    def unmatched(self, sources: Sequence[str]) -> tuple[str, ...]:
        """Files of the profiles that none of ``sources`` is."""
        return tuple(
            sorted(
                {path for each in (self._regions, self._lines) for path in each.unmatched(sources)}
            )
        )


def _loop_in(instances: Sequence[CountRecord] | CountGap, place: LoopPlace) -> LoopAnswer:
    if isinstance(instances, CountGap):
        return instances
    return sum_of_loops([each.loop(place) for each in instances])


def _better(answer: LoopAnswer, gap: CountGap) -> LoopAnswer:
    return _informed(answer, gap) if isinstance(answer, CountGap) else answer


def _informed(second: CountGap, first: CountGap) -> CountGap:
    """A format that knows the file has the better reason."""
    return second if first is CountGap.UNKNOWN_FILE else first


def read_counts(paths: Iterable[str], formats: Sequence[ProfileFormat] = ()) -> LoopProfile:
    """The counts in ``paths``; several runs of one program add up."""
    regions: list[FunctionRegions] = []
    lines: list[FunctionLines] = []
    problems = []
    for path in paths:
        try:
            found = read_profile(path, formats)
            if not found.has_counts and found.time is not None:
                raise ProfileError(path, ProfileProblem.WITHOUT_COUNTS)
            regions += found.regions
            lines += found.lines
        except ProfileError as error:
            problems.append(error)
    return LoopProfile(regions, lines, problems)
