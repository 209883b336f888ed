"""The numbers that a processor gives itself: ``/proc/cpuinfo``, or what the system says of it."""

import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rooflint.machine.identity.patterns import ProcessorArchitecture
from rooflint.records import NamedTuple

APPLE: Final = 0x61
"""Apple's implementer number in MIDR_EL1; macOS runs on no other AArch64 processor."""
_ARCHITECTURES: Final = {
    **dict.fromkeys(("x86_64", "amd64"), ProcessorArchitecture.X86_64),
    **dict.fromkeys(("aarch64", "arm64"), ProcessorArchitecture.AARCH64),
}


class ProcessorNumbers(NamedTuple):
    """A processor: CPUID's numbers on x86, MIDR_EL1's on Arm; None where the system hides one.

    ``arch`` is None for an architecture that no machine file describes. ``brand`` is the name that
    the processor gives itself, for people and for telling products with the same core apart.
    ``features`` are the instruction sets that the system offers; empty where it names none.
    """

    arch: ProcessorArchitecture | None
    vendor: str = ""
    family: int | None = None
    model: int | None = None
    stepping: int | None = None
    implementer: int | None = None
    part: int | None = None
    brand: str = ""
    features: frozenset[str] = frozenset()


def read_processor(root: Path = Path("/")) -> ProcessorNumbers:
    """The first processor of this computer; ``proc`` is looked for below ``root``.

    Without ``proc`` only the architecture is known, and on macOS the implementer.
    """
    found = processor_numbers(cpuinfo_fields(root / "proc/cpuinfo"), platform.machine())
    if sys.platform == "darwin" and found.arch is ProcessorArchitecture.AARCH64:
        return found._replace(implementer=APPLE)
    return found


def processor_numbers(fields: Mapping[str, str], machine: str = "") -> ProcessorNumbers:
    """From the fields of ``/proc/cpuinfo`` and the system's name of the architecture."""
    return ProcessorNumbers(
        arch=_ARCHITECTURES.get(machine.lower()),
        vendor=fields.get("vendor_id", ""),
        family=_number(fields.get("cpu family")),
        model=_number(fields.get("model")),
        stepping=_number(fields.get("stepping")),
        implementer=_number(fields.get("CPU implementer")),
        part=_number(fields.get("CPU part")),
        brand=fields.get("model name", ""),
        features=frozenset(fields.get("flags", fields.get("Features", "")).split()),
    )


def cpuinfo_fields(path: Path) -> dict[str, str]:
    """``name: value`` lines up to the first empty one; none where the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return {}
    fields = {}
    for line in text.splitlines():
        if not line.strip():
            break
        key, _, value = line.partition(":")
        fields[key.strip()] = value.strip()
    return fields


def _number(text: str | None) -> int | None:
    try:
        return int(text or "", 0)
    except ValueError:
        return None
