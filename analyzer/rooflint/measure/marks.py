"""Marks around a nest: a copy of the source with a call before it and one behind."""

from typing import Final

from rooflint.ir.unit import Span

_BEFORE: Final = "{ rooflint_begin(); "
_BEHIND: Final = " rooflint_end(); }"
_PRAGMA: Final = b"#pragma"


def marked_copy(source: bytes, path: str, nest: Span) -> bytes:
    """The text of the file with marks, its lines numbered as in the original."""
    lines = source.splitlines(keepends=True)
    begin = sum(map(len, lines[: nest.line - 1])) + nest.column - 1
    end = sum(map(len, lines[: nest.end_line - 1])) + nest.end_column - 1
    end = _statement_end(source, end)
    begin, before = _before_pragmas(lines, nest, begin)
    name = path.replace("\\", "\\\\").replace('"', '\\"')
    head = f'#line 1 "{name}"\n'.encode("utf-8", "surrogateescape")
    return b"".join(
        [head, source[:begin], before.encode(), source[begin:end], _BEHIND.encode(), source[end:]]
    )


def _statement_end(source: bytes, end: int) -> int:
    """Behind the semicolon that ends a nest whose body is a plain statement."""
    if source[:end].rstrip().endswith((b"}", b";")):
        return end
    semicolon = source.find(b";", end)
    return end if semicolon < 0 or source[end:semicolon].strip() else semicolon + 1


def _before_pragmas(lines: list[bytes], nest: Span, begin: int) -> tuple[int, str]:
    """The place of the first mark: above pragmas, which belong to the loop below them.

    A mark on a line of its own would move all lines behind it, so it joins the end of the line
    above; the text of a first line stays in front of it.
    """
    if lines[nest.line - 1][: nest.column - 1].strip():
        return begin, _BEFORE
    first = nest.line - 1
    while first > 0 and lines[first - 1].lstrip().startswith(_PRAGMA):
        first -= 1
    if first == nest.line - 1 or first == 0:
        return begin, _BEFORE
    place = sum(map(len, lines[:first]))
    return place, f"{_BEFORE}\n#line {first + 1}\n"
