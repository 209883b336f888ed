"""``analyze PATH...``: options, the run with its progress, the report, the exit code."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Final

from rooflint.cli.arguments import Parser, compiler, positive, split_flags
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
from rooflint.errors import UsageError, near_miss
from rooflint.escaping import visible

if TYPE_CHECKING:
    from rooflint.ir import DiagnosticKind
    from rooflint.pipeline import Analysis, Options, SourceList
    from rooflint.plugin_api.hookspecs import Renderer
    from rooflint.plugin_api.report import Report
    from rooflint.registry import Registry

DEFAULT_WIDTH = 100
HEADERS_NAMED = 3
REPORT_HINT = (
    "this is a bug in rooflint: please report it with the file and the traceback that"
    " ROOFLINT_DEBUG=1 adds; everything else was analysed"
)

DESCRIPTION = """Reports the work per iteration of every loop of C and C++ source, its limit on a
machine, its attainable speed, and the assumptions behind them. Nothing is run; only --core-source
compiles.
"""
EPILOG = """examples:
  analyze kernel.c
  analyze src/ --machine cell.yaml --machine sandybridge-ep-e5-2680 -D N=4000
  analyze solver.cpp -p build/ --cores socket --format json -o report.json
  analyze kernel.c -- -Iinclude -DREAL=float
"""


def build_parser(program: str) -> Parser:
    """The options of ``analyze``."""
    parser = Parser(program, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files, folders, or a compile_commands.json")
    add_predicting(parser)
    add_profiles(parser)
    add_entry(parser)
    add("--model", action="append", metavar="NAME", help="run only this model; repeatable")
    add(
        "--top",
        type=positive,
        metavar="N",
        help="show only the N loops with the most predicted time",
    )
    add("--format", default="text", metavar="NAME", help="text (default), json or html")
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
    add("--core-source", choices=("model", "llvm-mca", "osaca"), default="model",
        help="source of the core's cycles: the model (default), or llvm-mca or OSACA on a "
        "compiler's assembly; compiles the files, never runs them")  # fmt: skip
    add("--compiler", type=compiler, metavar="NAME",
        help="compiler to model, and to run for --core-source: a clang or gcc such as gcc-12, by "
        "name or path; default: that of the compile command, else clang")  # fmt: skip
    add_running(parser)
    return parser


def analyze(arguments: Sequence[str], program: str) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser(program).parse(mine)
    if not given.paths:
        raise UsageError(f"no PATH given; see '{program} --help'")
    check_output(given.output)
    # after the options: a mistake in them, or --help, is answered without the analysis
    from rooflint.cli.plot import PLOTTED, check_plot, write_plots
    from rooflint.cli.progress import collect
    from rooflint.pipeline import Analysis, find_sources, top_kernels
    from rooflint.registry import load_registry, with_requested
    from rooflint.render import BuiltinRenderers
    from rooflint.render.layout import Style

    style = Style(width(given.output), use_colour(given.colour, given.output))
    registry = load_registry({"built-in formats": BuiltinRenderers(style)})
    if given.plot is not None:
        check_plot(given.plot, given.plot_format)
    if given.plot is not None or given.format == "html":
        registry = with_requested(registry, PLOTTED)
    renderer = renderer_named(given.format, registry)
    found = find_sources(given.paths)
    say(program, found.problems)
    options = predicting(given, flags, found.database)._replace(
        entry=given.entry,
        models=tuple(given.model or ()),
        layers=given.layers,
        core_source=given.core_source,
        compiler=given.compiler or "",
    )
    analysis = Analysis(running(options, given), registry)
    interruption = collect(analysis, found.sources)
    report = _with_measurements(analysis.report(), options)
    say(program, complaints(analysis, report))
    shown = top_kernels(report, given.top) if given.top else report
    if given.top:
        say(program, [top_line(given.top, shown, report)])
    if report.files:
        write(renderer.render(shown), given.output)
    if given.plot is not None:
        say(program, [write_plots(shown, given.plot, given.plot_format, given.plot_axis)])
    if interruption:
        say(program, [interruption_line(len(found.sources), len(report.files))])
    empty = ExitCode.FINE if report.files else ExitCode.LOST
    return strongest(interruption, paths_code(found), analysis_code(analysis, report), empty)


def _with_measurements(report: "Report", options: "Options") -> "Report":
    """The report beside what the user measured; nothing is loaded for a store without entries."""
    from rooflint.pipeline import measurements_folder

    if not os.path.isdir(measurements_folder()):
        return report
    from rooflint.incremental.measurements import MeasurementStore
    from rooflint.pipeline.measured.reader import MeasurementReader

    reader = MeasurementReader(MeasurementStore(), options)
    return report._replace(files=tuple(map(reader.with_measurements, report.files)))


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


def top_line(count: int, shown: "Report", report: "Report") -> str:
    """The line that says what ``--top`` left out, and how far its order can be trusted."""
    from rooflint.pipeline import count_kernels, measured_share
    from rooflint.render.entries import entries_of, has_guessed_sizes

    kept, total = count_kernels(shown), count_kernels(report)
    guessed = sum(has_guessed_sizes(entry.kernel) for entry in entries_of(shown))
    trust = f"; the sizes of {guessed} are guessed, -D sets them" if guessed else ""
    measured = any(measured_share(entry.kernel) is not None for entry in entries_of(shown))
    by = "measured time" if measured else f"predicted cycles{trust}"
    return f"--top {count}: {kept} of {total} kernels shown, by {by}"


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
    yield from missing_headers(report)
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
    for file in report.files:
        error = next((d for d in file.diagnostics if d.severity == "error"), None)
        if file.status == "failed" and (error is None or error.kind not in announced):
            problem = "" if error is None else error.subject or error.message
            yield f"{file.path}: not analysed: {problem}"


def missing_headers(report: "Report") -> Iterator[str]:
    """A remedy, said once, for what costs most loops of a project analysed for the first time."""
    found = {
        f"'{diagnostic.subject}'"
        for file in report.files
        for diagnostic in file.diagnostics
        if diagnostic.kind == "missing-header"
    }
    if found:
        names = ", ".join(sorted(found)[:HEADERS_NAMED]) + (
            ", …" if len(found) > HEADERS_NAMED else ""
        )
        yield f"headers not found: {names}; -p BUILD_DIR or '-- -IFOLDER' locates them"


def say(program: str, lines: Iterable[str]) -> None:
    """Lines on stderr, each with the program's name as compilers do."""
    for line in lines:
        sys.stderr.write(f"{program}: {visible(line)}\n")


