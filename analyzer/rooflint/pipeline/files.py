"""One file: from what the front end hands over to the file's report."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from rooflint.config.comments import Directives, Scope, parse_comments, warning
from rooflint.errors import UsageError, near_miss
from rooflint.incremental.function_outcomes import (
    NO_COUNTS,
    FunctionMemo,
    FunctionOutcome,
    FunctionQuestion,
)
from rooflint.ir import (
    Diagnostic,
    DiagnosticKind,
    Loop,
    Reason,
    ReasonKind,
    Refusal,
    SourceFunction,
    Span,
    Unit,
    walk,
)
from rooflint.pipeline.parts import size_ranges, unused_sizes
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.report import FileReport, FunctionReport, Summary
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import size_key
from rooflint.scenario.values import FunctionScenario

if TYPE_CHECKING:
    from rooflint.pipeline.profiled.matching import CountedFile

NOTHING = Summary(0, 0)
NO_SCOPE = Scope(sizes={}, trips={}, noalias=(), threads=None)


class PlacelessForm(NamedTuple):
    """Equations of a file in two parts.

    digest  of all but the places; of everything where ``places`` are empty, as of a file whose
            comments set sizes for what lies near them
    places  packed
    """

    digest: str = ""
    places: bytes = b""


class FileResult(NamedTuple):
    """A file's report and what it adds to the run.

    names     sizes and loop indices that a size can be set for
    internal  bugs of this program, a line each; the report has an error in their place
    headers   of the project that the file includes
    """

    report: FileReport
    summary: Summary = NOTHING
    names: frozenset[str] = frozenset()
    internal: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()


class FileTask(Protocol):
    """Turns a parsed file into a result: a function of a module, so that it reaches any process."""

    def __call__(
        self, path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None, /
    ) -> FileResult:
        """The result of one file; a bug costs the file, not the run."""
        raise NotImplementedError


def sizes_without_use(given: Iterable[str], results: Sequence[FileResult]) -> Iterator[str]:
    """A line for each size of the command line that no loop has; none where no file was read."""
    if any(each.report.status != "failed" for each in results):
        functions = [function for each in results for function in each.report.functions]
        yield from unused_sizes(
            given,
            frozenset().union(*(each.names for each in results)),
            [value for function in functions for value in function.values],
        )


def failed_file(
    path: str, reason: str, kind: DiagnosticKind = "other", problem: str = ""
) -> FileReport:
    """A file of which nothing is known but why."""
    why = Diagnostic(line=1, column=1, severity="error", message=reason, kind=kind, subject=problem)
    return FileReport(path, "failed", diagnostics=(why,))


def failed_models(files: Iterable[FileReport]) -> Iterator[str]:
    """A line for each model that failed on a loop."""
    for file in files:
        for line, skipped in file.failed_models():
            yield f"model '{skipped.model}' failed on {file.path}:{line}: {skipped.reason}"


def broken_file(path: str, error: Exception) -> FileResult:
    """A file that a bug of this program cost."""
    text = f"internal error: {type(error).__name__}: {error} ({place_of(error)})"
    return FileResult(failed_file(path, text, "internal"), internal=(f"{path}: {text}",))


def analyse_unit(
    path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None
) -> FileResult:
    """The report of one file; a function that a bug strikes costs itself only.

    ``memo`` knows the functions of earlier versions of the file, with this very setup.
    """
    from rooflint.pipeline.excerpts import excerpts

    work = _FileAnalysis(path, unit, setup, memo)
    functions = tuple(work.functions())
    wrong = [
        *unknown_names(work.directives, work.names),
        *work.directives.contradictions([source.span for source in unit.functions]),
    ]
    refusals = tuple(sorted((*unit.refusals, *work.lost, *work.switched_off())))
    report = FileReport(
        path=path,
        status="partial" if refusals or work.internal else "ok",
        functions=functions,
        diagnostics=tuple(
            sorted((*unit.diagnostics, *work.directives.diagnostics, *work.diagnostics, *wrong))
        ),
        refusals=refusals,
        assumptions=unit.assumptions,
        source=excerpts(unit.text, _places(functions, refusals)),
        counts=work.counted.report() if work.counted is not None else None,
    )
    summary = summary_of(unit.loops, refusals)
    return FileResult(
        report=report,
        summary=summary,
        names=frozenset().union(*work.names.values(), setup.scenario.matched),
        internal=tuple(work.internal),
    )


def _places(
    functions: tuple[FunctionReport, ...], refusals: tuple[Refusal, ...]
) -> Iterator[tuple[int, int]]:
    for function in functions:
        for nest in function.nests:
            yield nest.line, nest.end_line
            for kernel in nest.kernels:
                yield kernel.line, kernel.line
    for refusal in refusals:
        yield refusal.line, refusal.line


def analyse_safely(
    path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None
) -> FileResult:
    """The same; a bug outside any function costs the file, not the run."""
    try:
        return analyse_unit(path, unit, setup, memo)
    except MemoryError:  # a limit of the file, and no bug
        raise
    except Exception as error:
        return broken_file(path, error)


def file_task(setup: AnalysisSetup, linter: FileTask | None) -> FileTask:
    """``linter``, which the door hands over, where the settings ask for it; else the analysis.

    Either gets the file with the costs of its calls in the program.
    """
    if setup.lint is None:
        return _ProgramTask(analyse_safely)
    assert linter is not None, "a door that asks for a lint brings it along"
    return _ProgramTask(linter)


class _ProgramTask(NamedTuple):
    """The task for a file of a program."""

    task: FileTask

    def __call__(
        self, path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None, /
    ) -> FileResult:
        return self.task(path, with_costs_of_calls(unit, setup), setup, memo)


def with_costs_of_calls(unit: Unit, setup: AnalysisSetup) -> Unit:
    """The file with the costs of its calls in the program."""
    # where files are analysed, and not where they are asked for
    from rooflint.scenario.call_costs import with_call_costs

    return with_call_costs(unit, setup.scenario.calls)


def counted_file(packed: bytes, unit: Unit) -> "CountedFile | None":
    """The counts of a file's functions; None where no profile covers the file."""
    if not packed:
        return None
    from rooflint.pipeline.profiled.matching import CountedFile

    return CountedFile(packed, unit)


