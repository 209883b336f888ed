"""The hover of a loop: the answer, what its time is made of, then what it rests on, and a plot.

VS Code shows about nine lines before a reader has to scroll: the answer stands in the first three.
"""

import base64
import os
from collections.abc import Iterator
from typing import Final

from rooflint.plot import draw_floating
from rooflint.plot.from_report import kernel_scene
from rooflint.plugin_api import report
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.measurements import measured_around, measured_words
from rooflint.scenario.sensitivity import Stability
from rooflint.verdict.by_loop import by_loop
from rooflint.verdict.figures import whole_number

from rooflint_lsp.documents.open_files import ShownReport
from rooflint_lsp.documents.tracking import TrackedLoop
from rooflint_lsp.views.actions import COMPARE, EXPLAIN, FIX, REPORT, SET_SIZE_PROMPT
from rooflint_lsp.views.answer import advice_of, answer_lines, machine_rows, terms_table
from rooflint_lsp.views.chosen import hint_of
from rooflint_lsp.views.markup import HoverFormat, bold, link, plain, table

LARGEST_PLOT_BYTES: Final = 48_000
"""Editors cut a hover at 100,000 characters, and a cut image is shown as its code."""
MOST_SIZES: Final = 3
MOST_ASSUMPTIONS: Final = 8
GUESSED: Final = ("role", "source default", "callers")


class HoverPlace(NamedTuple):
    """The document and line that commands of a hover name."""

    uri: str
    line: int

    @property
    def argument(self) -> dict[str, object]:
        """As commands take it."""
        return {"uri": self.uri, "line": self.line}


def hover_text(
    shown: ShownReport, loop: TrackedLoop, place: HoverPlace, style: HoverFormat
) -> str | None:
    """The whole hover; None where there is no verdict."""
    hinted = hint_of(shown, loop)
    if hinted is None:
        return None
    verdict = hinted.verdict
    # of several copies on a line the one that the hint is about
    loop = next((each for each in shown.marks.loops if each.kernel.id == verdict.id), loop)
    links = _answer_links(shown, verdict, place, style)
    first, *rest = answer_lines(shown, hinted, style)
    answer = [" · ".join([first, *links]), *rest]
    parts = [("  \n" if style.markdown else "\n").join(answer)]
    parts += filter(None, [terms_table(verdict, style)])
    parts += _sizes(loop, verdict, place, style)
    parts += _instances(hinted.chosen.verdicts, style)
    parts += _machines(shown, loop, style)
    if style.picture and style.markdown:
        parts += filter(None, [_picture(shown, loop)])
    parts += _measured(shown, loop, style)
    parts += _details(shown, loop, style)
    parts += filter(None, [" · ".join(_foot_links(place, style))])
    return "\n\n".join(parts)


def _answer_links(
    shown: ShownReport, verdict: Verdict, place: HoverPlace, style: HoverFormat
) -> Iterator[str]:
    finding = advice_of(shown, verdict)
    if finding is None:
        return
    argument = {"uri": place.uri, "line": _line_of(shown, finding), "code": finding.code}
    if finding.fix is not None and finding.fix.edits:
        yield from filter(None, [link("Apply", FIX, argument, style)])
    word = {"word": finding.code}
    yield from filter(None, [link(f"Explain {finding.code}", EXPLAIN, word, style)])


def _line_of(shown: ShownReport, finding: Advice) -> int:
    """The present line of a finding, which may be that of a loop around the one hovered over."""
    lines = {each.finding.fingerprint: each.line for each in shown.marks.findings}
    return lines[finding.fingerprint]


def _foot_links(place: HoverPlace, style: HoverFormat) -> Iterator[str]:
    for title, command in (("Report", REPORT), ("Compare machines", COMPARE)):
        yield from filter(None, [link(title, command, place.argument, style)])


def _sizes(
    loop: TrackedLoop, verdict: Verdict, place: HoverPlace, style: HoverFormat
) -> Iterator[str]:
    """``nodeElemCount = 8 guessed; from nodeElemCount >= 5 · [Set]``."""
    sizes = loop.kernel.results[0].sizes if loop.kernel.results else {}
    guessed = {name: size.value for name, size in sizes.items() if size.origin in GUESSED}
    words = [f"{name} = {whole_number(value)}" for name, value in guessed.items()]
    if not words:
        return
    more = f" and {len(words) - MOST_SIZES} more" if len(words) > MOST_SIZES else ""
    text = f"{', '.join(words[:MOST_SIZES])}{more} guessed"
    known = verdict.sensitivity
    if known is not None:
        changes = known.stability is not Stability.EVERYWHERE
        held = f"holds {known.words}" if known.words else "no other value has the same limit"
        text += f"; {held if changes else 'other values change nothing'}"
    name, value = next(iter(guessed.items()))
    line = loop.function.line - 1 + loop.start.line - loop.header[0].line
    argument = {"uri": place.uri, "line": line, "name": name, "value": value}
    yield " · ".join(
        filter(None, [plain(text, style), link("Set", SET_SIZE_PROMPT, argument, style)])
    )


