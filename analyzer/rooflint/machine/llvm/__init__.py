"""Operations of LLVM's scheduling models in machine files: ``import_llvm_model``.

They come from ``llvm-mca --json -instruction-tables``. Each code region of its input is one
instruction and has the name of the operation that it stands for, such as ``add.f64.simd``.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from rooflint.errors import ConfigurationError, UsageError
from rooflint.machine.catalogue import find_machine, same_core
from rooflint.machine.imported import ImportedMachine, check_imported
from rooflint.machine.llvm.convert import dropped_operations, lent, llvm_keys
from rooflint.machine.llvm.operations import OperationReader
from rooflint.machine.llvm.tables import LlvmTables
from rooflint.machine.model import Machine
from rooflint.machine.write import machine_text

__all__ = ["import_llvm_model", "is_llvm_model"]


def is_llvm_model(text: str) -> bool:
    """Whether a file is JSON of llvm-mca."""
    return text.lstrip().startswith("{") and '"CodeRegions"' in text


def import_llvm_model(
    path: Path, text: str, name: str, base: str | None, dirs: Sequence[Path]
) -> ImportedMachine:
    """The operations in ``text`` as a machine file called ``name``.

    All else is that of ``base``, without one of the machine in ``dirs`` with the same core. Raises
    ConfigurationError for what are no tables of operations, UsageError where there is no base.
    """
    tables = _read(path, text)
    parent = _parent(tables, base, name, dirs)
    _check_arch(path, tables, parent)
    reader = OperationReader(path, tables.target.units)
    for region in tables.regions:
        reader.add(region)
    if not reader.operations:
        raise ConfigurationError("no region has an instruction that occupies a unit", str(path))
    losses = (*reader.losses, *dropped_operations(reader.operations, parent), lent(parent))
    keys = llvm_keys(tables.target.cpu, reader.operations, name, path.name, parent)
    title = f"Read from llvm-mca's {path.name} by 'rooflint machine import'."
    written = machine_text(keys, (title, *losses))
    check_imported(written, name, dirs, source=path)
    return ImportedMachine(written, losses)


def _read(path: Path, text: str) -> LlvmTables:
    try:
        tables = msgspec.json.decode(text, type=LlvmTables)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ConfigurationError(f"no tables of llvm-mca: {error}", str(path)) from None
    if any(region.summary is not None for region in tables.regions):
        reason = "a simulation, expected tables: run llvm-mca with --json -instruction-tables"
        raise ConfigurationError(reason, str(path))
    return tables


def _parent(tables: LlvmTables, base: str | None, name: str, dirs: Sequence[Path]) -> Machine:
    if base is not None:
        return find_machine(base, dirs)
    parent = same_core(tables.target.cpu, dirs, name)
    if parent is None:
        raise UsageError(
            f"machine import: no machine file has the core '{tables.target.cpu}'; name the machine"
            " that lends caches and memory with --base NAME"
        )
    return parent


def _check_arch(path: Path, tables: LlvmTables, parent: Machine) -> None:
    triple = parent.tools.triple if parent.tools else None
    arch, other = tables.parameters.arch.replace("-", "_"), (triple or "").partition("-")[0]
    if arch and other and arch != other:
        reason = f"instructions of {arch}, but {parent.name} is {other}"
        raise ConfigurationError(reason, str(path))
