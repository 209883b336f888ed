"""Parts of the commands that report predictions: loops to show, and commands to go on with."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from rooflint.startup import CHILD_SECTION, COMMAND_SECTION, load_command

if TYPE_CHECKING:
    from rooflint.pipeline.stages.analysts import WorkersOf

    Run: TypeAlias = Callable[[list[str], WorkersOf | None], int]
    """A command, with its arguments and who analyses its files."""


def load_modules(models: Iterable[str], run: "Run") -> None:
    """Loads at once what ``analyze``, which ``run`` is, needs for any file, and these models."""
    needed = partial(_import, models)
    sections: Mapping[str, Callable[[], object]] = {
        COMMAND_SECTION: needed,
        CHILD_SECTION: import_in_child,
    }
    load_command("analyze", sections, partial(_rehearse, run))


def _rehearse(run: "Run") -> None:
    from rooflint.cli.report.rehearsal import rehearse

    rehearse(run)


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
