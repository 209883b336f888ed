"""Replays the accesses of a function through LRU caches, and counts the lines that they move."""

from rooflint.replay.caches import (
    LevelLines,
    ReplayCounts,
    ReplayLevel,
    ReplaySettings,
    ReplayStatus,
)
from rooflint.replay.program import AccessProgram, LeftOut, ProgramReference, RowPadding

__all__ = [
    "AccessProgram",
    "LeftOut",
    "LevelLines",
    "ProgramReference",
    "ReplayCounts",
    "ReplayLevel",
    "ReplaySettings",
    "ReplayStatus",
    "RowPadding",
]
