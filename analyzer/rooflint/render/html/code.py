"""The code frame: the lines of a loop as they were analysed, its headers marked."""

from collections.abc import Iterable, Iterator

from rooflint.plugin_api.report import FileReport
from rooflint.render.entries import KernelEntry
from rooflint.render.html.markup import element, escape_code

LONGEST_WHOLE = 60
"""Lines of a nest shown in full; of a longer one, what is near the loop's headers."""
ABOVE, BELOW = 3, 36
AROUND = 2


def frame(entry: KernelEntry) -> str:
    """The code of a kernel; empty where the report carries no text of it."""
    marks = {loop.line: "outer" for loop in entry.kernel.loops} | {entry.kernel.line: "own"}
    known = dict(_lines(entry.file))
    return _frame(known, _wanted(entry), marks)


def refusal_frame(file: FileReport, line: int) -> str:
    """The code around a loop that was refused."""
    return _frame(dict(_lines(file)), range(line - AROUND, line + AROUND + 1), {line: "own"})


def _wanted(entry: KernelEntry) -> Iterable[int]:
    nest, kernel = entry.nest, entry.kernel
    first, last = nest.line - AROUND, nest.end_line + AROUND
    whole = set(range(first, last + 1)) if last - first <= LONGEST_WHOLE else set()
    near = range(max(kernel.line - ABOVE, first), min(kernel.line + BELOW, last) + 1)
    heads = {
        line
        for loop in kernel.loops
        if loop.line
        for line in range(loop.line - 1, loop.line + AROUND)
    }
    return sorted(whole | set(near) | heads | {kernel.line})


def _frame(known: dict[int, str], wanted: Iterable[int], marks: dict[int, str]) -> str:
    lines = [line for line in wanted if line in known]
    numbers, code = [], []
    for place, line in enumerate(lines):
        if place and lines[place - 1] != line - 1:
            numbers.append("⋯")
            code.append("")
        text = escape_code(known[line])
        mark = marks.get(line)
        numbers.append(str(line))
        code.append(f'<span class="{mark}">{text}</span>' if mark else text)
    if not lines:
        return ""
    gutter = element("code", "\n".join(numbers), aria_hidden="true")
    content = gutter + element("code", "\n".join(code))
    return element("pre", content, class_="code", tabindex="0", aria_label="source")


def _lines(file: FileReport) -> Iterator[tuple[int, str]]:
    for run in file.source:
        yield from enumerate(run.lines, start=run.line)
