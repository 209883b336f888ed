"""The machine that a first configuration names."""

from rooflint.machine import DEFAULT, builtin_dir, find_machine
from rooflint.machine.identity import (
    Identification,
    MatchKind,
    ProcessorNumbers,
    identify,
    machine_patterns,
    read_processor,
)
from rooflint.records import NamedTuple
from rooflint.registry import load_registry


class MachineChoice(NamedTuple):
    """A machine for this computer; ``name`` is empty where no file describes its processor."""

    name: str
    processor: ProcessorNumbers
    found: Identification
    doubts: tuple[str, ...]


def choose_machine() -> MachineChoice:
    """The machine that describes this computer's processor; of several one that was measured."""
    dirs = (builtin_dir(), *load_registry().machine_dirs)
    processor = read_processor()
    found = identify(processor, machine_patterns(dirs))
    name = found.machines[0] if found.machines else ""
    if found.match is MatchKind.AMBIGUOUS:
        measured = (each for each in found.machines if find_machine(each, dirs).core is not None)
        name = next(measured, name)
    return MachineChoice(name=name, processor=processor, found=found, doubts=_doubts(found, name))


def _doubts(found: Identification, name: str) -> tuple[str, ...]:
    measure = "'rooflint machine probe -o mine.yaml' measures it, for 'machine'"
    match found.match:
        case MatchKind.EXACT:
            return ()
        case MatchKind.CORE:
            return (f"memory of {name} is not this computer's: {measure}",)
        case MatchKind.AMBIGUOUS:
            others = ", ".join(each for each in found.machines if each != name)
            return (f"{name} is one of several machines with this core, also {others}",)
        case MatchKind.NONE:
            return (f"reports use {DEFAULT}, which is not this computer: {measure}",)
        case _:
            return (f"{name} is not this computer: {measure}",)
