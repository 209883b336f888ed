"""``rooflint sizes PATH...``: a run loads the analysis once its options are understood."""

from collections.abc import Sequence

from rooflint.cli.arguments import split_flags
from rooflint.cli.sizes.options import build_parser, check


def sizes(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    check(given)
    from rooflint.cli.sizes.run import run_sizes

    return run_sizes(given, flags)
