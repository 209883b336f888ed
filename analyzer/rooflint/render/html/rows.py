"""Rows of the table: every loop, analysed or refused, with its numbers on each machine."""

import math
from collections.abc import Iterable, Sequence
from itertools import product

from rooflint.ir import Refusal
from rooflint.pipeline.ranking import predicted_cycles
from rooflint.plugin_api.prediction import LimitKind, Prediction
from rooflint.plugin_api.report import FileReport, MachineResult, Report
from rooflint.records import NamedTuple
from rooflint.render.entries import ERRORS, KernelEntry, entries_of, has_guessed_sizes
from rooflint.render.layout import plural
from rooflint.render.phrases import DATA_PATHS, nest_words, verdict

FIRST = ""
"""In place of a model's name: the first one that says anything of a loop."""
NO_PREDICTION = "without a prediction"
REFUSED = "not analysed"


class LoopFigures(NamedTuple):
    """One model's result for a loop on one machine; ``share`` in percent of the machine's time.

    limit       the kind of what limits; None without a prediction
    bottleneck  the name of the link, where it is one
    """

    bound: str
    bottleneck: str
    headline: str
    cycles: float | None
    limit: LimitKind | None = None
    share: float | None = None


NOTHING_PREDICTED = LoopFigures(bound=NO_PREDICTION, bottleneck="", headline="", cycles=None)


class Row(NamedTuple):
    """One loop; ``figures`` by machine (its place in the report) and model or FIRST."""

    file: FileReport
    line: int
    function: str
    loop: str
    sizes: str
    problems: tuple[str, ...]
    entry: KernelEntry | None
    refusal: Refusal | None
    figures: dict[tuple[int, str], LoopFigures]


class Listing(NamedTuple):
    """All rows, what takes most time first; ``models`` in the order of the report.

    ``has_shares``: whether sizes are known for enough loops to compare their time.
    """

    rows: tuple[Row, ...]
    models: tuple[str, ...]
    has_shares: bool


def listing(report: Report) -> Listing:
    """The rows of a report."""
    entries = entries_of(report)
    models = tuple(dict.fromkeys(p.model for e in entries for r in e.kernel.results
                                 for p in r.predictions))  # fmt: skip
    rows = [_entry_row(entry, report) for entry in entries]
    rows += [_refusal_row(file, refusal) for file in report.files for refusal in file.refusals]
    known = sum(not has_guessed_sizes(entry.kernel) for entry in entries)
    has_shares = 2 * known >= len(entries) and _add_shares(rows, report, models)
    if has_shares:
        rows.sort(key=lambda row: -_share(row))
    return Listing(tuple(rows), models, has_shares)


def results_by_machine(entry: KernelEntry, report: Report) -> dict[int, MachineResult]:
    """The results of a kernel by the place of their machine in the report."""
    places = {machine.name: place for place, machine in enumerate(report.machines)}
    return {
        places[result.machine]: result
        for result in entry.kernel.results
        if result.machine in places
    }


def _entry_row(entry: KernelEntry, report: Report) -> Row:
    figures: dict[tuple[int, str], LoopFigures] = {}
    for place, result in results_by_machine(entry, report).items():
        for prediction in result.predictions:
            own = _figures(prediction)
            figures[place, prediction.model] = own
            first = figures.setdefault((place, FIRST), own)
            if first.cycles is None:
                figures[place, FIRST] = first._replace(cycles=own.cycles)
        figures.setdefault((place, FIRST), NOTHING_PREDICTED)
    names = list(dict.fromkeys(entry.functions))
    more = len(entry.functions) - 1
    function = names[0] + (f" and {plural(more, 'more instance')}" if more else "")
    return Row(
        file=entry.file,
        line=entry.kernel.line,
        function=function,
        loop=nest_words(entry.kernel.loops),
        sizes=_sizes(entry.kernel.results),
        problems=tuple(_problems(entry)),
        entry=entry,
        refusal=None,
        figures=figures,
    )


def _refusal_row(file: FileReport, refusal: Refusal) -> Row:
    return Row(
        file=file,
        line=refusal.line,
        function="",
        loop=REFUSED,
        sizes="",
        problems=(str(refusal.reason),),
        entry=None,
        refusal=refusal,
        figures={},
    )


def _figures(prediction: Prediction) -> LoopFigures:
    bottleneck = prediction.bottleneck if prediction.limit in DATA_PATHS else ""
    return LoopFigures(
        bound=verdict(prediction)[0],
        bottleneck=bottleneck,
        headline=prediction.headline,
        cycles=prediction.cycles_per_iteration,
        limit=prediction.limit,
    )


def _sizes(results: Iterable[MachineResult]) -> str:
    """``n = 1000 (source)``; where machines differ, all values of a size."""
    values: dict[tuple[str, str], list[str]] = {}
    for result in results:
        for name, size in result.sizes.items():
            known = values.setdefault((name, size.origin), [])
            if str(size.value) not in known:
                known.append(str(size.value))
    by_origin: dict[str, list[str]] = {}
    for (name, origin), numbers in values.items():
        by_origin.setdefault(origin, []).append(f"{name} = {' or '.join(numbers)}")
    return "; ".join(f"{', '.join(sizes)} ({origin})" for origin, sizes in by_origin.items())


def _problems(entry: KernelEntry) -> Iterable[str]:
    for result in entry.kernel.results:
        for skipped in result.skipped:
            if skipped.failed:
                yield f"{skipped.model} failed on {result.machine}"
    if not any(result.predictions for result in entry.kernel.results):
        yield "no prediction"
    if any(diagnostic.severity == "error" for diagnostic in entry.file.diagnostics):
        yield ERRORS.partition(" (")[0]
    if entry.kernel.not_covered:
        yield plural(len(entry.kernel.not_covered), "part") + " not covered"
    if has_guessed_sizes(entry.kernel):
        yield "sizes are guessed"


def _add_shares(rows: Sequence[Row], report: Report, models: Iterable[str]) -> bool:
    """Fills in the shares of loops whose sizes are known: guesses cannot be compared."""
    known = [
        (row, row.entry, results_by_machine(row.entry, report))
        for row in rows
        if row.entry is not None and not has_guessed_sizes(row.entry.kernel)
    ]
    has_shares = False
    for key in product(range(len(report.machines)), (FIRST, *models)):
        machine, model = key
        cycles = [
            (row, total * len(entry.functions))
            for row, entry, results in known
            if (total := _total(results.get(machine), model)) > 0
        ]
        whole = sum(total for _, total in cycles)
        for row, total in cycles:
            row.figures[key] = row.figures[key]._replace(share=100 * total / whole)
        has_shares = has_shares or bool(cycles)
    return has_shares


def _total(result: MachineResult | None, model: str) -> float:
    """Predicted cycles of all iterations; 0 where they are unknown or infinite."""
    for prediction in result.predictions if result is not None else ():
        if model in (FIRST, prediction.model):
            cycles = predicted_cycles(result, prediction) if result is not None else None
            if cycles is not None:
                return cycles if math.isfinite(cycles) else 0.0
    return 0.0


def _share(row: Row) -> float:
    shares = [figures.share for (_, model), figures in row.figures.items() if model == FIRST]
    return next((share for share in shares if share is not None), -1.0)
