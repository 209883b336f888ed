"""Options of ``rooflint sizes``."""

import sys
from argparse import Namespace
from typing import Final

from rooflint.cli.arguments import Parser
from rooflint.cli.options import add_limits, add_sizes
from rooflint.errors import UsageError, near_miss

PROGRAM: Final = "rooflint sizes"
FORMATS: Final = ("text", "json")
DESCRIPTION: Final = """Names the sizes that the source leaves open and that decide where the time
goes, at most three at a time: the value that is guessed, its usual range, how much of the time
moves within that, where the size comes from, and the loops that rest on it. --write asks for their
values, or takes those of -D, and writes them into [sizes] of the nearest rooflint.toml.
"""
EPILOG: Final = """examples:
  rooflint sizes src/
  rooflint sizes src/ --write
  rooflint sizes src/ --write --scenario small -D nx=30 -D 'Grid::levels=4'
"""


def build_parser() -> Parser:
    """The options of the command."""
    parser = Parser(PROGRAM, DESCRIPTION, EPILOG)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files, folders, or a compile_commands.json")
    add_sizes(parser)
    add("--write", action="store_true",
        help="ask for the sizes, or take those of -D, and configure them")  # fmt: skip
    add("--format", default="text", metavar="NAME", help="text (default) or json")
    add("-o", dest="output", metavar="FILE", help="write the report to FILE instead of stdout")
    add_limits(parser)
    return parser


def check(given: Namespace) -> None:
    """Raises UsageError for arguments that do not go together."""
    if not given.paths:
        raise UsageError(f"no PATH given; see '{PROGRAM} --help'")
    if given.format not in FORMATS:
        hint = near_miss(given.format, FORMATS)
        raise UsageError(f"--format: unknown format '{given.format}', expected text or json{hint}")
    if given.write and (given.output is not None or given.format != FORMATS[0]):
        raise UsageError("--write: goes without -o and --format; it changes the configuration")
    if given.write and not given.sizes and not sys.stdin.isatty():
        raise UsageError("--write: stdin is no terminal to ask on; give the sizes: -D NAME=NUMBER")
