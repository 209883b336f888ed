"""The details of one loop: its time, its limit, and the terms beside the roofs."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final

from rooflint.escaping import visible
from rooflint.plugin_api.advice import Advice, gain_text
from rooflint.plugin_api.report import FileReport, FunctionReport, KernelReport, Report
from rooflint.plugin_api.terms import Limiter, TimeTerm
from rooflint.plugin_api.verdict import (
    ActionKind,
    BestAdvice,
    TimeRelation,
    Verdict,
    VerdictReason,
)
from rooflint.records import NamedTuple
from rooflint.render.layout import Style, wrap
from rooflint.render.phrases import AGAIN, origin_words
from rooflint.render.ranked.basis import DetailedLoop, basis_lines, finding_lines
from rooflint.render.ranked.request import RankedRequest
from rooflint.render.ranked.unpredicted import gap_reason
from rooflint.verdict.advise import gain_on
from rooflint.verdict.figures import cycles_words, figure, whole_number
from rooflint.verdict.residence import nearer_times
from rooflint.verdict.words import limit_sentence, resource_words, short_resource

_NAME, _CYCLES = 15, 8
_RANGE = 14
MOST_SIZES: Final = 4
LIMIT_MARK: Final = "◀"


class _LoopSource(NamedTuple):
    file: FileReport
    function: FunctionReport
    kernel: KernelReport


class LoopDetails:
    """Writes the details of the loops of a report."""

    def __init__(self, report: Report, style: Style, request: RankedRequest) -> None:
        self.report, self.style, self.request = report, style, request
        self._machines = {each.name: each for each in report.machines}
        self._several = len({each.machine for each in report.verdicts}) > 1
        self._sources = {
            kernel.id: _LoopSource(file, function, kernel)
            for file in report.files
            for function in file.functions
            for kernel in function.kernels()
        }

    def lines(self, verdict: Verdict, *, full: bool, copies: int = 1) -> Iterator[str]:
        """One loop in about eight lines; ``full``: with everything that its numbers rest on.

        copies  instances of a template with the same verdict
        """
        loop = self._loop(verdict)
        yield from self._heading(verdict, loop, copies)
        for sentence in _sentences(verdict, loop):
            yield from wrap(sentence, self.style.width, 2, 2)
        yield from _terms(verdict)
        for sentence in _remarks(verdict):
            yield from wrap(sentence, self.style.width, 2, 2)
        if loop is not None:
            machine = self._machines.get(verdict.machine)
            models = self.request.models
            yield from basis_lines(loop, self.style, machine, full=full, models=models)
            if full:
                yield from finding_lines(loop, self.style)

    def _loop(self, verdict: Verdict) -> DetailedLoop | None:
        source = self._sources.get(verdict.id)
        if source is None:
            return None
        results = [each for each in source.kernel.results if each.machine == verdict.machine]
        return DetailedLoop(
            verdict=verdict,
            file=source.file,
            function=source.function,
            kernel=source.kernel,
            result=results[0] if results else None,
        )

    def _heading(self, verdict: Verdict, loop: DetailedLoop | None, copies: int) -> Iterator[str]:
        """``triad.c:2 triad, loop i: 4.4 cy per iteration, n = 10 000 000 (-D)``."""
        place = verdict.place
        head = f"{visible(place.path)}:{place.line} {visible(place.function)}"
        if loop is not None and loop.kernel.loops:
            index = loop.kernel.loops[-1].index.partition(AGAIN)[0]
            head += f", loop {visible(index)}"
        if copies > 1:
            head += f", {copies} instances"
        if self._several:
            head += f", on {visible(verdict.machine)}"
        for line in _packed([f"{head}: {_time(verdict)}", *_sizes(loop)], self.style.width):
            yield self.style.paint(line, "bold")


def _time(verdict: Verdict) -> str:
    """``4.4 cy per iteration``; ``≥4.4``; ``4.4–9``."""
    time = verdict.time
    if time.now_cy is None:
        return "not predicted"
    mark = "≥" if time.relation is TimeRelation.AT_LEAST else ""
    cycles = cycles_words(time.now_cy)
    if time.relation is TimeRelation.RANGE and time.high_cy is not None:
        cycles = f"{cycles}–{cycles_words(time.high_cy)}"
    return f"{mark}{cycles} cy per iteration"


def _packed(parts: Iterable[str], width: int) -> Iterator[str]:
    """The parts between commas, each of them whole on a line as far as there is room."""
    line = ""
    for part in parts:
        if not line:
            line = part
        elif len(line) + len(part) + 3 <= width:
            line = f"{line}, {part}"
        else:
            yield from wrap(f"{line},", width, 2 if line.startswith("  ") else 0, 2)
            line = f"  {part}"
    yield from [line] if len(line) <= width else wrap(line, width, 0, 2)


def _sizes(loop: DetailedLoop | None) -> Iterator[str]:
    if loop is None or loop.result is None:
        return
    sizes = [
        f"{visible(name)} = {whole_number(size.value)} ({origin_words(size.origin)})"
        for name, size in sorted(loop.result.sizes.items())
    ]
    yield from sizes[:MOST_SIZES]
    if len(sizes) > MOST_SIZES:
        yield f"and {len(sizes) - MOST_SIZES} more"


def _sentences(verdict: Verdict, loop: DetailedLoop | None) -> Iterator[str]:
    """The limit and the change that the verdict is about."""
    if verdict.limiter is None:
        answered = loop is not None and loop.result is not None and loop.result.predictions
        unnamed = "No verdict: none of these models names the parts of its time."
        yield unnamed if answered else f"Not predicted: {gap_reason(verdict)}."
        return
    limit = visible(limit_sentence(verdict))
    limit = f"{limit[0].upper()}{limit[1:]}."
    yield limit if verdict.advice is None else f"{limit} {_change(verdict, verdict.advice, loop)}"


def _change(verdict: Verdict, best: BestAdvice, loop: DetailedLoop | None) -> str:
    """``4 partial sums (RL201): 2.4×.``; of threads, what helps without them comes first."""
    gain = gain_text(verdict.time.gain)
    if best.action.kind is not ActionKind.THREADS:
        return f"{_titled(best.title)} ({best.rule}): {gain}."
    cores = "one core" if verdict.cores == 1 else f"{verdict.cores} cores"
    alone = _without_threads(verdict, loop)
    if alone is None:
        return f"On {cores} no change is known; {gain} with threads ({best.rule})."
    title = _titled(alone.fix.title if alone.fix is not None else alone.change)
    less = gain_text(gain_on(alone, verdict))
    return f"{title} ({alone.code}): {less} on {cores}; {gain} with threads ({best.rule})."


def _titled(title: str) -> str:
    words = visible(title) or "a change"
    return f"{words[0].upper()}{words[1:]}"


def _without_threads(verdict: Verdict, loop: DetailedLoop | None) -> Advice | None:
    """The finding about the loop that gains most with the cores that it has."""
    found = loop.result.advice if loop is not None and loop.result is not None else ()
    priced = [each for each in found if each.action.kind is not ActionKind.THREADS]
    best = max(priced, key=lambda each: gain_on(each, verdict), default=None)
    return best if best is not None and gain_on(best, verdict) > 1 else None


def _remarks(verdict: Verdict) -> Iterator[str]:
    """How roof and estimate lie, and times in nearer levels."""
    if VerdictReason.FLOOR_ABOVE_ESTIMATE in verdict.reasons and verdict.floor is not None:
        name, roof = resource_words(verdict.floor.resource), figure(verdict.floor.cycles)
        yield f"The estimate lies below the {name} roof ({roof}), so the roof counts."
    nearer = [f"{each.level} {cycles_words(each.cycles)}" for each in nearer_times(verdict)]
    if nearer:
        yield f"With its data nearer, cy per iteration: {', '.join(nearer)}."


def _terms(verdict: Verdict) -> Iterator[str]:
    """Terms of the estimate on the left, roofs on the right; cycles per iteration."""
    if not verdict.terms and not verdict.floors:
        return
    from_roof = not verdict.terms or VerdictReason.FLOOR_ABOVE_ESTIMATE in verdict.reasons
    term_limit, roof_limit = (None, verdict.limiter) if from_roof else (verdict.limiter, None)
    cycles = _RANGE if any(map(_is_range, verdict.terms)) else _CYCLES
    yield f"    {'term':<{_NAME}}{'cy':<{cycles}}{'roof':<{_NAME}}cy"
    for term, roof in zip_longest(verdict.terms, _roofs(verdict)):
        left, right = _cell(term, term_limit), _roof_cell(roof, roof_limit)
        yield f"    {left:<{_NAME + cycles}}{right}".rstrip()


def _roof_cell(roof: TimeTerm | None, limit: Limiter | None) -> str:
    text = _cell(roof, None)
    is_limit = roof is not None and limit is not None and roof.resource == limit
    return f"{text:<{_NAME + _CYCLES}}{LIMIT_MARK} limit" if is_limit else text


def _roofs(verdict: Verdict) -> list[TimeTerm]:
    """Of several roofs over one resource the highest, that is the one of most cycles."""
    highest: dict[str, TimeTerm] = {}
    for floor in verdict.floors:
        name = resource_words(floor.resource)
        if name not in highest or floor.cycles > highest[name].cycles:
            highest[name] = floor
    return list(highest.values())


def _is_range(term: TimeTerm) -> bool:
    return term.high is not None and term.high > term.cycles


def _cell(term: TimeTerm | None, limit: Limiter | None) -> str:
    """Name and cycles; the mark after those of the limit."""
    if term is None:
        return ""
    cycles = figure(term.cycles)
    if term.high is not None and _is_range(term):
        cycles = f"{cycles}–{figure(term.high)}"
    mark = f" {LIMIT_MARK}" if limit is not None and term.resource == limit else ""
    return f"{short_resource(term.resource):<{_NAME}}{cycles}{mark}"
