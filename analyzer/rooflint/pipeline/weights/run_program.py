"""The program that the files of a run make up: sizes for each file, and weights of all loops."""

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from rooflint.ir.equations import Equations
from rooflint.pipeline.weights.basis import WeighedFile, weighed_basis
from rooflint.pipeline.weights.comment_sizes import commented_sizes
from rooflint.pipeline.weights.findings import with_weighed_findings
from rooflint.pipeline.weights.placed_times import PlacedTimes, ProgramShares, known_times
from rooflint.pipeline.weights.places import weighed_places
from rooflint.pipeline.weights.program_times import ProgramTimes
from rooflint.pipeline.weights.reported_trips import reported_trips
from rooflint.pipeline.weights.reports import weighed_files
from rooflint.plugin_api.report import FileReport, SizeDoubt
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

EQUATIONS: Final = Codec[Equations](Equations)


class FileSettings(NamedTuple):
    """Sizes that were ``given`` for a file, and its packed counts."""

    given: tuple[SizeLayer, ...] = ()
    counts: bytes = b""


class ValuePurpose(NamedTuple):
    """Why the values of a file are asked for: a ``lint`` wants weights with them, which tell what
    is cold unless the run was ``measured``."""

    lint: bool = False
    measured: bool = False


class KnownShares(NamedTuple):
    """The shares of a program at some reports, and the guesses that most of the time rests on."""

    shares: ProgramShares
    doubts: tuple[SizeDoubt, ...]


class _Weighing(NamedTuple):
    """The times of a program, and the parts of reports that they rest on: ``known`` from an earlier
    run, ``made`` by this one, or the ``shares`` that another process found."""

    basis: tuple[WeighedFile, ...]
    times: PlacedTimes
    made: ProgramTimes | None = None
    known: KnownShares | None = None
    shares: ProgramShares | None = None


class _ReportBasis(NamedTuple):
    """A report of this run, and what the weights rest on in it."""

    report: FileReport
    basis: WeighedFile


class _WeighedReport(NamedTuple):
    """A report of this run with its weights at some times."""

    report: FileReport
    times: PlacedTimes
    timed: bool
    weighed: FileReport

    def holds_at(self, times: PlacedTimes, *, timed: bool) -> bool:
        """Whether these are the weights at such times."""
        return self.times is times and self.timed == timed


class SharesStore(Protocol):
    """Shares of this program that earlier runs found; ``basis``: the reports, as far as shares rest
    on them."""

    def find(self, basis: tuple[WeighedFile, ...]) -> KnownShares | None:
        """Those at such reports."""

    def keep(self, basis: tuple[WeighedFile, ...], found: KnownShares) -> None:
        """Keeps them for later runs."""


class SolvingProcess(Protocol):
    """A process that has the same program, so that this one neither decodes nor solves it.

    All answers are None once it failed.
    """

    def add(self, files: Iterable[bytes]) -> None:
        """Packed equations of files beside those before."""

    def settle(self, path: str, settings: "FileSettings") -> None:
        """The settings of a file, as ``RunProgram.settle`` notes them."""

    def scenario(self, path: str, purpose: "ValuePurpose") -> bytes | None:
        """The packed values of a file."""

    def shares(self, basis: tuple[WeighedFile, ...]) -> ProgramShares | None:
        """The shares of the program's time at these parts of reports."""

    def doubts(self) -> tuple[SizeDoubt, ...] | None:
        """The guesses that the shares asked for last rest on."""


