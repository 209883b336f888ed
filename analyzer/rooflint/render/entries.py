"""Entries of a text report: kernels, with template instances merged, and the notes they share.

A template instantiated thirty times is one loop in the source; instances with the same numbers are
one entry. A sentence that several entries rest on is a numbered note, so that a loop takes few
lines; one that a single loop rests on stands with that loop.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
    NestReport,
    Report,
)
from rooflint.records import NamedTuple
from rooflint.render import phrases

ERRORS = "the file has errors (listed at the end): the numbers may lack the code that they affect"


class KernelEntry(NamedTuple):
    """A kernel as it is listed; ``functions`` are the names of all instances, the first first."""

    file: FileReport
    function: FunctionReport
    nest: NestReport
    kernel: KernelReport
    functions: list[str]

    @property
    def place(self) -> str:
        """``src/solver.c:12``; without a line where the front end knows none."""
        line = self.kernel.line
        return f"{self.file.path}:{line}" if line else self.file.path

    @property
    def has_prediction(self) -> bool:
        """Whether there is more to say than why no model said anything."""
        return any(
            result.predictions or result.advice or any(s.failed for s in result.skipped)
            for result in self.kernel.results
        )

    def assumptions(self, result: MachineResult) -> list[str]:
        """Everything the numbers of ``result`` rest on, each once."""
        broken = any(d.severity == "error" for d in self.file.diagnostics)
        found = [*self.file.assumptions, *((ERRORS,) if broken else ())]
        found += [*self.function.assumptions, *phrases.entry_words(result), *result.assumptions]
        for prediction in result.predictions:
            found += prediction.assumptions
        return list(dict.fromkeys(found))


def silent_models(result: MachineResult) -> list[str]:
    """The models that had nothing to say, and why."""
    return [f"{s.model} does not apply: {s.reason}" for s in result.skipped if not s.failed]


def entries_of(report: Report) -> list[KernelEntry]:
    """The kernels in the order of the report."""
    found: dict[tuple[str, ...], KernelEntry] = {}
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    same = repr((kernel._replace(id=""), function.assumptions))
                    entry = found.setdefault(
                        (file.path, same),
                        KernelEntry(
                            file=file,
                            function=function,
                            nest=nest,
                            kernel=kernel,
                            functions=[function.name],
                        ),
                    )
                    if entry.kernel is not kernel:
                        entry.functions.append(function.name)
    return list(found.values())


def shared_sentences(entries: Iterable[KernelEntry]) -> Mapping[str, int]:
    """The sentences that several results rest on, numbered in the order of their first use."""
    uses = Counter(_uses(entries))
    shared = (text for text, count in uses.items() if count > 1)
    return {text: place for place, text in enumerate(shared, start=1)}


def _uses(entries: Iterable[KernelEntry]) -> Iterator[str]:
    for entry in entries:
        if entry.has_prediction:
            for result in entry.kernel.results:
                yield from entry.assumptions(result)
                yield from silent_models(result)


def has_guessed_sizes(kernel: KernelReport) -> bool:
    """Whether nobody set some size of it, so that its time cannot be compared with others."""
    return any(
        size.origin == "default" for result in kernel.results for size in result.sizes.values()
    )
