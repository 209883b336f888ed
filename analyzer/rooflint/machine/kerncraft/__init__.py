"""Conversion of kerncraft's machine files: ``import_kerncraft``."""

from collections.abc import Sequence
from pathlib import Path

from rooflint.machine.catalogue import same_core
from rooflint.machine.imported import ImportedMachine, check_imported
from rooflint.machine.kerncraft.convert import convert, llvm_cpu
from rooflint.machine.kerncraft.read import read_kerncraft
from rooflint.machine.write import machine_text

__all__ = ["import_kerncraft"]


def import_kerncraft(
    path: Path, name: str | None = None, dirs: Sequence[Path] = ()
) -> ImportedMachine:
    """The kerncraft machine file at ``path`` as one of ours, called ``name``.

    Ports and instructions, which kerncraft's files do not have, are inherited from the machine in
    ``dirs`` whose ``tools.cpu`` is the file's ``-mcpu``. Raises ConfigurationError, one line with
    ``file:line``, for what is no kerncraft machine file or describes no possible machine.
    """
    source = read_kerncraft(path)
    name = name or _slug(path.stem)
    parent = same_core(llvm_cpu(source), dirs, name)
    keys, losses = convert(source, name, parent)
    title = f"Read from kerncraft's machine file {path.name} by 'rooflint machine import'."
    comments = (title, "Figures that this file leaves out:", *(f"  {loss}" for loss in losses))
    text = machine_text(keys, comments)
    check_imported(text, name, dirs, source=path, line=1)
    return ImportedMachine(text, losses)


def _slug(stem: str) -> str:
    """``stem`` in small letters, digits and points, with single hyphens for all else."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c == ".") else " " for c in stem.lower())
    return "-".join(plain.split()).strip("-.") or "imported"
