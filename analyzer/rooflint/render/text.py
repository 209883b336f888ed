"""``--format text``: per loop what limits it, the number, and what that rests on.

    kernels.c:12  triad  for i in n
      roofline      1.05 GFLOP/s, the model's sentence
      per iteration 2 flop (1 add, 1 mul; f64), 2 loads, 1 store
      traffic       L3-MEM 32 B (16 load + 8 write-allocate + 8 evict)
      with          n = 1000 (command line); 1 core (serial code); notes 1, 2

Loops without a prediction take a line each, after those with one. Many loops get an overview at
the end, where a terminal leaves it in sight. Nothing here knows a model or a machine by name.
"""

from collections.abc import Iterable, Iterator

from rooflint.escaping import visible
from rooflint.ir.reasons import heading
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import MachineReport, MachineResult, Report
from rooflint.render import phrases
from rooflint.render.compared import side_by_side
from rooflint.render.entries import KernelEntry, entries_of, shared_sentences, silent_models
from rooflint.render.layout import Style, plural, with_label, wrap
from rooflint.render.measurements import measured_beside, measured_words
from rooflint.render.overview import overview
from rooflint.render.problems import problem_lines

INDENT = 2
COLUMN = 16
NAMES_SHOWN = 3


def render_text(report: Report, style: Style) -> str:
    """The whole report; ends with a newline."""
    return "\n".join(_Text(report, style).lines()) + "\n"


