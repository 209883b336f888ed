"""Between the stages of a run: the values that files have in the program that they make up."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.incremental.store import ContentKey, content_key
from rooflint.pipeline.advice.places import LoopPlaces, advised_loops
from rooflint.pipeline.files import FileResult, PlacelessForm
from rooflint.pipeline.in_child import SCENARIOS
from rooflint.pipeline.moved.moved_shares import moved_shares, placeless_basis
from rooflint.pipeline.moved.program_places import ProgramPlaces, moved_values
from rooflint.pipeline.results import EarlierResults, ReportsEntry, ScenariosEntry
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.pipeline.stages.last_runs import LastRun, packed_files
from rooflint.pipeline.stages.run_files import PreparedFile, StagedFile
from rooflint.pipeline.stages.run_index import RunIndex, whole_run
from rooflint.pipeline.weights.basis import BASES, WeighedFile
from rooflint.pipeline.weights.run_program import KnownShares, RunProgram, ValuePurpose
from rooflint.plugin_api.report import FileReport, Report, SizeDoubt
from rooflint.records import NamedTuple
from rooflint.scenario.values import NO_SCENARIO
from rooflint.verdict.steps import with_verdicts
from rooflint.workers.wire import Codec

Weighing: TypeAlias = Callable[[tuple[FileReport, ...]], tuple[FileReport, ...]]


class SharesEntry(NamedTuple):
    """Stored shares of a program, and the packed places of each file at which they are."""

    found: KnownShares
    places: tuple[bytes, ...]


SHARES: Final = Codec[SharesEntry](SharesEntry)


class StoredShares(NamedTuple):
    """Shares of a program among the results of earlier runs, by the key of its values."""

    known: EarlierResults
    values: ContentKey
    files: ProgramPlaces

    def find(self, basis: tuple[WeighedFile, ...]) -> KnownShares | None:
        """Those of an earlier run at such reports, at the places of this one."""
        entry = self.known.entry(SHARES, self._key(basis))
        if entry is None:
            return None
        moved = [file for _, file in self.files.moves_since(entry.places)]
        return entry.found._replace(shares=moved_shares(entry.found.shares, moved))

    def keep(self, basis: tuple[WeighedFile, ...], found: KnownShares) -> None:
        """Keeps them."""
        self.known.keep_entry(SHARES, self._key(basis), SharesEntry(found, self.files.packed))

    def _key(self, basis: tuple[WeighedFile, ...]) -> ContentKey:
        placeless = placeless_basis(basis, self.files.by_path)
        return content_key(self.values, SHARES.schema, BASES.canonical(placeless))


class ScenarioStage:
    """Solves a program, or knows its values from ``known`` results of earlier runs."""

    def __init__(
        self,
        program: RunProgram,
        setups: SetupResolver,
        known: EarlierResults | None,
        *,
        measured: bool,
        index: RunIndex | None = None,
    ) -> None:
        """``measured``: as for ``RunProgram.of_file``; ``index``: of a run kept as a whole."""
        self._index = index
        self._program_key: ContentKey | None = None
        self._values_key: ContentKey | None = None
        self._forms: tuple[PlacelessForm, ...] = ()
        self._loops: Mapping[str, LoopPlaces] = {}
        self._program, self._setups, self._known = program, setups, known
        self._measured = measured
        self._weighed_key: ContentKey | None = None
        self._doubts: tuple[SizeDoubt, ...] | None = None

    def with_values(self, files: Sequence[StagedFile]) -> Iterator[StagedFile]:
        """The files, which all belong to the program, with their values."""
        if self._known is None:
            yield from self._solved_now(files)
            return
        key = self._values_key = self._key(self._known, files)
        self._forms = tuple(map(_form_of, files))
        places = ProgramPlaces([(file.source.path, _form_of(file).places) for file in files])
        self._program_key = content_key(key, *places.packed)
        if self._index is not None:
            self._program.store = StoredShares(self._known, key, places)
        found = self._known_values(self._known.scenarios(key), places, files)
        if found is not None:
            yield from map(self._as_known, files, found)
            return
        made: list[bytes] = []
        for file in self._solved_now(files):
            made.append(file.scenario or b"")
            yield file
        self._known.keep_scenarios(key, ScenariosEntry(tuple(made), places.packed))

    def _known_values(
        self, entry: ScenariosEntry | None, places: ProgramPlaces, files: Sequence[StagedFile]
    ) -> Sequence[bytes] | None:
        """The packed values of an earlier run, at the places of this one."""
        if entry is None or len(entry.scenarios) != len(files):
            return None
        values = entry.scenarios
        for number, moved in places.moves_since(entry.places):
            read = files[number].read
            equations = read.equations if read is not None else None
            if equations is None or places.may_mistake(moved, values):
                return None
            values = moved_values(values, number, moved, equations)
        return values

    def with_weights(self, files: tuple[FileReport, ...], *, timed: bool) -> tuple[FileReport, ...]:
        """The reports with weights in the program, as ``RunProgram.weighed`` has them.

        Those that a run without findings keeps come with the guesses that they rest on.
        """
        if self._index is not None:
            weighed = self._program.weighed(files, timed=timed)
            self._doubts = self._program.doubts()
            return weighed
        key = self._weighed_key = None if timed else self._reports_key(files)
        if self._known is None or key is None:
            return self._program.weighed(files, timed=timed)
        entry = self._known.reports(key)
        if entry is None:
            found = self._program.weighed(files, timed=timed)
            entry = ReportsEntry(found, () if self._setups.options.lint else self._program.doubts())
            self._known.keep_reports(key, entry)
        self._doubts = entry.doubts
        return entry.files

    def doubts(self) -> tuple[SizeDoubt, ...]:
        """The guesses that the weights rest on, once files were weighed."""
        return self._program.doubts() if self._doubts is None else self._doubts

    def report_with_verdicts(self, report: Report) -> Report:
        """The report of the files that were weighed last, with verdicts."""
        if self._index is not None:
            return self._index.with_verdicts(report)
        if self._known is None or self._weighed_key is None:
            return with_verdicts(report)
        known = self._known.verdicts(self._weighed_key)
        judged = with_verdicts(report, known)
        if known is None:
            self._known.keep_verdicts(self._weighed_key, judged.verdicts)
        return judged

    def chosen(
        self, files: tuple[FileReport, ...], weighed: Weighing | None
    ) -> Mapping[str, LoopPlaces]:
        """The loops worth advice, as ``advised_loops`` has them.

        ``weighed``: gives the files weights and the shares of a profile, where there is one.
        """
        in_full = self._setups.options.advice_in_full
        key = self._reports_key(files) if weighed is None else None
        found = self._known.chosen(key, in_full=in_full) if self._known and key else None
        if found is None:
            found = advised_loops((weighed or self._program.weighed)(files), in_full=in_full)
            if self._known is not None and key is not None:
                self._known.keep_chosen(key, found, in_full=in_full)
        self._loops = found
        return found

    def keep_run(self, results: Sequence[FileResult], weighed: Sequence[FileReport]) -> None:
        """Keeps a whole run, if it is one that is kept."""
        if self._index is None or self._known is None:
            return
        doubts, inputs = self.doubts(), self._known.inputs_of(len(results))
        self._index.keep(whole_run(results, weighed, inputs, doubts), self._last_run(self._index))

    def _last_run(self, index: RunIndex) -> LastRun | None:
        shares = self._program.found_shares()
        if self._values_key is None or shares is None:
            return None
        return LastRun(
            run=index.key,
            values=self._values_key,
            forms=self._forms,
            loops=self._loops,
            shares=shares._replace(files={}),
            files=packed_files(shares),
        )

    def _reports_key(self, files: Iterable[FileReport]) -> ContentKey | None:
        if self._known is None or self._program_key is None:
            return None
        return self._known.reports_key(self._program_key, [file.path for file in files])

    def _as_known(self, file: StagedFile, scenario: bytes) -> StagedFile:
        if isinstance(file.prepared, PreparedFile):
            setup = file.prepared.setup
            given = (setup.sizes, setup.configured)
            self._program.settle(file.source.path, given, setup.counts)
        return file._replace(scenario=scenario)

    def _solved_now(self, files: Sequence[StagedFile]) -> Iterator[StagedFile]:
        return (file._replace(scenario=self._scenario(file)) for file in files)

    def _scenario(self, file: StagedFile) -> bytes:
        if not isinstance(file.prepared, PreparedFile):
            return SCENARIOS.encode(NO_SCENARIO)
        path, setup = file.source.path, file.prepared.setup
        given, is_linted = (setup.sizes, setup.configured), setup.lint is not None
        purpose = ValuePurpose(lint=is_linted, measured=self._measured)
        found = self._program.values_elsewhere(path, given, setup.counts, purpose)
        if found is not None:
            return found
        values = self._program.of_file(
            path, given, setup.counts, lint=is_linted, measured=self._measured
        )
        return SCENARIOS.encode(values)

    def _key(self, known: EarlierResults, files: Sequence[StagedFile]) -> ContentKey:
        """The key of the values of all files, wherever in them."""
        parts: list[str | bytes] = ["measured" if self._measured else ""]
        for file in files:
            parts.append(file.source.path)
            parts.append(_form_of(file).digest)
            if isinstance(file.prepared, PreparedFile):
                setup = file.prepared.setup
                parts += (self._setups.key(file.source.path), setup.counts)
                if setup.counts or setup.lint is not None:  # counts and weights of lines
                    parts.append(_form_of(file).places)
        return known.scenarios_key(parts)


def _form_of(file: StagedFile) -> PlacelessForm:
    return PlacelessForm() if file.read is None else file.read.form
