"""A reader of doors: what each place that shows a loop says of it, back as numbers and names.

One run, every door: hint, hover, lens, row and details of the text report, page, findings, SARIF,
JSON, comparison, plot.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from rooflint.compare.comparison import Side, compare
from rooflint.pipeline.ranking import iterations_of
from rooflint.plot.from_report import kernel_scene
from rooflint.plot.verdict_points import work_of
from rooflint.plugin_api.report import FileReport, FunctionReport, Report
from rooflint.plugin_api.verdict import Verdict
from rooflint.render.changes import ComparisonReport, render_changes
from rooflint.render.findings.full import render_full
from rooflint.render.findings.gcc import render_gcc
from rooflint.render.findings.markdown import render_markdown
from rooflint.render.findings.sarif import render_sarif
from rooflint.render.json import report_to_json
from rooflint.render.layout import Style
from rooflint.render.ranked.detail import LoopDetails
from rooflint.render.ranked.report import render_ranked
from rooflint.render.ranked.request import RankedRequest, ReportView
from rooflint.verdict.advise import findings_about
from rooflint.verdict.by_loop import by_loop
from rooflint.verdict.choose import instances, ranked_loops
from rooflint.verdict.price import ReportedLoop
from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.views.chosen import hint_of
from rooflint_lsp.views.diagnostics import finding_message, verdict_of
from rooflint_lsp.views.hints import file_words
from rooflint_lsp.views.hover import HoverPlace, hover_text
from rooflint_lsp.views.markup import HoverFormat

from .page_door import PageDoor
from .printed_figures import (
    LOOP,
    NUMBER,
    SCALES,
    Contradiction,
    DoorFigure,
    DoorReader,
    Quantity,
    contradictions,
    long_name,
    parts,
)

Data: TypeAlias = Any
"""Parsed JSON."""
WIDE: Final = Style(width=2000)
PLAIN: Final = HoverFormat(markdown=False)
PLACE: Final = HoverPlace("file:///a.c", 0)


class RunDoors:
    """The doors of one run on its first machine.

    shown  by path what an editor's server has of the file of the run; of several files none, for
           an editor knows each by itself
    """

    def __init__(self, report: Report, shown: Mapping[str, ShownReport]) -> None:
        self.report, self.shown = report, shown
        self.machine = report.machines[0].name
        self.verdicts = [each for each in report.verdicts if each.machine == self.machine]
        self.loops = instances(self.verdicts)
        self.sources = {
            kernel.id: ReportedLoop(file, function, kernel)
            for file in report.files
            for function in file.functions
            for kernel in function.kernels()
        }
        data: Data = report_to_json(report)
        self._json: Data = data
        self._records = {(each["id"], each["machine"]): each for each in data["verdicts"]}
        self._rows = dict(self._ranked())
        self._details = LoopDetails(report, WIDE, RankedRequest())
        self._page = PageDoor(report)
        self._findings = self._messages()

    @property
    def page_text(self) -> str:
        """The page as it is written."""
        return self._page.text

    def place(self, loop: Sequence[Verdict]) -> str:
        """``lulesh.cc:573 f on cell``."""
        place = loop[0].place
        return f"{place.path}:{place.line} {place.function} on {loop[0].machine}"

    def disagreements(self) -> Iterator[Contradiction]:
        """Of all loops, of the whole run, and of its functions."""
        for loop in self.loops:
            yield from contradictions(self.place(loop), self.figures(loop))
        yield from contradictions(f"run on {self.machine}", self.run_figures())
        yield from self.of_functions()

    def figures(self, loop: Sequence[Verdict]) -> Iterator[DoorFigure]:
        """All that the doors say of a loop."""
        for each in loop:
            yield from self._of_record(each, alone=len(loop) == 1)
        yield from self._of_row(loop)
        for each in loop:
            yield from self._of_details(each, alone=len(loop) == 1)
        yield from self._page.figures(loop, self._drawn_work(loop[0]), self._repeated(loop[0]))
        yield from self._of_plot(loop[0])
        yield from self._of_findings(loop[0])
        yield from self._of_editor(loop[0])

    def run_figures(self) -> Iterator[DoorFigure]:
        """The time of all loops, wherever it is said."""
        text = render_ranked(self.report, WIDE, RankedRequest(top=1))
        for door, line in (
            ("report", text.splitlines()[0]),
            ("page", self._page.heading),
        ):
            if found := re.search(r"(\d+) loops?\b", line):
                yield from DoorReader(door, "run").printed(Quantity.LOOPS, found[1])
            if found := re.search(r"(?:one|each \w+) (?:run|once)", line):
                yield from DoorReader(door, "run").named(Quantity.RUN, found[0])
            if found := re.search(rf"(?:run|once)(?: ≈)? ({NUMBER}) (s|ms|µs|ns)\b", line):
                yield from DoorReader(door, "run").printed(
                    Quantity.RUN_S, found[1], scale=SCALES[found[2]]
                )
        yield from DoorReader("json", "run").exact(Quantity.RUN_S, self._json["summary"]["run_s"])
        for shown in self.shown.values():
            if found := re.search(rf" of ({NUMBER}) (s|ms|µs|ns)\)", file_words(shown)):
                yield from DoorReader("lens", "run").printed(
                    Quantity.RUN_S, found[1], scale=SCALES[found[2]]
                )

    def of_functions(self) -> Iterator[Contradiction]:
        """The time of a call, as a comparison has it and as the records add up."""
        verdicts = by_loop(self.report.verdicts)
        side = Side(self.report, 0, str, verdicts)
        found = ComparisonReport(compare(side, side, {}), "a", "b", self.report.machines[:1], 1.1)
        changes: Data = json.loads(render_changes(found, "json", WIDE))["changes"]
        functions = {(f.name, f.line, e.path): f for e in self.report.files for f in e.functions}
        for each in changes:
            function = functions[each["function"], each["line"], each["path"]]
            figures = list(self._of_call(function, each))
            place = f"{each['path']}:{each['line']} {each['function']} on {self.machine}"
            yield from contradictions(place, figures)

    def _of_call(self, function: FunctionReport, change: Data) -> Iterator[DoorFigure]:
        records = [self._records[k.id, self.machine] for k in function.kernels()]
        if change["before_s"] is None or any(r["time"]["now_s"] is None for r in records):
            return
        total = sum(
            iterations_of(kernel.results[0])
            * record["time"]["cycles_per_iteration"]
            / (record["time"]["clock_ghz"] * 1e9)
            for kernel, record in zip(function.kernels(), records, strict=True)
        )
        yield from DoorReader("records", "call").exact(Quantity.CALL_S, total)
        for name in ("before_s", "after_s"):
            yield from DoorReader("compare", "call").exact(Quantity.CALL_S, change[name])
        if len(records) == 1 and change["limiter"] is not None:
            yield from DoorReader("records", "call").named(
                Quantity.LIMITER, records[0]["limiter"]["name"]
            )
            for name in ("limiter_before", "limiter"):
                said = change[name]["name"] if isinstance(change[name], dict) else change[name]
                yield from DoorReader("compare", "call").named(Quantity.LIMITER, said)

    def _of_record(self, verdict: Verdict, *, alone: bool) -> Iterator[DoorFigure]:
        """The JSON record, with all digits."""
        record = self._records[verdict.id, verdict.machine]
        read = DoorReader("json", verdict.id)
        time, advice = record["time"], record["advice"]
        total = LOOP if alone else verdict.id
        if record["limiter"] is not None:
            yield from read.named(Quantity.LIMITER, record["limiter"]["name"])
        yield from read.exact(Quantity.NOW, time["cycles_per_iteration"])
        yield from read.exact(Quantity.NOW_S, time["now_s"], total)
        if time["relation"] == "range":
            yield from read.exact(Quantity.HIGH_S, time["high_s"], total)
        yield from read.exact(Quantity.SHARE, record["weight"]["share"], total)
        if record["floor"] is not None:
            yield from read.exact(Quantity.OF_LIMIT, record["floor"]["of_limit"])
        yield from read.confidence(record["confidence"], advice["rule"] if advice else "")
        yield from parts(read, Quantity.TERM, [(t["name"], t["cycles"]) for t in record["terms"]])
        yield from parts(read, Quantity.ROOF, [(t["name"], t["cycles"]) for t in record["floors"]])
        if advice is not None:
            yield from read.named(Quantity.RULE, advice["rule"])
            yield from read.exact(Quantity.GAIN, advice["gain"], advice["rule"])
            yield from read.exact(Quantity.POSSIBLE_S, time["possible_s"], total)
            if time["cycles_per_iteration"]:
                possible = time["cycles_per_iteration"] / advice["gain"]
                yield from read.exact(Quantity.POSSIBLE, possible)
                yield from read.exact(Quantity.POSSIBLE, possible, f"{read.loop} {advice['rule']}")

    def _ranked(self) -> Iterator[tuple[str, str]]:
        """Rows of the text report by the loop's first identifier."""
        request = RankedRequest(view=ReportView.ALL, quiet=True)
        lines = render_ranked(self.report, WIDE, request).splitlines()
        shown = ranked_loops(self.verdicts, None, all_of=True).shown
        for loop, line in zip(shown, lines[1:], strict=True):
            yield loop[0].id, line

    def _of_row(self, loop: Sequence[Verdict]) -> Iterator[DoorFigure]:
        line = self._rows.get(loop[0].id)
        if line is None:
            return
        read = DoorReader("report", loop[0].id)
        bar = r"^(?:[▁-█] )?\s*"
        found = re.match(rf"{bar}[~≈≥]*(?P<share>(?:< )?\d+) % (?P<rest>\S.*)$", line)
        assert found is not None, line
        yield from read.share(found["share"], Quantity.SHARE, LOOP)
        _, limit, time, *do = re.split(r"\s{2,}", found["rest"])
        yield from read.limit_and_part(limit)
        yield from read.times(time, LOOP)
        yield from read.change(do[0]) if do else ()

    def _of_details(self, verdict: Verdict, *, alone: bool) -> Iterator[DoorFigure]:
        read = DoorReader("details", verdict.id)
        total = LOOP if alone else verdict.id
        lines = list(self._details.lines(verdict, full=True))
        head = lines[0].partition(": ")[2]
        yield from read.cycles(head) if "cy per iteration" in head else ()
        yield from read.limit(f"{lines[1].strip()[:1].lower()}{lines[1].strip()[1:]}".rstrip("."))
        yield from read.limit(lines[1].strip().rstrip("."))
        for rule, gain in re.findall(rf"\((RL\d+)\): ({NUMBER})×\.$", lines[1]):
            yield from read.named(Quantity.RULE, rule)
            yield from read.printed(Quantity.GAIN, gain, rule)
        for line in lines[2:]:
            label, _, text = line.strip().partition("  ")
            text = text.strip()
            if label == "share" and (found := re.match(rf"((?:< )?{NUMBER}) % of", text)):
                yield from read.share(found[1], Quantity.SHARE, total)
            elif label == "time":
                yield from read.times(text, total)
            elif label == "confidence":
                rule = verdict.advice.rule if verdict.advice is not None else ""
                yield from read.confidence(text, rule)
            elif found := re.match(r"(RL\d+) .*", line.strip()):
                repeated = found[1] in self._repeated(verdict)
                yield from () if repeated else read.finding(line, found[1])

    def _drawn_work(self, verdict: Verdict) -> float | None:
        kernel = self.sources[verdict.id].kernel
        result = next(each for each in kernel.results if each.machine == verdict.machine)
        plots = [p.plot.roof for p in result.predictions if p.plot is not None and p.plot.roof]
        return work_of(kernel, result, plots[0]) if plots else None

    def _of_plot(self, verdict: Verdict) -> Iterator[DoorFigure]:
        source = self.sources[verdict.id]
        scene = kernel_scene(
            source.file.path,
            source.function.name,
            source.kernel,
            verdicts=by_loop(self.report.verdicts),
        )
        work = self._drawn_work(verdict)
        if scene is not None and work and verdict.time.now_cy:
            read = DoorReader("plot", verdict.id)
            now = work * verdict.time.clock_ghz / scene.points[0].g_per_s
            yield from read.exact(Quantity.NOW, now)
            yield from read.limiter(scene.points[0].limit) if scene.points[0].limit else ()

    def _messages(self) -> Mapping[str, Mapping[str, list[str]]]:
        """The texts about each finding by its fingerprint and the door."""
        every = [advice for file in self.report.files for advice in file.findings]
        doors: dict[str, Callable[[Report], str]] = {
            "lint": render_gcc,
            "lint full": lambda report: render_full(report, WIDE),
            "lint markdown": render_markdown,
        }
        found: dict[str, dict[str, list[str]]] = {}
        for advice in every:
            texts = found.setdefault(advice.fingerprint, {})
            alone = self.report._replace(files=(FileReport("a.c", "ok", findings=(advice,)),))
            for door, write in doors.items():
                texts[door] = write(alone).splitlines()
            (result,) = json.loads(render_sarif(alone))["runs"][0]["results"]
            texts["sarif"] = [result["message"]["text"]]
            if advice.gain is not None:
                texts["sarif"].append(f"gain {result['properties']['gain']:.6f}×")
        return found

    def _repeated(self, verdict: Verdict) -> set[str]:
        """Codes of several findings about a loop, whose gains nobody can tell apart by a code."""
        found = findings_about(self.sources[verdict.id], verdict.machine)
        shown = self.shown.get(verdict.place.path)
        codes = Counter(each.code for each in found)
        if shown is not None:
            codes |= Counter(
                each.finding.code
                for each in shown.marks.findings
                if each.finding.function == verdict.place.function
                and each.finding.gain
                and each.finding.span.line in self._lines(verdict)
            )
        return {code for code, count in codes.items() if count > 1}

    def _lines(self, verdict: Verdict) -> set[int]:
        kernel = self.sources[verdict.id].kernel
        return {kernel.line, *[loop.line for loop in kernel.loops]}

    def _of_findings(self, verdict: Verdict) -> Iterator[DoorFigure]:
        source = self.sources[verdict.id]
        for advice in findings_about(source, verdict.machine):
            if advice.gain is None or advice.code in self._repeated(verdict):
                continue
            for door, lines in self._findings[advice.fingerprint].items():
                read = DoorReader(door, verdict.id)
                about = advice.about is not None and advice.about.loop == verdict.id
                for line in lines:
                    if "×" in line:
                        figures = read.finding(line, advice.code)
                        yield from (f for f in figures if about or f.quantity is Quantity.GAIN)

    def _of_editor(self, verdict: Verdict) -> Iterator[DoorFigure]:
        shown = self.shown.get(verdict.place.path)
        if shown is None:
            return
        loop = next((e for e in shown.marks.loops if e.kernel.id == verdict.id), None)
        hinted = None if loop is None else hint_of(shown, loop)
        if loop is None or hinted is None:
            return
        read = DoorReader("hint", hinted.verdict.id)
        rule = hinted.verdict.advice.rule if hinted.verdict.advice is not None else ""
        yield from read.hint(hinted.text, rule)
        hover = hover_text(shown, loop, PLACE, PLAIN) or ""
        yield from self._of_hover(hover.splitlines(), hinted.verdict, rule)
        for placed in shown.marks.findings:
            told = verdict_of(shown, placed)
            code = placed.finding.code
            if told is None or told.id != hinted.verdict.id or placed.finding.gain is None:
                continue
            if code not in self._repeated(verdict):
                text = finding_message(placed.finding, told)
                yield from DoorReader("squiggle", told.id).finding(text, code)

    def _of_hover(self, lines: Sequence[str], verdict: Verdict, rule: str) -> Iterator[DoorFigure]:
        read = DoorReader("hover", verdict.id)
        if len(lines) < 2:
            return
        yield from read.hint(lines[0], rule)
        if "cy per iteration" in lines[1]:
            yield from read.cycles(lines[1])
        if found := re.search(rf"((?:< )?{NUMBER}) % of the (?:run|file)", lines[1]):
            yield from read.share(found[1], Quantity.SHARE, LOOP)
        if found := re.search(r"confidence (\w+)", lines[1]):
            yield from read.confidence(found[1], rule)
        for line in lines[2:]:
            if found := re.match(rf"time: ≥? ?({NUMBER})(?:–{NUMBER})?(?: \| ({NUMBER}))?", line):
                yield from read.printed(Quantity.NOW, found[1])
                yield from read.printed(Quantity.POSSIBLE, found[2])
            elif found := re.match(r"(core|data|roof): (.*): ([\d. /]+)", line):
                kind = Quantity.ROOF if found[1] == "roof" else Quantity.TERM
                names, values = found[2].split(" / "), found[3].split(" / ")
                for name, value in zip(names, values, strict=True):
                    yield from read.printed(kind, value.strip(), f"{read.loop} {long_name(name)}")
