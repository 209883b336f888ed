"""Changes as diffs over the lines of source that a report carries."""

from collections.abc import Sequence
from itertools import filterfalse
from typing import Final

from rooflint.plugin_api.advice import Edit, Fix
from rooflint.plugin_api.report import FileReport

CONTEXT: Final = 1
"""Lines around a change."""


def change_lines(fix: Fix, file: FileReport) -> list[str]:
    """The change as lines of a diff; a sketch as added lines; empty where there is neither."""
    lines = _edited(fix.edits, file) if fix.edits else []
    return lines or [f"+{line}" for line in fix.sketch.splitlines()]


def _edited(edits: Sequence[Edit], file: FileReport) -> list[str]:
    """A diff of the lines that the edits touch; empty where the report lacks one of them."""
    known = _known_lines(file)
    first, last = min([edit.line for edit in edits]), max([edit.end_line for edit in edits])
    if any(number not in known for number in range(first, last + 1)):
        return []
    block = [n for n in range(first - CONTEXT, last + CONTEXT + 1) if n in known]
    old = [known[number] for number in block]
    new = _applied("\n".join(old), block[0], edits).split("\n")
    from difflib import unified_diff  # noqa: PLC0415 - few reports show a change

    lines = list(unified_diff(old, new, n=CONTEXT, lineterm=""))[2:]
    return list(filterfalse(lambda line: line.startswith("@@"), lines))


def _known_lines(file: FileReport) -> dict[int, str]:
    return {
        excerpt.line + place: line
        for excerpt in file.source
        for place, line in enumerate(excerpt.lines)
    }


def _applied(text: str, begin: int, edits: Sequence[Edit]) -> str:
    """``text``, whose first line is ``begin``, with the edits made; columns count bytes."""
    content = text.encode("utf-8", "surrogateescape")
    starts = [0]
    for line in content.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def place(line: int, column: int) -> int:
        return starts[line - begin] + column - 1

    for edit in sorted(edits, key=lambda each: (each.line, each.column), reverse=True):
        start, end = place(edit.line, edit.column), place(edit.end_line, edit.end_column)
        content = content[:start] + edit.text.encode("utf-8", "surrogateescape") + content[end:]
    return content.decode("utf-8", "surrogateescape")
