"""Machine files of topologies that other tools wrote: ``import_topology``."""

from collections.abc import Sequence
from pathlib import Path

from rooflint.errors import ConfigurationError
from rooflint.machine.catalogue import find_machine, same_core
from rooflint.machine.identity import MatchKind, identify, machine_patterns
from rooflint.machine.imported import ImportedMachine, check_imported
from rooflint.machine.model import Machine
from rooflint.machine.topology.convert import topology_keys
from rooflint.machine.topology.hwloc import is_hwloc, read_hwloc
from rooflint.machine.topology.likwid import is_likwid, read_likwid
from rooflint.machine.topology.model import StatedTopology
from rooflint.machine.write import machine_text

__all__ = ["import_topology", "is_topology"]

GENERIC = {"x86_64": "generic-avx2", "aarch64": "generic-aarch64"}


def is_topology(text: str) -> bool:
    """Whether a file is hwloc's XML or has likwid-topology's tables."""
    return is_hwloc(text) or is_likwid(text)


def import_topology(path: Path, text: str, name: str, dirs: Sequence[Path]) -> ImportedMachine:
    """The topology in ``text`` as a machine file called ``name``.

    Core, links and memory are those of the machine in ``dirs`` that the processor's numbers name,
    else of a generic one. Raises ConfigurationError where the file states no possible machine.
    """
    read = read_hwloc if is_hwloc(text) else read_likwid
    topology = read(text, str(path))
    if not topology.caches:
        raise ConfigurationError("expected caches", str(path))
    parent, how = _nearest(topology, dirs, name)
    keys = topology_keys(topology, name, path.name, parent)
    losses = (
        f"core, ports, latencies, links and bandwidths are those of {parent.name} ({how});"
        " 'rooflint machine probe' measures them",
        *(() if topology.clock_ghz else (f"clock: that of {parent.name}",)),
    )
    title = f"Read from {topology.tool}'s {path.name} by 'rooflint machine import'."
    written = machine_text(keys, (title, *losses))
    check_imported(written, name, dirs, source=path)
    return ImportedMachine(written, losses)


def _nearest(topology: StatedTopology, dirs: Sequence[Path], name: str) -> tuple[Machine, str]:
    by_core = same_core(topology.core or None, dirs, name)
    if by_core is not None:
        return by_core, "the same core by its name"
    found = identify(topology.processor, machine_patterns(dirs))
    numbered = topology.processor.model is not None or topology.processor.part is not None
    if numbered and found.machines and found.match is not MatchKind.AMBIGUOUS:
        return find_machine(found.machines[0], dirs), found.match.value
    arch = topology.processor.arch
    return find_machine(GENERIC[arch.value if arch else "x86_64"], dirs), "generic"
