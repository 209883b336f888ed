"""``rooflint measure --corpus DIR``: every function that can be run, and the accuracy table."""

import os
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.measure.consent import RunProposal, limits_text
from rooflint.cli.measure.options import MOST_STRETCH, PROGRAM, SECONDS_PER_POINT, check
from rooflint.cli.measure.run import (
    analysed_path,
    ask_consent,
    built_program,
    configured_flags,
    definition_finder,
    is_confined,
    measured_report,
    run_options,
    size_request,
    survey_request,
)
from rooflint.cli.report.output import check_output, say, use_colour, width, write
from rooflint.compile_flags.source_files import source_files
from rooflint.errors import AnalysisError, RooflintError, UsageError
from rooflint.measure.confrontation.forecast import Forecaster
from rooflint.measure.corpus.accuracy import accuracy_table, is_measured
from rooflint.measure.corpus.rows import (
    CorpusPlace,
    CorpusRow,
    append_row,
    read_rows,
    refused_row,
    row_of,
)
from rooflint.measure.corpus.subjects import CorpusSubject, file_subjects, nests_of
from rooflint.measure.definitions.finder import DefinitionFinder
from rooflint.measure.program import MeasureMode, Program
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import MeasurementReport, PointMeasurement
from rooflint.measure.subject import Subject
from rooflint.pipeline import Options
from rooflint.registry import Registry, load_registry
from rooflint.render.layout import Style
from rooflint.render.measured.accuracy import accuracy_json, accuracy_markdown, accuracy_text
from rooflint.render.measured.words import cycles

ROWS_SUFFIX = ".jsonl"
SIZELESS = (RefusalCode.UNKNOWN_SIZE, RefusalCode.PAST_LEVEL, RefusalCode.OVER_MEMORY)


class DrivenNests(Struct, frozen=True):
    """A loop of the function calls other files: its nests are measured in its place."""


