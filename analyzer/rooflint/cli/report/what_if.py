"""``--what-if``: what a page's sliders show is the run again, once for each of their stops."""

from argparse import ArgumentTypeError
from collections.abc import Sequence

from rooflint.cli.arguments import comma_list, positive
from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.progress import collect
from rooflint.errors import UsageError
from rooflint.lint import lint_file
from rooflint.pipeline import Analysis, Options
from rooflint.pipeline.measured.run_report import run_report
from rooflint.pipeline.trials.what_if import VariedQuantity, with_what_if
from rooflint.plugin_api.report import Report
from rooflint.records import NamedTuple
from rooflint.registry import Registry
from rooflint.scenario.sizes import canonical

PAGE = "html"


class VariedRun(NamedTuple):
    """A report with runs at other values; ``interruption``: what cut them short, else FINE."""

    report: Report
    interruption: ExitCode


class _InterruptedError(Exception):
    """A run that a signal ended."""

    def __init__(self, code: ExitCode) -> None:
        super().__init__(code)
        self.code = code


def quantities(words: Sequence[str], output_format: str) -> list[VariedQuantity]:
    """The sizes or cores that ``--what-if`` names.

    Raises UsageError for a format without sliders.
    """
    if words and output_format != PAGE:
        raise UsageError(f"--what-if: only a page has sliders; give --format {PAGE}")
    return list(map(_quantity, words))


def _quantity(text: str) -> VariedQuantity:
    """A size or ``cores``, with or without values: ``nx`` or ``nx=15,30,60``."""
    name, separator, listed = text.rpartition("=") if "=" in text else (text, "", "")
    values = comma_list(listed)
    if not canonical(name) or (separator and not values):
        raise UsageError(f"--what-if {text}: expected NAME or NAME=VALUE,VALUE,...")
    try:
        return VariedQuantity(canonical(name), tuple(map(positive, values)))
    except ArgumentTypeError as error:
        raise UsageError(f"--what-if {text}: {error}") from None


def varied_run(
    report: Report,
    varied: Sequence[VariedQuantity],
    options: Options,
    registry: Registry,
    sources: Sequence[str],
) -> VariedRun:
    """The report with a run for each value; as it was where a signal comes.

    Raises UsageError for a size that no loop has, or cores that a machine does not have.
    """

    def run(changed: Options) -> Report:
        analysis = Analysis(changed, registry, lint_file)
        code = collect(analysis, sources)
        if code is not ExitCode.FINE:
            raise _InterruptedError(code)
        if analysis.problems:
            raise UsageError(f"--what-if: {analysis.problems[0]}")
        return run_report(analysis).report

    try:
        return VariedRun(with_what_if(report, varied, options, run), ExitCode.FINE)
    except _InterruptedError as request:
        return VariedRun(report, request.code)
