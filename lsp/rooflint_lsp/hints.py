"""Inlay hints: one per innermost loop, at the end of its header's line."""

from collections.abc import Iterable, Iterator

from lsprotocol import types
from rooflint.escaping import visible
from rooflint.render.phrases import basis_words, sentence

from rooflint_lsp.documents import Document, Place
from rooflint_lsp.marks import Loop, Marks
from rooflint_lsp.numbers import Short, short
from rooflint_lsp.settings import Settings


def is_problem(said: Short, settings: Settings) -> bool:
    """Whether a model leaves the loop below the share of the peak that the user set."""
    if said.share is not None:
        return said.share * 100 < settings.hints_below_percent
    return not said.verdict.startswith("compute")


def shown_loops(marks: Marks, settings: Settings) -> Iterator[tuple[Loop, Short]]:
    """The innermost loops that have something to say, as the user wants them; one a line."""
    if settings.hints == "off":
        return iter(())
    found = {placed.mark.now(placed.range[0]).line for placed in marks.findings}
    taken: dict[int, tuple[Loop, Short]] = {}
    for loop in marks.loops:
        said = short(loop.kernel) if loop.kernel.innermost else None
        if said is None:
            continue
        wanted = settings.hints == "all" or loop.start.line in found or is_problem(said, settings)
        if not wanted:
            continue
        line = loop.stop.line
        known = taken.get(line)
        if known is None or (said.share or 1.0) < (known[1].share or 1.0):
            taken[line] = (loop, said)
    return iter(taken.values())


def inlay_hints(
    marks: Marks, document: Document, settings: Settings, first: int, last: int, markdown: bool
) -> list[types.InlayHint]:
    """The hints on the lines ``first`` to ``last``."""
    hints = []
    for loop, said in shown_loops(marks, settings):
        line = loop.stop.line
        if first <= line <= last and line < len(document.lines):
            end = Place(line, len(document.lines[line].rstrip()))
            hints.append(
                types.InlayHint(
                    position=document.position(end),
                    label=visible(said.text),
                    tooltip=_tooltip(loop, markdown),
                    padding_left=True,
                )
            )
    return hints


def _tooltip(loop: Loop, markdown: bool) -> str | types.MarkupContent:
    """A sentence for each model, and what the numbers rest on."""
    result = loop.kernel.results[0]
    lines = [f"{p.model}: {p.headline}, {sentence(p)}" for p in result.predictions]
    lines.append(f"{result.machine}: {basis_words(result, [])}")
    if not markdown:
        return "\n".join(map(visible, lines))
    return types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(map(escaped, lines)))


def escaped(text: str) -> str:
    """Text that markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~$" else c for c in visible(text))


def function_words(loops: Iterable[Loop]) -> str:
    """``3 loops: 2 memory-bound, 1 compute-bound``."""
    counts: dict[str, int] = {}
    number = 0
    for loop in loops:
        number += 1
        said = short(loop.kernel)
        word = said.verdict if said is not None else "without a prediction"
        counts[word] = counts.get(word, 0) + 1
    parts = [f"{count} {word}" if number > 1 else word for word, count in counts.items()]
    return f"{number} loop{'s' if number != 1 else ''}: {', '.join(parts)}"