def run_corpus(given: Namespace, flags: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    check(given)
    check_output(given.output)
    options = run_options(given, flags)
    for folder in given.corpus:
        root = os.path.realpath(folder)
        proposal = RunProposal(
            folder=root,
            function="every function with a loop",
            commands=(),
            limits=(limits_text(given.memory, given.budget or float("inf")),),
            is_confined=is_confined(),
        )
        ask_consent(proposal, is_accepted=given.yes)
    run = _CorpusRun(given, options, flags)
    run.measure()
    write(_rendered(run.rows, given), given.output)
    return ExitCode.FINE if any(row.points for row in run.rows) else ExitCode.LOST


class _CorpusRun:
    """The functions one after another; a failure costs its own only."""

    def __init__(self, given: Namespace, options: Options, flags: Sequence[str]) -> None:
        self.given = given
        self.options = options
        self.registry: Registry = load_registry()
        self.flags = configured_flags(options)
        filled = "" if given.indices == "near" else given.indices
        parts = (*options.machines, options.compiler, given.levels, given.state, filled, *flags)
        self.setup = " ".join(filter(None, parts))
        self.store = Path(f"{given.output}{ROWS_SUFFIX}") if given.output else None
        earlier = read_rows(self.store) if self.store is not None else ()
        self.earlier = {row.place: row for row in earlier}
        self.rows: list[CorpusRow] = []
        self.deadline = time.monotonic() + given.budget if given.budget else float("inf")
        self.forecasters: dict[str, Forecaster] = {}
        self.finder = "", DefinitionFinder((), self.flags.flags)

    def measure(self) -> None:
        for folder in self.given.corpus:
            for path in _sources(folder):
                for subject in self.subjects(folder, path):
                    self.add(subject)
                self.forecasters.clear()

    def subjects(self, folder: str, path: str) -> Iterator[CorpusSubject]:
        try:
            flags = self.flags.flags(path)
            pattern = self.given.function or "*"
            for subject in file_subjects(folder, path, flags):
                if fnmatchcase(subject.function, pattern):
                    yield subject
        except RooflintError as error:
            refusal = MeasureRefusal(code=RefusalCode.NOT_PARSED, arguments=(path, str(error)))
            yield CorpusSubject(folder=folder, path=path, function="", line=0, subject=refusal)

    def add(self, subject: CorpusSubject) -> None:
        """The row of a function, or those of its nests."""
        place = self.place(subject)
        rows = [row for row in self.earlier.values() if _is_of(row, place)]
        if rows:
            self.rows += rows
            return
        if time.monotonic() >= self.deadline:
            return
        row = self.row(place, subject.subject)
        if row is None:
            self.keep(*self.nests(subject))
        elif is_measured(row) or not row.points:
            self.keep(row)
        else:
            nests = self.nests(subject)
            self.keep(*nests if any(map(is_measured, nests)) else [row])

    def nests(self, subject: CorpusSubject) -> list[CorpusRow]:
        """Between marks: a call may end or never return once they have run."""
        places = [(self.place(nest), nest.subject) for nest in nests_of(subject)]
        return [self.row(place, nest) or _stubbed(place) for place, nest in places]

    def keep(self, *rows: CorpusRow) -> None:
        for row in rows:
            self.rows.append(row)
            say(PROGRAM, [f"{row.place.name}: {_outcome(row)}"])
            if self.store is not None:
                append_row(self.store, row)

    def place(self, subject: CorpusSubject) -> CorpusPlace:
        return CorpusPlace(
            corpus=os.path.basename(os.path.realpath(subject.folder)),
            path=os.path.relpath(subject.path, subject.folder),
            function=subject.function,
            line=subject.line,
            setup=self.setup,
        )

    def row(self, place: CorpusPlace, subject: Subject | MeasureRefusal) -> CorpusRow | None:
        """None where a loop calls other files, so that nests are to be measured."""
        if isinstance(subject, MeasureRefusal):
            return refused_row(place, subject)
        begin = time.monotonic()
        try:
            answer = self.answer(subject)
        except (AnalysisError, OSError) as error:
            answer = MeasureRefusal(code=RefusalCode.NOT_PARSED, arguments=(place.path, str(error)))
        except MemoryError:
            raise
        except Exception as error:
            answer = MeasureRefusal(code=RefusalCode.INTERNAL, arguments=(type(error).__name__,))
        if isinstance(answer, DrivenNests):
            return None
        if isinstance(answer, MeasureRefusal):
            return refused_row(place, answer)
        return replace(row_of(place, answer), seconds=time.monotonic() - begin)

    def answer(self, subject: Subject) -> MeasurementReport | MeasureRefusal | DrivenNests:
        if subject.signature.drives and subject.mode is MeasureMode.FUNCTION:
            return DrivenNests()
        with tempfile.TemporaryDirectory(prefix="rooflint-measure-") as folder:
            program = built_program(
                subject, self.given, folder, False, self.definitions(subject.path)
            )
            if isinstance(program, MeasureRefusal):
                return program
            if program.loop_stubs and subject.mode is MeasureMode.FUNCTION:
                return DrivenNests()
            forecaster = self.forecaster(analysed_path(subject, folder))
            levels = self.given.levels if any(size.settable for size in program.sizes) else None
            report = self.report(program, subject, forecaster, levels)
            if all(map(_fits_no_level, report.points)):
                report = self.report(program, subject, forecaster, None)
            return report

    def report(
        self, program: Program, subject: Subject, forecaster: Forecaster, levels: str | None
    ) -> MeasurementReport:
        """Within the usual budget of a function: the option's is that of the corpus."""
        points = size_request(self.given, levels)
        request = survey_request(program, subject, points, self.given)
        seconds = float(SECONDS_PER_POINT * points.count)
        request = replace(request, budget_s=seconds, stretch=MOST_STRETCH)
        return measured_report(program, subject, forecaster, request)

    def definitions(self, path: str) -> DefinitionFinder:
        """One for all functions of a file, after another."""
        if self.finder[0] != path:
            self.finder = path, definition_finder(path, self.flags)
        return self.finder[1]

    def forecaster(self, path: str) -> Forecaster:
        if path not in self.forecasters:
            self.forecasters[path] = Forecaster(path, self.options, self.registry)
        return self.forecasters[path]


def _sources(folder: str) -> tuple[str, ...]:
    """Raises UsageError for a folder without any."""
    files = source_files([folder]).files
    if not files:
        raise UsageError(f"--corpus {folder}: no C or C++ files below it")
    return files


def _is_of(row: CorpusRow, place: CorpusPlace) -> bool:
    """Whether it is the row of a function, or of one of its nests."""
    return replace(row.place, line=place.line) == place


def _stubbed(place: CorpusPlace) -> CorpusRow:
    refusal = MeasureRefusal(code=RefusalCode.CALLS_OTHER_FILES, arguments=(place.function,))
    return refused_row(place, refusal)


def _fits_no_level(point: PointMeasurement) -> bool:
    """Whether no size puts the data into the level: the function then has data of its own size."""
    return point.refusal is not None and point.refusal.code in SIZELESS


def _outcome(row: CorpusRow) -> str:
    if row.refusal is not None:
        return row.reason
    parts = [f"{p.level} {cycles(p.cycles)} cy/it {p.verdict.value}" for p in row.points]
    return ", ".join(parts)


def _rendered(rows: Sequence[CorpusRow], given: Namespace) -> str:
    table = accuracy_table(rows)
    if given.format == "json":
        return accuracy_json(table)
    if given.format == "markdown":
        return accuracy_markdown(table)
    return accuracy_text(table, Style(width(given.output), use_colour(given.colour, given.output)))
