"""Fixes made: edits of one finding, or safe ones of several in one text, the best ones first."""

from collections.abc import Iterable, Sequence
from difflib import unified_diff

from rooflint.plugin_api.advice import Advice, Edit
from rooflint.records import NamedTuple
from rooflint.source_edit.edits import EditableSource


class AppliedFixes(NamedTuple):
    """The new text of a file, and the findings whose fixes are in it."""

    text: bytes
    made: tuple[Advice, ...]


def apply_fixes(content: bytes, findings: Iterable[Advice]) -> AppliedFixes:
    """``content`` with the safe fixes of ``findings``; of two that overlap the earlier one wins."""
    text = EditableSource(content.decode("utf-8", "surrogateescape"))
    taken: list[tuple[int, int, bytes]] = []
    made: list[Advice] = []
    for advice in findings:
        if advice.fix is None or advice.fix.safety != "safe" or not advice.fix.edits:
            continue
        edits = [_located(text, edit) for edit in advice.fix.edits]
        if not any(_overlap(one, other) for one in edits for other in taken):
            taken += edits
            made.append(advice)
    return AppliedFixes(_replaced(text.bytes, taken), tuple(made))


def with_edits(content: bytes, edits: Sequence[Edit]) -> bytes:
    """``content`` with the edits of one fix, which do not overlap."""
    text = EditableSource(content.decode("utf-8", "surrogateescape"))
    return _replaced(text.bytes, [_located(text, edit) for edit in edits])


def _replaced(content: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    for start, end, new in sorted(edits, reverse=True):
        content = content[:start] + new + content[end:]
    return content


def _located(text: EditableSource, edit: Edit) -> tuple[int, int, bytes]:
    start = text.offset(edit.line, edit.column)
    end = text.offset(edit.end_line, edit.end_column)
    return start, end, edit.text.encode("utf-8", "surrogateescape")


def _overlap(one: tuple[int, int, bytes], other: tuple[int, int, bytes]) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1]) or one[:2] == other[:2]


def difference(path: str, before: bytes, after: bytes) -> str:
    """A unified diff."""
    old, new = (t.decode("utf-8", "surrogateescape").splitlines(True) for t in (before, after))
    return "".join(unified_diff(old, new, f"a/{path}", f"b/{path}"))
