"""``rooflint measure`` from its options to its exit code."""

import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import msgspec

from rooflint.cli.exit_codes import ExitCode, strongest
from rooflint.cli.measure import consent
from rooflint.cli.measure.options import MOST_STRETCH, PROGRAM, SECONDS_PER_POINT, check, place_of
from rooflint.cli.measure.pictures import measured_course, write_pictures
from rooflint.cli.options import predicting
from rooflint.cli.plot import check_plot
from rooflint.cli.report.output import check_output, say, use_colour, width, write
from rooflint.compile_flags.flags import Flags
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import ConfigFinder
from rooflint.config.user import read_user_config
from rooflint.errors import AnalysisError, UsageError
from rooflint.escaping import json_text
from rooflint.incremental.measurements import MeasurementStore, StoredMeasurement
from rooflint.machine.probe.host_load import host_load
from rooflint.measure.archive import stored_measurements
from rooflint.measure.build import build_program
from rooflint.measure.confrontation.forecast import Forecaster
from rooflint.measure.counters.counting import CallCounts, CountObstacle, count_call
from rooflint.measure.counters.tools import CounterAbsence, Counters, find_counters
from rooflint.measure.definitions.finder import DefinitionFinder
from rooflint.measure.kernel import kernel_subject
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode, refusal_text
from rooflint.measure.results import MeasurementReport, build_facts
from rooflint.measure.sizes.host import this_host
from rooflint.measure.sizes.levels import targets
from rooflint.measure.sizes.planning import SizeRequest
from rooflint.measure.sizes.sweep import parse_bytes, parse_sweep
from rooflint.measure.subject import Subject, find_subject
from rooflint.measure.survey.survey import CallCounter, Instruments, SurveyRequest, survey
from rooflint.measure.teams.team import run_team
from rooflint.pipeline import Options
from rooflint.registry import load_registry
from rooflint.render.layout import Style, plural
from rooflint.render.measured.data import render_json
from rooflint.render.measured.page import render_page
from rooflint.render.measured.text import render_text
from rooflint.scenario.sizes import sizes_by_name
from rooflint.workers.confinement_trial import try_confinement

MODELS = ("roofline", "ecm", "bounds")
"""Compared with where no --model is given."""
MIB = 1 << 20


