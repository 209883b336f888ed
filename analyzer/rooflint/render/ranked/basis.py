"""The basis of the numbers of one loop, and the findings about it: further lines of its details."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from rooflint.escaping import visible_code
from rooflint.plugin_api.advice import Advice, Safety
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineReport,
    MachineResult,
)
from rooflint.plugin_api.verdict import TimeRelation, Verdict, WeightOrigin
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.diffs import change_lines
from rooflint.render.entries import ERRORS, silent_models
from rooflint.render.layout import Style, number, plural, with_label, wrap
from rooflint.render.measurements import measured_around, measured_words
from rooflint.scenario import EntryState
from rooflint.verdict.figures import cycles_words, figure, seconds_text, share_text
from rooflint.verdict.finding_words import finding_sentence
from rooflint.verdict.totals import time_column

INDENT, COLUMN = 2, 14
_MOSTLY_OWN: Final = 0.95
"""Part of a time from which the rest is not worth a word: figures have two digits."""
MOST_DIFF_LINES: Final = 24
SAFETY_WORDS: Final[Mapping[Safety, str]] = MappingProxyType(
    {"safe": "bit-exact", "unsafe": "to be checked", "sketch": "a sketch"}
)


class DetailedLoop(NamedTuple):
    """A loop on one machine, with its place in the report."""

    verdict: Verdict
    file: FileReport
    function: FunctionReport
    kernel: KernelReport
    result: MachineResult | None


Rows = Iterator[tuple[str, str]]


def basis_lines(
    loop: DetailedLoop, style: Style, machine: MachineReport | None, *, full: bool, models: bool
) -> Iterator[str]:
    """Measured times, failed models, and models beside the verdict.

    full    with weight, work, traffic, sizes and assumptions
    models  with the answers of all models in their words
    """
    rows = _rows(loop, machine, models=models) if full else _brief_rows(loop, models=models)
    last = ""
    for label, text in rows:
        yield from with_label("" if label == last else label, text, style, INDENT, COLUMN)
        last = label


def _brief_rows(loop: DetailedLoop, *, models: bool) -> Rows:
    if loop.result is not None:
        yield from _answers(loop.result, models=models)
    yield from _measured(loop)


def _rows(loop: DetailedLoop, machine: MachineReport | None, *, models: bool) -> Rows:
    yield from _weight(loop)
    yield "work", phrases.work_words(loop.kernel.work, loop.kernel.not_covered)
    if loop.kernel.not_covered:
        yield "not counted", phrases.gap_words(loop.kernel.not_covered)
    if loop.result is not None:
        yield from _of_machine(loop, loop.result)
        yield from _answers(loop.result, models=models)
        yield from _times(loop.result)
    yield from _measured(loop)
    if machine is not None:
        file = f" ({machine.file})" if machine.file else ""
        note = f": {machine.note}" if machine.note else ""
        yield "machine", f"{machine.name}{file}{note}"
    for text in _assumptions(loop):
        yield "assumed", text


def _measured(loop: DetailedLoop) -> Rows:
    result = loop.result
    for limit in result.limits if result is not None else ():
        percent = f"{share_text(limit.share)} of the {limit.model} model's limit"
        yield "measured", f"{cycles_words(limit.measured_cycles)} cy per iteration, {percent}"
    for each in measured_around(loop.function, loop.kernel):
        if each.standing != "exact" or each.machine == loop.verdict.machine:
            yield "measured", measured_words(each, loop.function)


def _weight(loop: DetailedLoop) -> Rows:
    verdict, weight = loop.verdict, loop.verdict.weight
    if weight.share is not None:
        whole = "file, each function called once" if weight.origin is WeightOrigin.FILE else "run"
        yield "share", f"{share_text(weight.share)} of the {whole} ({weight.origin.value})"
    if verdict.time.relation is not TimeRelation.UNKNOWN:
        yield "time", _time_words(verdict)
    if weight.executions is not None:
        executions = plural_figure(weight.executions, "execution")
        yield "runs", f"{executions} of {plural_figure(verdict.time.iterations, 'iteration')}"
    if verdict.confidence is not None:
        yield "confidence", verdict.confidence


def _time_words(verdict: Verdict) -> str:
    """``55 ms``; ``55 ms, 0.20 s with the functions that it calls`` where those have shares."""
    text, whole = time_column(verdict), verdict.with_calls_s
    if whole is None or verdict.weight.own_part > _MOSTLY_OWN:
        return text
    return f"{text}, {seconds_text(whole)} with the functions that it calls"


def plural_figure(count: float, noun: str) -> str:
    """``1 execution``, ``0.5 executions``."""
    return f"{number(float(f'{count:.3g}'))} {noun}{'' if count == 1 else 's'}"


def _of_machine(loop: DetailedLoop, result: MachineResult) -> Rows:
    if moved := phrases.traffic_words(result.traffic):
        yield "traffic", moved
    for words in phrases.layer_words(result.reuse):
        yield "layers", words
    if result.vector is not None:
        why = f": {result.vector.reason}" if result.vector.reason else ""
        yield "vectors", f"{plural(result.vector.width, 'iteration')} at once{why}"
    yield "with", phrases.basis_words(result, [], loop.function.values)
    yield from _other_state(result)


def _other_state(result: MachineResult) -> Rows:
    """The models' times with the caches in the other state on entry."""
    entry = result.entry
    known = [each for each in entry.opposite if each.cycles_per_iteration] if entry else []
    if entry is not None and known:
        times = [f"{each.model} {figure(each.cycles_per_iteration or 0.0)}" for each in known]
        label = "cold caches" if entry.state is EntryState.STEADY else "steady state"
        yield label, f"{', '.join(times)} cy per iteration"


