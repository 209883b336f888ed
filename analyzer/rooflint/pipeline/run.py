"""A run: settings and machines for each file, the front end, the pipeline, one report.

path ─ ConfigFinder ─▶ Config ─┐                ┌─────────── child ───────────┐
Options ───────────────────────┴▶ AnalysisSetup ───────▶│                             │
path ─ FlagFinder ─▶ Request ──────────────────▶│extract ─▶ Unit ─▶ FileResult│─▶ report ─▶ Report

Of several files, each is read first; the program that they make is solved here; then each file is
analysed with the sizes that it has in this program.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

import rooflint
from rooflint.core import Compiler
from rooflint.errors import RooflintError, UsageError, near_miss
from rooflint.frontend.request import Request
from rooflint.incremental.disk_store import DiskStore, default_folder
from rooflint.ir import DiagnosticKind, ReasonKind
from rooflint.pipeline.files import (
    FileResult,
    FileTask,
    broken_file,
    failed_file,
    failed_models,
    file_task,
)
from rooflint.pipeline.in_child import SCENARIOS, Analyst, Answer, Question, dialogue
from rooflint.pipeline.results import EarlierResults, FileKeys
from rooflint.pipeline.roofs import with_roofs
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.flags import ConfiguredFlags
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.pipeline.sources import Source
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.report import FileReport, Report, Summary
from rooflint.records import NamedTuple
from rooflint.registry import Registry, model_text
from rooflint.scenario.sizes import size_key
from rooflint.scenario.values import NO_SCENARIO, FileScenario
from rooflint.workers.limits import Failure
from rooflint.workers.pool import INTERRUPTED, NEVER, KnownAnswer, Workers
from rooflint.workers.stop_signals import StopSignals

if TYPE_CHECKING:
    from rooflint.ir.equations import Equations
    from rooflint.pipeline.assembled import SecondSource
    from rooflint.pipeline.cluster import Cluster
    from rooflint.pipeline.profiled.run_profiles import RunProfiles
    from rooflint.pipeline.stages.first_stage import ReadFile


EMPTY: Final = "its process answered nothing"
CLUSTER_REMEDY: Final = "pip install 'rooflint[cluster]'"


class _PreparedFile(NamedTuple):
    """A child's input for a file."""

    setup: AnalysisSetup
    request: Request
    compiler: Compiler


class _PendingFile(NamedTuple):
    """A file on its way, and under which keys its result will be kept."""

    path: str
    setup: AnalysisSetup | None = None
    keys: FileKeys | None = None


class _StagedFile(NamedTuple):
    """A file before its last stage; ``scenario`` is None for one that is a program of its own."""

    source: Source
    prepared: _PreparedFile | FileResult
    read: "ReadFile | None" = None
    scenario: FileScenario | None = None


