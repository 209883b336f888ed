"""The hover of an array access in a loop's body: how it walks, and which level holds it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rooflint.plugin_api.report import KernelReport, StreamReport

from rooflint_lsp.documents.document import Document, TextPosition
from rooflint_lsp.documents.tracking import TrackedLoop, TrackedReport
from rooflint_lsp.views.markup import HoverFormat, bold, plain

_PATTERNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "contiguous": "contiguous",
        "strided": "a stride that leaves bytes of each line unused",
        "invariant": "the same address in each iteration, which stays in a register",
        "gather": "addresses that are known at run time only",
    }
)


def access_text(
    marks: TrackedReport, document: Document, place: TextPosition, style: HoverFormat
) -> str | None:
    """The accesses to the array at a place; None where no loop walks an array of that name."""
    name = _word(document, place)
    loop = _innermost(marks, place, name) if name else None
    if loop is None:
        return None
    kernel = loop.kernel
    streams = [each for each in kernel.streams if each.array == name]
    index = kernel.loops[-1].index.partition("'")[0] if kernel.loops else ""
    lines = [bold(f"{name} in the loop over {index}", style)]
    lines += [plain(_stream_words(each), style) for each in streams]
    lines += [plain(each, style) for each in _residence(kernel, name)]
    return ("  \n" if style.markdown else "\n").join(lines)


def _word(document: Document, place: TextPosition) -> str:
    """The identifier around a place; empty where there is none."""
    line = document.lines[place.line] if place.line < len(document.lines) else ""
    start = stop = min(place.column, len(line))
    while start > 0 and _is_part(line[start - 1]):
        start -= 1
    while stop < len(line) and _is_part(line[stop]):
        stop += 1
    return line[start:stop]


def _is_part(character: str) -> bool:
    return character.isalnum() or character == "_"


def _innermost(marks: TrackedReport, place: TextPosition, name: str) -> TrackedLoop | None:
    """Of the loops around a place that walk the array, the one that begins last."""
    around = [
        loop
        for loop in marks.loops
        if loop.start.line <= place.line < loop.kernel.end_line + loop.mark.shift
        and any(each.array == name for each in loop.kernel.streams)
    ]
    return max(around, key=lambda loop: loop.start.line, default=None)


def _stream_words(stream: StreamReport) -> str:
    """``8 B per iteration, contiguous, backwards``."""
    parts = [_PATTERNS.get(stream.pattern, stream.pattern)]
    if stream.stride is not None and stream.pattern != "invariant":
        parts.insert(0, f"{stream.stride} B per iteration")
    return ", ".join([*parts, *(["backwards"] if stream.backwards else [])])


def _residence(kernel: KernelReport, name: str) -> list[str]:
    """``rows of a: L2``, at the sizes of the first machine's result."""
    for result in kernel.results[:1]:
        for regime in result.reuse.regimes:
            if regime.now:
                held = regime.resides.items()
                return [f"{layer}: {level}" for layer, level in held if layer.endswith(f" {name}")]
    return []
