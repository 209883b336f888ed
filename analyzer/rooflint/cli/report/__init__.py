"""Parts of the commands that report predictions: loops to show, and commands to go on with."""

from collections.abc import Callable, Iterable
from functools import partial

from rooflint.startup import CHILD_SECTION, COMMAND_SECTION, QUESTION_SECTION, load_command


def load_modules(models: Iterable[str]) -> None:
    """Loads at once what ``analyze`` needs to tell whether it knows its output; later, and in
    children, what it needs for any file, these models included."""
    sections: dict[str, Callable[[], object]] = {
        QUESTION_SECTION: _import_question,
        COMMAND_SECTION: partial(_import, models),
        CHILD_SECTION: import_in_child,
    }
    load_command("analyze", sections)


def import_in_child() -> object:
    """Imports what a child of ``analyze`` or ``lint`` needs for any file with a loop."""
    from rooflint.lint import files
    from rooflint.pipeline.stages import child_modules

    return files, child_modules


def _import_question() -> object:
    from rooflint.cli.report import begun_run

    return begun_run


def _import(models: Iterable[str]) -> object:
    from rooflint.cli import progress
    from rooflint.cli.report import rerun, selection
    from rooflint.lint import lint_file
    from rooflint.pipeline.measured import run_report
    from rooflint.registry import load_registry, with_requested
    from rooflint.render.ranked import report

    return (
        progress,
        rerun,
        selection,
        lint_file,
        run_report,
        report,
        with_requested(load_registry(), models),
    )
