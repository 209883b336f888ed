"""The program that the files of a run make up: sizes for each file, and weights of all loops."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol

from rooflint.ir.equations import Equations
from rooflint.pipeline.weights.comment_sizes import commented_sizes
from rooflint.pipeline.weights.findings import with_weighed_findings
from rooflint.pipeline.weights.placed_times import PlacedTimes, ProgramShares, known_times
from rooflint.pipeline.weights.places import weighed_places
from rooflint.pipeline.weights.program_times import ProgramTimes
from rooflint.pipeline.weights.reported_trips import reported_trips
from rooflint.pipeline.weights.reports import weighed_files
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileCountsReport,
    FileReport,
    LoopHeader,
    MachineResult,
    SizeDoubt,
)
from rooflint.program.asking.deciding import first_asked
from rooflint.program.asking.open_names import open_names
from rooflint.program.asking.resting import resting_groups
from rooflint.program.run_counts import RunCounts
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.weights import ProgramWeights
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import SizeLayer
from rooflint.scenario.values import FileScenario
from rooflint.workers.wire import Codec


class _FileSettings(NamedTuple):
    given: tuple[SizeLayer, ...] = ()
    counts: bytes = b""


class _WeighedResult(NamedTuple):
    """The parts of a result of a kernel that the weights of a program rest on."""

    cores: int
    trips: tuple[float | None, ...]
    predictions: tuple[Prediction, ...]
    estimates: tuple[Prediction, ...]
    calls: Mapping[str, float]


class _WeighedKernel(NamedTuple):
    """The same parts of a kernel of a report."""

    place: tuple[int, int]
    loops: tuple[LoopHeader, ...]
    is_own: bool
    results: tuple[_WeighedResult, ...]


class _WeighedFile(NamedTuple):
    """The same parts of the report of a file."""

    path: str
    counts: FileCountsReport | None
    kernels: tuple[_WeighedKernel, ...]


class KnownShares(NamedTuple):
    """The shares of a program at some reports, and the guesses that most of the time rests on."""

    shares: ProgramShares
    doubts: tuple[SizeDoubt, ...]


class _Weighing(NamedTuple):
    """The times of a program, and the parts of reports that they rest on; ``known`` from an earlier
    run, or ``made`` by this one."""

    basis: tuple[_WeighedFile, ...]
    times: PlacedTimes
    made: ProgramTimes | None = None
    known: KnownShares | None = None


class SharesStore(Protocol):
    """Shares of this program that earlier runs found; ``basis``: the reports, as far as shares rest
    on them."""

    def find(self, basis: bytes) -> KnownShares | None:
        """Those at such reports."""

    def keep(self, basis: bytes, found: KnownShares) -> None:
        """Keeps them for later runs."""


_BASIS: Final = Codec[tuple[_WeighedFile, ...]](tuple[_WeighedFile, ...])


def _basis(file: FileReport) -> _WeighedFile:
    kernels = [
        _WeighedKernel(
            place=(kernel.line, kernel.column),
            loops=kernel.loops,
            is_own=function.has_own(kernel),
            results=tuple(map(_basis_of_result, kernel.results)),
        )
        for function in file.functions
        for kernel in function.kernels()
    ]
    return _WeighedFile(file.path, file.counts, tuple(kernels))


def _basis_of_result(result: MachineResult) -> _WeighedResult:
    return _WeighedResult(
        cores=result.cores,
        trips=result.trips,
        predictions=result.predictions,
        estimates=result.estimates,
        calls=result.calls,
    )


class RunProgram:
    """Files that were read, and the program that they are together."""

    def __init__(self) -> None:
        self._equations: dict[str, Equations] = {}
        self._unread: list[Iterable[Equations | None]] = []
        self.store: SharesStore | None = None
        """Of a run whose reports are kept as a whole."""
        self._files: dict[str, _FileSettings] = {}
        self._made: ProgramScenario | None = None
        self._weighing: _Weighing | None = None
        self._static: _Weighing | None = None

    def after_edit(self, file: Equations) -> "RunProgram":
        """The program with another version of one of its files; what the edit leaves alone is not
        solved again."""
        after = RunProgram()
        after._equations = {**self._read(), file.path: file}
        equations = after._equations.values()
        after._made = ProgramScenario(equations, commented_sizes(equations), self._program)
        return after

    def add(self, files: Iterable[Equations | None]) -> None:
        """Files beside those before; None for one without equations.

        They are asked for when the program is solved, if it is.
        """
        self._unread.append(files)
        self._made = self._static = self._weighing = None

    def _read(self) -> dict[str, Equations]:
        """The equations of all files by their paths."""
        for files in self._unread:
            self._equations |= {each.path: each for each in files if each is not None}
        self._unread.clear()
        return self._equations

    @property
    def _program(self) -> ProgramScenario:
        """The program of all files; nobody asks for it where all results are known."""
        if self._made is None:
            equations = self._read().values()
            self._made = ProgramScenario(equations, commented_sizes(equations))
        return self._made

    def settle(self, path: str, given: tuple[SizeLayer, ...], counts: bytes = b"") -> None:
        """Notes the sizes that were set for a file, and its counts, as ``of_file`` does."""
        settings, known = _FileSettings(given, counts), self._files.get(path)
        if settings != known:
            self._files[path] = settings
            self._weighing = None
            self._static = self._static if known is None else None

    def of_file(
        self,
        path: str,
        given: tuple[SizeLayer, ...],
        counts: bytes = b"",
        *,
        lint: bool = False,
        measured: bool = False,
    ) -> FileScenario:
        """The values of a file, with sizes that were set for it; ``counts`` as a setup has them.

        For a ``lint`` with the weights that its thresholds need beforehand; if a run was
        ``measured``, its counts or times tell what is cold, once the file was linted.
        """
        self.settle(path, given, counts)
        scenario = self._program.of_file(path, given)
        if not lint:
            return scenario
        times = self._weighing_of(()).times
        return scenario._replace(weighed=weighed_places(times, path, measured=measured))

    def weights(self, files: Iterable[FileReport]) -> ProgramWeights:
        """Those of the program, with the trips that the reports show.

        Of loops without a report, sizes that were set are those of the first file.
        """
        files = tuple(files)
        trips = reported_trips(files, self._program.equations)
        return self._program.weights(self._given(), dict(self._counts(files)), trips)

    def weighed(
        self, files: tuple[FileReport, ...], *, timed: bool = False
    ) -> tuple[FileReport, ...]:
        """The reports with weights; ``timed``: a profile tells the shares of the time later.

        Advice that they got since they were last weighed leaves the weights as they are.
        """
        self._weighing = self._weighing_of(files)
        return weighed_files(files, self._weighing.times, timed=timed)

    def _weighing_of(self, files: tuple[FileReport, ...]) -> "_Weighing":
        basis = tuple([each for each in map(_basis, files) if each.kernels or each.counts])
        known = self._weighing if basis else self._static
        if known is None or known.basis != basis:
            known = self._known_weighing(basis) or self._new_weighing(basis, files)
        if not basis:  # reports of a lint tell nothing of the program's times
            self._static = known
        return known

    def _known_weighing(self, basis: tuple[_WeighedFile, ...]) -> _Weighing | None:
        found = self.store.find(_BASIS.canonical(basis)) if self.store is not None else None
        return None if found is None else _Weighing(basis, known_times(found.shares), known=found)

    def _new_weighing(
        self, basis: tuple[_WeighedFile, ...], files: tuple[FileReport, ...]
    ) -> _Weighing:
        made = ProgramTimes(files, self.weights(files))
        return _Weighing(basis, made, made)

    def with_findings_weighed(self, file: FileReport, *, timed: bool) -> FileReport:
        """A file that was weighed by itself, with findings that it got since."""
        if self._weighing is None or self._weighing.made is None:
            return file
        times = ProgramTimes((file,), self._weighing.made.weights)
        return with_weighed_findings(file, times, timed=timed)

    def doubts(self) -> tuple[SizeDoubt, ...]:
        """The guessed sizes that most of the time rests on, once files were weighed."""
        weighing = self._weighing
        if weighing is None:
            return ()
        if weighing.made is None:
            return weighing.known.doubts if weighing.known is not None else ()
        found = tuple(self._doubts(weighing.made.weights))
        if self.store is not None:
            known = KnownShares(weighing.made.shares, found)
            self.store.keep(_BASIS.canonical(weighing.basis), known)
        return found

    def _doubts(self, weights: ProgramWeights) -> Iterator[SizeDoubt]:
        program = self._program.equations
        names = open_names(program, *self._program.solved(self._given()))
        for group in first_asked(resting_groups(program, names, weights)):
            yield SizeDoubt(
                names=tuple([each.name for each in group.names]),
                typical=group.names[0].typical.value,
                share=group.share,
                of_entry=len(weights.runs.entries) > 1,
            )

    def _given(self) -> tuple[SizeLayer, ...]:
        return next(iter(self._files.values()), _FileSettings()).given

    def _counts(self, files: Iterable[FileReport]) -> Iterator[tuple[str, RunCounts]]:
        counted = [file for file in files if file.counts is not None and file.path in self._files]
        if not counted:  # few runs have a profile, and its formats are 20 modules
            return
        from rooflint.pipeline.profiled.matching import run_counts  # noqa: PLC0415

        for file in counted:
            settings = self._files[file.path]
            if file.counts is not None:
                yield file.path, run_counts(settings.counts, file.path, file.counts)
