"""A run of ``rooflint sizes``: names the open sizes that decide most, asks, and writes answers."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rooflint.cli.analyze import paths_code
from rooflint.cli.exit_codes import ExitCode, strongest
from rooflint.cli.interruption import STOP_SIGNALS, interruption_code
from rooflint.cli.options import predicting, with_limits
from rooflint.cli.report.output import check_output, say, use_colour, width, write
from rooflint.cli.sizes.options import PROGRAM
from rooflint.config.settings import ConfigFinder
from rooflint.config.sizes_table import SizesTable, common_folder, table_of
from rooflint.errors import UsageError, near_miss
from rooflint.escaping import visible
from rooflint.pipeline import Options, SourceList, find_sources
from rooflint.pipeline.stages.program_reading import ProgramRead, ProgramReader
from rooflint.program.asking.deciding import first_asked
from rooflint.registry import load_registry
from rooflint.render.layout import Style
from rooflint.render.open_sizes import (
    AskedSizes,
    SizesReport,
    questions_text,
    sizes_json,
    sizes_text,
)
from rooflint.scenario.sizes import parse_size
from rooflint.workers.stop_signals import StopSignals

EFFORT: Final = 100_000
"""Loops weighed: about 10 s."""


def run_sizes(given: Namespace, flags: Sequence[str]) -> ExitCode:
    """The same for parsed arguments."""
    check_output(given.output)
    found = find_sources(given.paths)
    say(PROGRAM, found.problems)
    if not found.sources:
        return strongest(paths_code(found), ExitCode.LOST)
    try:
        return _run(found, given, flags)
    except KeyboardInterrupt as request:
        say(PROGRAM, ["interrupted"])
        return interruption_code(request)


def _run(found: SourceList, given: Namespace, flags: Sequence[str]) -> ExitCode:
    config = ConfigFinder().config_for(Path(found.sources[0]))
    options = with_limits(predicting(given, flags, found.database), given)
    if given.write and options.scenario not in config.scenarios:  # it comes to be
        options = options._replace(scenario="")
    program = _program(options, found.sources)
    say(PROGRAM, program.problems)
    answers = dict(given.sizes or ())
    _check_names(program, answers)
    report = report_of(program, given.paths)
    if given.write:
        table = table_of(config, common_folder(given.paths), given.scenario or "")
        _write(answers or _answers(report), table)
    else:
        _show(report, given)
    lost = ExitCode.LOST if program.problems else ExitCode.FINE
    return strongest(paths_code(found), lost)


def _program(options: Options, files: Sequence[str]) -> ProgramRead:
    with StopSignals(STOP_SIGNALS) as stop:
        return ProgramReader(options, load_registry()).read(files, stop)


def _check_names(program: ProgramRead, names: Iterable[str]) -> None:
    """Raises UsageError for a name that no trip count of the program rests on."""
    for name in program.unused(names):
        hint = near_miss(name, program.names())
        raise UsageError(f"-D {name}: no loop's trip count rests on a size of that name{hint}")


def report_of(program: ProgramRead, paths: Sequence[str]) -> SizesReport:
    """The sizes to ask for first."""
    sizes = program.deciding_sizes()
    asked = first_asked(sizes.ranked(EFFORT))
    return SizesReport(
        asked=tuple([AskedSizes(each, sizes.break_even(each)) for each in asked]),
        open=sizes.open_count,
        uncounted=sizes.uncounted_share(),
        paths=tuple(paths),
    )


def _show(report: SizesReport, given: Namespace) -> None:
    style = Style(width(given.output), use_colour(None, given.output))
    text = sizes_json(report) if given.format == "json" else sizes_text(report, style)
    write(text, given.output)


def _answers(report: SizesReport) -> Mapping[str, int]:
    """Values that the user types; an empty line keeps a guess, the end of input all others."""
    style = Style(width(None), use_colour(None, None))
    write(questions_text(report, style), None)
    answers: dict[str, int] = {}
    for size in [name for each in report.asked for name in each.group.names]:
        while True:
            sys.stderr.write(f"{visible(size.name)} [{size.typical.value}]: ")
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                return answers
            if not line.strip():
                break
            try:
                answers[size.name] = parse_size(f"{size.name}={line}")[1]
                break
            except UsageError:
                say(PROGRAM, ["expected a whole number such as 4096 or 1e6; none keeps the guess"])
    return answers


def _write(answers: Mapping[str, int], table: SizesTable) -> None:
    if answers:
        table.write(answers)
    words = ", ".join(f"{name} = {value}" for name, value in answers.items())
    say(PROGRAM, [f"{table.path}: {words or 'unchanged'}"])
