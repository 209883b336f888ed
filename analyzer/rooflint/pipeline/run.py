"""A run: settings and machines for each file, the front end, the pipeline, one report.

path ─ ConfigFinder ─▶ Config ─┐                ┌─────────── child ───────────┐
Options ───────────────────────┴▶ AnalysisSetup ───────▶│                             │
path ─ FlagFinder ─▶ Request ──────────────────▶│extract ─▶ Unit ─▶ FileResult│─▶ report ─▶ Report

Of several files, each is read first; the program that they make is solved here; then each file is
analysed with the sizes that it has in this program.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import rooflint
from rooflint.compile_flags.regular_files import Inputs
from rooflint.compile_flags.sources import Source
from rooflint.errors import RooflintError
from rooflint.frontend.request import Request
from rooflint.incremental.run_inputs import RunSources
from rooflint.ir import DiagnosticKind
from rooflint.pipeline.files import (
    FileResult,
    FileTask,
    broken_file,
    failed_file,
    failed_models,
    run_summary,
    sizes_without_use,
)
from rooflint.pipeline.in_child import Answer, Question
from rooflint.pipeline.results import EarlierResults, earlier_results
from rooflint.pipeline.roofs import with_roofs
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.pipeline.stages.analysts import RunWorkers, assembly_source, workers_of
from rooflint.pipeline.stages.run_files import AdvisableFile, PendingFile, PreparedFile, StagedFile
from rooflint.plugin_api.report import FileReport, Report, SizeDoubt
from rooflint.registry import Registry, model_text
from rooflint.workers.limits import Failure
from rooflint.workers.pool import INTERRUPTED, NEVER, KnownAnswer
from rooflint.workers.stop_signals import StopSignals

if TYPE_CHECKING:
    from rooflint.pipeline.profiled.run_profiles import RunProfiles
    from rooflint.pipeline.stages.changed_run import AnalysedFiles, ChangedRun
    from rooflint.pipeline.stages.run_index import KnownRun, RunIndex
    from rooflint.pipeline.stages.scenario_stage import ScenarioStage
    from rooflint.pipeline.weights.run_program import RunProgram


class Analysis:
    """One run over many files. These grow while it goes on:

    problems  mistakes in options, configuration and profiles, a line each; what is left goes on
    internal  bugs of this program, a line each; ``details`` are their tracebacks
    program   that the files make up, and ``stage`` between reading and analysing them; None of one
              file, which its child weighs
    """

    def __init__(self, options: Options, registry: Registry, linter: FileTask | None = None,
                 sources: RunSources | None = None) -> None:  # fmt: skip
        """``linter`` is what options with a lint ask for; ``sources``: what was read already.

        Raises UsageError when options leave no machine, or name a model that does not exist.
        """
        self._linter = linter
        self.options = options
        self.registry = registry
        self._sources = RunSources(options) if sources is None else sources
        self.setups = SetupResolver(options, registry, self._sources.configs)
        self.internal: list[str] = []
        self.details: list[str] = []
        self._results: list[FileResult] = []
        self._second = assembly_source(options)
        self._known: EarlierResults | None = None
        self._profiles: RunProfiles | None = None
        self.program: RunProgram | None = None
        self.stage: ScenarioStage | KnownRun | ChangedRun | None = None
        self._index: RunIndex | None = None
        self._is_finished = False
        self._advisable: dict[str, AdvisableFile] = {}

    @property
    def problems(self) -> list[str]:
        """Mistakes found so far, and files that are no usable profile."""
        profiles = self._profiles.problems if self._profiles is not None else ()
        return [*self.setups.problems, *profiles]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of stores and children that cost no result, a line each."""
        problem = self._known.cache.problem if self._known is not None else ""
        return (problem,) if problem else ()

    def files(self, sources: Iterable[Source], stop: StopSignals = NEVER) -> Iterator[FileReport]:
        """The report of each file, in order, as they get ready; KeyboardInterrupt after what was
        finished when ``stop`` asked for it."""
        asked: deque[PendingFile] = deque()
        with closing(workers_of(self.options, self.registry, self._linter)) as workers:
            staged, interruption = self._staged(list(sources), workers, stop)
            if interruption is not None:
                stop = NEVER
            for _, answer in workers.analyse_all(self._questions(staged, asked), stop):
                file = asked.popleft()
                if answer != INTERRUPTED:
                    yield self._finish(self._result(file, answer))
            if interruption is None and self.options.advice and self.stage is not None:
                self._advise(workers, stop)
        if interruption is not None:
            raise interruption
        self._is_finished = True
        if self._known is not None:
            self._known.cache.trim()

    def _advise(self, workers: RunWorkers, stop: StopSignals) -> None:
        """Gives the results advice, now that the shares of the program's time are known."""
        from rooflint.pipeline.stages.advice_stage import AdviceStage  # noqa: PLC0415 - for several

        stage = AdviceStage(workers, self._known, self._advisable)
        files = tuple(result.report for result in self._results)
        weighed = self._weighed if self._profiles else None
        chosen = self.stage.chosen(files, weighed) if self.stage else {}
        for number, result in stage.results(tuple(self._results), chosen, stop):
            self._results[number] = result
            self.internal += result.internal
        self._advisable = {}

    def _weighed(self, files: tuple[FileReport, ...]) -> tuple[FileReport, ...]:
        """The files with weights in the program, and shares of a profile where there is one."""
        if self.stage is not None:
            files = self.stage.with_weights(files, timed=self._is_timed())
        elif self.program is not None:
            files = self.program.weighed(files, timed=self._is_timed())
        if self._profiles is not None:
            files = self._profiles.with_times(files, self.setups.machines)
        return files

    def report(self) -> Report:
        """Everything finished so far as one report."""
        files = tuple(result.report for result in self._results)
        failures = [*self.registry.failures, *failed_models(files)]
        files = self._weighed(files)
        if self.stage is not None and self._is_finished:
            self.stage.keep_run(self._results, files)
        failures += self._profiles.failures if self._profiles is not None else ()
        return Report(
            version=rooflint.__version__,
            machines=with_roofs(self.setups.machine_reports, self.setups.machines, files),
            files=files,
            summary=run_summary(each.summary for each in self._results),
            plugin_failures=tuple(failures),
            models=tuple([model_text(model) for model in self.registry.models]),
            scenario=self.options.scenario,
        )

    def inputs(self) -> Inputs | None:
        """All that the files include; None before the end, and where a result rests on more."""
        if not self._is_finished or self._known is None or self._profiles or self._second:
            return None
        known = self._known.inputs_of(len(self._results))
        return known if self._index is None else self._index.inputs

    def doubts(self) -> tuple[SizeDoubt, ...]:
        """Guesses on which the order of loops of several files depends; none with a profile."""
        return () if self._profiles or self.stage is None else self.stage.doubts()

    def count_summary(self) -> Iterator[str]:
        """A line on how many loops have counts, where any were given."""
        if self._profiles is not None:
            yield from self._profiles.summary(
                [(each.report, each.summary.loops) for each in self._results]
            )

    def unused_sizes(self) -> Iterator[str]:
        """A line for each ``-D`` that no loop of the run has a use for: most likely a typo."""
        if self.options.sizes:
            yield from sizes_without_use(self.options.sizes, self._results)

    def _staged(
        self, sources: Sequence[Source], workers: RunWorkers, stop: StopSignals
    ) -> tuple[Iterable[StagedFile], type[KeyboardInterrupt] | None]:
        """The files before their last stage, and what cut the stages before it short.

        Several files make up a program, and are read first.
        """
        prepared = [self._prepared(source) for source in sources]
        single = len(sources) == 1 and self.program is None and self._second is None
        files = list(map(StagedFile, sources, prepared))
        found = prepared if single or not sources else self._found(files, workers, stop)
        if found is not None:
            return list(map(StagedFile, sources, found)), None
        # for several files only
        from rooflint.pipeline.stages.first_stage import FirstStage, in_time  # noqa: PLC0415

        requests = [each.request if isinstance(each, PreparedFile) else None for each in prepared]
        stage = FirstStage(
            workers,
            self._known_results(),
            # the stamps of files are compared with the clock, and a cluster has many
            traced=not self.options.cluster,
            headers=self.options.lint is not None,
        )
        read = stage.read(requests, stop)
        staged = list(map(StagedFile, sources, prepared, read.files))
        solved = self._solved(staged)
        return solved if read.interruption is None else in_time(solved), read.interruption

    def _found(
        self, staged: Sequence[StagedFile], workers: RunWorkers, stop: StopSignals
    ) -> Sequence[FileResult] | None:
        """The results of a run like this one, if nothing has changed since, or a few files."""
        if self.program or self._profiles or self._second:
            return None
        from rooflint.pipeline.stages.changed_run import FileWork, found_run  # noqa: PLC0415
        from rooflint.pipeline.stages.run_index import run_index  # noqa: PLC0415

        known = self._known_results()
        self._index = run_index(known, self.options, self.setups, staged)
        if self._index is None:
            return None
        work = FileWork(workers, stop, lambda asked: self._analysed(asked, workers, stop))
        found = found_run(self._index, self.options, staged, work)
        if found is None:
            return None
        self.stage = found.stage
        return found.results

    def _analysed(
        self, files: Sequence[StagedFile], workers: RunWorkers, stop: StopSignals
    ) -> "AnalysedFiles":
        """The results of some files, without advice; fewer where one failed."""
        from rooflint.pipeline.stages.changed_run import AnalysedFiles  # noqa: PLC0415

        asked: deque[PendingFile] = deque()
        answers = list(workers.analyse_all(self._questions(files, asked), stop))
        there = not any(isinstance(answer, Failure) for _, answer in answers)
        results = [self._result(asked.popleft(), answer) for _, answer in answers if there]
        advisable, self._advisable = self._advisable, {}
        return AnalysedFiles(results, advisable)

    def _solved(self, files: Sequence[StagedFile]) -> Iterator[StagedFile]:
        """The files with the values that they have in the program that all of them make up."""
        # for several files only
        from rooflint.pipeline.stages.program_process import solving_process  # noqa: PLC0415
        from rooflint.pipeline.stages.scenario_stage import ScenarioStage  # noqa: PLC0415
        from rooflint.pipeline.weights.run_program import RunProgram  # noqa: PLC0415

        there = [each for each in files if each.read and each.read.failure != INTERRUPTED]
        # beside files of an earlier round, values rest on more than these
        known = self._known_results() if self.program is None else None
        self.program = self.program or RunProgram(solving_process(len(there), self.options.limits))
        self.program.add_packed([each.read.packed for each in there if each.read])
        measured = self._profiles is not None
        self.stage = ScenarioStage(
            self.program, self.setups, known, measured=measured, index=self._index
        )
        yield from self.stage.with_values(there)

    def _questions(
        self, files: Iterable[StagedFile], asked: deque[PendingFile]
    ) -> Iterator[Question | KnownAnswer[Question | None, Answer]]:
        """Questions for the children and results known without them; ``asked`` is the order."""
        for file in files:
            path = file.source.path
            if isinstance(file.prepared, FileResult):
                asked.append(PendingFile(path))
                yield _answered(file.prepared)
            elif file.read is not None and file.read.failure is not None:
                asked.append(PendingFile(path))
                yield _answered(self._failed(path, file.read.failure))
            else:
                yield self._question(file, file.prepared, asked)

    def _question(
        self, file: StagedFile, prepared: PreparedFile, asked: deque[PendingFile]
    ) -> Question | KnownAnswer[Question | None, Answer]:
        path, text, _ = file.source
        setup, request, compiler = prepared
        setup = setup._replace(compiler=compiler)
        question = Question(
            request=request,
            setup=b"",
            compiler=compiler,
            stage="whole" if file.scenario is None else "analysis",
            contents=b"" if file.read is None else file.read.contents,
            scenario=file.scenario or b"",
            headers=setup.lint is not None,
            counts=setup.counts,
            timed=self._is_timed(),
        )
        if self._second is not None:
            # a compiler needs more than a child may have
            second = self._second.of(path, request.flags, text is not None)
            asked.append(PendingFile(path, setup._replace(second=second)))
            return question
        known = self._known_results()
        keys = None
        if known is not None:
            rest = (compiler, setup.counts, question.weighed_by)
            keys = known.keys(request, self.setups.key(path), *rest)
        functions = b""
        question = question._replace(
            setup=self.setups.packed(path),
            traced=keys is not None and not self.options.cluster,
        )
        self._advisable[path] = AdvisableFile(question, keys)
        if known is not None and keys is not None:
            result = known.find(keys.result)
            if result is not None:
                asked.append(PendingFile(path))
                return _answered(result)
            functions = known.functions(keys)
        asked.append(PendingFile(path, setup, keys))
        return question._replace(functions=functions)

    def _prepared(self, source: Source) -> PreparedFile | FileResult:
        """A child's input for a file; its failed result where that cannot be had."""
        path, text, flags_of = source
        try:
            setup = self.setups.setup_for(path)
            setup = setup._replace(counts=self._counts_of(path))
            # a pattern may stand outside of any loop; without a loop there is no price
            straight = setup.lint is not None and setup.lint.structural
            flags = self._sources.flags(flags_of or path)
            request = Request(
                path=path, flags=flags, text=text, straight=straight, places=bool(setup.counts)
            )
            compiler = self.setups.compiler(path, request.flags.code)
            return PreparedFile(setup, request, compiler)
        except RooflintError as error:
            if str(error) not in self.problems:
                self.setups.problems.append(str(error))
            return FileResult(failed_file(path, str(error), "announced"))
        except OSError as error:
            return FileResult(failed_file(path, f"cannot be read: {error.strerror or error}"))
        except Exception as error:
            return broken_file(path, error)

    def _is_timed(self) -> bool:
        """Whether a profile tells shares of the time."""
        return self._profiles is not None and self._profiles.has_times

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
        if self._known is None:
            self._known = earlier_results(self._sources, self.registry)
        return self._known

    def included(self) -> Iterator[tuple[str, str]]:
        """Each header of the project that a file so far includes, and the file."""
        for result in self._results:
            yield from ((header, result.report.path) for header in result.headers)

    def _result(self, asked: PendingFile, answer: Answer | Failure) -> FileResult:
        if isinstance(answer, Failure):
            return self._failed(asked.path, answer)
        result = answer.result
        if result is None:
            from rooflint.pipeline.stages.in_parent import analysed_here  # noqa: PLC0415

            linter, timed = self._linter, self._is_timed()
            return analysed_here(asked, answer, self.registry, linter, timed=timed)
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


def _answered(result: FileResult) -> KnownAnswer[Question | None, Answer]:
    return KnownAnswer(None, Answer(result))
