"""``rooflint measure --change`` and ``--compare-with``: two versions, from options to exit code."""

import os
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.measure.options import check, place_of
from rooflint.cli.measure.run import (
    MIB,
    analysed_path,
    built_program,
    configured_flags,
    definition_finder,
    or_kernel,
    private_folder,
    report_refusal,
    require_consent,
    run_checked,
    run_options,
    show_files,
    size_request,
)
from rooflint.cli.report.output import check_output, use_colour, width, write
from rooflint.compile_flags.flags import Flags
from rooflint.errors import UsageError
from rooflint.machine.probe.host_load import host_load
from rooflint.measure.confrontation.forecast import Forecaster, ForecastPoint
from rooflint.measure.contents import ResultRun
from rooflint.measure.definitions.finder import DefinitionFinder
from rooflint.measure.process import refusal_of, run_results
from rooflint.measure.program import MeasureMode, Program, RunSettings
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.results import build_facts
from rooflint.measure.sizes.host import this_host
from rooflint.measure.subject import Subject
from rooflint.measure.versions.advised import AdviceSource
from rooflint.measure.versions.equality import Agreement
from rooflint.measure.versions.gain import PredictedGain, forecast_gain
from rooflint.measure.versions.report import VersionReport
from rooflint.measure.versions.subjects import version_file
from rooflint.measure.versions.trial import (
    VersionInstruments,
    VersionMeasurement,
    VersionPrograms,
    VersionRequest,
    try_versions,
)
from rooflint.pipeline import Options
from rooflint.registry import Registry, load_registry, with_rules
from rooflint.render.layout import Style
from rooflint.render.measured.versions import render_json, render_text

BUDGET_S = 8.0
"""For twelve processes at least: three groups of four."""

Predictor = Callable[[Mapping[str, int], str], PredictedGain | None]


class VersionPlan(Struct, frozen=True, kw_only=True):
    """Both versions, before anything is built.

    line    of the loop that changes, or of the function
    flags   that both are built with besides their own
    predictor  is made once the forecaster of the file as it was is there
    """

    before: Subject
    after: Subject
    change: str
    title: str
    line: int
    required: Agreement
    predictor: Callable[[Forecaster, str], Predictor]
    flags: tuple[str, ...] = ()


