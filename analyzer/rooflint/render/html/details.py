"""The details beside a loop's code: its terms under the roofs, findings, doubts, assumptions."""

from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.escaping import visible_code
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.report import FileReport, MachineResult, Report
from rooflint.plugin_api.terms import TimeTerm
from rooflint.plugin_api.verdict import Verdict, VerdictReason
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.entries import KernelEntry, silent_models
from rooflint.render.html.chart_data import level_name
from rooflint.render.html.columns import ShownVerdict
from rooflint.render.html.diffs import short_change
from rooflint.render.html.rows import LoopCopy, LoopRow
from rooflint.render.html.texts import TextTable, short_number
from rooflint.render.layout import plural
from rooflint.render.measurements import measured_around, measured_summary, measured_words
from rooflint.verdict.choose import NEGLIGIBLE
from rooflint.verdict.doubt_words import doubt_lines
from rooflint.verdict.finding_words import finding_sentence
from rooflint.verdict.totals import time_column
from rooflint.verdict.words import (
    do_hints_differ,
    limit_column,
    resource_words,
)

NAMES_LISTED: Final = 20
MANY: Final = 300
"""Loops from which those of next to no time go without the details that other formats have."""
NO_SIDE, TERM_SIDE, ROOF_SIDE = range(3)
"""Where the limiter stands in the table of terms and roofs."""
LEFT_OUT: Final = "left out below 0.2 % of the time: --format json has them"


class LabelledText(NamedTuple):
    """A sentence under a heading."""

    label: str
    text: str


class PageLoops:
    """The details of all rows; findings are listed once and shown beside each of their loops."""

    def __init__(self, report: Report, texts: TextTable) -> None:
        self.report, self.texts = report, texts
        self.is_large = sum(1 for file in report.files for _ in file.kernels()) > MANY
        self.findings: list[Json] = []
        self._known: dict[tuple[str, str, str, str], int] = {}
        self._groups: dict[tuple[int, ...], int] = {}

    def of(self, row: LoopRow, place: int, shown: ShownVerdict | None) -> Json:
        """Terms, roofs, groups of sentences and findings of a row on the machine at ``place``."""
        if row.refusal is not None:
            refused = [LabelledText("Refused", str(row.refusal))]
            return [[], [], self._labelled(refused), [], NO_SIDE]
        machine = self.report.machines[place].name
        copy = _copy_of(row, shown)
        result = next((r for r in copy.kernel.results if r.machine == machine), None)
        about = _about(row, machine, result)
        notes = self._labelled(list(self._notes(row, copy, shown, result)))
        if shown is None:
            return [[], [], notes, [self._finding(row.file, each, None) for each in about], NO_SIDE]
        verdict = shown.first
        return [
            self._terms(verdict.terms),
            self._terms(_highest(verdict.floors)),
            notes,
            [self._finding(row.file, each, verdict) for each in about],
            _limiting_side(verdict),
        ]

    def _notes(
        self,
        row: LoopRow,
        copy: LoopCopy,
        shown: ShownVerdict | None,
        result: MachineResult | None,
    ) -> Iterator[LabelledText]:
        if shown is not None:
            yield from _doubts(row, shown)
        if self.is_large and row.share < NEGLIGIBLE:
            yield LabelledText("Details", LEFT_OUT)
        else:
            yield from _notes(row, copy, result)

    def _terms(self, terms: Sequence[TimeTerm]) -> Json:
        return [
            value
            for term in terms
            for value in (self.texts.place(resource_words(term.resource)), _cycles(term))
        ]

    def _labelled(self, notes: Sequence[LabelledText]) -> Json:
        """The places of groups: a heading with its sentences; loops share most of their groups."""
        groups: dict[str, list[str]] = {}
        for note in notes:
            groups.setdefault(note.label, []).append(note.text)
        return [self._group(label, texts) for label, texts in groups.items()]

    def _group(self, label: str, texts: Sequence[str]) -> int:
        group = tuple(map(self.texts.place, (label, *texts)))
        return self._groups.setdefault(group, len(self._groups))

    @property
    def groups(self) -> Json:
        """All groups: places of texts, that of the heading first."""
        return [list(group) for group in self._groups]

    def _finding(self, file: FileReport, advice: Advice, verdict: Verdict | None) -> int:
        sentence = advice.message if verdict is None else finding_sentence(verdict, advice)
        key = (file.path, advice.machine, advice.fingerprint, sentence)
        if key not in self._known:
            self._known[key] = len(self.findings)
            self.findings.append(self._finding_data(file, advice, sentence))
        return self._known[key]

    def _finding_data(self, file: FileReport, advice: Advice, sentence: str) -> Json:
        fix = advice.fix
        doubts = "; ".join(advice.doubts)
        lines = short_change(fix, file) if fix is not None else []
        code = "\n".join([visible_code(line) for line in lines])
        title = "" if fix is None else f"{fix.title} ({fix.safety})"
        return [
            advice.span.line,
            *self.texts.places((sentence, doubts, title)),
            self.texts.place_of_code(code),
        ]


