"""Inlay hints: one per innermost loop, at the end of its header's line."""

from collections.abc import Iterable, Iterator

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.render.phrases import basis_words, opposite_words, sentence

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.settings import Settings
from rooflint_lsp.documents.tracking import TrackedLoop, TrackedReport
from rooflint_lsp.views.loop_summary import LoopSummary, loop_summary


def is_problem(summary: LoopSummary, settings: Settings) -> bool:
    """Whether a model leaves the loop below the share of the peak that the user set."""
    if summary.share is not None:
        return summary.share * 100 < settings.hints_below_percent
    return not summary.verdict.startswith("compute")


def shown_loops(
    marks: TrackedReport, settings: Settings
) -> Iterator[tuple[TrackedLoop, LoopSummary]]:
    """The innermost loops that have something to say, as the user wants them; one a line."""
    if settings.hints == "off":
        return iter(())
    with_findings = {placed.line for placed in marks.findings}
    by_line: dict[int, tuple[TrackedLoop, LoopSummary]] = {}
    for loop, summary in _summaries(marks):
        if (
            settings.hints == "all"
            or loop.start.line in with_findings
            or is_problem(summary, settings)
        ):
            _, best = by_line.setdefault(loop.stop.line, (loop, summary))
            if (summary.share or 1.0) < (best.share or 1.0):
                by_line[loop.stop.line] = (loop, summary)
    return iter(by_line.values())


def _summaries(marks: TrackedReport) -> Iterator[tuple[TrackedLoop, LoopSummary]]:
    for loop in marks.loops:
        summary = loop_summary(loop.kernel) if loop.kernel.innermost else None
        if summary is not None:
            yield loop, summary


def inlay_hints(
    marks: TrackedReport,
    document: Document,
    settings: Settings,
    first: int,
    last: int,
    markdown: bool,
) -> list[types.InlayHint]:
    """The hints on the lines ``first`` to ``last``."""
    hints = []
    for loop, summary in shown_loops(marks, settings):
        line = loop.stop.line
        if first <= line <= last and line < len(document.lines):
            end = TextPosition(line, len(document.lines[line].rstrip()))
            hints.append(
                types.InlayHint(
                    position=document.position(end),
                    label=visible(summary.text),
                    tooltip=_tooltip(loop, markdown),
                    padding_left=True,
                )
            )
    return hints


def _tooltip(loop: TrackedLoop, markdown: bool) -> str | types.MarkupContent:
    """A sentence for each model, and what the numbers rest on."""
    result = loop.kernel.results[0]
    lines = [f"{p.model}: {p.headline}, {sentence(p)}" for p in result.predictions]
    if opposite := opposite_words(result):
        lines.append(opposite)
    lines.append(f"{result.machine}: {basis_words(result, [])}")
    if not markdown:
        return "\n".join(map(visible, lines))
    return types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(map(escape_markdown, lines)))


def escape_markdown(text: str) -> str:
    """Text that markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~$" else c for c in visible(text))


def function_words(loops: Iterable[TrackedLoop]) -> str:
    """``3 loops: 2 memory-bound, 1 compute-bound``."""
    counts: dict[str, int] = {}
    number = 0
    for loop in loops:
        number += 1
        summary = loop_summary(loop.kernel)
        word = summary.verdict if summary is not None else "without a prediction"
        counts[word] = counts.get(word, 0) + 1
    parts = [f"{count} {word}" if number > 1 else word for word, count in counts.items()]
    return f"{number} loop{'s' if number != 1 else ''}: {', '.join(parts)}"
