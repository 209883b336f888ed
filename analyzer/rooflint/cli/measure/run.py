"""``rooflint measure`` from its options to its exit code."""

import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rooflint.cli.analyze import check_output, say, use_colour, width, write
from rooflint.cli.exit_codes import ExitCode, strongest
from rooflint.cli.measure import consent
from rooflint.cli.measure.options import PROGRAM, SECONDS_PER_POINT, check, place_of
from rooflint.cli.options import predicting
from rooflint.config.settings import ConfigFinder
from rooflint.config.user import read_user_config
from rooflint.errors import AnalysisError, UsageError
from rooflint.measure.build import build_program
from rooflint.measure.confrontation.forecast import Forecaster
from rooflint.measure.kernel import kernel_subject
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode, refusal_text
from rooflint.measure.results import MeasurementReport
from rooflint.measure.sizes.host import Host, host_load, this_host
from rooflint.measure.sizes.levels import targets
from rooflint.measure.sizes.planning import SizeRequest
from rooflint.measure.sizes.sweep import parse_bytes, parse_sweep
from rooflint.measure.subject import Subject, find_subject
from rooflint.measure.survey import Instruments, SurveyRequest, forecast_core, is_host, survey
from rooflint.pipeline import Options
from rooflint.pipeline.setup.flags import ConfiguredFlags
from rooflint.registry import load_registry
from rooflint.render.layout import Style
from rooflint.render.measured.data import render_json
from rooflint.render.measured.page import render_page
from rooflint.render.measured.text import render_text
from rooflint.workers.confinement_trial import try_confinement

MODELS = ("roofline", "ecm", "bounds")
"""Compared with where no --model is given."""
MIB = 1 << 20


