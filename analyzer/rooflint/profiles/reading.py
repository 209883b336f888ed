"""Profiles of any format, recognised by content; a broken file costs that file."""

from collections.abc import Iterable, Sequence

from rooflint.profiles.content import ProfileKind, kind_of, read_content
from rooflint.profiles.counts import ExecutionCounts
from rooflint.profiles.gcov import FunctionLines, read_gcov
from rooflint.profiles.llvm_cov import FunctionRegions, read_llvm_cov
from rooflint.profiles.places import CountGap, LoopAnswer, LoopPlace
from rooflint.profiles.problems import ProfileError, ProfileProblem


class LoopProfile:
    """Counts of all files; those of llvm-cov, which knows columns, before those of gcov."""

    def __init__(
        self,
        regions: Iterable[FunctionRegions],
        lines: Iterable[FunctionLines],
        problems: Sequence[ProfileError] = (),
    ) -> None:
        self._formats = (ExecutionCounts(regions), ExecutionCounts(lines))
        self.problems = tuple(problems)

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop of the source; a gap says why there are none."""
        answers = [each.loop(place) for each in self._formats]
        for answer in answers:
            if not isinstance(answer, CountGap):
                return answer
        # A format that knows the file has the better reason.
        informed = [each for each in answers if each is not CountGap.UNKNOWN_FILE]
        return informed[0] if informed else CountGap.UNKNOWN_FILE

    def unmatched(self, sources: Sequence[str]) -> tuple[str, ...]:
        """Files of the profiles that none of ``sources`` is."""
        return tuple(sorted({path for each in self._formats for path in each.unmatched(sources)}))


def read_counts(paths: Iterable[str]) -> LoopProfile:
    """The counts in ``paths``; several runs of one program add up."""
    regions: list[FunctionRegions] = []
    lines: list[FunctionLines] = []
    problems = []
    for path in paths:
        try:
            content = read_content(path)
            kind = kind_of(path, content)
            if kind is ProfileKind.LLVM_COV:
                regions += read_llvm_cov(path, content)
            elif kind is ProfileKind.GCOV:
                lines += read_gcov(path, content)
            else:
                raise ProfileError(path, ProfileProblem.WITHOUT_COUNTS)
        except ProfileError as error:
            problems.append(error)
    return LoopProfile(regions, lines, problems)