class Analysis:
    """One run over many files. These grow while it goes on:

    problems  mistakes in options and configuration, a line each; what is left goes on
    internal  bugs of this program, a line each; ``details`` are their tracebacks
    """

    def __init__(
        self, options: Options, registry: Registry, linter: FileTask | None = None
    ) -> None:
        """``linter`` is what options with a lint ask for.

        Raises UsageError when options leave no machine, or name a model that does not exist.
        """
        self._linter = linter
        self.options = options
        self.registry = registry
        self.setups = SetupResolver(options, registry)
        self.internal: list[str] = []
        self.details: list[str] = []
        self._flags = ConfiguredFlags(options, self.setups.configs)
        self._results: list[FileResult] = []
        self._second = _assembly_source(options)
        self._known: EarlierResults | None = None
        self._profiles: RunProfiles | None = None
        self._equations: dict[str, Equations] = {}

    @property
    def problems(self) -> list[str]:
        """Mistakes found so far."""
        return self.setups.problems

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of stores, children and profiles that cost no result, a line each."""
        problem = self._known.cache.problem if self._known is not None else ""
        profiles = tuple(self._profiles.problems) if self._profiles is not None else ()
        return (*profiles, *((problem,) if problem else ()))

    def files(self, sources: Iterable[Source], stop: StopSignals = NEVER) -> Iterator[FileReport]:
        """The report of each file, in order, as they get ready; KeyboardInterrupt after what was
        finished when ``stop`` asked for it.
        """
        asked: deque[_PendingFile] = deque()
        with closing(self._workers()) as workers:
            staged, interruption = self._staged(list(sources), workers, stop)
            if interruption is not None:
                stop = NEVER
            for _, answer in workers.analyse_all(self._questions(staged, asked), stop):
                file = asked.popleft()
                if answer != INTERRUPTED:
                    yield self._finish(self._result(file, answer))
        if interruption is not None:
            raise interruption
        if self._known is not None:
            self._known.cache.trim()

    def _workers(self) -> "Workers[Question | None, Answer] | Cluster":
        """Who analyses; a child is started for the first file that is not known."""
        limits = self.options.limits
        if self.options.cluster:
            try:
                from rooflint.pipeline.cluster import Cluster  # noqa: PLC0415 - Dask is optional
            except ModuleNotFoundError as error:
                raise UsageError(f"--cluster needs {error.name}: {CLUSTER_REMEDY}") from None
            return Cluster(self.options.cluster, limits, self._linter)
        jobs = self.options.jobs or os.cpu_count() or 1
        analyst = Analyst(self.registry.models, self.registry.rules, self._linter)
        return Workers(analyst, limits, dialogue(), jobs)

    def report(self) -> Report:
        """Everything finished so far as one report."""
        refused: dict[ReasonKind, int] = {}
        for result in self._results:
            for kind, count in result.summary.refused.items():
                refused[kind] = refused.get(kind, 0) + count
        loops = sum(result.summary.loops for result in self._results)
        analysed = sum(result.summary.analysed for result in self._results)
        files = tuple(result.report for result in self._results)
        failures = [*self.registry.failures, *failed_models(files)]
        if self._profiles is not None:
            files = self._profiles.with_times(files, self.setups.machines)
            failures += self._profiles.failures
        return Report(
            version=rooflint.__version__,
            machines=with_roofs(self.setups.machine_reports, self.setups.machines, files),
            files=files,
            summary=Summary(loops, analysed, refused),
            plugin_failures=tuple(failures),
            models=tuple([model_text(model) for model in self.registry.models]),
        )

    def count_summary(self) -> Iterator[str]:
        """A line on how many loops have counts, where any were given."""
        if self._profiles is not None:
            yield from self._profiles.summary(
                [(each.report, each.summary.loops) for each in self._results]
            )

    def unused_sizes(self) -> Iterator[str]:
        """A line for each ``-D`` that no loop of the run has a use for: most likely a typo."""
        known = {name for result in self._results for name in result.names}
        if not any(result.report.status != "failed" for result in self._results):
            return
        for name in self.options.sizes:
            if size_key(name) not in map(size_key, known):
                yield f"-D {name}: no loop has a size of that name{near_miss(name, known)}"

    def _staged(
        self,
        sources: Sequence[Source],
        workers: "Workers[Question | None, Answer] | Cluster",
        stop: StopSignals,
    ) -> tuple[Iterable[_StagedFile], type[KeyboardInterrupt] | None]:
        """The files before their last stage, and what cut the stages before it short.

        Several files make up a program, and are read first.
        """
        single = len(sources) == 1 and not self._equations and self._second is None
        if single or not sources:
            return [_StagedFile(each, self._prepared(each)) for each in sources], None
        # for several files only
        from rooflint.pipeline.stages.first_stage import FirstStage, in_time  # noqa: PLC0415

        prepared = [self._prepared(source) for source in sources]
        requests = [each.request if isinstance(each, _PreparedFile) else None for each in prepared]
        stage = FirstStage(
            workers,
            self._known_results(),
            # the stamps of files are compared with the clock, and a cluster has many
            traced=not self.options.cluster,
            headers=self.options.lint is not None,
        )
        read = stage.read(requests, stop)
        staged = list(map(_StagedFile, sources, prepared, read.files))
        solved = self._solved(staged)
        return solved if read.interruption is None else in_time(solved), read.interruption

    def _solved(self, files: Iterable[_StagedFile]) -> Iterator[_StagedFile]:
        """The files with the values that they have in the program that all of them make up."""
        from rooflint.program.scenarios import ProgramScenario  # noqa: PLC0415 - for several files

        there: list[_StagedFile] = []
        for file in files:
            if file.read is None or file.read.failure == INTERRUPTED:
                continue
            there.append(file)
            if file.read.equations is not None:
                self._equations[file.source.path] = file.read.equations
        program = ProgramScenario(self._equations.values())
        for file in there:
            scenario = NO_SCENARIO
            if isinstance(file.prepared, _PreparedFile):
                setup = file.prepared.setup
                scenario = program.of_file(file.source.path, (setup.sizes, setup.configured))
            yield file._replace(scenario=scenario)

    def _questions(
        self, files: Iterable[_StagedFile], asked: deque[_PendingFile]
    ) -> Iterator[Question | KnownAnswer[Question | None, Answer]]:
        """Questions for the children and results known without them; ``asked`` is the order."""
        for file in files:
            path = file.source.path
            if isinstance(file.prepared, FileResult):
                asked.append(_PendingFile(path))
                yield _answered(file.prepared)
            elif file.read is not None and file.read.failure is not None:
                asked.append(_PendingFile(path))
                yield _answered(self._failed(path, file.read.failure))
            else:
                yield self._question(file, file.prepared, asked)

    def _question(
        self, file: _StagedFile, prepared: _PreparedFile, asked: deque[_PendingFile]
    ) -> Question | KnownAnswer[Question | None, Answer]:
        path, text, _ = file.source
        setup, request, compiler = prepared
        setup = setup._replace(compiler=compiler)
        scenario = b"" if file.scenario is None else SCENARIOS.encode(file.scenario)
        question = Question(
            request=request,
            setup=b"",
            compiler=compiler,
            stage="whole" if file.scenario is None else "analysis",
            contents=b"" if file.read is None else file.read.contents,
            scenario=scenario,
            headers=setup.lint is not None,
            counts=setup.counts,
        )
        if self._second is not None:
            # a compiler needs more than a child may have
            second = self._second.of(path, request.flags, text is not None)
            asked.append(_PendingFile(path, setup._replace(second=second)))
            return question
        known = self._known_results()
        keys = None
        if known is not None:
            keys = known.keys(request, self.setups.key(path), compiler, setup.counts, scenario)
        functions = b""
        if known is not None and keys is not None:
            result = known.find(keys.result)
            if result is not None:
                asked.append(_PendingFile(path))
                return _answered(result)
            functions = known.functions(keys)
        asked.append(_PendingFile(path, setup, keys))
        return question._replace(
            setup=self.setups.packed(path),
            traced=keys is not None and not self.options.cluster,
            functions=functions,
        )

    def _prepared(self, source: Source) -> _PreparedFile | FileResult:
        """A child's input for a file; its failed result where that cannot be had."""
        path, text, flags_of = source
        try:
            setup = self.setups.setup_for(path)
            setup = setup._replace(counts=self._counts_of(path))
            # a pattern may stand outside of any loop; without a loop there is no price
            straight = setup.lint is not None and setup.lint.structural
            flags = self._flags.flags(flags_of or path)
            request = Request(
                path=path, flags=flags, text=text, straight=straight, places=bool(setup.counts)
            )
            compiler = self.setups.compiler(path, request.flags.code)
            return _PreparedFile(setup, request, compiler)
        except RooflintError as error:
            if str(error) not in self.problems:
                self.problems.append(str(error))
            return FileResult(failed_file(path, str(error), "announced"))
        except OSError as error:
            return FileResult(failed_file(path, f"cannot be read: {error.strerror or error}"))
        except Exception as error:
            return broken_file(path, error)

    def _counts_of(self, path: str) -> bytes:
        """The packed counts of a file; empty where no profile covers it."""
        config = self.setups.config_for(path)
        counts = self.options.counts or config.counts
        times = self.options.profiles or config.profiles
        if not counts and not times:
            return b""
        if self._profiles is None:
            from rooflint.pipeline.profiled.run_profiles import (  # noqa: PLC0415 - only with profiles
                RunProfiles,
            )

            self._profiles = RunProfiles(self.registry.profile_formats)
        self._profiles.add_times(times)
        return self._profiles.counts_of(path, counts) if counts else b""

    def _known_results(self) -> EarlierResults | None:
        """Results of earlier runs; None where none are kept."""
        if self._known is None and self.options.cache_dir != "":
            folder = self.options.cache_dir or default_folder()
            plugins: list[Model | Rule] = [*self.registry.models, *self.registry.rules]
            self._known = EarlierResults(DiskStore(folder), plugins)
        return self._known

    def included(self) -> Iterator[tuple[str, str]]:
        """Each header of the project that a file so far includes, and the file."""
        for result in self._results:
            for header in result.headers:
                yield header, result.report.path

    def _result(self, asked: _PendingFile, answer: Answer | Failure) -> FileResult:
        if isinstance(answer, Failure):
            return self._failed(asked.path, answer)
        result = answer.result
        if result is None:
            assert asked.setup is not None
            if answer.unit is None:
                return FileResult(failed_file(asked.path, EMPTY))
            setup = asked.setup._replace(scenario=SCENARIOS.decode(answer.scenario))
            return file_task(setup, self._linter)(asked.path, answer.unit, setup)
        if self._known is not None and asked.keys is not None and answer.inputs is not None:
            self._known.keep(asked.keys, asked.path, result, answer.inputs, answer.functions)
        return result

    def _failed(self, path: str, failure: Failure) -> FileResult:
        if failure.kind == "internal":
            self.internal.append(f"{path}: {failure.reason}")
            self.details.append(failure.detail)
        kind: DiagnosticKind = "internal" if failure.kind == "internal" else "other"
        return FileResult(failed_file(path, failure.reason, kind, failure.problem))

    def _finish(self, result: FileResult) -> FileReport:
        self._results.append(result)
        self.internal += result.internal
        return result.report


def analyse(
    sources: Iterable[Source],
    options: Options,
    registry: Registry,
    linter: FileTask | None = None,
) -> Report:
    """The whole pipeline in one call, for callers that want neither progress nor a way out."""
    analysis = Analysis(options, registry, linter)
    for _ in analysis.files(sources):
        pass
    return analysis.report()


def _assembly_source(options: Options) -> "SecondSource | None":
    if options.core_source == "model":
        return None
    from rooflint.pipeline.assembled import SecondSource  # noqa: PLC0415 - 40 ms

    return SecondSource(options.core_source, options.compiler)


def _answered(result: FileResult) -> KnownAnswer[Question | None, Answer]:
    return KnownAnswer(None, Answer(result))
