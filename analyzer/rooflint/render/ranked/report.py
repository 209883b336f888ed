"""The ranked report of a project; of one small file the details follow at once.

At most 40 lines: a header, rows until 95 % of the time, what is left out, doubts, next steps.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.escaping import visible
from rooflint.plugin_api.report import FileReport, MachineReport, Report
from rooflint.plugin_api.verdict import (
    Applicability,
    TimeRelation,
    Verdict,
    WeightOrigin,
)
from rooflint.render.layout import Style, plural, truncate, with_label, wrap
from rooflint.render.phrases import doubt_words, excess_words, run_words
from rooflint.render.problems import problem_lines
from rooflint.render.ranked.detail import LoopDetails
from rooflint.render.ranked.machines import Alternatives
from rooflint.render.ranked.request import PLAIN_REQUEST, SAME_ARGUMENTS, RankedRequest, ReportView
from rooflint.render.ranked.sizes import doubt_lines, size_line
from rooflint.render.ranked.table import table_lines
from rooflint.render.ranked.unpredicted import gap_reason, missing_headers, reasons
from rooflint.scenario import EntryState
from rooflint.verdict.choose import (
    SHOWN_SHARE,
    NestKey,
    RankedLoops,
    SortKey,
    instances,
    ranked_loops,
)
from rooflint.verdict.figures import seconds_text, share_text
from rooflint.verdict.totals import run_seconds

MOST_ROWS: Final = 20
MOST_LINES: Final = 40
LABEL: Final = 7
"""Columns of ``Doubt`` and ``Next`` with the space after them."""
LONGEST_REASON: Final = 48
SMALL: Final = 3
"""Loops up to which the details follow at once."""


def render_ranked(report: Report, style: Style, request: RankedRequest = PLAIN_REQUEST) -> str:
    """One screen, or the details of its loops; ends with a newline.

    With several machines, the first one's, beside the best of the others.
    """
    return "\n".join(_Screen(report, style, request).lines()) + "\n"


class _Screen:
    """One run of the renderer."""

    def __init__(self, report: Report, style: Style, request: RankedRequest) -> None:
        self.report, self.style, self.request = report, style, request
        name = report.verdicts[0].machine if report.verdicts else ""
        self.verdicts = [each for each in report.verdicts if each.machine == name]
        machines = [each for each in report.machines if each.name == name]
        self.machine = next(iter([*machines, *report.machines]), MachineReport("", ""))
        self.priced = [
            each for each in self.verdicts if each.time.relation is not TimeRelation.UNKNOWN
        ]
        self.details = LoopDetails(report, style, request)
        self.alternatives = Alternatives(report.verdicts, name)

    def lines(self) -> Iterator[str]:
        """The whole report."""
        loops = self.ranked()
        if self.request.quiet:
            yield from table_lines(loops, self.style, self.alternatives)
            return
        for machine in self.report.machines:
            doubtful = [each.figure for each in machine.doubtful]
            yield from self.wrapped(doubt_words(visible(machine.name), doubtful))
        if self.request.view is ReportView.LOOPS:
            yield from [*self.wrapped(self.header()), *self.all_details()]
        elif short := self.short_details():
            yield from short
        else:
            yield from self.screen(loops) if self.priced else self.nothing_predicted()
            yield from self.all_details() if self.request.view is ReportView.ALL else ()

    def ranked(self) -> RankedLoops:
        """The loops of the table."""
        request, everything = self.request, self.request.view is ReportView.ALL
        most = request.top or (None if everything else MOST_ROWS)
        every = everything or request.top is not None
        nests = None if everything or request.sort is not SortKey.TIME else self.nests()
        return ranked_loops(self.verdicts, most, request.sort, all_of=every, nests=nests)

    def nests(self) -> dict[str, NestKey] | None:
        """The loop nest of each verdict; None where rows compare machines, loop by loop."""
        if self.alternatives:
            return None
        return {
            kernel.id: (file.path, function.name, number)
            for file in self.report.files
            for function in file.functions
            for number, nest in enumerate(function.nests)
            for kernel in nest.kernels
        }

    def short_details(self) -> list[str]:
        """The details of all loops at once, where they fit a screen; else nothing."""
        if self.request.view is ReportView.ALL or not self.is_small():
            return []
        lines = [*self.wrapped(self.header())]
        if excess := excess_words(self.report):
            lines += self.labelled("Doubt", excess)
        lines += self.all_details()
        return lines if len(lines) <= MOST_LINES or not self.priced else []

    def is_small(self) -> bool:
        """Whether the details of all loops may fit a screen; those without a verdict always do."""
        few = len(instances(self.verdicts)) <= SMALL and self.request.top is None
        if not self.priced:
            return self.has_answers()
        return len(self.report.files) == 1 and few

    def has_answers(self) -> bool:
        """Whether a model answers that takes no part in verdicts."""
        kernels = [kernel for file in self.report.files for kernel in file.kernels()]
        return self.request.models and any(r.predictions for k in kernels for r in k.results)

    def screen(self, loops: RankedLoops) -> Iterator[str]:
        """The table between what it is of and what to do next."""
        yield from self.wrapped(self.header())
        if sizes := size_line(self.report):
            yield from self.wrapped(sizes)
        yield ""
        yield from table_lines(loops, self.style, self.alternatives)
        yield from self.rest(loops)
        yield ""
        for text in doubt_lines(self.report, self.verdicts):
            yield from self.labelled("Doubt", text)
        yield from self.next_steps(loops)

    def all_details(self) -> Iterator[str]:
        """All loops in the order of the source, then what was not analysed."""
        full = self.request.view is not ReportView.SCREEN
        for loop in instances(self.report.verdicts):
            for each, copies in _distinct(loop):
                yield ""
                yield from self.details.lines(each, full=full, copies=copies)
        if self.request.view is not ReportView.LOOPS:
            yield from self.problems()

    def problems(self) -> Iterator[str]:
        """Files and loops that were not analysed, or only in part."""
        problems = list(problem_lines(self.report, self.style, 2))
        if problems:
            yield from ("", self.style.paint("Not analysed, or only in part", "bold"), *problems)

    def wrapped(self, text: str) -> list[str]:
        """A paragraph, further lines indented."""
        return wrap(text, self.style.width, 0, 2)

    def labelled(self, label: str, text: str) -> list[str]:
        """A paragraph after its label."""
        return with_label(label, text, self.style, 0, LABEL)

    def header(self) -> str:
        """``rooflint: 109 loops in 5 files, one run ≈ 9.4 s on skylake-sp-6148, 1 core``."""
        refused = sum([len(file.refusals) for file in self.report.files])
        loops, files = len(instances(self.verdicts)) + refused, len(self.report.files)
        where = f" in {plural(files, 'file')}"
        if files == 1:
            where = f" in {visible(self.report.files[0].path)}"
        run = ""
        if self.request.view is not ReportView.LOOPS and (files > 1 or not self.is_small()):
            spent = seconds_text(run_seconds(self.priced))
            run = f", {run_words(self.report, self.priced)} {spent}"
        return f"rooflint: {plural(loops, 'loop')}{where}{run} on {self.setting()}"

    def setting(self) -> str:
        """``skylake-sp-6148, 1 core, gcc -O3``."""
        words = [visible(self.machine.name)]
        if self.machine.is_generic:
            words[0] += " (not this computer)"
        cores = {each.cores for each in self.verdicts}
        if cores:
            most = max(cores)
            words.append(plural(most, "core") if len(cores) == 1 else f"1 to {most} cores")
            words += sorted({each.compiler for each in self.verdicts if each.compiler})[:1]
        if {each.state for each in self.verdicts} == {EntryState.COLD}:
            words.append("cold caches")
        return ", ".join([*words, *self.alternatives.words()])

    def rest(self, loops: RankedLoops) -> Iterator[str]:
        """The line on loops that the table leaves out."""
        refused = [str(each.reason) for file in self.report.files for each in file.refusals]
        reasons = [*map(gap_reason, loops.unpredictable), *refused]
        failed = sum(file.status == "failed" for file in self.report.files)
        broken = sum(_has_errors(file) for file in self.report.files) - failed
        counted = (
            (loops.to_share, f"{loops.to_share} more to {share_text(SHOWN_SHARE)}"),
            (loops.beyond, f"{loops.beyond} in the last {share_text(1 - SHOWN_SHARE)}"),
            (loops.negligible, f"{loops.negligible} below 0.2 %"),
            (loops.unreached, f"{loops.unreached} never reached"),
            (len(reasons), _not_predictable(reasons)),
            (failed, f"{plural(failed, 'file')} not analysed"),
            (broken, f"{plural(broken, 'file')} with errors"),
        )
        text = "; ".join([words for count, words in counted if count])
        if text:
            yield from wrap(f"{text} (--all shows them)", self.style.width, 2, 4)

    def next_steps(self, loops: RankedLoops) -> Iterator[str]:
        """Commands that work, with the paths and options of this run."""
        rerun = self.request.rerun
        steps = []
        if loops.shown:
            first = loops.shown[0][0].place
            steps.append(rerun.analyze_place(first.path, first.line))
        steps.append(rerun.lint("--fix") if _has_safe_fix(self.verdicts) else rerun.lint())
        if any(each.weight.origin is not WeightOrigin.COUNTS for each in self.priced):
            steps.append(rerun.analyze("--counts", "FILE"))
        same = any(SAME_ARGUMENTS in step for step in steps)
        legend = f"   ({SAME_ARGUMENTS} the arguments of this run)" if same else ""
        yield from self.labelled("Next", visible(" | ".join(steps)) + legend)

    def nothing_predicted(self) -> Iterator[str]:
        """Why there is no number, and what may help."""
        files = self.report.files
        where = visible(files[0].path) if len(files) == 1 else plural(len(files), "file")
        predicted = f"rooflint: 0 of {plural(self.report.summary.loops, 'loop')} predicted in"
        headers = list(missing_headers(self.report, self.style))
        if headers:
            yield from self.wrapped(f"{predicted} {where} on {self.setting()}")
            yield ""
            yield from headers
            yield from self.labelled("Next", self.request.rerun.analyze("-p", "BUILD_DIR"))
            return
        if not self.report.summary.loops:
            yield from self.wrapped(f"rooflint: no loops in {where}")
            yield from problem_lines(self.report, self.style, 2)
            return
        yield from self.wrapped(f"{predicted} {where}; nothing to rank")
        yield ""
        yield from reasons(self.report, self.verdicts, self.style)
        step = self.request.rerun.analyze("--counts", "FILE")
        yield from self.labelled("Next", f"{step}   (a run's counts give the lengths)")


def _distinct(loop: Iterable[Verdict]) -> Iterator[tuple[Verdict, int]]:
    """Instances of a loop that differ, and how many are alike."""
    alike: dict[object, list[Verdict]] = {}
    for each in loop:
        alike.setdefault((each.limiter, each.terms, each.floors, each.cores), []).append(each)
    for group in alike.values():
        yield group[0], len(group)


def _not_predictable(reasons: Iterable[str]) -> str:
    """``3 not predictable: call of read()``; the most frequent reason alone."""
    counts = Counter(reasons)
    if not counts:
        return ""
    ((reason, count),) = counts.most_common(1)
    most = "" if len(counts) == 1 else f" ({count})"
    return f"{counts.total()} not predictable: {truncate(visible(reason), LONGEST_REASON)}{most}"


def _has_errors(file: FileReport) -> bool:
    return file.status == "failed" or any(d.severity == "error" for d in file.diagnostics)


def _has_safe_fix(verdicts: Iterable[Verdict]) -> bool:
    advised = (each.advice for each in verdicts)
    return any(a is not None and a.applicability is Applicability.SAFE for a in advised)