class _Text:
    """One run of the renderer: the style, the entries, and the notes by number."""

    def __init__(self, report: Report, style: Style) -> None:
        self.report = report
        self.style = style
        self.several = len(report.machines) > 1
        self.entries = entries_of(report)
        self.titles = {model.name: model.title for model in report.models}
        self.notes = shared_sentences(self.entries)

    def lines(self) -> Iterator[str]:
        for machine in self.report.machines:
            yield from self.machine(machine)
        if scenario := phrases.scenario_words(self.report):
            yield from wrap(visible(scenario), self.style.width, 0, INDENT)
        for entry in self.entries:
            if entry.has_prediction:
                yield ""
                yield from self.entry(entry)
        yield from self.section("Without a prediction", self.without_prediction())
        yield from self.section("Notes", self.numbered_notes())
        problems = problem_lines(self.report, self.style, INDENT)
        yield from self.section("Not analysed, or only in part", problems)
        compared = side_by_side(self.entries, self.report, self.style, INDENT)
        yield from self.section("Side by side", compared)
        yield from self.section("Overview", overview(self.entries, self.report, self.style, INDENT))
        yield ""
        yield from self.summary()

    def section(self, title: str, content: Iterable[str]) -> Iterator[str]:
        lines = list(content)
        if lines:
            yield from ("", self.style.paint(title, "bold"), *lines)

    def machine(self, machine: MachineReport) -> Iterator[str]:
        where = f" ({machine.file})" if machine.file else ""
        note = f": {machine.note}" if machine.note else ""
        lines = wrap(f"machine {machine.name}{where}{note}", self.style.width, 0, INDENT)
        yield from (self.style.paint(line, "dim") for line in lines)
        doubt = phrases.doubt_words(machine.name, [each.figure for each in machine.doubtful])
        for line in wrap(doubt, self.style.width, 0, INDENT) if doubt else ():
            yield self.style.paint(line, "yellow")

    def entry(self, entry: KernelEntry) -> Iterator[str]:
        yield from self.heading(entry)
        kernel = entry.kernel
        own = self.with_label("per iteration", phrases.work_words(kernel.work, kernel.not_covered))
        if kernel.not_covered:
            own += self.with_label("not covered", phrases.gap_words(kernel.not_covered))
        if kernel.weight is not None and (runs := phrases.weight_words(kernel.weight)):
            own += self.with_label("in the run", runs)
        if self.several:
            yield from own
        for result in kernel.results:
            if self.several:
                yield " " * INDENT + self.style.paint(f"on {result.machine}", "bold")
            yield from self.verdicts(entry, result)
            for limit in result.limits:
                title = self.titles.get(limit.model, limit.model)
                yield from self.with_label("of the limit", phrases.limit_words(limit, title))
            if opposite := phrases.opposite_words(result):
                yield from self.with_label("entry", opposite)
            yield from self.measured(entry, result)
            if not self.several:
                yield from own
            yield from self.result(entry, result)

    def heading(self, entry: KernelEntry) -> Iterator[str]:
        place, name = visible(entry.place), visible(_names(entry.functions))
        head = f"{self.style.paint(place, 'bold')}  {name}"
        nest = visible(phrases.nest_words(entry.kernel.loops))
        if len(place) + len(name) + len(nest) + 4 <= self.style.width:
            yield f"{head}  {nest}"
        else:
            yield head
            yield from wrap(nest, self.style.width, 2 * INDENT)

    def verdicts(self, entry: KernelEntry, result: MachineResult) -> Iterator[str]:
        for prediction in result.predictions:
            yield from self.prediction(prediction, phrases.has_uncounted_call(entry.kernel))
        for skipped in result.skipped:
            if skipped.failed:
                yield from self.with_label(skipped.model, f"failed: {skipped.reason}")

    def measured(self, entry: KernelEntry, result: MachineResult) -> Iterator[str]:
        first = result is entry.kernel.results[0]
        for each in measured_beside(entry.function, entry.kernel):
            if result.machine == each.machine if each.standing == "exact" else first:
                yield from self.with_label("measured", measured_words(each, entry.function))

    def prediction(self, prediction: Prediction, calls: bool) -> Iterator[str]:
        cycles = prediction.cycles_per_iteration
        time = "" if cycles is None else f" ({phrases.cycles_words(prediction)} cy per iteration)"
        without = " without the calls" if calls else ""
        text = f"{prediction.headline}{time}{without}, {phrases.sentence(prediction)}"
        if figures := phrases.figure_words(prediction):
            text += f"; {figures}"
        lines = self.with_label(prediction.model, text)
        head = self.style.paint(prediction.headline, phrases.verdict(prediction)[1], "bold")
        yield lines[0].replace(prediction.headline, head, 1)
        yield from lines[1:]

    def result(self, entry: KernelEntry, result: MachineResult) -> Iterator[str]:
        moved = phrases.traffic_words(result.traffic)
        if moved:
            yield from self.with_label("traffic", moved)
        for words in phrases.layer_words(result.reuse):
            yield from self.with_label("layers", words)
        assumed, silent = entry.assumptions(result), silent_models(result)
        numbers = sorted(self.notes[text] for text in (*assumed, *silent) if text in self.notes)
        yield from self.with_label(
            "with", phrases.basis_words(result, numbers, entry.function.values)
        )
        yield from self.own_sentences("assuming", assumed)
        yield from self.own_sentences("no answer", silent)
        for advice in result.advice:
            yield from self.with_label(advice.code, advice.message)

    def own_sentences(self, label: str, sentences: Iterable[str]) -> Iterator[str]:
        """Those that no other loop shares; the label before the first."""
        for text in sentences:
            if text not in self.notes:
                yield from self.with_label(label, text)
                label = ""

    def with_label(self, label: str, text: str) -> list[str]:
        return with_label(label, text, self.style, INDENT, COLUMN)

    def without_prediction(self) -> Iterator[str]:
        by_reason: dict[tuple[str, ...], list[KernelEntry]] = {}
        for entry in self.entries:
            if not entry.has_prediction:
                reasons = dict.fromkeys(
                    f"{skipped.model}: {skipped.reason}"
                    for result in entry.kernel.results
                    for skipped in result.skipped
                )
                by_reason.setdefault(tuple(reasons), []).append(entry)
        for shared, entries in by_reason.items():
            for reason in shared or ("no model was selected",):
                yield from wrap(reason, self.style.width, INDENT, 3 * INDENT)
            for entry in entries:
                yield from wrap(_silent(entry), self.style.width, 3 * INDENT, 4 * INDENT)

    def numbered_notes(self) -> Iterator[str]:
        for text, place in self.notes.items():
            yield from with_label(f"{place}", text, self.style, INDENT, 3 * INDENT)

    def summary(self) -> Iterator[str]:
        summary, files = self.report.summary, self.report.files
        kernels = sum(len(entry.functions) for entry in self.entries)
        failed = sum(file.status == "failed" for file in files)
        text = f"{plural(len(files), 'file')}{f' ({failed} failed)' if failed else ''},"
        text += f" {plural(summary.loops, 'loop')}: {summary.analysed} analysed,"
        text += f" {plural(kernels, 'kernel')} shown, {sum(summary.refused.values())} refused"
        yield from (self.style.paint(line, "bold") for line in wrap(text, self.style.width))
        refused = [(heading(kind), count) for kind, count in summary.refused.items()]
        for reason, count in sorted(refused, key=lambda item: (-item[1], item[0])):
            yield from wrap(f"{count} × {reason}", self.style.width, INDENT, 3 * INDENT)


def _silent(entry: KernelEntry) -> str:
    gaps = dict.fromkeys(str(gap.reason) for gap in entry.kernel.not_covered)
    left_out = f"; not covered: {', '.join(gaps)}" if gaps else ""
    nest = phrases.nest_words(entry.kernel.loops)
    return f"{entry.place} {_names(entry.functions)} {nest}{left_out}"


def _names(functions: list[str]) -> str:
    names = list(dict.fromkeys(functions))
    shown = ", ".join(names[:NAMES_SHOWN])
    more = len(functions) - min(len(names), NAMES_SHOWN)
    return shown + (f" and {plural(more, 'more instance')}" if more else "")
