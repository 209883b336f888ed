"""``rooflint lint PATH...``: a run loads the analysis once its options are understood."""

from collections.abc import Sequence
from contextlib import ExitStack

from rooflint.cli.arguments import split_flags
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.lint.options import PROGRAM, build_parser
from rooflint.errors import UsageError
from rooflint.startup import CHILD_SECTION, COMMAND_SECTION, load_command


def lint(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    if not given.paths and given.hook:
        return ExitCode.FINE
    if not given.paths:
        raise UsageError(f"no PATH given; see '{PROGRAM} --help'")
    load_command("lint", {COMMAND_SECTION: _import, CHILD_SECTION: _import_in_child})
    from rooflint.cli.lint.run import run_lint

    with ExitStack() as stack:
        return run_lint(given, flags, stack)


def _import() -> object:
    from rooflint.cli.analyze import ESTIMATORS
    from rooflint.cli.lint import run
    from rooflint.registry import load_registry, with_requested, with_rules
    from rooflint.render.findings import gcc

    return run, gcc, with_requested(with_rules(load_registry()), ESTIMATORS)


def _import_in_child() -> object:
    from rooflint.cli.report import import_in_child

    return import_in_child()
