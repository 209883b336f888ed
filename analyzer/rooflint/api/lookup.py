"""Machines by the names people use."""

import os

from rooflint.machine import Machine, MachineEntry, builtin_dir, list_machines
from rooflint.pipeline import machine_named
from rooflint.registry import load_registry


def machines() -> tuple[MachineEntry, ...]:
    """Every machine file that is installed, those of plugins included."""
    return list_machines((builtin_dir(), *load_registry().machine_dirs))


def load_machine(name: str | os.PathLike[str]) -> Machine:
    """A machine by name, alias or file, with all its figures.

    Raises UsageError for an unknown name, ConfigurationError for a file that is not valid.
    """
    return machine_named(os.fspath(name), (builtin_dir(), *load_registry().machine_dirs))
