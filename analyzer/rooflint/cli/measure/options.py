"""Options of ``rooflint measure``."""

import os
from argparse import ArgumentTypeError, Namespace
from typing import Final, get_args

from rooflint.cli.arguments import Parser, compiler, positive
from rooflint.cli.options import add_target
from rooflint.errors import UsageError, near_miss
from rooflint.measure.program import IndexFill

PROGRAM: Final = "rooflint measure"
FORMATS: Final = ("text", "json", "html")
CORPUS_FORMATS: Final = ("text", "json", "markdown")
SECONDS_PER_POINT: Final = 3
MOST_STRETCH: Final = 4
"""Times the usual budget on a computer where so many jobs, or more, share each processor."""
"""Default budget: three processes at two sizes take half a second on an idle computer."""
DESCRIPTION: Final = """Builds a function or a loop nest by itself, runs it, and compares the time
with what the models predict for the same sizes and the same place of the data. The only command
that runs code of the tree: it asks before the first run in a folder, and confines the process.
"""
EPILOG: Final = """examples:
  rooflint measure stencil.c --function sweep -D n=500
  rooflint measure stencil.c:12 --sizes L1,L2,L3,MEM --machine icx
  rooflint measure triad.c --sweep n=1e2:1e6:20 --format json -o triad.json
  rooflint measure triad.c --sizes MEM --cores 1,2,4 --plot pictures/
  rooflint measure triad.c --dry-run --keep bench/
  rooflint measure gemm.c:12 --change RL101 -D n=400
  rooflint measure gemm.c --compare-with gemm_blocked.c --sizes L2
  rooflint measure --corpus polybench/ --sizes L1,L2 -o accuracy.txt --budget 3600
  rooflint measure --export team.jsonl

Stable measurements are stored for reports and editors; 'rooflint cache clear' removes them.

exit codes: 0 measured and stable, 1 a prediction is off by more than --within, 2 usage or
configuration, 3 nothing could be measured, 4 measured but disturbed, 70 internal error, 130 or 143
interrupted
"""


def build_parser() -> Parser:
    """The options of the command."""
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("paths", nargs="*", metavar="FILE[:LINE]",
        help="a C or C++ file; with a line, the loop nest there")  # fmt: skip
    add(
        "--function",
        metavar="NAME",
        help="the function to call; needed where FILE has several; a pattern with --corpus",
    )
    add_target(parser)
    add("--cores", type=_core_counts, default=(1,), metavar="1,2,...",
        help="numbers of cores to measure on, each with data of its own (default 1)")  # fmt: skip
    add("--model", action="append", metavar="NAME",
        help="compare with this model; repeatable (default: roofline, ecm, bounds)")  # fmt: skip
    add("--compiler", type=compiler, metavar="NAME",
        help="compiler to build with and to model (default: as compiled)")  # fmt: skip
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--sizes", dest="levels", metavar="L1,L2,L3,MEM",
        help="find sizes that put the data into these levels")  # fmt: skip
    which.add_argument("--sweep", metavar="NAME=FIRST:LAST[:POINTS]",
        help="measure at sizes evenly apart on a logarithmic axis")  # fmt: skip
    add("--hold", metavar="BYTES", help="with --sweep: other sizes keep this amount of data")
    versions = parser.add_mutually_exclusive_group()
    versions.add_argument("--change", metavar="CODE",
        help="measure before and after the edit of this finding of the lint, such as RL101; with "
        "a line, of the finding there")  # fmt: skip
    versions.add_argument("--compare-with", metavar="FILE",
        help="measure against the function of the same name in FILE")  # fmt: skip
    add("--state", choices=("warm", "cold"), default="warm",
        help="caches before each call: as the last one left them (default), or empty")  # fmt: skip
    add("--indices", choices=get_args(IndexFill), default="near",
        help="integers in arrays: near the element's number (default), random, or it")  # fmt: skip
    add("--setup", metavar="FILE",
        help="C file with void rooflint_setup(void) for data that cannot be made up")  # fmt: skip
    add("--budget", type=_seconds, metavar="SECONDS",
        help=f"time of all runs together (default {SECONDS_PER_POINT} per point, up to "
        f"{SECONDS_PER_POINT * MOST_STRETCH} on a busy computer)")  # fmt: skip
    add("--memory", type=positive, default=1024, metavar="MIB",
        help="memory that a run may use (default 1024)")  # fmt: skip
    add("--within", type=_factor, metavar="FACTOR",
        help="exit with 1 if a model is off by more than this at a stable point")  # fmt: skip
    add("--corpus", action="append", metavar="DIR",
        help="measure every function with loops below DIR and print a table of accuracy; "
        "repeatable; with -o TABLE, TABLE.jsonl keeps each result and the next run goes "
        "on from there")  # fmt: skip
    add("--format", default="text", metavar="NAME",
        help=f"{', '.join(FORMATS)}; with --corpus {', '.join(CORPUS_FORMATS)}")  # fmt: skip
    add("-o", dest="output", metavar="FILE", help="write the result to FILE instead of stdout")
    add("--plot", metavar="DIR",
        help="write SVG pictures to DIR: measured and predicted over sizes and cores")  # fmt: skip
    add("--keep", metavar="DIR", help="keep the generated files and the program in DIR")
    add("--dry-run", action="store_true", help="print the files and the build line; run nothing")
    add("--yes", action="store_true", help="run without asking")
    add("--export", dest="export_to", metavar="FILE",
        help="run nothing; write measurements of files below this folder to FILE")  # fmt: skip
    add("--import", dest="import_from", metavar="FILE",
        help="run nothing; store the measurements of such a FILE")  # fmt: skip
    colour = parser.add_mutually_exclusive_group()
    colour.add_argument("--color", action="store_true", default=None, dest="colour",
        help="use colours even if stdout is not a terminal")  # fmt: skip
    colour.add_argument("--no-color", action="store_false", dest="colour", help="no colours")
    return parser


