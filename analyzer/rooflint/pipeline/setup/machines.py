"""Machines by the names people use."""

import os
from collections.abc import Sequence
from pathlib import Path

from rooflint.errors import UsageError
from rooflint.machine import DEFAULT, Machine, builtin_dir, find_machine
from rooflint.plugin_api.report import DoubtfulFigure, MachineReport

DEFAULT_NOTE = (
    "the default, because no machine was named; 'rooflint init' names the one for this computer"
)
FIGURES_NOTE = {
    "typical": "its figures are typical of such machines, not measured on one",
    "datasheet": "its figures are from data sheets",
}


def machine_named(text: str, dirs: Sequence[Path]) -> Machine:
    """The machine called ``text``: a file, a name, an alias, or the name of a built-in's file.

    ``cell.yaml`` is the built-in cell unless there is such a file here. Raises UsageError for an
    unknown name, ConfigurationError for a file that is not valid.
    """
    stem, extension = os.path.splitext(text)
    is_file_name = extension in (".yaml", ".yml") and os.path.basename(text) == text
    if not is_file_name or os.path.isfile(text):
        return find_machine(text, dirs)
    try:
        return find_machine(stem, dirs)
    except UsageError as error:
        raise UsageError(f"{text} is no file here: {error}") from None


def machine_report(machine: Machine, chosen: bool) -> MachineReport:
    """The machine as reports name it; ``chosen`` when somebody asked for it."""
    notes = [] if chosen or machine.name != DEFAULT else [DEFAULT_NOTE]
    figures = FIGURES_NOTE.get(machine.figures)
    if figures:
        notes.append(figures)
    # a built-in's place depends on the installation, which must not change the output
    builtin = Path(machine.file).parent == builtin_dir()
    file = os.path.basename(machine.file) if builtin else machine.file
    return MachineReport(
        name=machine.name,
        file=file,
        note="; ".join(notes),
        doubtful=_doubtful(machine),
        cores=machine.cores_total,
        is_generic=machine.figures == "typical",
    )


def _doubtful(machine: Machine) -> tuple[DoubtfulFigure, ...]:
    found = [(path, machine.quality[path]) for path in machine.doubtful]
    return tuple([
        DoubtfulFigure(figure=path, rounds=each.rounds, spread=each.spread, clean=each.clean)
        for path, each in found
    ])  # fmt: skip
