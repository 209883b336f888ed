"""A run: settings and machines for each file, the front end, the pipeline, one report.

path ─ ConfigFinder ─▶ Config ─┐                ┌─────────── child ───────────┐
Options ───────────────────────┴▶ Bench ───────▶│                             │
path ─ FlagFinder ─▶ Request ──────────────────▶│extract ─▶ Unit ─▶ FileResult│─▶ report ─▶ Report
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import rooflint
from rooflint.analysis.bench import Bench
from rooflint.analysis.benches import Benches
from rooflint.analysis.compilers import compiler_of
from rooflint.analysis.files import FileResult, analyse_safely, failed_file
from rooflint.analysis.in_child import Analyst, Question, packed_bench
from rooflint.analysis.options import Options
from rooflint.errors import RooflintError, near_miss
from rooflint.frontend.find_flags import FlagFinder
from rooflint.frontend.request import Failure, Request
from rooflint.frontend.worker import USUAL_LIMITS, Workers
from rooflint.ir import Unit
from rooflint.registry import Registry
from rooflint.report import FileReport, Report, Summary
from rooflint.sizes import canonical

if TYPE_CHECKING:
    from rooflint.analysis.assembled import SecondSource


class Source(NamedTuple):
    """A file to analyse; ``text`` is what an editor has not saved yet, None reads the file."""

    path: str
    text: bytes | None = None


class _Asked(NamedTuple):
    """A file on its way: with a bench a child has it, with an error it never got there."""

    path: str
    bench: Bench | None
    error: str = ""


class Analysis:
    """One run over many files. These grow while it goes on:

    problems  mistakes in options and configuration, a line each; what is left goes on
    internal  bugs of this program, a line each; ``details`` are their tracebacks
    """

    def __init__(self, options: Options, registry: Registry) -> None:
        """Raises UsageError when options leave no machine, or name a model that does not exist."""
        self.options = options
        self.registry = registry
        self.benches = Benches(options, registry)
        self.internal: list[str] = []
        self.details: list[str] = []
        self._flags = FlagFinder(options.build_dir, options.flags)
        self._results: list[FileResult] = []
        self._second: SecondSource | None = None
        if options.core_source != "model":
            # by name: most runs compile nothing, and importing it takes time
            assembled = import_module("rooflint.analysis.assembled")
            self._second = assembled.SecondSource(options.core_source, options.compiler)

    @property
    def problems(self) -> list[str]:
        """Mistakes found so far."""
        return self.benches.problems

    def files(self, sources: Iterable[Source]) -> Iterator[FileReport]:
        """The report of each file, in order, as they get ready."""
        asked: deque[_Asked] = deque()
        analyst = Analyst(self.registry.models)
        jobs = self.options.jobs or os.cpu_count() or 1
        with Workers[Question, FileResult | Unit](analyst, USUAL_LIMITS, jobs) as workers:
            for _, answer in workers.analyse_all(self._questions(sources, asked)):
                while asked[0].bench is None:
                    yield self._finish(self._failed(asked.popleft()))
                yield self._finish(self._result(asked.popleft(), answer))
        while asked:
            yield self._finish(self._failed(asked.popleft()))

    def report(self) -> Report:
        """Everything finished so far as one report."""
        refused: dict[str, int] = {}
        for result in self._results:
            for reason, count in result.summary.refused.items():
                refused[reason] = refused.get(reason, 0) + count
        loops = sum(result.summary.loops for result in self._results)
        analysed = sum(result.summary.analysed for result in self._results)
        files = tuple(result.report for result in self._results)
        return Report(
            version=rooflint.__version__,
            machines=self.benches.machine_reports,
            files=files,
            summary=Summary(loops, analysed, refused),
            plugin_failures=(*self.registry.failures, *_failed_models(files)),
        )

    def unused_sizes(self) -> Iterator[str]:
        """A line for each ``-D`` that no loop of the run has a use for: most likely a typo."""
        known = {name for result in self._results for name in result.names}
        if not any(result.report.status != "failed" for result in self._results):
            return
        for name in self.options.sizes:
            if canonical(name) not in known:
                yield f"-D {name}: no loop has a size of that name{near_miss(name, known)}"

    def _questions(self, sources: Iterable[Source], asked: deque[_Asked]) -> Iterator[Question]:
        """What the children are asked; ``asked`` remembers the order and what failed before."""
        packed: dict[int, bytes] = {}
        for path, text in sources:
            try:
                bench = self.benches.bench_for(path)
                request = Request(path, self._flags.flags(path), text)
            except RooflintError as error:
                if str(error) not in self.problems:
                    self.problems.append(str(error))
                asked.append(_Asked(path, None, str(error)))
                continue
            compiler = compiler_of(request.flags.code)
            asked.append(_Asked(path, bench._replace(compiler=compiler)))
            if self._second is not None:
                # a compiler needs more than a child may have
                second = self._second.of(path, request.flags, text is not None)
                asked[-1] = _Asked(path, bench._replace(compiler=compiler, second=second))
                yield Question(request, b"", compiler)
                continue
            if id(bench) not in packed:
                packed[id(bench)] = packed_bench(bench)
            yield Question(request, packed[id(bench)], compiler)

    def _failed(self, asked: _Asked) -> FileResult:
        return FileResult(failed_file(asked.path, asked.error))

    def _result(self, asked: _Asked, answer: FileResult | Unit | Failure) -> FileResult:
        if isinstance(answer, Failure):
            if answer.kind == "internal":
                self.internal.append(f"{asked.path}: {answer.reason}")
                self.details.append(answer.detail)
            return FileResult(failed_file(asked.path, answer.reason))
        if isinstance(answer, Unit):
            assert asked.bench is not None
            return analyse_safely(asked.path, answer, asked.bench)
        return answer

    def _finish(self, result: FileResult) -> FileReport:
        self._results.append(result)
        self.internal += result.internal
        return result.report


def analyse(sources: Iterable[Source], options: Options, registry: Registry) -> Report:
    """The whole pipeline in one call, for callers that want neither progress nor a way out."""
    analysis = Analysis(options, registry)
    for _ in analysis.files(sources):
        pass
    return analysis.report()


def _failed_models(files: Iterable[FileReport]) -> Iterator[str]:
    for file in files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    for result in kernel.results:
                        for skipped in result.skipped:
                            if skipped.failed:
                                place = f"{file.path}:{kernel.line}"
                                yield f"model '{skipped.model}' failed on {place}: {skipped.reason}"
