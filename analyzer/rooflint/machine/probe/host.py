"""A machine file of this computer: ``probe_host``."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rooflint.machine.catalogue import same_core
from rooflint.machine.describe import check
from rooflint.machine.model import Machine
from rooflint.machine.probe.compiler import build
from rooflint.machine.probe.convert import describe_host
from rooflint.machine.probe.measure import ROUNDS_S, HostFigures, measure
from rooflint.machine.probe.topology import read_topology
from rooflint.machine.write import machine_text
from rooflint.records import NamedTuple


class ProbeResult(NamedTuple):
    """The text of a machine file, remarks on it, and figures that cannot be right.

    ``doubtful`` are those whose own measurement was disturbed.
    """

    text: str
    remarks: tuple[str, ...]
    doubts: tuple[str, ...]
    doubtful: tuple[str, ...] = ()


def probe_host(
    name: str,
    tell: Callable[[str], None],
    compiler: str | None = None,
    dirs: Sequence[Path] = (),
    seconds: float = ROUNDS_S,
) -> ProbeResult:
    """This computer as a machine file called ``name``; ``tell`` gets a line before each step.

    ``seconds``: how long rounds go on while figures have not settled. Instructions are those of
    the machine in ``dirs`` with the same core, by the compiler's name for it. Raises UsageError
    where there is no Linux kernel or no working compiler.
    """
    topology = read_topology()
    with tempfile.TemporaryDirectory(prefix="rooflint-probe-") as folder:
        built = build(Path(folder), compiler)
        tell(f"benchmarks built with {built.compiler}")
        figures = measure(built.program, topology, tell, seconds)
    cpu = topology.core or built.cpu
    parent = same_core(cpu, dirs, name)
    if parent is not None and not _same_width(parent, figures):
        parent = None
    built = built._replace(cpu=cpu)
    keys, remarks, doubtful = describe_host(name, topology, figures, built, parent)
    if parent is not None:
        remarks = (*remarks, f"Ports, instructions and links between caches are {parent.name}'s.")
    else:
        remarks = (*remarks, f"No shipped machine has this core ({built.cpu}): no instructions.")
    title = "Measured by 'rooflint machine probe'."
    text = machine_text(keys, (title, *remarks))
    doubts = _doubts(text, name, dirs)
    return ProbeResult(text=text, remarks=remarks, doubts=doubts, doubtful=doubtful)


def _doubts(text: str, name: str, dirs: Sequence[Path]) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.yaml"
        file.write_text(text, encoding="utf-8")
        return tuple(check(file, dirs, file.name))


def _same_width(parent: Machine, figures: HostFigures) -> bool:
    """Whether the benchmark used registers as wide as the machine's; those of SVE it does not."""
    simd = parent.simd
    return simd is None or simd.isa.startswith("sve") or simd.register_bytes == figures.vector_bytes
