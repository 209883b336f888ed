"""``rooflint measure FILE[:LINE]``: the one command that runs the code it reads."""

from collections.abc import Sequence

from rooflint.cli.arguments import split_flags
from rooflint.cli.measure.options import PROGRAM, build_parser
from rooflint.errors import UsageError


def measure(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    if given.corpus:
        from rooflint.cli.measure.corpus import run_corpus

        return run_corpus(given, flags)
    if len(given.paths) != 1:
        raise UsageError(
            f"expected one FILE[:LINE], got {len(given.paths)}; see '{PROGRAM} --help'"
        )
    from rooflint.cli.measure.run import run_measure

    return run_measure(given, flags)
