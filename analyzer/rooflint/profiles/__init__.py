"""Profiles of a program's runs: counts of loops from coverage files, shares of time from samples.

Files come from strangers and are read within limits. Nothing here knows the front end: a loop is
asked for by its place (``LoopPlace``), and the answer is counts, or the reason why there are none.
"""

from rooflint.ir.unit import BranchPlace, LoopPlace, LoopTest
from rooflint.profiles.formats import ProfileContent, ProfileFormat
from rooflint.profiles.places import (
    BranchAnswer,
    BranchCounts,
    CountGap,
    LoopAnswer,
    LoopCounts,
)
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.reading import FileCounts, LoopProfile, read_counts
from rooflint.profiles.samples import SourcePart, TimeProfile, TimeShares, TimeUnit
from rooflint.profiles.shares import SharesReading, read_shares

__all__ = [
    "BranchAnswer",
    "BranchCounts",
    "BranchPlace",
    "CountGap",
    "FileCounts",
    "LoopAnswer",
    "LoopCounts",
    "LoopPlace",
    "LoopProfile",
    "LoopTest",
    "ProfileContent",
    "ProfileError",
    "ProfileFormat",
    "ProfileProblem",
    "SharesReading",
    "SourcePart",
    "TimeProfile",
    "TimeShares",
    "TimeUnit",
    "read_counts",
    "read_shares",
]
