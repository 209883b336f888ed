"""The loops of a report that ``FILE:LINE`` and ``--function`` name."""

import os
from collections.abc import Iterable, Iterator, Sequence

from rooflint.cli.report.begun_run import LoopAddress
from rooflint.errors import UsageError, near_miss
from rooflint.plugin_api.report import FileReport, KernelReport, Report
from rooflint.render.layout import plural

NEAREST = 3
"""Loops that an error names."""


def selected_loops(
    report: Report, places: Sequence[LoopAddress], functions: Sequence[str]
) -> frozenset[str]:
    """Identifiers of the kernels at the places and in the functions.

    Raises UsageError for a place or a function without a loop, with the nearest that has one.
    """
    found: set[str] = set()
    for place in places:
        found |= set(_at(report, place))
    for name in functions:
        found |= set(_in_function(report, name))
    return frozenset(found)


def _at(report: Report, place: LoopAddress) -> Iterator[str]:
    """The loops that begin on the line, or else the innermost ones around it."""
    file = next((each for each in report.files if _same(each.path, place.path)), None)
    if file is None or file.status == "failed":
        raise UsageError(f"{place.path}:{place.line}: the file was not analysed")
    kernels = list(file.kernels())
    chosen = [each for each in kernels if each.line == place.line] or _around(kernels, place.line)
    if not chosen:
        raise UsageError(_no_loop(file, kernels, place))
    yield from [each.id for each in chosen]


def _around(kernels: Iterable[KernelReport], line: int) -> list[KernelReport]:
    """The innermost loops around a line."""
    around = [each for each in kernels if each.line <= line <= each.end_line]
    last = max([each.line for each in around], default=0)
    return [each for each in around if each.line == last]


def _no_loop(file: FileReport, kernels: Iterable[KernelReport], place: LoopAddress) -> str:
    where = f"{place.path}:{place.line}"
    refused = [each for each in file.refusals if each.line == place.line]
    if refused:
        return f"{where}: the loop is not analysed: {refused[0].reason}"
    lines = sorted({each.line for each in kernels}, key=lambda line: abs(line - place.line))
    if not lines:
        return f"{where}: there is no loop in this file"
    nearest = sorted(lines[:NEAREST])
    noun = "the nearest loop is on line" if len(nearest) == 1 else "the nearest loops are on lines"
    return f"{where}: there is no loop on this line; {noun} {', '.join(map(str, nearest))}"


def _in_function(report: Report, name: str) -> Iterator[str]:
    """The loops of all functions of that name, with or without the class before it."""
    with_loops: dict[str, list[str]] = {}
    for file in report.files:
        for function in file.functions:
            kernels = [each.id for each in function.kernels()]
            if kernels:
                with_loops.setdefault(function.name, []).extend(kernels)
    chosen = [
        each
        for known, kernels in with_loops.items()
        if name == known or known.endswith(f"::{name}")
        for each in kernels
    ]
    if not chosen:
        raise UsageError(
            f"--function {name}: no loop in a function of that name among"
            f" {plural(len(with_loops), 'function')}{near_miss(name, with_loops)}"
        )
    yield from chosen


def _same(one: str, other: str) -> bool:
    return os.path.normpath(one) == other or os.path.abspath(one) == os.path.abspath(other)
