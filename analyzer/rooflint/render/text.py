"""``--format text``: per loop what limits it, the number, and what that rests on.

    kernels.c:12  triad  for i in n
      per iteration 2 flop (1 add, 1 mul; f64), 2 loads, 1 store
      roofline      1.05 GFLOP/s, the model's sentence
      traffic       L3-MEM 32 B (16 load + 8 write-allocate + 8 evict)
      with          n = 1000 (command line); 1 core (serial code); notes 1, 2

Sentences that loops share, the assumptions, are numbered notes at the end, so that a loop takes
few lines. Nothing here knows a model or a machine by name.
"""

from collections.abc import Iterator

from rooflint.prediction import Prediction
from rooflint.render.layout import Colour, Style, labelled, number, plural, ranges, wrap
from rooflint.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    LinkTraffic,
    LoopHeader,
    MachineReport,
    MachineResult,
    Report,
    SizeValue,
    WorkReport,
)

INDENT = 2
COLUMN = 16


def render_text(report: Report, style: Style) -> str:
    """The whole report; ends with a newline."""
    return "\n".join(_Text(report, style).lines()) + "\n"


class _Text:
    """One run of the renderer: the style, and the notes numbered so far."""

    def __init__(self, report: Report, style: Style) -> None:
        self.report = report
        self.style = style
        self.notes: dict[str, int] = {}
        self.several = len(report.machines) > 1

    def lines(self) -> Iterator[str]:
        for machine in self.report.machines:
            yield from self.machine(machine)
        for file in self.report.files:
            yield from self.file(file)
        yield from self.numbered_notes()
        yield from self.not_analysed()
        yield ""
        yield from self.summary()

    def machine(self, machine: MachineReport) -> Iterator[str]:
        where = f" ({machine.file})" if machine.file else ""
        note = f": {machine.note}" if machine.note else ""
        lines = wrap(f"machine {machine.name}{where}{note}", self.style.width, 0, INDENT)
        yield from (self.style.paint(line, "dim") for line in lines)

    def file(self, file: FileReport) -> Iterator[str]:
        shared = self.numbers(file.assumptions) if file.functions else []
        for function in file.functions:
            of_function = shared + self.numbers(function.assumptions)
            for nest in function.nests:
                for kernel in nest.kernels:
                    yield ""
                    yield from self.kernel(file, function, kernel, of_function)

    def kernel(
        self, file: FileReport, function: FunctionReport, kernel: KernelReport, shared: list[int]
    ) -> Iterator[str]:
        place = f"{file.path}:{kernel.line}"
        head = f"{self.style.paint(place, 'bold')}  {function.name}"
        nest = _nest(kernel.loops)
        if len(place) + len(function.name) + len(nest) + 4 <= self.style.width:
            yield f"{head}  {nest}"
        else:
            yield head
            yield from wrap(nest, self.style.width, 2 * INDENT)
        yield from self.labelled("per iteration", _work(kernel.work))
        for result in kernel.results:
            yield from self.result(result, shared)
        for missing in kernel.not_covered:
            yield from self.labelled("not covered", f"line {missing.line}: {missing.reason}")

    def result(self, result: MachineResult, shared: list[int]) -> Iterator[str]:
        if self.several:
            yield " " * INDENT + self.style.paint(f"on {result.machine}", "bold")
        notes = set(shared) | set(self.numbers(result.assumptions))
        for prediction in result.predictions:
            yield from self.prediction(prediction)
            notes.update(self.numbers(prediction.assumptions))
        for skipped in result.skipped:
            if skipped.failed:
                yield from self.labelled(skipped.model, f"failed: {skipped.reason}")
            else:
                notes.update(self.numbers((f"{skipped.model} does not apply: {skipped.reason}",)))
        moved = _traffic(result.traffic)
        if moved:
            yield from self.labelled("traffic", "; ".join(moved))
        yield from self.labelled("with", _basis(result, sorted(notes)))
        for advice in result.advice:
            gain = f" (×{number(advice.gain)})" if advice.gain is not None else ""
            yield from self.labelled(advice.code, advice.message + gain)

    def prediction(self, prediction: Prediction) -> Iterator[str]:
        verdict, colour = _verdict(prediction.bottleneck)
        known = verdict.partition(" ")[0] in prediction.sentence
        known = known or prediction.bottleneck in prediction.sentence
        text = prediction.sentence if known else f"{verdict}: {prediction.sentence}"
        lines = self.labelled(prediction.model, f"{prediction.headline}, {text}")
        head = self.style.paint(prediction.headline, colour, "bold")
        yield lines[0].replace(prediction.headline, head, 1)
        yield from lines[1:]

    def labelled(self, label: str, text: str) -> list[str]:
        return labelled(label, text, self.style, INDENT, COLUMN)

    def numbers(self, sentences: tuple[str, ...]) -> list[int]:
        return [self.notes.setdefault(sentence, len(self.notes) + 1) for sentence in sentences]

    def numbered_notes(self) -> Iterator[str]:
        if not self.notes:
            return
        yield ""
        yield self.style.paint("Notes", "bold")
        for sentence, note in self.notes.items():
            yield from labelled(f"{note}", sentence, self.style, INDENT, 3 * INDENT)

    def not_analysed(self) -> Iterator[str]:
        said = [line for file in self.report.files for line in self.problems(file)]
        for text in self.report.plugin_failures:
            lines = wrap(text, self.style.width, INDENT, 3 * INDENT)
            said += [self.style.paint(line, "red") for line in lines]
        if said:
            yield ""
            yield self.style.paint("Not analysed, or with a reservation", "bold")
            yield from said

    def problems(self, file: FileReport) -> Iterator[str]:
        for diagnostic in file.diagnostics:
            place = f"{file.path}:{diagnostic.line}" if diagnostic.line else file.path
            colour: Colour = "red" if diagnostic.severity == "error" else "yellow"
            text = f"{place}: {diagnostic.severity}: {diagnostic.message}"
            for line in wrap(text, self.style.width, INDENT, 3 * INDENT):
                yield self.style.paint(line, colour)
        by_reason: dict[str, list[int]] = {}
        for refusal in file.refusals:
            by_reason.setdefault(refusal.reason, []).append(refusal.line)
        for reason, lines in by_reason.items():
            others = f" (also {ranges(lines[1:])})" if len(lines) > 1 else ""
            text = f"{file.path}:{lines[0]}: {reason}{others}"
            yield from wrap(text, self.style.width, INDENT, 3 * INDENT)

    def summary(self) -> Iterator[str]:
        summary = self.report.summary
        kernels = sum(
            len(nest.kernels)
            for file in self.report.files
            for function in file.functions
            for nest in function.nests
        )
        files = plural(len(self.report.files), "file")
        failed = sum(file.status == "failed" for file in self.report.files)
        text = f"{files}{f' ({failed} failed)' if failed else ''}, {plural(summary.loops, 'loop')}:"
        text += f" {summary.analysed} analysed, {plural(kernels, 'kernel')} shown"
        refused = sum(summary.refused.values())
        text += f", {refused} refused"
        yield from (self.style.paint(line, "bold") for line in wrap(text, self.style.width))
        for reason, count in sorted(summary.refused.items(), key=lambda item: (-item[1], item[0])):
            yield from wrap(f"{count} × {reason}", self.style.width, INDENT, 3 * INDENT)


