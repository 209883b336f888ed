"""Changes as diffs on the page, which has room for so many lines of each."""

from typing import Final

from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.report import FileReport
from rooflint.render.diffs import change_lines

MOST_LINES: Final = 24
"""Of a diff or sketch; the rest is counted."""


def short_change(fix: Fix, file: FileReport) -> list[str]:
    """The change as lines of a diff or sketch, cut where it is long."""
    lines = change_lines(fix, file)
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[:MOST_LINES], f" ({len(lines) - MOST_LINES} more lines)"]
