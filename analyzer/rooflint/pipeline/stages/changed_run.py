"""A run that differs from an earlier one in a few files, and in no value or time of its program.

All other files keep their results, weights and verdicts. Whatever else may change makes it an
ordinary run, which finds what was analysed here among its known results.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.pipeline.advice.places import LoopPlaces, advised_loops
from rooflint.pipeline.files import FileResult, PlacelessForm
from rooflint.pipeline.moved.moved_file import MovedFile
from rooflint.pipeline.moved.moved_shares import moved_shares, placeless_basis
from rooflint.pipeline.moved.placeless import PLACES
from rooflint.pipeline.moved.program_places import (
    ProgramPlaces,
    leads_through,
    values_of_changed,
)
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.stages.advice_stage import AdviceStage
from rooflint.pipeline.stages.first_stage import Answering, FirstStage
from rooflint.pipeline.stages.last_runs import FILE_SHARES, LastRun
from rooflint.pipeline.stages.run_files import AdvisableFile, PreparedFile, StagedFile
from rooflint.pipeline.stages.run_index import RUNS, KnownRun, RunIndex, whole_run
from rooflint.pipeline.weights.basis import WeighedFile, weighed_basis
from rooflint.pipeline.weights.placed_times import ProgramShares, known_times
from rooflint.pipeline.weights.reported_trips import normal_path
from rooflint.pipeline.weights.reports import weighed_files
from rooflint.plugin_api.report import FileReport, NestReport, Report, SizeDoubt
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.advise import with_loop_advice
from rooflint.verdict.steps import verdicts_beside
from rooflint.workers.stop_signals import StopSignals


class AnalysedFiles(NamedTuple):
    """Results of files, and those that may have advice by path."""

    results: list[FileResult]
    advisable: Mapping[str, AdvisableFile]


class FileWork(NamedTuple):
    """Who analyses files: ``workers``, until ``stop``; ``analysed`` asks them for results."""

    workers: Answering
    stop: StopSignals
    analysed: Callable[[Sequence[StagedFile]], AnalysedFiles]


class _UnlikeError(Exception):
    """The run differs in more than its files."""


class ChangedRun:
    """In place of the stage that solves a program: it is that of the last run.

    number  of the files that differ
    """

    def __init__(self, index: RunIndex, last: LastRun, options: Options) -> None:
        self._index, self._last, self._options = index, last, options
        self._numbers = index.last.numbers_since(last)

    def results(self, files: Sequence[StagedFile], work: FileWork) -> Sequence[FileResult] | None:
        """The results of all files with weights and advice; None where it is an ordinary run."""
        entry = self._index.known.entry(RUNS, self._last.run)
        if entry is None or not self._index.known.holds(entry.inputs):
            return None
        self._entry = entry
        try:
            return self._whole(self._staged(files, work), work)
        except (_UnlikeError, KeyboardInterrupt):  # the run hears of a signal itself
            return None

    def _staged(self, files: Sequence[StagedFile], work: FileWork) -> list[StagedFile]:
        """The changed files with their values."""
        stage = FirstStage(work.workers, self._index.known, traced=True, headers=False)
        read = stage.read([_request(files[number]) for number in self._numbers], work.stop)
        forms, equations = list(self._last.forms), dict[int, Equations]()
        _agree(read.interruption is None)
        for number, file in zip(self._numbers, read.files, strict=True):
            own = file.equations
            _agree(own is not None and file.form.digest == forms[number].digest)
            forms[number] = file.form
            if own is not None:
                equations[number] = own
        self._forms = tuple(forms)
        values = self._values([each.source.path for each in files], equations)
        return [
            files[number]._replace(read=file, scenario=values[number])
            for number, file in zip(self._numbers, read.files, strict=True)
        ]

    def _values(
        self, paths: Sequence[str], equations: Mapping[int, Equations]
    ) -> Mapping[int, bytes]:
        """The packed values of the changed files, if those of the others are as they were."""
        entry = self._index.known.scenarios(self._last.values)
        if entry is None or len(entry.scenarios) != len(paths):
            raise _UnlikeError
        others = [each for n, each in enumerate(entry.scenarios) if n not in equations]
        for number in equations:
            is_there = self._forms[number].places == self._last.forms[number].places
            _agree(is_there or not leads_through(paths[number], others))
        places = ProgramPlaces(zip(paths, [form.places for form in self._forms], strict=True))
        moves = list(places.moves_since(entry.places))
        _agree(not any(places.may_mistake(file, entry.scenarios) for _, file in moves))
        return values_of_changed(entry.scenarios, moves, equations)

    def _whole(self, files: Sequence[StagedFile], work: FileWork) -> Sequence[FileResult]:
        """All results, the changed ones at the times of before."""
        analysed, advisable = work.analysed(files)
        _agree(len(analysed) == len(files))
        shares = [self._shares(*each) for each in zip(self._numbers, analysed, strict=True)]
        self._files = {path: each for share in shares for path, each in share.files.items()}
        results = list(self._entry.results)
        for number, result, share in zip(self._numbers, analysed, shares, strict=True):
            results[number] = _weighed(result, share)
        self._advise(work, advisable, analysed, results)
        _agree(not any(results[number].internal for number in self._numbers))
        for number, share in zip(self._numbers, shares, strict=True):
            results[number] = _weighed(results[number], share)
        return results

    def _advise(
        self,
        work: FileWork,
        advisable: Mapping[str, AdvisableFile],
        analysed: Sequence[FileResult],
        results: list[FileResult],
    ) -> None:
        """Puts the changed files with their advice in place of those with weights alone."""
        loops = self._loops([each.report for each in results])
        paths = [each.report.path for each in analysed]
        own = {path: loops[path] for path in paths if path in loops}
        stage = AdviceStage(work.workers, self._index.known, advisable)
        advised = dict(stage.results(tuple(analysed), own, work.stop))
        _agree(len(advised) == len(own) and not stage.failures)
        for position, number in enumerate(self._numbers):
            results[number] = advised.get(position, analysed[position])

    def _shares(self, number: int, result: FileResult) -> ProgramShares:
        """The shares of a changed file: those of before, as its loops take the time of before."""
        old, new = self._last.forms[number], self._forms[number]
        report = result.report
        _agree(report.status == self._entry.results[number].report.status)
        _agree(_basis(report, new) == _basis(self._entry.results[number].report, old))
        shares = self._last.shares_of(normal_path(report.path))
        if old.places == new.places:
            return shares
        file = MovedFile(report.path, PLACES.decode(old.places), PLACES.decode(new.places))
        return moved_shares(shares, [file])

    def _loops(self, files: Sequence[FileReport]) -> Mapping[str, LoopPlaces]:
        """The loops worth advice, if those of unchanged files are as they were.

        They are chosen by weights, where there are any, and by the order of loops.
        """
        self._advised: Mapping[str, LoopPlaces] = {}
        if self._options.advice:
            before = [each.report for each in self._entry.results]
            pairs = [(before[number], files[number]) for number in self._numbers]
            if any(map(_has_share, before)) and all(map(_have_same_weights, pairs)):
                self._advised = _moved_loops(self._last.loops, pairs)
            else:
                self._advised = self._loops_by_time(files)
        return self._advised

    def _loops_by_time(self, files: Sequence[FileReport]) -> Mapping[str, LoopPlaces]:
        changed = {files[number].path for number in self._numbers}
        loops = advised_loops(files, in_full=self._options.advice_in_full)
        _agree(_without(loops, changed) == _without(self._last.loops, changed))
        return loops

    def with_weights(self, files: tuple[FileReport, ...], *, timed: bool) -> tuple[FileReport, ...]:
        """The reports as they are: they have weights, and no profile counts here."""
        assert not timed
        return files

    def doubts(self) -> tuple[SizeDoubt, ...]:
        """The guesses that the weights rest on."""
        return self._entry.doubts

    def chosen(
        self, files: tuple[FileReport, ...], weighed: object | None
    ) -> Mapping[str, LoopPlaces]:
        """No loops: all have their advice."""
        del files, weighed
        return {}

    def keep_run(self, results: Sequence[FileResult], weighed: Sequence[FileReport]) -> None:
        """Keeps the run."""
        inputs = self._index.known.inputs_of(len(self._numbers))
        last = self._last._replace(
            run=self._index.key,
            forms=self._forms,
            loops=self._advised,
            files={
                **self._last.files,
                **{path: FILE_SHARES.encode(each) for path, each in self._files.items()},
            },
        )
        self._index.keep(whole_run(results, weighed, inputs, self.doubts()), last)

    def report_with_verdicts(self, report: Report) -> Report:
        """The report with verdicts, those of before where files and shares are those of before."""
        known = self._index.known.verdicts(self._last.run)
        found = None if known is None else self._verdicts(report, known)
        return self._index.with_verdicts(report, found)

    def _verdicts(self, report: Report, known: Sequence[Verdict]) -> tuple[Verdict, ...] | None:
        own: list[tuple[Verdict, ...] | None] = []
        begin = 0
        for number, result in enumerate(self._entry.results):
            count = sum([len(kernel.results) for kernel in result.report.kernels()])
            verdicts = tuple(known[begin : begin + count])
            own.append(None if number in self._numbers else verdicts)
            begin += count
        files = map(with_loop_advice, report.files)
        return verdicts_beside(files, report.machines, own) if begin == len(known) else None


class FoundRun(NamedTuple):
    """The results of all files of a run, and what stands in place of the stage that solves it."""

    stage: KnownRun | ChangedRun
    results: Sequence[FileResult]


def found_run(
    index: RunIndex, options: Options, files: Sequence[StagedFile], work: FileWork
) -> FoundRun | None:
    """A run of which nothing has changed, or a few files; None where nothing is known of it."""
    if index.found is not None:
        return FoundRun(KnownRun(index, index.found), index.found.results)
    last = index.last.nearest()
    if last is None:
        return None
    changed = ChangedRun(index, last, options)
    results = changed.results(files, work)
    if results is None:
        index.known.begin_again()
        return None
    return FoundRun(changed, results)


def _without(loops: Mapping[str, LoopPlaces], paths: Container[str]) -> Mapping[str, LoopPlaces]:
    return {path: own for path, own in loops.items() if path not in paths}


def _have_same_weights(reports: tuple[FileReport, FileReport]) -> bool:
    """Whether the same loops in order, in nests alike, have the same weights."""
    old, new = (
        [[(kernel.weight, len(kernel.results)) for kernel in nest.kernels] for nest in nests]
        for nests in map(_nests, reports)
    )
    return old == new


def _nests(report: FileReport) -> Iterator[NestReport]:
    return (nest for function in report.functions for nest in function.nests)


def _has_share(report: FileReport) -> bool:
    weights = (kernel.weight for kernel in report.kernels())
    return any(each is not None and each.share is not None for each in weights)


def _moved_loops(
    loops: Mapping[str, LoopPlaces], reports: Sequence[tuple[FileReport, FileReport]]
) -> Mapping[str, LoopPlaces]:
    """The loops that got advice, those of files that were and are such ``reports`` where they are
    now."""
    moved = {**loops}
    for before, after in reports:
        own = moved.pop(before.path, frozenset())
        pairs = zip(before.kernels(), after.kernels(), strict=True)
        places = [(new.line, new.column) for old, new in pairs if (old.line, old.column) in own]
        if places:
            moved[after.path] = frozenset(places)
    return moved


def _request(file: StagedFile) -> Request | None:
    return file.prepared.request if isinstance(file.prepared, PreparedFile) else None


def _agree(holds: bool) -> None:
    if not holds:
        raise _UnlikeError


def _basis(report: FileReport, form: PlacelessForm) -> Sequence[WeighedFile]:
    places = {report.path: PLACES.decode(form.places)} if form.places else {}
    return placeless_basis([weighed_basis(report)], places)


def _weighed(result: FileResult, shares: ProgramShares) -> FileResult:
    (report,) = weighed_files((result.report,), known_times(shares))
    return result._replace(report=report)
