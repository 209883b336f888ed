"""``identify`` of machine files: the processors that a file describes, and how well."""

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any, Final

from rooflint.errors import ConfigurationError
from rooflint.machine.document import YamlNode, header, read_text
from rooflint.machine.section import Section, choice
from rooflint.records import NamedTuple

MAX_NUMBER: Final = 2**16
"""CPUID and MIDR_EL1 have no field wider than 12 bits."""


class MatchKind(Enum):
    """How well a machine file describes a processor, best first."""

    EXACT = "exact"
    """The file is about this product."""
    CORE = "core"
    """The same core; clock, cores, caches behind it and bandwidth may differ."""
    NEAREST = "nearest"
    """Another core, the nearest that has a file."""
    GENERIC = "generic"
    """A machine of no make, with the instruction set of the processor."""
    AMBIGUOUS = "ambiguous"
    """Several files describe it equally well."""
    NONE = "none"
    """No file describes it."""


class ProcessorArchitecture(Enum):
    """Instruction sets that machine files can be identified by."""

    X86_64 = "x86_64"
    AARCH64 = "aarch64"


class ProcessorPattern(NamedTuple):
    """Processors that a machine file describes; an empty list or a missing key fits any.

    ``brand`` is a run of words in the processor's name that makes a match of the core an exact one.
    ``features`` are instruction sets that the system has to offer, by the names of Linux; where it
    names none, they are taken on trust.
    """

    match: MatchKind
    arch: ProcessorArchitecture
    vendor: str | None = None
    family: int | None = None
    models: tuple[int, ...] = ()
    steppings: tuple[int, ...] = ()
    brand: str | None = None
    implementers: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    features: tuple[str, ...] = ()


class MachinePatterns(NamedTuple):
    """A machine by name, with the processors that its file describes."""

    machine: str
    patterns: tuple[ProcessorPattern, ...]


_STATED: Final = (MatchKind.CORE, MatchKind.NEAREST, MatchKind.GENERIC)


def read_patterns(top: Section) -> tuple[ProcessorPattern, ...]:
    """The ``identify`` list of a file; empty when absent. Raises ConfigurationError."""
    return tuple([item.whole(_pattern) for item in top.sections("identify")])


def machine_patterns(dirs: Iterable[Path]) -> tuple[MachinePatterns, ...]:
    """Of every machine file in ``dirs`` that identifies processors, by name.

    The first folder that has a name wins; a broken file identifies nothing.
    """
    by_name: dict[str, MachinePatterns] = {}
    for folder in dirs:
        for file in sorted(folder.glob("*.y*ml")):
            try:
                read = _read(file)
            except ConfigurationError:
                continue
            by_name.setdefault(read.machine, read)
    return tuple([each for _, each in sorted(by_name.items()) if each.patterns])


def pattern_errors(file: Path, text: str | None = None) -> list[ConfigurationError]:
    """Errors in the ``identify`` of a machine file: at most one.

    ``text`` is what the file says where that is not what is on disk.
    """
    try:
        _read(file, text)
    except ConfigurationError as error:
        return [error]
    return []


def _read(file: Path, text: str | None = None) -> MachinePatterns:
    entries = header(read_text(file) if text is None else text, str(file), ("name", "identify"))
    top = Section(YamlNode(entries, str(file), 1), "")
    return MachinePatterns(machine=top.text("name"), patterns=read_patterns(top))


def _pattern(section: Section) -> ProcessorPattern:
    pattern = section.record(ProcessorPattern, _READERS)
    if pattern.match is not MatchKind.GENERIC:
        is_x86 = pattern.arch is ProcessorArchitecture.X86_64
        for key in ("vendor", "family", "models") if is_x86 else ("implementers", "parts"):
            section.required(key)
    return pattern


def _match(node: YamlNode, path: str) -> MatchKind:
    return MatchKind(choice(node, path, [kind.value for kind in _STATED]))


def _architecture(node: YamlNode, path: str) -> ProcessorArchitecture:
    return ProcessorArchitecture(choice(node, path, [each.value for each in ProcessorArchitecture]))


def _number(node: YamlNode, path: str) -> int:
    value = node.data
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_NUMBER:
        wanted = f"expected a whole number from 0 to {MAX_NUMBER - 1}, in decimal"
        raise node.error(f"{path}: {wanted}")
    return value


def _numbers(node: YamlNode, path: str) -> tuple[int, ...]:
    if not isinstance(node.data, list):
        raise node.error(f"{path}: expected a list of numbers")
    return tuple([_number(item, path) for item in node.data])


_READERS: Final[dict[object, Any]] = {
    MatchKind: _match,
    ProcessorArchitecture: _architecture,
    int: _number,
    tuple[int, ...]: _numbers,
}
