"""The hover of a loop: what the models say, in which regime, on which assumptions, and a plot."""

import base64
import os
from collections.abc import Iterable, Iterator
from typing import Final

from rooflint.escaping import visible
from rooflint.plot import draw_compact
from rooflint.plot.from_report import kernel_scene
from rooflint.plugin_api import report
from rooflint.plugin_api.prediction import Prediction
from rooflint.records import NamedTuple
from rooflint.render import phrases
from rooflint.render.layout import plural
from rooflint.render.measurements import measured_around, measured_summary, measured_words

from rooflint_lsp.views.hints import escape_markdown

MOST_ROWS: Final = 6
LARGEST_PLOT_BYTES: Final = 48_000
"""Editors cut a hover at 100,000 characters, and a cut image is shown as its code."""


class HoverFormat(NamedTuple):
    """How the client wants it: markdown or plain text, with a picture or without."""

    markdown: bool
    picture: bool


class HoverSubject(NamedTuple):
    """The report of one loop, with its function and file."""

    file: report.FileReport
    function: report.FunctionReport
    kernel: report.KernelReport


def hover_text(known: HoverSubject, style: HoverFormat) -> str:
    """The whole hover."""
    kernel = known.kernel
    parts = [_bold(phrases.nest_words(kernel.loops), style)]
    if style.picture and style.markdown and (image := _picture(known)):
        parts.append(image)
    for measured in measured_around(known.function, kernel):
        model = _first_model(kernel)
        parts.append(_bold(measured_summary(measured, model), style))
        parts.append(_plain(measured_words(measured, known.function), style))
    for result in kernel.results:
        parts += _result(kernel, result, len(kernel.results) > 1, style)
    if kernel.not_covered:
        parts.append(_line("not covered", phrases.gap_words(kernel.not_covered), style))
    assumed = list(dict.fromkeys(_assumptions(known)))
    if assumed:
        parts.append(_bold("assumptions", style) + "\n" + _list(assumed, style))
    warnings = [phrases.doubt_words(each.machine, each.doubtful) for each in kernel.results]
    parts += [_plain(warning, style) for warning in dict.fromkeys(warnings) if warning]
    return "\n\n".join(parts)


def _first_model(kernel: report.KernelReport) -> str:
    predictions = kernel.results[0].predictions if kernel.results else ()
    return predictions[0].model if predictions else ""


def _result(
    kernel: report.KernelReport, result: report.MachineResult, named: bool, style: HoverFormat
) -> Iterator[str]:
    if named:
        yield _bold(f"{result.machine}, {plural(result.cores, 'core')}", style)
    yield _predictions(result, style)
    if opposite := phrases.opposite_words(result):
        yield _line("entry", opposite, style)
    yield _line("per iteration", phrases.work_words(kernel.work, kernel.not_covered), style)
    if moved := phrases.traffic_words(result.traffic):
        yield _line("traffic", moved, style)
    for words in phrases.layer_words(result.reuse):
        yield _line("layers", words, style)
    if result.vector is not None:
        yield _line("vectors", _vector_words(result.vector), style)
    machine = "" if named else f"{result.machine}; "
    yield _line("with", machine + phrases.basis_words(result, []), style)


def _predictions(result: report.MachineResult, style: HoverFormat) -> str:
    rows = [
        (p.model, p.headline, phrases.cycles_words(p), _reason(p))
        for p in result.predictions[:MOST_ROWS]
    ]
    if rows:
        return _table(("model", "result", "cy/it", "reason"), rows, style)
    reasons = [f"{skipped.model}: {skipped.reason}" for skipped in result.skipped]
    return _plain("; ".join(reasons) or "no model was selected", style)


def _vector_words(vector: report.VectorReport) -> str:
    """``8 iterations at once``; ``one iteration at a time: recurrence through s``."""
    text = f"{vector.width} iterations at once" if vector.width > 1 else "one iteration at a time"
    return text + (f": {vector.reason}" if vector.reason else "")


def _reason(prediction: Prediction) -> str:
    return "; ".join(filter(None, (phrases.sentence(prediction), phrases.figure_words(prediction))))


def _assumptions(known: HoverSubject) -> Iterator[str]:
    yield from known.file.assumptions
    yield from known.function.assumptions
    for result in known.kernel.results:
        yield from phrases.entry_words(result)
        yield from result.assumptions
        for prediction in result.predictions:
            yield from prediction.assumptions


def _picture(known: HoverSubject) -> str:
    """The compact roofline as an image inside the text; empty where nothing is drawn."""
    scene = kernel_scene(os.path.basename(known.file.path), known.function.name, known.kernel)
    if scene is None:
        return ""
    drawing = draw_compact(scene).encode()
    if len(drawing) > LARGEST_PLOT_BYTES:
        return ""
    return f"![roofline](data:image/svg+xml;base64,{base64.b64encode(drawing).decode()})"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], style: HoverFormat) -> str:
    if not style.markdown:
        return "\n".join(
            visible(f"{model}: {says} ({cycles} cy/it), {why}") for model, says, cycles, why in rows
        )
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(escape_markdown(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def _list(items: Iterable[str], style: HoverFormat) -> str:
    return "\n".join(f"- {_plain(item, style)}" for item in items)


def _line(label: str, text: str, style: HoverFormat) -> str:
    return f"*{label}* {escape_markdown(text)}" if style.markdown else f"{label}: {visible(text)}"


def _bold(text: str, style: HoverFormat) -> str:
    return f"**{escape_markdown(text)}**" if style.markdown else visible(text)


def _plain(text: str, style: HoverFormat) -> str:
    return escape_markdown(text) if style.markdown else visible(text)