def unplaced_findings(report: Report, rows: Sequence[LoopRow]) -> Iterator[str]:
    """Findings about no loop of the table: of a function, or of lines without a loop."""
    placed = {(row.file.path, line) for row in rows for line in _lines(row)}
    for file in report.files:
        for advice in file.findings:
            if (file.path, advice.span.line) not in placed:
                yield f"{file.path}:{advice.span.line}: {advice.code} {advice.message}"


def _copy_of(row: LoopRow, shown: ShownVerdict | None) -> LoopCopy:
    """The copy that the verdict is of."""
    name = shown.first.id if shown is not None else ""
    return next((copy for copy in row.copies if copy.kernel.id == name), row.copies[0])


def _cycles(term: TimeTerm) -> Json:
    return short_number(float(f"{term.cycles:.3g}"))


def _limiting_side(verdict: Verdict) -> int:
    is_roof = VerdictReason.FLOOR_ABOVE_ESTIMATE in verdict.reasons or not verdict.terms
    return ROOF_SIDE if is_roof else TERM_SIDE


def _highest(floors: Sequence[TimeTerm]) -> Sequence[TimeTerm]:
    """Of several roofs over one resource the one of most cycles."""
    highest: dict[str, TimeTerm] = {}
    for floor in floors:
        name = resource_words(floor.resource)
        if name not in highest or floor.cycles > highest[name].cycles:
            highest[name] = floor
    return list(highest.values())


def _lines(row: LoopRow) -> set[int]:
    heads = {loop.line for copy in row.copies for loop in copy.kernel.loops}
    return {line for line in (row.line, *heads) if line}


def _about(row: LoopRow, machine: str, result: MachineResult | None) -> list[Advice]:
    """Findings about the loop or one around it, on this machine, each once."""
    lines, names = _lines(row), {copy.function.name for copy in row.copies}
    own = result.advice if result is not None else ()
    found: dict[tuple[str, str], Advice] = {}
    for each in (*own, *row.file.findings):
        on = {gain.machine for gain in each.machines} or {each.machine}
        if machine in on and each.span.line in lines and each.function in names:
            found.setdefault((each.code, each.fingerprint), each)
    return list(found.values())


def _doubts(row: LoopRow, shown: ShownVerdict) -> Iterator[LabelledText]:
    if shown.first.confidence is not None:
        yield LabelledText("Doubts", f"confidence {shown.first.confidence}")
    yield from [LabelledText("Doubts", line) for line in doubt_lines(shown.first)]
    yield from _copies(row, shown)


def _notes(row: LoopRow, copy: LoopCopy, result: MachineResult | None) -> Iterator[LabelledText]:
    for each in measured_around(copy.function, copy.kernel):
        exact = each.standing == "exact"
        if not exact or result is None or each.machine == result.machine:
            begin = f"{measured_summary(each)}: " if exact else ""
            yield LabelledText("Measured", begin + measured_words(each, copy.function))
    work = phrases.work_words(copy.kernel.work, copy.kernel.not_covered)
    yield LabelledText("Work", work)
    if result is not None:
        yield from _result_notes(row, copy, result)


def _copies(row: LoopRow, shown: ShownVerdict) -> Iterator[LabelledText]:
    if len(shown.copies) < 2:
        return
    if not do_hints_differ(shown.copies):
        names = list(dict.fromkeys([copy.function.name for copy in row.copies]))
        more = f" and {len(names) - NAMES_LISTED} more" if len(names) > NAMES_LISTED else ""
        count = plural(len(shown.copies), "instance")
        yield LabelledText("Instances", f"{count}: {', '.join(names[:NAMES_LISTED])}{more}")
        return
    for each in shown.copies[:NAMES_LISTED]:
        limit, time = limit_column(each), time_column(each)
        name = f"{each.place.function} {each.place.instance}".strip()
        yield LabelledText("Instances", f"{name}: {limit}, {time}")


def _result_notes(row: LoopRow, copy: LoopCopy, result: MachineResult) -> Iterator[LabelledText]:
    yield LabelledText("With", _basis(result))
    if result.traffic:
        # a link by the level that it leads to, as verdicts have it
        named = [each._replace(link=level_name(each.link)) for each in result.traffic]
        yield LabelledText("Traffic", phrases.traffic_words(named))
    for line in phrases.layer_words(result.reuse):
        yield LabelledText("Layers", line)
    for prediction in result.predictions:
        words = (prediction.headline, phrases.figure_words(prediction))
        said = "; ".join(filter(None, words))
        yield LabelledText("Models", f"{prediction.model}: {said}")
    for skipped in result.skipped:
        if skipped.failed:
            yield LabelledText("Models", f"{skipped.model} failed: {skipped.reason}")
    if opposite := phrases.opposite_words(result):
        yield LabelledText("Models", opposite)
    for text in silent_models(result):
        yield LabelledText("Models", text)
    entry = KernelEntry(
        file=row.file,
        function=copy.function,
        nest=copy.nest,
        kernel=copy.kernel,
        functions=[copy.function.name],
    )
    for text in entry.assumptions(result):
        yield LabelledText("Assumed", text)


def _basis(result: MachineResult) -> str:
    text = phrases.basis_words(result, [])
    if result.vector is None:
        return text
    why = f" ({result.vector.reason})" if result.vector.reason else ""
    return f"{text}; {plural(result.vector.width, 'iteration')} at once{why}"
