"""Finding machines by name, alias or path."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rooflint.errors import ConfigurationError, UsageError, near_miss
from rooflint.machine.model import Machine
from rooflint.machine.packed import packed_machine
from rooflint.records import NamedTuple

DEFAULT = "generic-avx2"
"""The machine used when none is named; reports say that its figures are typical."""

_HEADER = ("name", "aliases", "description")


class MachineEntry(NamedTuple):
    """One machine file; ``problem`` says why its names could not be read."""

    name: str
    aliases: tuple[str, ...]
    description: str
    file: Path
    problem: str | None = None


def builtin_dir() -> Path:
    """The folder of the machines that come with the program.

    In a wheel beside the package's modules; in a checkout the ``machines`` folder of the tree.
    """
    packaged = Path(__file__).parents[1] / "machines"
    if packaged.is_dir():
        return packaged
    return Path(__file__).parents[3] / "machines"


def list_machines(dirs: Iterable[Path]) -> tuple[MachineEntry, ...]:
    """Every machine file in ``dirs``, folder by folder, by name; a broken file is one entry."""
    entries = []
    for folder in dirs:
        entries += [_entry(file) for file in sorted(_files(folder))]
    return tuple(entries)


def find_machine(name_or_path: str, dirs: Sequence[Path]) -> Machine:
    """The machine with this file path, name or alias; the first folder that has it wins.

    A path is what has a separator or ends in ``.yaml`` or ``.yml``. Raises UsageError for an
    unknown name and a missing file, ConfigurationError for a file that is not valid.
    """
    if "/" in name_or_path or "\\" in name_or_path or name_or_path.endswith((".yaml", ".yml")):
        path = Path(name_or_path).expanduser()
        if not path.is_file():
            raise UsageError(f"no machine file '{name_or_path}'; see 'rooflint machine list'")
        return _loaded(path, dirs)
    for folder in dirs:
        if (machine := _direct_machine(name_or_path, folder, dirs)) is not None:
            return machine
    entries = list_machines(dirs)
    file = next((e.file for e in entries if name_or_path in (e.name, *e.aliases)), None)
    if file is None:
        raise _unknown(name_or_path, entries)
    return _loaded(file, dirs)


def _direct_machine(name: str, folder: Path, dirs: Sequence[Path]) -> Machine | None:
    """The machine of ``NAME.yaml`` in a folder, which is tried before all others are read."""
    direct = folder / f"{name}.yaml"
    if not direct.is_file():
        return None
    packed = packed_machine(direct)
    if packed is not None:
        return packed if packed.name == name else None
    return _loaded(direct, dirs) if _entry(direct).name == name else None


def _loaded(file: Path, dirs: Sequence[Path]) -> Machine:
    from rooflint.machine.load import load_machine  # noqa: PLC0415 - not for packed machines

    return load_machine(file, dirs)


def _unknown(name: str, entries: Iterable[MachineEntry]) -> UsageError:
    wanted = name.casefold()
    names = {known.casefold(): known for e in entries for known in (e.name, *e.aliases)}
    hint = f"; did you mean '{names[wanted]}'?" if wanted in names else near_miss(wanted, names)
    return UsageError(f"unknown machine '{name}'{hint}; see 'rooflint machine list'")


def same_core(cpu: str | None, dirs: Sequence[Path], but: str = "") -> Machine | None:
    """The first machine with instruction tables for the core that llvm-mca calls ``cpu``.

    ``but`` is a name that does not count. A broken file counts as not there, and a machine with
    coprocessors has its core from another file.
    """
    if cpu is None:
        return None
    for entry in list_machines(dirs):
        if entry.problem is None and entry.name != but:
            try:
                machine = _loaded(entry.file, dirs)
            except ConfigurationError:
                continue
            if _describes_core(machine, cpu):
                return machine
    return None


def _describes_core(machine: Machine, cpu: str) -> bool:
    is_host = machine.coprocessors is None
    is_same = machine.tools is not None and machine.tools.cpu == cpu
    return is_host and is_same and machine.core is not None and bool(machine.core.operations)


def _files(folder: Path) -> list[Path]:
    return [file for end in ("*.yaml", "*.yml") for file in folder.glob(end)]


def _entry(file: Path) -> MachineEntry:
    from rooflint.machine.document import header, read_text  # noqa: PLC0415 - not for packed ones

    try:
        found = header(read_text(file), str(file), _HEADER)
    except ConfigurationError as error:
        return MachineEntry(
            name=file.stem, aliases=(), description="", file=file, problem=str(error)
        )
    name, description = (found[k].data if k in found else None for k in ("name", "description"))
    aliases = found["aliases"].data if "aliases" in found else []
    return MachineEntry(
        name=name if isinstance(name, str) else file.stem,
        aliases=tuple(str(a.data) for a in aliases) if isinstance(aliases, list) else (),
        description=description if isinstance(description, str) else "",
        file=file,
        problem=None if isinstance(name, str) else f"{file}: missing key 'name'",
    )
