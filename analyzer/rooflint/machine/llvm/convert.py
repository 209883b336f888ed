"""Operations of LLVM's model as a machine file that takes all else from another machine."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rooflint.machine.model import Machine
from rooflint.machine.parts import WIDTHS, CoreModel, CoreOperation, PortUse
from rooflint.machine.write import Value, six_digits

OF_THE_OTHER_CORE: Final = ("peak_gflop_s", "peak_gop_s", "ceilings")
"""Keys that rest on the operations of the machine that lends the rest."""


def _written(operation: CoreOperation) -> dict[str, Value]:
    """The keys of an operation; one micro-operation goes without saying."""
    keys: dict[str, Value] = {}
    if operation.latency_cy is not None:
        keys["latency_cy"] = six_digits(operation.latency_cy)
    first, *others = operation.uses
    keys |= _use(first)
    if operation.uops != 1:
        keys["uops"] = operation.uops
    return keys | ({"also": [_use(use) for use in others]} if others else {})


def _use(use: PortUse) -> dict[str, Value]:
    return {"ports": list(use.ports), "cy": use.cy}


def llvm_keys(
    cpu: str, operations: Mapping[str, CoreOperation], name: str, file: str, parent: Machine
) -> dict[str, Value]:
    """The base's ports and operations go: what LLVM calls its units is not what the base does."""
    ports: dict[str, Value] = dict.fromkeys(parent.core.ports if parent.core else ())
    if "load" in operations:
        ports["load"] = list(operations["load"].ports)
    inherited: dict[str, Value] = dict.fromkeys(parent.core.operations if parent.core else ())
    written = {key: _written(operation) for key, operation in operations.items()}
    return {
        "schema": 1,
        "name": name,
        "extends": parent.name,
        "description": f"{parent.description}; operations by LLVM's model of {cpu}",
        "figures": "typical",
        "sources": {"core.operations": f"LLVM's scheduling model of {cpu}, by llvm-mca, {file}"},
        "tools": {"cpu": cpu, "osaca": None},
        **dict.fromkeys(OF_THE_OTHER_CORE),
        "core": {"ports": ports, "operations": inherited | written},
    }


def dropped_operations(operations: Mapping[str, CoreOperation], parent: Machine) -> Iterator[str]:
    """The operations of the base that the file does not have, by what takes their place."""
    if parent.core is None:
        return
    missing = [name for name in parent.core.operations if name not in operations]
    core = parent.core._replace(operations=operations)
    register_bytes = parent.simd.register_bytes if parent.simd else None
    general = [name for name in missing if _answered(core, name, register_bytes)]
    yield from _listed("priced as the operation of the file with a more general name", general)
    assumed = "no figure in the file, a similar operation or one issue cycle is assumed"
    yield from _listed(assumed, [name for name in missing if name not in general])


def _listed(words: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"{words}: {', '.join(names)}"


def _answered(core: CoreModel, name: str, register_bytes: int | None) -> bool:
    kind, *rest = name.split(".")
    width = next((word for word in rest if word in WIDTHS), "scalar")
    element = next((word for word in rest if word not in WIDTHS), "")
    digits = width.removeprefix("simd")
    width_bytes = int(digits) if digits.isdecimal() else register_bytes
    return core.operation(kind, element, None if width == "scalar" else width_bytes) is not None


def lent(parent: Machine) -> str:
    """Names the lender of all that no table of LLVM's states."""
    shared = "issue width, buffers, overlap, caches, memory, clock and cores"
    return f"{shared} are those of {parent.name}"
