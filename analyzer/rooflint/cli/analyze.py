"""``analyze PATH...``: options, the run with its progress, the report, the exit code."""

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Final

from rooflint.cli.arguments import Parser, positive, split_flags
from rooflint.cli.exit_codes import ExitCode, strongest
from rooflint.cli.options import (
    AXES,
    add_entry,
    add_predicting,
    add_profiles,
    add_running,
    predicting,
    running,
)
from rooflint.cli.report.output import check_output, say, write
from rooflint.errors import UsageError, near_miss
from rooflint.startup import COMMAND_SECTION, load_section

if TYPE_CHECKING:
    from argparse import Namespace

    from rooflint.cli.report.begun_run import BegunRun, LoopAddress
    from rooflint.ir import DiagnosticKind
    from rooflint.pipeline import Analysis, Options, SourceList
    from rooflint.pipeline.headers import Headers
    from rooflint.pipeline.trials.what_if import VariedQuantity
    from rooflint.plugin_api.hookspecs import Renderer
    from rooflint.plugin_api.report import Report
    from rooflint.registry import Registry
    from rooflint.render.layout import Style
    from rooflint.render.ranked.request import RankedRequest

HEADERS_NAMED = 3
FILES_NAMED = 5
SORTS: "Final" = ("time", "gain", "saves", "file")
ESTIMATORS: "Final" = ("ecm",)
"""Models beside those of reports that a verdict is made of."""
REPORT_HINT = (
    "this is a bug in rooflint: please report it with the file and the traceback that"
    " ROOFLINT_DEBUG=1 adds; everything else was analysed"
)

DESCRIPTION = """Ranks the loops of C and C++ source by their time: what limits each on a machine,
how fast it could be, and what to change. FILE:LINE and --function report a loop with everything
that its numbers rest on. Nothing is run; only --core-source compiles.
"""
EPILOG = """examples:
  analyze src/
  analyze src/ src/solver.c:120
  analyze src/ --machine cell.yaml --machine sandybridge-ep-e5-2680 -D N=4000
  analyze solver.cpp -p build/ --cores socket --format json -o report.json
  analyze kernel.c -- -Iinclude -DREAL=float
"""


def build_parser(program: str) -> Parser:
    """The options of ``analyze``."""
    parser = Parser(program, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH",
        help="files, folders, or a compile_commands.json; FILE:LINE reports one loop")  # fmt: skip
    add_predicting(parser)
    add_profiles(parser)
    add_entry(parser)
    add("--model", action="append", metavar="NAME", help="run only this model; repeatable")
    add("--function", action="append", metavar="NAME",
        help="report only the loops of functions with this name; repeatable")  # fmt: skip
    add("--all", action="store_true", dest="everything",
        help="list every loop, then the details of each (text)")  # fmt: skip
    add("--top", type=positive, metavar="N",
        help="show only the N loops with the largest share of the program's time")  # fmt: skip
    add("--sort", choices=SORTS, default=SORTS[0],
        help="order of the table: time (default), gain, time saved, or file")  # fmt: skip
    add("-q", "--quiet", action="store_true", help="print the table alone (text)")
    add("--format", default="text", metavar="NAME", help="text (default), json or html")
    add("--what-if", action="append", default=[], metavar="NAME[=V,V]",
        help="a slider for a size, or for cores: the run again at each value; values: around its "
        "own, or up to all cores; repeatable (html)")  # fmt: skip
    add("-o", dest="output", metavar="FILE", help="write the report to FILE instead of stdout")
    add(
        "--plot",
        metavar="DIR",
        help="write a roofline plot of each loop and an overview to DIR; with --model bounds"
        " the generalized roofline",
    )
    add("--plot-format", default="svg", metavar="NAME",
        help="svg (default); png or pdf with matplotlib")  # fmt: skip
    add("--plot-axis", choices=AXES, default=AXES[0],
        help="bytes on the farthest link (default), or bytes requested by the core")  # fmt: skip
    add("--layer-conditions", choices=("exact", "half-cache"), default="exact", dest="layers",
        help="criterion for rows and planes to stay cached: exact reuse distances (default), or "
        "whole layers in half of the cache")  # fmt: skip
    add("--exact", action="store_true",
        help="count every line of the caches' traffic by a replay of all accesses, however long "
        "that takes; default: within a budget of work, else in closed form")  # fmt: skip
    add("--core-source", choices=("model", "llvm-mca", "osaca"), default="model",
        help="source of the core's cycles: the model (default), or llvm-mca or OSACA on the "
        "assembly of --compiler; compiles the files, never runs them")  # fmt: skip
    add_running(parser)
    return parser


def analyze(arguments: Sequence[str], program: str) -> int:
    """Runs the command; returns its exit code."""
    given, flags = _parsed(arguments, program)
    # after the options: a mistake in them, or --help, is answered without the analysis
    from rooflint.cli.report import load_modules

    load_modules(ESTIMATORS)
    from rooflint.cli.report.begun_run import begun_run, shown_again

    begun = begun_run(given, flags, (program, *arguments))
    if begun.answer is not None:
        return shown_again(begun.answer, given.output, program)
    load_section(COMMAND_SECTION)
    return _analyzed(given, flags, begun, program)


