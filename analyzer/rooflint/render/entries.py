"""Entries of a page: kernels, with template instances of the same numbers merged."""

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


def has_guessed_sizes(kernel: KernelReport) -> bool:
    """Whether nobody set some size of it, so that its time cannot be compared with others."""
    return any(size.origin == "role" for result in kernel.results for size in result.sizes.values())
