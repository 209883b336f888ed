"""``rooflint measure FILE[:LINE]``: the one command that runs the code it reads."""

from argparse import Namespace
from collections.abc import Sequence

from rooflint.cli.arguments import split_flags
from rooflint.cli.measure.options import PROGRAM, build_parser
from rooflint.errors import UsageError


def measure(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    mine, flags = split_flags(arguments)
    given = build_parser().parse(mine)
    if given.export_to is not None or given.import_from is not None:
        return _exchanged(given)
    if given.corpus:
        from rooflint.cli.measure.corpus import run_corpus

        return run_corpus(given, flags)
    if len(given.paths) != 1:
        raise UsageError(
            f"expected one FILE[:LINE], got {len(given.paths)}; see '{PROGRAM} --help'"
        )
    if given.change or given.compare_with:
        from rooflint.cli.measure.change import run_change

        return run_change(given, flags)
    from rooflint.cli.measure.run import run_measure

    return run_measure(given, flags)


def _exchanged(given: Namespace) -> int:
    if given.paths or None not in (given.export_to, given.import_from):
        raise UsageError("--export and --import stand alone: they run nothing")
    from rooflint.cli.measure.exchange import export_measurements, import_measurements

    if given.export_to is not None:
        return export_measurements(given.export_to)
    return import_measurements(given.import_from)
