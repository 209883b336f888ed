"""``rooflint new-plugin NAME``: a package with a model, a rule, a format and a machine."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rooflint.cli.arguments import Parser
from rooflint.cli.exit_codes import ExitCode
from rooflint.errors import UsageError

DESCRIPTION = """Writes the folder rooflint-NAME: a small package with a model, a rule, an output
format, a machine file and tests. Once it is installed beside Rooflint, its parts appear in
reports, hovers, the lint and the list of machines.
"""


def new_plugin(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    given = build_parser().parse(arguments)
    if len(given.paths) != 1:
        raise UsageError(f"new-plugin: expected one NAME, got {len(given.paths)}")
    from rooflint.cli.new_plugin.files import plugin_files, plugin_names, write_files

    names = plugin_names(given.paths[0])
    folder = Path(names.distribution)
    write_files(folder, plugin_files(names))
    sys.stdout.write(
        f"Wrote    {folder}\n"
        f"Next     pip install -e {folder}\n"
        f"Next     rooflint analyze FILE.c --machine {names.name}-node\n"
        f"Next     rooflint lint FILE.c --select {names.prefix} --preview\n"
    )
    return ExitCode.FINE


def build_parser() -> Parser:
    """The options of the command."""
    parser = Parser("rooflint new-plugin", DESCRIPTION)
    about = "lower-case letters, digits and hyphens, such as acme"
    parser.add_argument("paths", nargs="*", metavar="NAME", help=about)
    return parser