def _verdict(bottleneck: str) -> tuple[str, Colour]:
    """The bottleneck in words; a link is written with a hyphen, as in ``L3-MEM``."""
    if bottleneck == "compute":
        return "compute-bound", "green"
    if "-" in bottleneck or bottleneck == "memory":
        return "memory-bound", "yellow"
    return f"limited by {bottleneck}", "cyan"


def _nest(loops: tuple[LoopHeader, ...]) -> str:
    parts = []
    for loop in loops:
        step = "" if loop.step in ("1", "-1") else f" step {loop.step}"
        parts.append(f"{loop.index} in {loop.trip_count}{step}")
    return "for " + ", ".join(parts)


def _work(work: WorkReport) -> str:
    parts = []
    if work.flops:
        detail = _operations(work)
        parts.append(f"{number(work.flops)} flop{f' ({detail})' if detail else ''}")
    elif work.operations:
        parts.append(f"no flop ({_operations(work)})")
    for count, noun in ((work.loads, "load"), (work.stores, "store")):
        if count:
            parts.append(f"{number(count)} {noun}{'' if count == 1 else 's'}")
    return ", ".join(parts) or "no arithmetic, no array accesses"


def _operations(work: WorkReport) -> str:
    """``3 add, 1 mul; f64``: the type once where all operations share it."""
    types = {name.rpartition(".")[2] for name in work.operations}
    shared = len(types) == 1
    parts = [
        f"{number(count)} {name.rpartition('.')[0] if shared else name}"
        for name, count in sorted(work.operations.items())
    ]
    return ", ".join(parts) + (f"; {types.pop()}" if shared else "")


def _traffic(links: tuple[LinkTraffic, ...]) -> list[str]:
    """Bytes of every link; neighbours that carry the same are named together."""
    texts: list[tuple[str, str, str]] = []
    for link in links:
        text = _moved(link)
        if text and texts and texts[-1][2] == text:
            texts[-1] = (texts[-1][0], link.link, text)
        elif text:
            texts.append((link.link, link.link, text))
    return [f"{a if a == b else f'{a} to {b}'} {text}" for a, b, text in texts]


def _moved(link: LinkTraffic) -> str:
    kinds = (
        (link.load_bytes, "load"),
        (link.write_allocate_bytes, "write-allocate"),
        (link.evict_bytes, "evict"),
    )
    known = [(value, name) for value, name in kinds if value is not None]
    if link.bounds is not None:
        return f"{number(link.bounds[0])} to {number(link.bounds[1])} B"
    if not known:
        return ""
    detail = " + ".join(f"{number(value)} {name}" for value, name in known if value)
    total = number(sum(value for value, _ in known))
    if len(known) > 1 and "+" not in detail:
        detail = detail.rpartition(" ")[2]
    return f"{total} B" + (f" ({detail})" if detail else "")


def _basis(result: MachineResult, notes: list[int]) -> str:
    by_origin: dict[str, list[str]] = {}
    for name, size in result.sizes.items():
        by_origin.setdefault(size.origin, []).append(_size(name, size))
    parts = [f"{', '.join(sizes)} ({origin})" for origin, sizes in by_origin.items()]
    origin = f" ({result.cores_origin})" if result.cores_origin else ""
    parts.append(f"{plural(result.cores, 'core')}{origin}")
    if notes:
        parts.append(f"note{'s' if len(notes) > 1 else ''} {ranges(notes)}")
    return "; ".join(parts)


def _size(name: str, size: SizeValue) -> str:
    return f"{name} = {size.value}"