def use_colour(wanted: bool | None, output: str | None) -> bool:
    """Colours on a terminal that has them, unless NO_COLOR is set; an option wins over all."""
    if wanted is not None:
        return wanted
    if output is not None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def width(output: str | None) -> int:
    """Columns of the terminal, or of COLUMNS; 100 where there is neither."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if output is None and sys.stdout.isatty():
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
        except OSError:
            return DEFAULT_WIDTH
    return DEFAULT_WIDTH


def check_output(path: str | None) -> None:
    """Says before the run, not after it, that the report cannot be written."""
    if path is None and getattr(sys.stdout, "name", "") == os.devnull:
        raise UsageError("stdout is closed: write the report with -o FILE")
    if path == "":
        raise UsageError("-o: expected FILE after it")
    folder = os.path.dirname(path) if path else ""
    if folder and not os.path.isdir(folder):
        raise UsageError(f"-o {path}: there is no folder {folder}")
    if path and os.path.isdir(path):
        raise UsageError(f"-o {path}: is a folder, expected a file")


def write(text: str, path: str | None) -> None:
    """The report to a file or to stdout, as UTF-8 whatever the locale says."""
    content = text.encode("utf-8", "surrogateescape")
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        with open(path, "wb") as stream:
            stream.write(content)
    except OSError as error:
        raise UsageError(f"-o {path}: cannot be written: {error.strerror}") from None