def summary_of(loops: int, refusals: tuple[Refusal, ...]) -> Summary:
    """Refusals counted by the kind of their reason."""
    refused: dict[ReasonKind, int] = {}
    for refusal in refusals:
        kind = refusal.reason.kind
        refused[kind] = refused.get(kind, 0) + 1
    return Summary(loops, loops - len(refusals), refused)


def run_summary(files: Iterable[Summary]) -> Summary:
    """The loops of all files together."""
    loops, analysed = 0, 0
    refused: dict[ReasonKind, int] = {}
    for file in files:
        loops += file.loops
        analysed += file.analysed
        for kind, count in file.refused.items():
            refused[kind] = refused.get(kind, 0) + count
    return Summary(loops, analysed, refused)


def place_of(error: BaseException) -> str:
    """``kernels.py:12``, where the error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"


class _FileAnalysis:
    """The functions of one file, and what comes up on the way."""

    def __init__(
        self, path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None
    ) -> None:
        self.path = path
        self.unit = unit
        self.setup = setup
        self.memo = memo
        self.counted = counted_file(setup.counts, unit)
        self.directives: Directives = parse_comments(unit.comments)
        self.diagnostics: list[Diagnostic] = []
        self.internal = [
            f"{path}:{d.line}: {d.message}" for d in unit.diagnostics if d.kind == "internal"
        ]
        self.lost: list[Refusal] = []
        self.names: dict[Span, frozenset[str]] = {}
        self.ids: dict[str, int] = {}

    def functions(self) -> Iterator[FunctionReport]:
        spans = [source.span for source in self.unit.functions]
        for source in self.unit.functions:
            scope = NO_SCOPE
            if self.directives.settings:
                scope = self.directives.scope(source.span, spans)
            values = self.setup.scenario.of(source)
            try:
                report, names = self.outcome(source, scope, values)
                known = self.names.get(source.span, frozenset())
                self.names[source.span] = known | names
            except UsageError as error:
                self.warn(source.span.line, str(error))
            except MemoryError:  # a limit of the file, and no bug
                raise
            except Exception as error:  # a bug here costs one function, not the run
                self.bug(source, error)
            else:
                if report is not None:
                    from rooflint.pipeline.relocation import relocate

                    placed = relocate(report, source, self.kernel_id)
                    yield placed._replace(values=size_ranges(placed, values))

    def outcome(
        self, source: SourceFunction, scope: Scope, values: FunctionScenario
    ) -> FunctionOutcome:
        off: frozenset[int] = frozenset()
        if self.directives.off:
            is_off = self.directives.is_off
            off = frozenset(n for n, span in enumerate(source.spans) if is_off(span.line))

        counts = self.counted.of(source) if self.counted is not None else NO_COUNTS

        def compute() -> FunctionOutcome:
            from rooflint.pipeline.functions import FunctionAnalysis

            return FunctionAnalysis(source, scope, self.setup, counts, values).outcome(off)

        if self.memo is None:
            return compute()
        question = FunctionQuestion(
            source=source, scope=scope, off=off, counts=counts, values=values
        )
        return self.memo.outcome(question, compute)

    def switched_off(self) -> Iterator[Refusal]:
        if not self.directives.off:
            return
        known = {refusal[:2] for refusal in (*self.unit.refusals, *self.lost)}
        for source in self.unit.functions:
            for place in _loop_places(source):
                if self.directives.is_off(place[0]) and place not in known:
                    known.add(place)
                    yield Refusal(place[0], place[1], Reason("switched-off"))

    def kernel_id(self, name: str) -> str:
        number = self.ids[name] = self.ids.get(name, 0) + 1
        return f"{self.path}:{name}" + (f"#{number}" if number > 1 else "")

    def warn(self, line: int, text: str) -> None:
        if all(text != diagnostic.message for diagnostic in self.diagnostics):
            self.diagnostics.append(warning(line, text))

    def bug(self, source: SourceFunction, error: Exception) -> None:
        what = f"{type(error).__name__}: {error} ({place_of(error)})"
        text = f"internal error in {source.function.name}: {what}"
        self.diagnostics.append(
            Diagnostic(line=source.span.line, column=1, severity="error", message=text)
        )
        self.internal.append(f"{self.path}:{source.span.line}: {text}")
        known = {refusal[:2] for refusal in (*self.unit.refusals, *self.lost)}
        places = dict.fromkeys(place for place in _loop_places(source) if place not in known)
        self.lost += [Refusal(line, column, Reason("internal-error")) for line, column in places]


def unknown_names(
    directives: Directives, names: Mapping[Span, frozenset[str]]
) -> Iterator[Diagnostic]:
    """A warning for each comment that sets what no loop has; ``names``: the sizes of functions."""
    for setting in directives.settings:
        concerned = [span for span in names if directives.concerns(setting, span)]
        known = frozenset().union(*(names[span] for span in concerned or names))
        for name in (*setting.sizes, *setting.trips):
            if size_key(name) not in map(size_key, known):
                text = f"rooflint comment: no loop has a size '{name}'{near_miss(name, known)}"
                yield warning(setting.line, text)._replace(kind="unknown-size")


def _loop_places(source: SourceFunction) -> Iterator[tuple[int, int]]:
    for node in walk(source.function.body):
        if isinstance(node, Loop) and 0 <= node.origin < len(source.spans):
            yield source.spans[node.origin][:2]
