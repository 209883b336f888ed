"""``rooflint lint PATH...``: a run loads the analysis once its options are understood."""

from collections.abc import Sequence
from contextlib import ExitStack

from rooflint.cli.arguments import split_flags
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.lint.options import PROGRAM, build_parser
from rooflint.errors import UsageError


def lint(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    if not given.paths and given.hook:
        return ExitCode.FINE
    if not given.paths:
        raise UsageError(f"no PATH given; see '{PROGRAM} --help'")
    from rooflint.cli.lint.run import run_lint

    with ExitStack() as stack:
        return run_lint(given, flags, stack)