def run_change(given: Namespace, flags: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    check(given)
    check_output(given.output)
    path, line = place_of(given.paths[0])
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file")
    options = run_options(given, flags)
    registry = load_registry()
    if given.change:
        plan = _advised(path, line, given, options, registry)
    else:
        plan = _other_version(path, line, given, options, registry)
    if isinstance(plan, MeasureRefusal):
        return report_refusal(plan)
    definitions = definition_finder(path, configured_flags(options))
    with private_folder(given.keep) as folder:
        planned = _programs(plan, given, folder, definitions, dry_run=True)
        if isinstance(planned, MeasureRefusal):
            return report_refusal(planned)
        if given.dry_run:
            for name, program in (("before", planned.before), ("after", planned.after)):
                show_files(program, os.path.join(folder, name))
            return ExitCode.FINE
        require_consent(planned.before, path, given, given.budget or BUDGET_S)
        programs = _programs(plan, given, folder, definitions, dry_run=False)
        if isinstance(programs, MeasureRefusal):
            return report_refusal(programs)
        forecaster = Forecaster(_analysed(plan.before, folder), options, registry)
        report = _tried(programs, plan, given, forecaster, folder)
    write(_rendered(report, given), given.output)
    return _exit_code(report.measurement)


def _advised(
    path: str, line: int | None, given: Namespace, options: Options, registry: Registry
) -> VersionPlan | MeasureRefusal:
    """The lint's own edit of a finding."""
    flags = configured_flags(options).flags(path)
    file = version_file(path, flags)
    if isinstance(file, MeasureRefusal):
        return file
    source = AdviceSource(path, file.content, given.change, options, with_rules(registry))
    change = source.change(line, file.nests)
    if isinstance(change, MeasureRefusal):
        return change
    advice = change.advice
    before = file.subject(given.function, advice.span.line)
    edited = version_file(path, flags, change.text)
    if isinstance(before, MeasureRefusal):
        return before
    after = edited if isinstance(edited, MeasureRefusal) else edited.subject(before.signature.name)
    if isinstance(after, MeasureRefusal):
        return after
    return VersionPlan(
        before=before,
        after=after,
        change=advice.code,
        title=advice.fix.title if advice.fix is not None else "",
        line=advice.span.line,
        required=change.required,
        predictor=lambda *_: lambda sizes, level: source.gain(advice, sizes, level),
        flags=change.flags,
    )


def _other_version(
    path: str, line: int | None, given: Namespace, options: Options, registry: Registry
) -> VersionPlan | MeasureRefusal:
    """The function of the same name in another file, or its only one with loops."""
    other: str = given.compare_with
    if not os.path.isfile(other):
        raise UsageError(f"--compare-with {other}: no such file")
    flags = configured_flags(options).flags(path)
    before = _version(path, flags, given.function, line)
    if isinstance(before, MeasureRefusal):
        return before
    after = _version(other, flags, before.signature.name)
    if isinstance(after, MeasureRefusal) and after.code is RefusalCode.NO_FUNCTION:
        after = _version(other, flags)
    if isinstance(after, MeasureRefusal):
        return after
    names = before.signature.name, after.signature.name

    def predictor(forecaster: Forecaster, folder: str) -> Predictor:
        later = Forecaster(_analysed(after, folder), options, registry)

        def gain(sizes: Mapping[str, int], level: str) -> PredictedGain | None:
            point = ForecastPoint(sizes=sizes, residency=level)
            return forecast_gain(forecaster.at(names[0], point), later.at(names[1], point))

        return gain

    return VersionPlan(
        before=before,
        after=after,
        change=other,
        title="",
        line=before.signature.span.line,
        required=Agreement.RELATIVE,
        predictor=predictor,
    )


def _version(
    path: str, flags: Flags, function: str | None = None, line: int | None = None
) -> Subject | MeasureRefusal:
    """A function of a file, or a kernel file."""
    file = version_file(path, flags)
    found = file if isinstance(file, MeasureRefusal) else file.subject(function, line)
    return or_kernel(found, path, flags)


def _programs(
    plan: VersionPlan,
    given: Namespace,
    folder: str,
    definitions: DefinitionFinder,
    dry_run: bool,
) -> VersionPrograms | MeasureRefusal:
    """Both versions, each in a folder of its own."""
    programs: list[Program] = []
    for name, subject in (("before", plan.before), ("after", plan.after)):
        place = os.path.join(folder, name)
        os.makedirs(place, mode=0o700, exist_ok=True)
        program = built_program(subject, given, place, dry_run, definitions, plan.flags)
        if isinstance(program, MeasureRefusal):
            return program
        programs.append(program)
    before, after = programs
    return VersionPrograms(before=before, after=after)


def _analysed(subject: Subject, folder: str) -> str:
    """The file to analyse: the user's, or the function around a kernel as a file."""
    return analysed_path(subject, folder) if subject.mode is MeasureMode.KERNEL else subject.path


def _tried(
    programs: VersionPrograms,
    plan: VersionPlan,
    given: Namespace,
    forecaster: Forecaster,
    folder: str,
) -> VersionReport:
    host = this_host()
    request = VersionRequest(
        function=programs.before.function,
        points=size_request(given, given.levels),
        required=plan.required,
        state=given.state,
        indices=given.indices,
        budget_s=given.budget or BUDGET_S,
        max_bytes=given.memory * MIB,
    )
    tools = VersionInstruments(
        run=run_checked,
        results=_results,
        predict=plan.predictor(forecaster, folder),
        forecaster=forecaster,
        host=host,
        load=host_load,
    )
    return VersionReport(
        path=plan.before.path,
        line=plan.line,
        function=programs.before.function,
        change=plan.change,
        title=plan.title,
        build=build_facts(programs.before, forecaster, host, request.indices),
        measurement=try_versions(programs, request, tools),
    )


def _results(program: Program, settings: RunSettings, seconds: float) -> ResultRun | MeasureRefusal:
    found = run_results(program, settings, seconds)
    return refusal_of(program, settings, found.run) or found


def _rendered(report: VersionReport, given: Namespace) -> str:
    if given.format == "json":
        return render_json([report])
    return render_text(report, Style(width(given.output), use_colour(given.colour, given.output)))


def _exit_code(measurement: VersionMeasurement) -> ExitCode:
    if measurement.gain is None:
        return ExitCode.LOST
    disturbed = measurement.verdict is MeasureVerdict.DISTURBED
    return ExitCode.DISTURBED if disturbed else ExitCode.FINE
