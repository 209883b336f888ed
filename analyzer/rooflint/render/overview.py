"""The end of a long text report: how many loops are bound by what, and where the time goes."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rooflint.pipeline.ranking import total_cycles
from rooflint.plugin_api.report import KernelReport, Report
from rooflint.render.entries import KernelEntry, has_guessed_sizes
from rooflint.render.layout import Style, number, plural, wrap
from rooflint.render.phrases import nest_words, verdict

FEW_ENTRIES = 12
"""A report of at most this many entries needs no overview."""
LONGEST_SHOWN = 5
SMALLEST_SHARE = 1.0
"""In percent of the predicted time; smaller shares are left out."""


def overview(
    entries: Sequence[KernelEntry], report: Report, style: Style, indent: int
) -> Iterator[str]:
    """Nothing for few entries."""
    if len(entries) <= FEW_ENTRIES:
        return
    for place, machine in enumerate(report.machines):
        counts = Counter(_bound(entry.kernel, place) for entry in entries)
        said = ", ".join(f"{count} {bound}" for bound, count in sorted(counts.items()))
        where = f"on {machine.name}, " if len(report.machines) > 1 else ""
        text = f"{where}{plural(len(entries), 'different kernel')}: {said}"
        yield from wrap(text, style.width, indent, 3 * indent)
    yield from _longest(entries, style, indent)


def _bound(kernel: KernelReport, place: int) -> str:
    result = kernel.results[place] if place < len(kernel.results) else None
    if result is None or not result.predictions:
        return "without a prediction"
    return verdict(result.predictions[0])[0]


def _is_known(kernel: KernelReport) -> bool:
    """Whether nobody had to guess how much a kernel does."""
    return not has_guessed_sizes(kernel) or (
        kernel.weight is not None and kernel.weight.iterations is not None
    )


def _longest(entries: Sequence[KernelEntry], style: Style, indent: int) -> Iterator[str]:
    """Where the time goes, where sizes are known for most loops: guesses cannot be compared."""
    known = [entry for entry in entries if _is_known(entry.kernel)]
    cycles = [max(total_cycles(entry.kernel), 0.0) * len(entry.functions) for entry in known]
    total = sum(cycles)
    if len(known) < len(entries):
        guessed = f"sizes are assumed for {len(entries) - len(known)} of {len(entries)} kernels"
        yield from wrap(f"{guessed}; -D NAME=NUMBER sets one", style.width, indent, 3 * indent)
    if not total or 2 * len(known) < len(entries):
        return
    yield from wrap(
        "kernels with the most predicted time, of those with known sizes:",
        style.width,
        indent,
        3 * indent,
    )
    ranked = sorted(zip(cycles, known, strict=True), key=lambda pair: -pair[0])
    for place, (own, entry) in enumerate(ranked[:LONGEST_SHOWN]):
        share = 100 * own / total
        if place and share < SMALLEST_SHARE:
            break
        text = (
            f"{number(share)} % {entry.place} {entry.functions[0]} {nest_words(entry.kernel.loops)}"
        )
        yield from wrap(text, style.width, 2 * indent, 4 * indent)