def place_of(text: str) -> tuple[str, int | None]:
    """``file.c`` or ``file.c:12`` as path and line."""
    path, colon, line = text.rpartition(":")
    if colon and path and line.isascii() and line.isdecimal() and int(line) > 0:
        return path, int(line)
    return text, None


def check(given: Namespace) -> None:
    """Raises UsageError for options that do not go together."""
    if given.change or given.compare_with:
        _check_versions(given)
    formats = CORPUS_FORMATS if given.corpus else FORMATS
    if given.format not in formats:
        expected = f"expected {', '.join(formats)}{near_miss(given.format, formats)}"
        raise UsageError(f"--format: unknown format '{given.format}', {expected}")
    if given.hold and not given.sweep:
        raise UsageError("--hold: needs --sweep, which says what changes")
    _check_corpus(given)
    if given.machine and len(given.machine) > 1:
        raise UsageError("--machine: expected one, a measurement is of one computer")


def _check_versions(given: Namespace) -> None:
    """Two versions are measured at one point, and have no figure of their own to hold."""
    option = "--change" if given.change else "--compare-with"
    without = {
        "--sweep": given.sweep, "--within": given.within, "--model": given.model,
        "--cores": _several_cores(given),
    }  # fmt: skip
    for other, value in without.items():
        if value is not None:
            raise UsageError(f"{option}: does not go with {other}")
    if given.levels is not None and "," in given.levels:
        raise UsageError(f"{option}: --sizes expected one level")
    if given.format == "html":
        raise UsageError(f"{option}: --format expected text or json")


def _check_corpus(given: Namespace) -> None:
    if not given.corpus:
        return
    alone = {
        "a FILE": given.paths, "--sweep": given.sweep,
        "--setup": given.setup, "--keep": given.keep, "--dry-run": given.dry_run,
        "--within": given.within, "--cores": _several_cores(given),
    }  # fmt: skip
    for name in (name for name, value in alone.items() if value):
        raise UsageError(f"--corpus: does not go with {name}")
    for folder in given.corpus:
        if not os.path.isdir(folder):
            raise UsageError(f"--corpus {folder}: no such folder")


def _several_cores(given: Namespace) -> tuple[int, ...] | None:
    return None if given.cores == (1,) else given.cores


def _core_counts(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) > 0 for part in parts):
        raise ArgumentTypeError(f"'{text}', expected numbers above 0 such as 1,2,4")
    return tuple(sorted({int(part) for part in parts}))


def _seconds(text: str) -> float:
    return _above(text, 0.0, "seconds above 0")


def _factor(text: str) -> float:
    return _above(text, 1.0, "a factor above 1")


def _above(text: str, least: float, expected: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = least
    if not least < value < float("inf"):
        raise ArgumentTypeError(f"'{text}', expected {expected}")
    return value