def _instances(verdicts: tuple[Verdict, ...], style: HoverFormat) -> Iterator[str]:
    """Copies of the loop for other types: a row each."""
    if len(verdicts) > 1:
        rows = []
        for each, row in zip(verdicts, machine_rows(verdicts, style), strict=True):
            name = f"{each.place.function} {each.place.instance}".rstrip()
            rows.append([plain(name, style), *row[1:]])
        yield table(["instance", "cy per iteration", "limit"], rows, style)


def _machines(shown: ShownReport, loop: TrackedLoop, style: HoverFormat) -> Iterator[str]:
    verdicts = shown.verdicts[loop.kernel.id]
    if len(verdicts) > 1:
        head = ["machine", "cy per iteration", "limit"]
        yield table(head, machine_rows(verdicts, style), style)


def _picture(shown: ShownReport, loop: TrackedLoop) -> str:
    """The compact roofline as an image inside the text; empty where nothing is drawn."""
    verdicts = by_loop(shown.verdicts[loop.kernel.id])
    path = os.path.basename(shown.report.path)
    scene = kernel_scene(path, loop.function.name, loop.kernel, verdicts=verdicts)
    if scene is None:
        return ""
    drawing = draw_floating(scene).encode()
    if len(drawing) > LARGEST_PLOT_BYTES:
        return ""
    return f"![roofline](data:image/svg+xml;base64,{base64.b64encode(drawing).decode()})"


def _measured(shown: ShownReport, loop: TrackedLoop, style: HoverFormat) -> Iterator[str]:
    """The measured times of what the loop is a part of, with their conditions."""
    place = loop.function.name, loop.function.line
    for function in shown.report.functions:
        if (function.name, function.line) != place:
            continue
        kernel = next((k for k in function.kernels() if k.id == loop.kernel.id), None)
        for each in measured_around(function, kernel) if kernel is not None else ():
            words = measured_words(each._replace(predictions=()), function)
            yield bold("measured", style) + " " + plain(words, style)


def _details(shown: ShownReport, loop: TrackedLoop, style: HoverFormat) -> Iterator[str]:
    kernel = loop.kernel
    for result in kernel.results[:1]:
        if opposite := phrases.opposite_words(result):
            yield plain(opposite, style)
        yield plain(f"{result.machine}: {phrases.basis_words(result, [])}", style)
        yield from _models_beside(result, style)
    if kernel.not_covered:
        yield f"{bold('not counted', style)} {plain(phrases.gap_words(kernel.not_covered), style)}"
    assumed = own_assumptions(shown, loop)
    if assumed:
        listed = [f"- {plain(each, style)}" for each in assumed[:MOST_ASSUMPTIONS]]
        if len(assumed) > MOST_ASSUMPTIONS:
            listed.append(f"- {len(assumed) - MOST_ASSUMPTIONS} more in the report")
        yield bold("assumed here", style) + "\n" + "\n".join(listed)
    warnings = [phrases.doubt_words(each.machine, each.doubtful) for each in kernel.results]
    yield from [plain(warning, style) for warning in dict.fromkeys(warnings) if warning]


def _models_beside(result: report.MachineResult, style: HoverFormat) -> Iterator[str]:
    """The models that take no part in verdicts: a plugin's, for its own interest."""
    for each in result.predictions:
        if each.terms is None:
            words = [f"{phrases.cycles_words(each)} cy", phrases.sentence(each)]
            words += filter(None, [phrases.figure_words(each)])
            yield plain(f"{each.model}: {'; '.join(words)}", style)


def own_assumptions(shown: ShownReport, loop: TrackedLoop) -> list[str]:
    """The assumptions on a loop that do not hold for all loops of its file."""
    every = [set(_assumptions(function, kernel)) for function, kernel in _kernels(shown.report)]
    common = set.intersection(*every) if len(every) > 1 else set()
    common |= set(shown.report.assumptions)
    return [each for each in _assumptions(loop.function, loop.kernel) if each not in common]


def _kernels(
    file: report.FileReport,
) -> Iterator[tuple[report.FunctionReport, report.KernelReport]]:
    return ((function, kernel) for function in file.functions for kernel in function.kernels())


def _assumptions(function: report.FunctionReport, kernel: report.KernelReport) -> list[str]:
    """Each once, in the order of the function, the machine, the models."""
    assumed = list(function.assumptions)
    for result in kernel.results[:1]:
        assumed += [*phrases.entry_words(result), *result.assumptions]
        for prediction in result.predictions:
            assumed += prediction.assumptions
    return list(dict.fromkeys(assumed))
