"""The code of the page: the loops' lines, and less of long loops where that is much text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rooflint.escaping import visible_code
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import FileReport, Report
from rooflint.render.html.rows import LoopRow
from rooflint.render.html.texts import TextTable

BYTES_OF_LOOP: Final = 300
"""On average: with a verdict and its details, 1 000 loops are less than 1 MB."""
SMALL: Final = 100_000
"""Bytes of source that are no reason to leave out any."""
REACHES: Final = (60, 30, 15, 6)
"""Lines below a loop's header that stay where all lines are too many."""
ABOVE: Final = 3


def sources_data(report: Report, rows: Sequence[LoopRow], texts: TextTable) -> dict[str, Json]:
    """By file the runs of lines: each one's first line, and its text."""
    lines = {file.path: dict(_lines(file)) for file in report.files}
    budget = max(SMALL, BYTES_OF_LOOP * len(rows))
    shown = lines
    for reach in REACHES:
        if sum([len(line) for code in shown.values() for line in code.values()]) <= budget:
            break
        shown = _near_headers(lines, rows, reach)
    return {str(texts.place(path)): _runs(code, texts) for path, code in shown.items() if code}


def _lines(file: FileReport) -> Iterator[tuple[int, str]]:
    for excerpt in file.source:
        for place, line in enumerate(excerpt.lines):
            yield excerpt.line + place, visible_code(line)


def _near_headers(
    lines: Mapping[str, dict[int, str]], rows: Sequence[LoopRow], reach: int
) -> dict[str, dict[int, str]]:
    near: dict[str, set[int]] = {path: set() for path in lines}
    for row in rows:
        near[row.file.path].update(range(row.line - ABOVE, row.line + reach + 1))
    return {
        path: {number: line for number, line in code.items() if number in near[path]}
        for path, code in lines.items()
    }


def _runs(code: Mapping[int, str], texts: TextTable) -> list[Json]:
    runs: list[tuple[int, list[str]]] = []
    for number, line in sorted(code.items()):
        if runs and runs[-1][0] + len(runs[-1][1]) == number:
            runs[-1][1].append(line)
        else:
            runs.append((number, [line]))
    return [part for first, run in runs for part in (first, texts.place_of_code("\n".join(run)))]
