"""Profiles of time of any format, recognised by content; a broken file costs that file."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from rooflint.profiles.callgrind import read_callgrind
from rooflint.profiles.content import ProfileKind, kind_of, read_content
from rooflint.profiles.perf import Weights, read_perf_report, read_perf_script
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.samples import TimeProfile
from rooflint.records import NamedTuple

_READERS: Final[Mapping[ProfileKind, Callable[[str, bytes], Weights]]] = {
    ProfileKind.PERF_REPORT: read_perf_report,
    ProfileKind.PERF_SCRIPT: read_perf_script,
    ProfileKind.CALLGRIND: read_callgrind,
}


class SharesReading(NamedTuple):
    """The time of all files that were read, and one problem for each of the others."""

    profile: TimeProfile
    problems: tuple[ProfileError, ...]


def read_shares(paths: Iterable[str]) -> SharesReading:
    """Time by line; runs of one format add up, and formats with other units are refused."""
    weights: Weights = Counter()
    kinds: set[ProfileKind] = set()
    problems = []
    for path in paths:
        try:
            content = read_content(path)
            kind = kind_of(path, content)
            reader = _READERS.get(kind)
            if reader is None:
                raise ProfileError(path, ProfileProblem.WITHOUT_TIME)
            if kinds - {kind}:
                raise ProfileError(path, ProfileProblem.OTHER_UNIT)
            weights += reader(path, content)
            kinds.add(kind)
        except ProfileError as error:
            problems.append(error)
    return SharesReading(TimeProfile(weights), tuple(problems))
