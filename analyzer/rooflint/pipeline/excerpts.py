"""The lines of a file that a report shows: its loops, and a few lines around them."""

from collections.abc import Iterable

from rooflint.plugin_api.report import SourceExcerpt

AROUND = 3


def excerpts(text: str, loops: Iterable[tuple[int, int]]) -> tuple[SourceExcerpt, ...]:
    """``text`` around each loop (first and last line, from 1); runs that touch are one."""
    lines = _lines(text)
    runs: list[list[int]] = []
    for first, last in sorted(set(loops)):
        begin, end = max(first - AROUND, 1), min(last + AROUND, len(lines))
        if begin > end:
            continue
        if runs and begin <= runs[-1][1] + 1:
            runs[-1][1] = max(runs[-1][1], end)
        else:
            runs.append([begin, end])
    return tuple([SourceExcerpt(begin, tuple(lines[begin - 1 : end])) for begin, end in runs])


def _lines(text: str) -> list[str]:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]
