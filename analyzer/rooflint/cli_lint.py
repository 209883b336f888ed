"""``rooflint lint PATH...``: findings, and an exit code for hooks and pipelines."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rooflint.advice import Advice
from rooflint.analysis import Analysis, Limits, Options, find_sources
from rooflint.cli_analyze import (
    check_output,
    complaints,
    renderer_named,
    say,
    use_colour,
    width,
    write,
)
from rooflint.cli_arguments import Parser, add_limits, cores, positive, split_flags
from rooflint.cli_progress import collect
from rooflint.errors import UsageError
from rooflint.lint_settings import (
    CONFIDENCES,
    FAIL_ON,
    SEVERITIES,
    FailOn,
    Wishes,
    one_of,
    parse_gain,
    parse_time,
)
from rooflint.registry import load_registry, with_rules
from rooflint.render import FindingsRenderers
from rooflint.render.layout import Style
from rooflint.report import FileReport, Report, RuleText
from rooflint.sizes import parse_size

FINE, FOUND, USAGE, NOTHING, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 70, 130
LINT: Final = "rooflint.lint.files:lint_safely"
PROGRAM: Final = "rooflint lint"
DESCRIPTION = """Finds loops of C and C++ source that can be made faster: what to change, and what
it brings as the models predict it. Quiet otherwise: a change has to bring a gain of 1.2 in a loop
nest that takes 10 us at least.
"""
EPILOG = """exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong options or
configuration, 3 nothing could be analysed, 70 a bug of this program or of a plugin

examples:
  rooflint lint src/ -p build/
  rooflint lint kernel.c --select RL1,RL201 -D n=4000 -- -O3 -march=native
  rooflint lint src/ --format sarif -o rooflint.sarif --diff-base origin/main

