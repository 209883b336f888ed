"""Counts lines by a replay of the accesses, within a budget of work."""

from rooflint.memory.engine.budget import (
    BEYOND_BUDGET,
    EXACT_BUDGET,
    HINT_BUDGET,
    NO_BUDGET,
    REPORT_BUDGET,
    ClosedFormReason,
)
from rooflint.memory.engine.levels import levels_of, link_lines, without_sets
from rooflint.memory.engine.replays import (
    NestReplays,
    ReplayMemo,
    ReplayRequest,
    bound_lines,
    close_windows,
)

__all__ = [
    "BEYOND_BUDGET",
    "EXACT_BUDGET",
    "HINT_BUDGET",
    "NO_BUDGET",
    "REPORT_BUDGET",
    "ClosedFormReason",
    "NestReplays",
    "ReplayMemo",
    "ReplayRequest",
    "bound_lines",
    "close_windows",
    "levels_of",
    "link_lines",
    "without_sets",
]
