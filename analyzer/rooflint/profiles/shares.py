"""Profiles of time of any format; a broken file costs that file."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rooflint.profiles.formats import ProfileFormat, read_profile
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.samples import TimeProfile, TimeUnit, Weights
from rooflint.records import NamedTuple


class SharesReading(NamedTuple):
    """The time of all files that were read, and one problem for each of the others."""

    profile: TimeProfile
    problems: tuple[ProfileError, ...]


def read_shares(paths: Iterable[str], formats: Sequence[ProfileFormat] = ()) -> SharesReading:
    """Time by line; runs of one format add up, and formats with other units are refused."""
    weights: Weights = Counter()
    units: set[tuple[str, TimeUnit | None]] = set()
    problems = []
    for path in paths:
        try:
            found = read_profile(path, formats)
            if found.time is None:
                raise ProfileError(path, ProfileProblem.WITHOUT_TIME)
            unit = (found.unit, found.time.unit)
            if units - {unit}:
                raise ProfileError(path, ProfileProblem.OTHER_UNIT)
            weights += found.time.weights
            units.add(unit)
        except ProfileError as error:
            problems.append(error)
    unit_of_time = next((unit for _, unit in units), None)
    return SharesReading(TimeProfile(weights, unit_of_time), tuple(problems))