def _answers(result: MachineResult, *, models: bool) -> Rows:
    """The sentences of models on request, and of one that no verdict rests on; and failures."""
    for each in result.predictions:
        if models or each.terms is None:
            yield each.model, _sentence(each)
    for skipped in result.skipped:
        if skipped.failed:
            yield skipped.model, f"failed: {skipped.reason}"


def _times(result: MachineResult) -> Rows:
    """The times of all models, and those that do not answer."""
    times = [
        f"{each.model} {cycles_words(each.cycles_per_iteration)}"
        for each in (*result.predictions, *result.estimates)
        if each.cycles_per_iteration is not None
    ]
    if times:
        yield "models", f"{', '.join(times)} cy per iteration"
    for text in silent_models(result):
        yield "no answer", text


def _sentence(prediction: Prediction) -> str:
    figures = phrases.figure_words(prediction)
    tail = f"; {figures}" if figures else ""
    return f"{prediction.headline}, {phrases.sentence(prediction)}{tail}"


def _assumptions(loop: DetailedLoop) -> Iterable[str]:
    """Everything that the numbers rest on, each once."""
    result = loop.result
    broken = any(each.severity == "error" for each in loop.file.diagnostics)
    every = [*loop.file.assumptions, *((ERRORS,) if broken else ()), *loop.function.assumptions]
    if result is not None:
        every += [*phrases.entry_words(result), *result.assumptions]
        for prediction in (*result.predictions, *result.estimates):
            every += prediction.assumptions
    return dict.fromkeys(every)


def finding_lines(loop: DetailedLoop, style: Style) -> Iterator[str]:
    """The findings about the loop, each with its change as a diff."""
    for advice in _about(loop):
        text = finding_sentence(loop.verdict, advice)
        yield from wrap(text, style.width, INDENT, 2 * INDENT)
        fix = advice.fix
        if fix is None:
            continue
        yield from wrap(f"{fix.title} ({SAFETY_WORDS[fix.safety]})", style.width, 2 * INDENT)
        lines = change_lines(fix, loop.file)
        for line in lines[:MOST_DIFF_LINES]:
            shown = f"{' ' * 2 * INDENT}{visible_code(line)}".rstrip()
            yield shown
        if len(lines) > MOST_DIFF_LINES:
            yield f"{' ' * 2 * INDENT}({len(lines) - MOST_DIFF_LINES} more lines)"


def _about(loop: DetailedLoop) -> list[Advice]:
    """Findings about the loop or one around it, on its machine, the verdict's own one first."""
    lines = {each.line for each in loop.kernel.loops} | {loop.kernel.line}
    own = loop.result.advice if loop.result is not None else ()
    found: dict[tuple[str, str], Advice] = {}
    for each in (*own, *loop.file.findings):
        on = {gain.machine for gain in each.machines} or {each.machine}
        here = each.span.line in lines and each.function == loop.function.name
        if here and loop.verdict.machine in on:
            found.setdefault((each.code, each.fingerprint), each)
    best = loop.verdict.advice.rule if loop.verdict.advice is not None else ""
    return sorted(found.values(), key=lambda each: each.code != best)
