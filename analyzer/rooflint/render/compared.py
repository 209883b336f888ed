"""Several machines side by side: what each model says of a loop on each of them.

src/kernels.c    toy                wide
  4   triad      1 GFLOP/s, L3-MEM  32 GFLOP/s, compute
  13  spmv       -                  2.1 GFLOP/s, L3-MEM
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rooflint.escaping import visible
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import Report
from rooflint.records import NamedTuple
from rooflint.render.entries import KernelEntry
from rooflint.render.layout import Style, truncate, wrap

GAP = 2
LONGEST_NAME = 36
NOTHING = "-"


class MachineComparison(NamedTuple):
    """One model on one loop: ``name`` has line, function and model, ``cells`` one per machine."""

    path: str
    name: tuple[str, ...]
    cells: tuple[str, ...]


def side_by_side(
    entries: Sequence[KernelEntry], report: Report, style: Style, indent: int
) -> Iterator[str]:
    """A line per loop and model, a column per machine; nothing for one machine.

    Where a line would be too long, each machine has a line of its own.
    """
    lines = list(_all_lines(entries, report))
    if len(report.machines) < 2 or not lines:
        return
    machines = [visible(machine.name) for machine in report.machines]
    top = (*[""] * len(lines[0].name), *machines)
    columns = zip(top, *[(*line.name, *line.cells) for line in lines], strict=True)
    widths = [max(map(len, column)) for column in columns]
    fits = 2 * indent + sum(widths) + GAP * (len(widths) - 1) <= style.width
    if fits:
        yield style.paint(" " * 2 * indent + _padded(top, widths), "dim")
    for path, of_file in groupby(lines, key=lambda line: line.path):
        yield from wrap(path, style.width, indent)
        for line in of_file:
            if fits:
                yield " " * 2 * indent + _padded((*line.name, *line.cells), widths)
            else:
                yield from _stacked(line, machines, style, indent)


def _all_lines(entries: Sequence[KernelEntry], report: Report) -> Iterator[MachineComparison]:
    machines = [machine.name for machine in report.machines]
    results = [result for entry in entries for result in entry.kernel.results]
    models = {prediction.model for result in results for prediction in result.predictions}
    for entry in entries:
        yield from _lines(entry, machines, several=len(models) > 1)


def _stacked(
    line: MachineComparison, machines: Sequence[str], style: Style, indent: int
) -> Iterator[str]:
    yield from wrap(" ".join(line.name), style.width, 2 * indent, 3 * indent)
    for machine, cell in zip(machines, line.cells, strict=True):
        yield from wrap(f"{machine}: {cell}", style.width, 4 * indent, 5 * indent)


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width + GAP) for cell, width in zip(cells, widths, strict=True)]
    return "".join(padded).rstrip()


def _lines(
    entry: KernelEntry, machines: Sequence[str], *, several: bool
) -> Iterator[MachineComparison]:
    """A line per model that says something; it is named where there are ``several``."""
    by_machine = {
        result.machine: {prediction.model: prediction for prediction in result.predictions}
        for result in entry.kernel.results
    }
    models = dict.fromkeys(model for predictions in by_machine.values() for model in predictions)
    function = truncate(visible(entry.functions[0]), LONGEST_NAME)
    for model in models:
        predictions = [by_machine.get(machine, {}).get(model) for machine in machines]
        name = (str(entry.kernel.line), function, *((visible(model),) if several else ()))
        yield MachineComparison(entry.file.path, name, tuple(map(_cell, predictions)))


def _cell(prediction: Prediction | None) -> str:
    if prediction is None:
        return NOTHING
    return visible(f"{prediction.headline}, {prediction.bottleneck}")