class RunProgram:
    """Files that were read, and the program that they are together."""

    def __init__(self, process: SolvingProcess | None = None) -> None:
        """``process``: solves the program in place of this one."""
        self._process = process
        self._equations: dict[str, Equations] = {}
        self._unread: list[bytes] = []
        self.store: SharesStore | None = None
        """Of a run whose reports are kept as a whole."""
        self._files: dict[str, FileSettings] = {}
        self._made: ProgramScenario | None = None
        self._weighing: _Weighing | None = None
        self._static: _Weighing | None = None
        self._bases: dict[str, _ReportBasis] = {}
        self._reports: dict[str, _WeighedReport] = {}

    def after_edit(self, file: Equations) -> "RunProgram":
        """The program with another version of one of its files; what the edit leaves alone is not
        solved again."""
        after = RunProgram()
        after._equations = {**self._read(), file.path: file}
        equations = after._equations.values()
        after._made = ProgramScenario(equations, commented_sizes(equations), self._program)
        return after

    def add(self, files: Iterable[Equations]) -> None:
        """Files beside those before."""
        self._equations |= {each.path: each for each in files}
        self._made = self._static = self._weighing = None

    def add_packed(self, files: Iterable[bytes]) -> None:
        """Files beside those before, by their packed equations; empty ones have none.

        They are decoded when the program is solved, if it is solved here.
        """
        packed = list(filter(None, files))
        if self._process is not None:
            self._process.add(packed)
        self._unread += packed
        self._made = self._static = self._weighing = None

    def _read(self) -> dict[str, Equations]:
        """The equations of all files by their paths."""
        files = map(EQUATIONS.decode, self._unread)
        self._equations |= {each.path: each for each in files}
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
        settings, known = FileSettings(given, counts), self._files.get(path)
        if settings != known:
            self._files[path] = settings
            if self._process is not None:
                self._process.settle(path, settings)
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

    def values_elsewhere(
        self, path: str, given: tuple[SizeLayer, ...], counts: bytes, purpose: ValuePurpose
    ) -> bytes | None:
        """The same as it travels; None where no process solves the program in place of this one."""
        self.settle(path, given, counts)
        return self._process.scenario(path, purpose) if self._process is not None else None

    def weights(self, files: Iterable[WeighedFile]) -> ProgramWeights:
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
        weighing = self._weighing = self._weighing_of(files)
        return tuple([self._weighed_report(file, weighing.times, timed=timed) for file in files])

    def _weighed_report(self, file: FileReport, times: PlacedTimes, *, timed: bool) -> FileReport:
        known = self._reports.get(file.path)
        if known is not None and known.report is file and known.holds_at(times, timed=timed):
            return known.weighed
        (weighed,) = weighed_files((file,), times, timed=timed)
        self._reports[file.path] = _WeighedReport(
            report=file, times=times, timed=timed, weighed=weighed
        )
        return weighed

    def _basis(self, file: FileReport) -> WeighedFile:
        known = self._bases.get(file.path)
        if known is None or known.report is not file:
            known = self._bases[file.path] = _ReportBasis(file, weighed_basis(file))
        return known.basis

    def _weighing_of(self, files: tuple[FileReport, ...]) -> "_Weighing":
        basis = tuple([each for each in map(self._basis, files) if each.kernels or each.counts])
        known = self._weighing if basis else self._static
        if known is None or known.basis != basis:
            known = self._known_weighing(basis) or self._new_weighing(basis)
        if not basis:  # reports of a lint tell nothing of the program's times
            self._static = known
        return known

    def _known_weighing(self, basis: tuple[WeighedFile, ...]) -> _Weighing | None:
        found = self.store.find(basis) if self.store is not None else None
        return None if found is None else _Weighing(basis, known_times(found.shares), known=found)

    def _new_weighing(self, basis: tuple[WeighedFile, ...]) -> _Weighing:
        shares = self._process.shares(basis) if self._process is not None else None
        if shares is not None:
            return _Weighing(basis, known_times(shares), shares=shares)
        made = ProgramTimes(basis, self.weights(basis))
        return _Weighing(basis, made, made)

    def shares(self, basis: tuple[WeighedFile, ...]) -> ProgramShares:
        """The shares of the program's time at these parts of reports."""
        self._weighing = self._new_weighing(basis)
        assert self._weighing.made is not None
        return self._weighing.made.shares

    def found_shares(self) -> ProgramShares | None:
        """The shares at which files were weighed last; None before."""
        weighing = self._weighing
        if weighing is None:
            return None
        if weighing.known is not None:
            return weighing.known.shares
        return weighing.made.shares if weighing.made is not None else weighing.shares

    def with_findings_weighed(self, file: FileReport, *, timed: bool) -> FileReport:
        """A file that was weighed by itself, with findings that it got since."""
        if self._weighing is None or self._weighing.made is None:
            return file
        times = ProgramTimes((weighed_basis(file),), self._weighing.made.weights)
        return with_weighed_findings(file, times, timed=timed)

    def doubts(self) -> tuple[SizeDoubt, ...]:
        """The guessed sizes that most of the time rests on, once files were weighed."""
        weighing = self._weighing
        if weighing is None:
            return ()
        if weighing.known is not None:
            return weighing.known.doubts
        found = self._doubts_elsewhere(weighing)
        if found is None:
            weights = weighing.made.weights if weighing.made else self.weights(weighing.basis)
            found = tuple(self._doubts(weights))
        shares = self.found_shares()
        if self.store is not None and shares is not None:
            self.store.keep(weighing.basis, KnownShares(shares, found))
        return found

    def _doubts_elsewhere(self, weighing: _Weighing) -> tuple[SizeDoubt, ...] | None:
        """Those that the process found which solves the program."""
        if weighing.shares is None or self._process is None:
            return None
        return self._process.doubts()

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
        return next(iter(self._files.values()), FileSettings()).given

    def _counts(self, files: Iterable[WeighedFile]) -> Iterator[tuple[str, RunCounts]]:
        counted = [file for file in files if file.counts is not None and file.path in self._files]
        if not counted:  # few runs have a profile, and its formats are 20 modules
            return
        from rooflint.pipeline.profiled.matching import run_counts  # noqa: PLC0415

        for file in counted:
            settings = self._files[file.path]
            if file.counts is not None:
                yield file.path, run_counts(settings.counts, file.path, file.counts)
