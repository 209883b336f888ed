"""Profiles of a program's runs: counts of loops from coverage files, shares of time from samples.

Files come from strangers and are read within limits. Nothing here knows the front end: a loop is
asked for by its place (``LoopPlace``), and the answer is counts, or the reason why there are none.
"""

from rooflint.ir.unit import BranchPlace, LoopPlace, LoopTest
from rooflint.profiles.formats import ProfileContent, ProfileFormat
from rooflint.profiles.gcov import ConditionalJump, FunctionLines, LineRecord
from rooflint.profiles.llvm_cov import BranchRegion, CountedRegion, FunctionRegions
from rooflint.profiles.places import (
    BranchAnswer,
    BranchCounts,
    CountGap,
    LoopAnswer,
    LoopCounts,
)
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.reading import FileCounts, LoopProfile, read_counts
from rooflint.profiles.samples import (
    SourceLine,
    SourcePart,
    TimedLines,
    TimeProfile,
    TimeShares,
    TimeUnit,
)
from rooflint.profiles.shares import SharesReading, read_shares

__all__ = [
    "BranchAnswer",
    "BranchCounts",
    "BranchPlace",
    "BranchRegion",
    "ConditionalJump",
    "CountGap",
    "CountedRegion",
    "FileCounts",
    "FunctionLines",
    "FunctionRegions",
    "LineRecord",
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
    "SourceLine",
    "SourcePart",
    "TimeProfile",
    "TimeShares",
    "TimeUnit",
    "TimedLines",
    "read_counts",
    "read_shares",
]
