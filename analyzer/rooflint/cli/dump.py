"""``rooflint dump PATH...``: the loops as the analysis sees them, one fact a line."""

import sys
from collections.abc import Sequence

from rooflint.cli.arguments import Parser, split_flags
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.report.output import say
from rooflint.errors import UsageError
from rooflint.escaping import visible
from rooflint.pipeline import Options, find_sources
from rooflint.pipeline.front_end import printed_files

PROGRAM = "rooflint dump"


def build_parser() -> Parser:
    """The options of ``rooflint dump``."""
    parser = Parser(PROGRAM, "Prints loops, statements and accesses as the analysis sees them.")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("-p", dest="build_dir", metavar="BUILD_DIR")
    return parser


def dump(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    if not given.paths:
        raise UsageError("dump: no PATH given")
    found = find_sources(given.paths)
    say(PROGRAM, found.problems)
    options = Options(build_dir=given.build_dir or found.database, flags=tuple(flags))
    lost = found.lost or not found.sources
    for path, text, failure in printed_files(found.sources, options):
        lost = lost or bool(failure)
        sys.stdout.writelines(f"{visible(line)}\n" for line in text.split("\n")[:-1])
        if failure:
            say(PROGRAM, [f"{path}: not analysed: {failure}"])
    if found.unusable:
        return ExitCode.USAGE
    return ExitCode.LOST if lost else ExitCode.FINE