def run_measure(given: Namespace, flags: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    check(given)
    check_output(given.output)
    if given.plot is not None:
        check_plot(given.plot, "svg")
    path, line = place_of(given.paths[0])
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file")
    options = run_options(given, flags)
    configured = configured_flags(options)
    definitions = definition_finder(path, configured)
    subject = _subject(path, line, given, configured.flags(path))
    if isinstance(subject, MeasureRefusal):
        return report_refusal(subject)
    with private_folder(given.keep) as folder:
        planned = built_program(subject, given, folder, True, definitions)
        if isinstance(planned, MeasureRefusal):
            return report_refusal(planned)
        if given.dry_run and given.format == "json":
            return _proposed(proposal_of(planned, path, given, _budget(given)))
        if given.dry_run:
            return show_files(planned, folder)
        require_consent(planned, path, given, _budget(given))
        program = built_program(subject, given, folder, False, definitions)
        if isinstance(program, MeasureRefusal):
            return report_refusal(program)
        forecaster = Forecaster(analysed_path(subject, folder), options, load_registry())
        measurement = _measured(program, subject, forecaster, given)
    _store(stored_measurements(measurement, subject, program, given.setup))
    write(_rendered(measurement, given), given.output)
    if given.plot is not None:
        say(PROGRAM, [write_pictures(measurement, given.plot)])
    return exit_code(measurement, given.within)


def run_options(given: Namespace, flags: Sequence[str]) -> Options:
    """Options of the predictions that a run is compared with."""
    return predicting(given, flags)._replace(
        models=tuple(given.model or MODELS), compiler=given.compiler or "", cores="1"
    )


def configured_flags(options: Options) -> ConfiguredFlags:
    """Flags of files, as their configuration and the compile database have them."""
    return ConfiguredFlags(options, ConfigFinder(options.isolated))


def definition_finder(path: str, flags: ConfiguredFlags) -> DefinitionFinder:
    """Functions of the other files of the project that ``path`` belongs to."""
    own = os.path.realpath(path)
    others = [each for each in flags.database_files(path) if os.path.realpath(each) != own]
    return DefinitionFinder(others, flags.flags)


def _subject(
    path: str, line: int | None, given: Namespace, flags: Flags
) -> Subject | MeasureRefusal:
    return or_kernel(find_subject(path, flags, given.function, line), path, flags)


def or_kernel(found: Subject | MeasureRefusal, path: str, flags: Flags) -> Subject | MeasureRefusal:
    """The kernel of a file that is no C or C++ by itself, where it is one."""
    if not isinstance(found, MeasureRefusal) or found.code is not RefusalCode.NOT_PARSED:
        return found
    kernel = kernel_subject(path, flags)
    return found if isinstance(kernel, MeasureRefusal) else kernel


def built_program(
    subject: Subject,
    given: Namespace,
    folder: str,
    dry_run: bool,
    definitions: DefinitionFinder,
    extra: Sequence[str] = (),
) -> Program | MeasureRefusal:
    """The program in ``folder``, of the options' sizes and compiler; ``extra`` flags come last."""
    sizes = tuple(sizes_by_name(given.sizes or ()).items())
    return build_program(
        subject, folder, sizes, compiler=given.compiler, setup=given.setup, dry_run=dry_run,
        extra=extra, definitions=definitions,
    )  # fmt: skip


@contextmanager
def private_folder(kept: str | None) -> Iterator[str]:
    """A folder of the user's alone, which is removed unless it was asked for."""
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="rooflint-measure-") as folder:
            yield folder
        return
    try:
        os.makedirs(kept, mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--keep {kept}: cannot be made: {error.strerror}") from None
    yield os.path.abspath(kept)


def report_refusal(refusal: MeasureRefusal) -> ExitCode:
    """Says why nothing is measured."""
    say(PROGRAM, [refusal_text(refusal)])
    return ExitCode.LOST


def show_files(program: Program, folder: str) -> ExitCode:
    """The files that would be built, and how."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith((".c", ".cc", ".cpp", ".cxx", ".h")) and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                sys.stdout.write(f"==> {name} <==\n{file.read()}\n")
    sys.stdout.write("".join([f"{' '.join(command)}\n" for command in program.commands]))
    return ExitCode.FINE


def _proposed(proposal: consent.RunProposal) -> ExitCode:
    """The question that an editor asks in place of this command."""
    data = {**msgspec.to_builtins(proposal), "question": consent.question(proposal)}
    sys.stdout.write(json_text(data) + "\n")
    return ExitCode.FINE


def require_consent(program: Program, path: str, given: Namespace, budget_s: float) -> None:
    """Raises UsageError where the user has not agreed to a run."""
    ask_consent(proposal_of(program, path, given, budget_s), is_accepted=given.yes)


def proposal_of(
    program: Program, path: str, given: Namespace, budget_s: float
) -> consent.RunProposal:
    """The run that the command is about to make."""
    return consent.RunProposal(
        folder=os.path.dirname(os.path.realpath(path)),
        function=program.function,
        commands=program.commands,
        limits=(consent.limits_text(given.memory, budget_s),),
        is_confined=is_confined(),
    )


def ask_consent(proposal: consent.RunProposal, *, is_accepted: bool) -> None:
    """Raises UsageError where the user has not agreed to runs in a folder."""
    folder = proposal.folder
    facts = consent.ConsentFacts(
        is_accepted=is_accepted,
        is_trusted=read_user_config().trusts(folder),
        is_known=folder in consent.known_folders(),
        is_terminal=sys.stdin.isatty() and sys.stderr.isatty(),
        is_confined=proposal.is_confined,
    )
    wanted = consent.consent_of(facts)
    if wanted is consent.Consent.MISSING:
        raise UsageError(consent.missing_text(folder, proposal.is_confined))
    if wanted is consent.Consent.ASK:
        if not consent.is_agreed(proposal, sys.stdin.readline):
            raise UsageError("measure: not run")
        consent.remember(folder)
    if not proposal.is_confined:
        say(PROGRAM, ["runs without a sandbox"])


def _store(measurements: Iterable[StoredMeasurement]) -> None:
    """Keeps stable figures for reports and editors; where they cannot be kept, a line says why."""
    store = MeasurementStore()
    store.add(measurements)
    say(PROGRAM, [store.problem] if store.problem else ())


def is_confined() -> bool:
    """Whether the kernel can confine a process."""
    try:
        return try_confinement().confinement.seccomp
    except AnalysisError:
        return False


def _measured(
    program: Program, subject: Subject, forecaster: Forecaster, given: Namespace
) -> MeasurementReport:
    points = size_request(given, given.levels)
    request = survey_request(program, subject, points, given)
    pictured = given.plot is not None or given.format == "html"
    return measured_report(
        program, subject, forecaster, request, is_pictured=pictured, is_counted=True
    )


def measured_report(
    program: Program,
    subject: Subject,
    forecaster: Forecaster,
    request: SurveyRequest,
    *,
    is_pictured: bool = False,
    is_counted: bool = False,
) -> MeasurementReport:
    """Every point that was asked for; with what the hardware counts, where it does."""
    host = this_host()
    counters = find_counters(host.core) if is_counted else ()
    tools = Instruments(
        run=partial(run_checked, program),
        forecaster=forecaster,
        host=host,
        load=host_load,
        count=_counter(program, counters, forecaster),
    )
    begin = tools.times.now()
    points = survey(program, request, tools)
    return MeasurementReport(
        path=subject.path,
        function=program.function,
        line=(subject.nest or subject.signature.span).line,
        mode=program.mode,
        build=build_facts(
            program,
            forecaster,
            host,
            request.indices,
            no_counters=() if isinstance(counters, Counters) else counters,
        ),
        points=points,
        seconds=tools.times.now() - begin,
        course=measured_course(points, request, tools) if is_pictured else None,
    )


def _counter(
    program: Program, counters: Counters | CounterAbsence, forecaster: Forecaster
) -> CallCounter | None:
    if not isinstance(counters, Counters):
        return None
    link = forecaster.machine.links[-1]

    def count(settings: RunSettings, call_s: float, limit_s: float) -> CallCounts | CountObstacle:
        return count_call(program, counters, settings, call_s, limit_s, link)

    return count


def run_checked(
    program: Program, settings: RunSettings, seconds: float
) -> ProcessRun | MeasureRefusal:
    """One process, or those of several cores; or why there is no measurement."""
    run = (run_team if settings.team else run_program)(program, settings, seconds)
    return refusal_of(program, settings, run) or run


def analysed_path(subject: Subject, folder: str) -> str:
    """The file to analyse: the user's, or the function around a kernel as a file."""
    if not subject.text:
        return subject.path
    path = os.path.join(folder, "analysed.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(subject.text)
    return path


def _nest_lines(subject: Subject) -> tuple[int, int] | None:
    return (subject.nest.line, subject.nest.end_line) if subject.nest is not None else None


def size_request(given: Namespace, levels: str | None) -> SizeRequest:
    """The points that the options ask for; ``levels`` in place of theirs."""
    host = this_host()
    cores = max(given.cores)
    if cores > len(host.cores):
        raise UsageError(f"--cores {cores}: {plural(len(host.cores), 'core')} may be used here")
    filled = targets(levels, host, given.memory * MIB, cores) if levels is not None else ()
    return SizeRequest(
        sizes=sizes_by_name(given.sizes or ()),
        targets=filled,
        sweep=parse_sweep(given.sweep) if given.sweep is not None else None,
        hold_bytes=parse_bytes(given.hold) if given.hold is not None else None,
    )


def survey_request(
    program: Program, subject: Subject, points: SizeRequest, given: Namespace
) -> SurveyRequest:
    """The points with the limits of the options."""
    return SurveyRequest(
        function=program.function,
        points=points,
        state=given.state,
        indices=given.indices,
        lines=_nest_lines(subject),
        cores=given.cores,
        budget_s=given.budget or SECONDS_PER_POINT * points.count * len(given.cores),
        stretch=1.0 if given.budget else MOST_STRETCH,
        max_bytes=given.memory * MIB,
    )


def _budget(given: Namespace) -> float:
    if given.budget:
        return float(given.budget)
    levels = len(given.levels.split(",")) if given.levels else 1
    count = len(parse_sweep(given.sweep).sizes) if given.sweep else levels
    return float(SECONDS_PER_POINT * count * len(given.cores) * MOST_STRETCH)


def _rendered(measurement: MeasurementReport, given: Namespace) -> str:
    if given.format == "json":
        return render_json([measurement])
    if given.format == "html":
        return render_page([measurement])
    style = Style(width(given.output), use_colour(given.colour, given.output))
    return render_text(measurement, style)


def exit_code(measurement: MeasurementReport, within: float | None) -> ExitCode:
    """Whether points are stable, and predictions as near as the user asked for."""
    points = measurement.points
    figures = [each.figure for each in points if each.figure is not None and each.figure.is_of_loop]
    if not figures:
        return ExitCode.LOST
    codes = [ExitCode.FINE]
    if any(figure.verdict is MeasureVerdict.DISTURBED for figure in figures):
        codes.append(ExitCode.DISTURBED)
    if len(figures) < len(points):
        codes.append(ExitCode.LOST)
    if within is not None and _exceeds(measurement, within):
        codes.append(ExitCode.FINDINGS)
    return strongest(*codes)


def _exceeds(measurement: MeasurementReport, within: float) -> bool:
    return any(
        row.ratio is not None and not 1 / within <= row.ratio <= within
        for point in measurement.points
        if point.verdict is MeasureVerdict.STABLE
        for row in point.models
        if row.obstacle is None
    )