def run_measure(given: Namespace, flags: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    check(given)
    check_output(given.output)
    path, line = place_of(given.paths[0])
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file")
    options = predicting(given, flags)._replace(
        models=tuple(given.model or MODELS), compiler=given.compiler or "", cores="1"
    )
    subject = _subject(path, line, given, options)
    if isinstance(subject, MeasureRefusal):
        return _refused(subject)
    with _folder(given.keep) as folder:
        planned = built_program(subject, given, folder, dry_run=True)
        if isinstance(planned, MeasureRefusal):
            return _refused(planned)
        if given.dry_run:
            return _shown(planned, folder)
        _agreed(planned, path, given)
        program = built_program(subject, given, folder, dry_run=False)
        if isinstance(program, MeasureRefusal):
            return _refused(program)
        forecaster = Forecaster(analysed_file(subject, folder), options, load_registry())
        measurement = measured_report(program, subject, forecaster, given)
    write(_rendered(measurement, given), given.output)
    return exit_code(measurement, given.within)


def _subject(
    path: str, line: int | None, given: Namespace, options: Options
) -> Subject | MeasureRefusal:
    flags = ConfiguredFlags(options, ConfigFinder(options.isolated)).flags(path)
    found = find_subject(path, flags, given.function, line)
    if isinstance(found, MeasureRefusal) and found.code is RefusalCode.NOT_PARSED:
        kernel = kernel_subject(path, flags)
        return found if isinstance(kernel, MeasureRefusal) else kernel
    return found


def built_program(
    subject: Subject, given: Namespace, folder: str, dry_run: bool
) -> Program | MeasureRefusal:
    """The program in ``folder``, of the options' sizes and compiler."""
    sizes = tuple(dict(given.sizes or ()).items())
    return build_program(
        subject, folder, sizes, compiler=given.compiler, setup=given.setup, dry_run=dry_run
    )


@contextmanager
def _folder(kept: str | None) -> Iterator[str]:
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


def _refused(refusal: MeasureRefusal) -> ExitCode:
    say(PROGRAM, [refusal_text(refusal)])
    return ExitCode.LOST


def _shown(program: Program, folder: str) -> ExitCode:
    """The files that would be built, and how."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith((".c", ".cc", ".cpp", ".cxx", ".h")) and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                sys.stdout.write(f"==> {name} <==\n{file.read()}\n")
    sys.stdout.write("".join([f"{' '.join(command)}\n" for command in program.commands]))
    return ExitCode.FINE


def _agreed(program: Program, path: str, given: Namespace) -> None:
    """Raises UsageError where the user has not agreed to a run."""
    folder = os.path.dirname(os.path.realpath(path))
    ask_consent(folder, program.function, program.commands, given, _budget(given))


def ask_consent(
    folder: str,
    function: str,
    commands: Sequence[Sequence[str]],
    given: Namespace,
    seconds: float,
) -> None:
    """Raises UsageError where the user has not agreed to a run in a folder."""
    confined = _is_confined()
    facts = consent.ConsentFacts(
        is_accepted=given.yes,
        is_trusted=read_user_config().trusts(folder),
        is_known=folder in consent.known_folders(),
        is_terminal=sys.stdin.isatty() and sys.stderr.isatty(),
        is_confined=confined,
    )
    wanted = consent.consent_of(facts)
    if wanted is consent.Consent.MISSING:
        raise UsageError(consent.missing_text(folder, confined))
    if wanted is consent.Consent.ASK:
        proposal = consent.RunProposal(
            folder=folder,
            function=function,
            commands=commands,
            limits=(f"{given.memory} MiB of memory, {seconds:g} s, no network, no files",),
            is_confined=confined,
        )
        if not consent.is_agreed(proposal, sys.stdin.readline):
            raise UsageError("measure: not run")
        consent.remember(folder)
    if not confined:
        say(PROGRAM, ["runs without a sandbox"])


def _is_confined() -> bool:
    try:
        return try_confinement().confinement.seccomp
    except AnalysisError:
        return False


def measured_report(
    program: Program, subject: Subject, forecaster: Forecaster, given: Namespace
) -> MeasurementReport:
    """Every point that was asked for."""
    host = this_host()
    tools = Instruments(
        run=partial(run_checked, program), forecaster=forecaster, host=host, load=host_load
    )
    request = _request(program, subject, given, host)
    begin = tools.times.now()
    points = survey(program, request, tools)
    return MeasurementReport(
        path=subject.path,
        function=program.function,
        line=(subject.nest or subject.signature.span).line,
        mode=program.mode,
        cpu=host.cpu,
        machine=forecaster.machine.name,
        is_host=is_host(forecast_core(forecaster), host),
        compiler=program.compiler,
        flags=shown_flags(program.flags),
        stubs=program.stubs,
        notes=program.notes,
        points=points,
        seconds=tools.times.now() - begin,
    )


def run_checked(
    program: Program, settings: RunSettings, seconds: float
) -> ProcessRun | MeasureRefusal:
    """One process, or why it gave no measurement."""
    run = run_program(program, settings, seconds)
    return refusal_of(program, settings, run) or run


def analysed_file(subject: Subject, folder: str) -> str:
    """The file to analyse: the user's, or the function around a kernel as a file."""
    if not subject.text:
        return subject.path
    path = os.path.join(folder, "analysed.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(subject.text)
    return path


def _nest_lines(subject: Subject) -> tuple[int, int] | None:
    return (subject.nest.line, subject.nest.end_line) if subject.nest is not None else None


def shown_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Those that shape code: the language follows from the file."""
    languages = {place + 1 for place, flag in enumerate(flags) if flag == "-x"}
    shown = [f for place, f in enumerate(flags) if f != "-x" and place not in languages]
    return tuple(shown)


def _request(program: Program, subject: Subject, given: Namespace, host: Host) -> SurveyRequest:
    most = given.memory * MIB
    points = SizeRequest(
        sizes=dict(given.sizes or ()),
        targets=targets(given.levels, host, most) if given.levels is not None else (),
        sweep=parse_sweep(given.sweep) if given.sweep is not None else None,
        hold_bytes=parse_bytes(given.hold) if given.hold is not None else None,
    )
    return SurveyRequest(
        function=program.function,
        points=points,
        state=given.state,
        lines=_nest_lines(subject),
        budget_s=given.budget or SECONDS_PER_POINT * points.count,
        max_bytes=most,
    )


def _budget(given: Namespace) -> float:
    if given.budget:
        return float(given.budget)
    levels = len(given.levels.split(",")) if given.levels else 1
    count = len(parse_sweep(given.sweep).sizes) if given.sweep else levels
    return SECONDS_PER_POINT * count


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
