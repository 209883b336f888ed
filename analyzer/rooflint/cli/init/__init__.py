"""``rooflint init [DIR]``: writes a first configuration, and names the next command."""

from collections.abc import Sequence

from rooflint.cli.arguments import Parser

DESCRIPTION = """Looks for the build system and the compile database of a project and for the
machine file of this computer's processor, writes rooflint.toml, and names the next command. Asks
nothing, runs no build tool, and overwrites no configuration.
"""


def init(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    given = build_parser().parse(arguments)
    from rooflint.cli.init.run import run_init

    return run_init(given.paths)


def build_parser() -> Parser:
    """The options of the command."""
    parser = Parser("rooflint init", DESCRIPTION)
    about = "root of the project; default: the current folder"
    parser.add_argument("paths", nargs="*", metavar="DIR", help=about)
    return parser