def _analyzed(given: "Namespace", flags: "Sequence[str]", begun: "BegunRun", program: str) -> int:
    """The run from its analysis to its exit code."""
    from rooflint.cli.progress import collect
    from rooflint.cli.report.rerun import rerun_of
    from rooflint.lint import lint_file
    from rooflint.pipeline import Analysis
    from rooflint.pipeline.measured.run_report import run_report
    from rooflint.render.layout import Style

    words, found = begun.words, begun.found
    varied = _varied(given)
    request = _request(given, wanted=bool(words.places or given.function))
    request = request._replace(rerun=rerun_of(given, words.paths, flags))
    style = Style(begun.command.width, begun.command.colour)
    registry = _registry(given, style, request)
    renderer = renderer_named(given.format, registry)
    say(program, found.problems)
    options = _options(given, flags, begun)
    analysis = Analysis(options, registry, lint_file, begun.sources)
    interruption = collect(analysis, found.sources)
    report, problem = run_report(analysis)
    said = [*([problem] if problem else ()), *complaints(analysis, report)]
    said += _headers_with_loops(report, analysis, found.sources)
    say(program, said)
    if varied:
        report, interruption = _with_sliders(report, interruption, varied, analysis, found.sources)
    shown, line = _selected(report, given, words.places)
    say(program, line)
    text = renderer.render(shown) if report.files else None
    _write(text, shown, given, program)
    if interruption:
        say(program, [interruption_line(len(found.sources), len(report.files))])
    code = _code(interruption, begun, analysis, report)
    # beside these, the output rests on other files than those of the run
    if code == ExitCode.FINE and report.summary.loops and not (varied or given.plot):
        begun.keep(analysis.inputs(), text, (*found.problems, *said, *line))
    return code


def _code(
    interruption: ExitCode, begun: "BegunRun", analysis: "Analysis", report: "Report"
) -> ExitCode:
    empty = ExitCode.FINE if report.files else ExitCode.LOST
    return strongest(interruption, paths_code(begun.found), analysis_code(analysis, report), empty)


def _options(given: "Namespace", flags: "Sequence[str]", begun: "BegunRun") -> "Options":
    """The options of the analysis."""
    in_full = _shows_all(given, wanted=bool(begun.words.places or given.function))
    options = predicting(given, flags, begun.found.database)._replace(
        entry=given.entry,
        models=tuple(given.model or ()),
        layers=given.layers,
        exact=given.exact,
        reuse_in_full=in_full,
        detailed=in_full,
        advice_in_full=in_full,
        core_source=given.core_source,
        estimators=ESTIMATORS,
        advice=True,
    )
    return running(options, given)


def _write(text: str | None, shown: "Report", given: "Namespace", program: str) -> None:
    """The report, if there is one, and its plots."""
    if text is not None:
        write(text, given.output)
    if given.plot is not None:
        from rooflint.cli.plot import write_plots

        say(program, [write_plots(shown, given.plot, given.plot_format, given.plot_axis)])


def _headers_with_loops(
    report: "Report", analysis: "Analysis", sources: Sequence[str]
) -> Iterable[str]:
    """Where the files have no loop: which of the headers that they include do."""
    if not report.files or report.summary.loops:
        return ()
    from rooflint.pipeline.headers import included_headers

    return headers_left(included_headers(analysis, sources))


def _parsed(arguments: Sequence[str], program: str) -> "tuple[Namespace, Sequence[str]]":
    """The options, and the compiler's flags behind them."""
    mine, flags = split_flags(arguments)
    given = build_parser(program).parse(mine)
    if not given.paths:
        raise UsageError(f"no PATH given; see '{program} --help'")
    check_output(given.output)
    return given, flags


def _varied(given: "Namespace") -> "list[VariedQuantity]":
    """The quantities of the page's sliders."""
    if not given.what_if:
        return []
    from rooflint.cli.report.what_if import quantities

    return quantities(given.what_if, given.format)


def _with_sliders(
    report: "Report",
    interruption: ExitCode,
    varied: "Sequence[VariedQuantity]",
    analysis: "Analysis",
    sources: Sequence[str],
) -> "tuple[Report, ExitCode]":
    """The report with the runs that its sliders show, unless it was cut short itself."""
    if interruption:
        return report, interruption
    from rooflint.cli.report.what_if import varied_run

    return varied_run(report, varied, analysis.options, analysis.registry, sources)


def _shows_all(given: "Namespace", *, wanted: bool) -> bool:
    """Whether the output says everything of each loop: not where it is one ranked screen."""
    return wanted or given.everything or given.format != "text"


def _registry(given: "Namespace", style: "Style", request: "RankedRequest") -> "Registry":
    """The plugins and formats, with the models that plots show where some were asked for."""
    from rooflint.registry import load_registry, with_requested
    from rooflint.render import BuiltinRenderers

    registry = load_registry(built_in={"built-in formats": BuiltinRenderers(style, request)})
    if given.plot is None:
        return registry
    from rooflint.cli.plot import PLOTTED, check_plot

    check_plot(given.plot, given.plot_format)
    return with_requested(registry, PLOTTED)


