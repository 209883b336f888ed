"""Parts of the commands that report predictions: loops to show, and commands to go on with."""

from collections.abc import Iterable
from functools import partial

from rooflint.startup import CHILD_SECTION, COMMAND_SECTION, load_command


def load_modules(models: Iterable[str]) -> None:
    """Loads at once what ``analyze`` needs for any file, these models included."""
    needed = partial(_import, models)
    load_command("analyze", {COMMAND_SECTION: needed, CHILD_SECTION: import_in_child})


def import_in_child() -> object:
    """Imports what a child of ``analyze`` or ``lint`` needs for any file with a loop."""
    from rooflint.lint import files
    from rooflint.pipeline.stages import child_modules

    return files, child_modules


def _import(models: Iterable[str]) -> object:
    from rooflint.cli import progress
    from rooflint.cli.report import rerun, selection
    from rooflint.pipeline.measured import run_report
    from rooflint.registry import load_registry, with_requested
    from rooflint.render.ranked import report

    return progress, rerun, selection, run_report, report, with_requested(load_registry(), models)
