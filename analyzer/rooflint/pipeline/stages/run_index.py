"""Runs over several files of which nothing has changed: all of their reports are one entry.

Its key is made of the files' own contents and settings, so that neither equations nor results of
single files are read before it, and the headers that the run included are compared once.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from rooflint.compile_flags.regular_files import Inputs
from rooflint.incremental.store import ContentKey
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.results import ASKED_FILES, AskedFile, EarlierResults
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.pipeline.stages.last_runs import LAST_RUNS, LastRun, LastRuns
from rooflint.pipeline.stages.run_files import PreparedFile, StagedFile
from rooflint.plugin_api.report import FileReport, Report, SizeDoubt
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.steps import with_verdicts
from rooflint.workers.wire import Codec


class RunEntry(NamedTuple):
    """The stored results of all files of a run, with advice and their weights in the program.

    inputs  all that the files include
    doubts  guesses that the weights rest on
    """

    inputs: Inputs
    results: tuple[FileResult, ...]
    doubts: tuple[SizeDoubt, ...]


RUNS: Final = Codec[RunEntry](RunEntry)


class RunIndex:
    """The entry of a run: what an earlier one ``found``, or the place for what this one finds.

    inputs  of the entry that is there; None where there is none
    """

    def __init__(self, known: EarlierResults, key: ContentKey, last: LastRuns) -> None:
        """``last``: the last runs over the same files."""
        self.known, self.key, self.last = known, key, last
        entry = known.entry(RUNS, key)
        self.found = entry if entry is not None and known.holds(entry.inputs) else None
        self.inputs: Inputs | None = None if self.found is None else self.found.inputs

    def keep(self, run: RunEntry | None, last: LastRun | None) -> None:
        """Keeps a run once, if there is one, and that it was the last one."""
        if self.inputs is not None or run is None:
            return
        self.known.keep_entry(RUNS, self.key, run)
        self.inputs = run.inputs
        if last is not None:
            self.last.keep(last)

    def with_verdicts(self, report: Report, made: tuple[Verdict, ...] | None = None) -> Report:
        """The report of this run with verdicts, which are kept beside its results; ``made``: those
        that are there already."""
        known = self.known.verdicts(self.key) if self.found is not None else None
        judged = with_verdicts(report, known or made)
        if known is None and self.inputs is not None:
            self.known.keep_verdicts(self.key, judged.verdicts)
        return judged


class KnownRun:
    """In place of the stage that solves a program: all that it would say is found."""

    def __init__(self, index: RunIndex, found: RunEntry) -> None:
        self._index, self._run = index, found

    def with_weights(self, files: tuple[FileReport, ...], *, timed: bool) -> tuple[FileReport, ...]:
        """The reports as they are: they were kept with weights, by a run without a profile."""
        assert not timed
        return files

    def doubts(self) -> tuple[SizeDoubt, ...]:
        """The guesses that the weights rest on."""
        return self._run.doubts

    def keep_run(self, results: Sequence[FileResult], weighed: Sequence[FileReport]) -> None:
        """Keeps nothing: the run is there."""

    def report_with_verdicts(self, report: Report) -> Report:
        """The report with verdicts."""
        return self._index.with_verdicts(report)

    def chosen(
        self, files: tuple[FileReport, ...], weighed: object | None
    ) -> Mapping[str, LoopPlaces]:
        """No loops: the reports were kept with their advice."""
        del files, weighed
        return {}


def run_index(
    known: EarlierResults | None,
    options: Options,
    setups: SetupResolver,
    files: Sequence[StagedFile],
) -> RunIndex | None:
    """The index of a run over these files; None where its results are not kept as a whole.

    A lint goes on with the headers that its files include, and a cluster keeps nothing here.
    """
    if known is None or options.lint is not None or options.cluster:
        return None
    parts: list[str | bytes] = ["in full" if options.advice_in_full else ""]
    contents: list[str] = []
    for file in [each.prepared for each in files]:
        content = known.digest(file.request) if isinstance(file, PreparedFile) else ""
        if not isinstance(file, PreparedFile) or not content:
            return None
        contents.append(content)
        asked = ASKED_FILES.canonical(AskedFile(file.request, file.compiler))
        parts += (asked, setups.key(file.request.path), file.setup.counts)
    last = LastRuns(known, known.run_key(LAST_RUNS.schema, parts), contents)
    return RunIndex(known, known.run_key(RUNS.schema, [*parts, *contents]), last)


def whole_run(
    results: Sequence[FileResult],
    weighed: Sequence[FileReport],
    inputs: Inputs | None,
    doubts: tuple[SizeDoubt, ...],
) -> RunEntry | None:
    """A run of these results with their ``weighed`` reports; None where not all of them hold."""
    if inputs is None:
        return None
    pairs = zip(results, weighed, strict=True)
    kept = tuple([result._replace(report=report) for result, report in pairs])
    return RunEntry(inputs, kept, doubts)