def _selected(
    report: "Report", given: "Namespace", places: "Sequence[LoopAddress]"
) -> "tuple[Report, Sequence[str]]":
    """The loops that were named; of formats other than text, those of most time, and a line that
    says so."""
    shown = report
    if places or given.function:
        from rooflint.cli.report.selection import selected_loops
        from rooflint.pipeline.ranking import with_kernels

        shown = with_kernels(report, selected_loops(report, places, given.function or ()))
    if given.top and given.format != "text":
        from rooflint.cli.report.top_line import top_line
        from rooflint.pipeline.ranking import top_kernels

        shown = top_kernels(shown, given.top)
        return shown, [top_line(given.top, shown, report)]
    return shown, ()


def _request(given: "Namespace", *, wanted: bool) -> "RankedRequest":
    """The text report that the options describe; ``wanted``: the details of certain loops."""
    from rooflint.render.ranked.request import RankedRequest, ReportView
    from rooflint.verdict.choose import SortKey

    view = ReportView.ALL if given.everything else ReportView.SCREEN
    return RankedRequest(
        top=given.top,
        sort=SortKey(given.sort),
        quiet=given.quiet,
        view=ReportView.LOOPS if wanted else view,
        models=bool(given.model),
    )


def paths_code(found: "SourceList") -> ExitCode:
    """Whether the PATHs gave all the files that they stand for."""
    if found.unusable:
        return ExitCode.USAGE
    return ExitCode.LOST if found.lost else ExitCode.FINE


def analysis_code(analysis: "Analysis", report: "Report") -> ExitCode:
    """Whether all files were analysed, whatever was found in them."""
    if analysis.internal or report.plugin_failures:
        return ExitCode.INTERNAL
    if analysis.problems:
        return ExitCode.USAGE
    lost = any(file.status == "failed" for file in report.files)
    return ExitCode.LOST if lost else ExitCode.FINE


def interruption_line(wanted: int, finished: int) -> str:
    """How much Ctrl-C or SIGTERM left undone."""
    return f"interrupted: {wanted - finished} of {wanted} files not analysed"


def renderer_named(name: str, registry: "Registry") -> "Renderer":
    """The output format of that name; raises UsageError with those there are."""
    known = {renderer.name: renderer for renderer in registry.renderers}
    if name not in known:
        *others, last = known
        expected = f"expected {', '.join(others)} or {last}{near_miss(name, known)}"
        raise UsageError(f"--format: unknown format '{name}', {expected}")
    return known[name]


ANNOUNCED: "Final[Set[DiagnosticKind]]" = frozenset(("announced", "internal"))
"""Errors that have a line of their own among the run's problems and bugs."""


def complaints(analysis: "Analysis", report: "Report") -> Iterator[str]:
    """Problems of the run, a line each; bugs last, where a terminal leaves them in sight."""
    yield from analysis.count_summary()
    yield from analysis.unused_sizes()
    yield from lost_files(report, ANNOUNCED)
    yield from header_remedy(report)
    yield from analysis.warnings
    yield from analysis.problems
    yield from report.plugin_failures
    yield from analysis.internal
    if analysis.internal:
        yield REPORT_HINT
        if os.environ.get("ROOFLINT_DEBUG"):
            yield from analysis.details


def lost_files(report: "Report", announced: "Set[DiagnosticKind]" = frozenset()) -> Iterator[str]:
    """A line for each file that could not be analysed, but for those with a line already."""
    lines = []
    for file in report.files:
        error = next((d for d in file.diagnostics if d.severity == "error"), None)
        if file.status == "failed" and (error is None or error.kind not in announced):
            problem = "" if error is None else error.subject or error.message
            lines.append(f"{file.path}: not analysed: {problem}")
    yield from lines[:FILES_NAMED]
    if len(lines) > FILES_NAMED:
        yield f"{len(lines) - FILES_NAMED} more files not analysed; --format json names all"


def header_remedy(report: "Report") -> Iterator[str]:
    """A remedy, said once, for what costs most loops of a project analysed for the first time."""
    if found := [f"'{name}'" for name in report.missing_headers()]:
        yield f"headers not found: {_first(found)}; -p BUILD_DIR or '-- -IFOLDER' locates them"


def headers_left(headers: "Headers", remedy: str = "") -> Iterator[str]:
    """That loops of headers are not looked at, and what to do about it."""
    if headers.left:
        them, what = ("it", "header") if len(headers.left) == 1 else ("them", "headers")
        said = f"{len(headers.left)} included {what} with loops not analysed"
        yield f"{said}: {_first(headers.left)}; name {them}{remedy}"


def _first(names: Sequence[str]) -> str:
    more = ", …" if len(names) > HEADERS_NAMED else ""
    return ", ".join(names[:HEADERS_NAMED]) + more