docs/lint.md has the rules' list and the configuration; 'rooflint explain RL101' explains a rule.
"""


def build_parser() -> Parser:
    """The options of ``lint``."""
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files, folders, or a compile_commands.json")
    add("--select", action="append", type=words, metavar="RULES",
        help="only these: codes, beginnings of codes, names, ALL; commas between")  # fmt: skip
    add("--ignore", action="append", type=words, metavar="RULES", help="all but these")
    add("--preview", action="store_true", help="rules that are still on trial too")
    add("--structural", action="store_true",
        help="every pattern, whatever a change of it brings: no thresholds, no guards")  # fmt: skip
    add("--min-gain", type=checked(parse_gain), metavar="X", help="least ratio of times (1.2)")
    add("--min-time", type=checked(parse_time), metavar="TIME",
        help="least time of a loop nest in one call (10us)")  # fmt: skip
    add("--min-confidence", type=checked(lambda text: one_of(text, CONFIDENCES)), metavar="LEVEL",
        help="low (default), medium or high")  # fmt: skip
    add("--fail-on", type=checked(lambda text: one_of(text, FAIL_ON)), metavar="SEVERITY",
        help="exit 1 from note, warning (default) or error on, or never")  # fmt: skip
    add("--show-skipped", action="store_true",
        help="notes on loops that are not modelled, and on rules that are not asked")  # fmt: skip
    add("--machine", action="append", metavar="NAME|FILE",
        help="machine to predict for; repeat for several (rooflint machine list)")  # fmt: skip
    add("--cores", type=cores, metavar="1|socket|node|N", help="active cores")
    add("-D", action="append", type=parse_size, dest="sizes", metavar="NAME=NUMBER",
        help="value of a size the source leaves open, such as N=4096")  # fmt: skip
    add("-p", dest="build_dir", metavar="BUILD_DIR", help="folder with compile_commands.json")
    add("--format", metavar="NAME",
        help="full (default on a terminal), gcc (default elsewhere), json, sarif, github, gitlab,"
        " junit, rdjson or markdown")  # fmt: skip
    add("-o", "--output-file", dest="output", metavar="FILE",
        help="write the findings there instead of to stdout")  # fmt: skip
    add("--jobs", type=positive, default=0, metavar="N", help="files looked at at the same time")
    add_limits(parser)
    colour = parser.add_mutually_exclusive_group()
    colour.add_argument("--color", action="store_true", default=None, dest="colour",
        help="colours even where stdout is no terminal")  # fmt: skip
    colour.add_argument("--no-color", action="store_false", dest="colour", help="no colours")
    return parser


def words(text: str) -> list[str]:
    """Names between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def checked(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """``parse`` with errors that name the option."""

    def parsed(text: str) -> Any:  # noqa: ANN401 - what ``parse`` makes of it
        try:
            return parse(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return parsed


def lint(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    if not given.paths:
        raise UsageError(f"no PATH given; see '{PROGRAM} --help'")
    check_output(given.output)
    style = Style(width(given.output), use_colour(given.colour, given.output))
    registry = with_rules(load_registry())
    renderers = {each.name: each for each in FindingsRenderers(style).rooflint_renderers()}
    registry = registry._replace(renderers=tuple(renderers.values()))
    on_terminal = given.output is None and sys.stdout.isatty()
    renderer = renderer_named(given.format or ("full" if on_terminal else "gcc"), registry)
    found = find_sources(given.paths)
    say(PROGRAM, found.problems)
    analysis = Analysis(options_of(given, flags, found.database), registry)
    interrupted = collect(analysis, analysis.benches.wanted(found.sources))
    report = finished(analysis.report(), registry.rules)
    say(PROGRAM, complaints(analysis, report))
    write(renderer.render(report), given.output)
    say(PROGRAM, [summary_line(report)])
    if interrupted:
        return INTERRUPTED
    if analysis.internal or report.plugin_failures:
        return INTERNAL
    if found.unusable or analysis.problems:
        return USAGE
    if report.files and all(file.status == "failed" for file in report.files):
        return NOTHING
    return FOUND if any(fails(file, analysis) for file in report.files) else FINE


def options_of(given: Namespace, flags: Sequence[str], database: str | None) -> Options:
    """What the run is asked for."""
    select = [word for each in given.select or () for word in each]
    wishes = Wishes(
        select=tuple(select) if given.select is not None else None,
        ignore=tuple([word for each in given.ignore or () for word in each]),
        min_gain=given.min_gain,
        min_time_s=given.min_time,
        min_confidence=given.min_confidence,
        fail_on=given.fail_on,
        preview=given.preview,
        structural=given.structural,
        show_skipped=given.show_skipped,
    )
    return Options(
        machines=tuple(given.machine or ()),
        cores=given.cores,
        sizes=dict(given.sizes or ()),
        build_dir=given.build_dir or database,
        flags=tuple(flags),
        jobs=given.jobs,
        cluster=given.cluster,
        limits=Limits(given.file_seconds, given.file_memory),
        cache_dir=None if given.cache else "",
        lint=wishes,
        work=LINT,
    )


def finished(report: Report, rules: Iterable[Any]) -> Report:
    """With the rules that found something in words, and notes on the run itself said once."""
    seen: set[str] = set()
    files = []
    for file in report.files:
        kept = []
        for advice in file.findings:
            once = advice.code in ("RL005", "RL006")
            if not once or advice.message not in seen:
                kept.append(advice)
            if once:
                seen.add(advice.message)
        files.append(file._replace(findings=tuple(kept)))
    texts = tuple([RuleText(rule.code, rule.slug, rule.summary) for rule in rules])
    return report._replace(files=tuple(files), rules=texts)


def summary_line(report: Report) -> str:
    """``3 findings in 12 files, 1 of them a warning``."""
    found = [advice for file in report.files for advice in file.findings]
    warnings = sum(advice.severity in ("warning", "error") for advice in found)
    files = len(report.files)
    counts = f"{len(found)} finding{'s' * (len(found) != 1)} in {files} file{'s' * (files != 1)}"
    return f"{counts}, {warnings} to act on" if found else counts


def fails(file: FileReport, analysis: Analysis) -> bool:
    """Whether a finding is as severe as the settings of its file say."""
    least: FailOn = analysis.benches.lint_of(file.path).fail_on
    return any(_severe(advice, least) for advice in file.findings)


def _severe(advice: Advice, least: FailOn) -> bool:
    if least == "never":
        return False
    return SEVERITIES.index(advice.severity) >= SEVERITIES.index(least)
