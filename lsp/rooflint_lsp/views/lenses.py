"""Code lenses: one line that sums up a file, and on request one above each function."""

from collections.abc import Iterator

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.render.measurements import measured_around, measured_words

from rooflint_lsp.documents.document import TextPosition
from rooflint_lsp.documents.open_files import OpenFile, ShownReport
from rooflint_lsp.documents.tracking import TrackedFunction
from rooflint_lsp.views.actions import REPORT
from rooflint_lsp.views.chosen import HintedLoop, hot_loops
from rooflint_lsp.views.hints import file_words


def code_lenses(file: OpenFile, shown: ShownReport) -> Iterator[types.CodeLens]:
    """The lenses that the settings ask for; of a file without loops none."""
    asked = file.settings.code_lens
    if asked == "off" or not (shown.verdicts or list(shown.marks.notes)):
        return
    words = f"Rooflint: {file_words(shown)}"
    yield _lens(file, TextPosition(0, 0), words, {"uri": file.uri})
    if asked == "functions":
        hottest = hot_loops(shown)
        for function in shown.marks.functions:
            if loops := function.untouched_loops:
                argument = {"uri": file.uri, "line": loops[0].start.line}
                words = _function_words(shown, function, hottest)
                yield _lens(file, function.start, words, argument)


def _lens(
    file: OpenFile, place: TextPosition, words: str, argument: dict[str, object]
) -> types.CodeLens:
    position = file.document.position(place)
    command = types.Command(visible(words), REPORT, arguments=[argument])
    return types.CodeLens(types.Range(position, position), command)


def _function_words(
    shown: ShownReport, function: TrackedFunction, hottest: list[HintedLoop]
) -> str:
    """``2 loops: latency chain: 2.4× with 4 sums``, the hint of its loop of most time."""
    names = {loop.kernel.id for loop in function.untouched_loops}
    own = [each for each in hottest if each.loop.kernel.id in names]
    parts = [f"{len(names)} loop{'s' if len(names) != 1 else ''}"]
    if own:
        parts[0] += f": {own[0].text}"
    return ", ".join([*parts, *dict.fromkeys(_measured(shown, function))])


def _measured(shown: ShownReport, function: TrackedFunction) -> Iterator[str]:
    place = function.report.name, function.report.line
    for each in shown.report.functions:
        if (each.name, each.line) == place:
            for kernel in each.kernels():
                for measured in measured_around(each, kernel):
                    plain = measured._replace(predictions=())
                    yield f"measured {measured_words(plain, each)}"
