"""Which core a processor has, from the numbers that it gives itself in ``/proc/cpuinfo``.

Compilers know this too, but one older than the processor names the core before it.
"""

from collections.abc import Mapping
from typing import Final

from rooflint.machine.identity import ProcessorNumbers

STEPPING_OF_CASCADE_LAKE = 5

_INTEL: Final[Mapping[int | None, str]] = {
    **{45: "sandybridge", 62: "ivybridge", 63: "haswell", 79: "broadwell", 86: "broadwell"},
    **{106: "icelake-server", 108: "icelake-server"},
    # Emerald Rapids has the core of Sapphire Rapids
    **{143: "sapphirerapids", 207: "sapphirerapids"},
}
_SKYLAKE_SP = 85
_AMD = (
    (23, range(0x30, 0x100), "znver2"),
    (25, range(0x10, 0x20), "znver4"),
    (25, range(0x60, 0x80), "znver4"),
    (25, range(0xA0, 0xB0), "znver4"),
    (25, range(0x100), "znver3"),
    (26, range(0x100), "znver5"),
)
_ARM: Final[Mapping[tuple[int | None, int | None], str]] = {
    **{(0x41, 0xD0C): "neoverse-n1", (0x41, 0xD40): "neoverse-v1", (0x41, 0xD49): "neoverse-n2"},
    **{(0x41, 0xD4F): "neoverse-v2", (0x46, 0x001): "a64fx"},
}


def core_name(processor: ProcessorNumbers) -> str | None:
    """LLVM's name for the core; None for one not listed.

    Numbers: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 4, table 2-1; AMD
    revision guides; Arm's MIDR_EL1 implementers and part numbers.
    """
    if processor.vendor == "GenuineIntel":
        return _intel_core(processor)
    if processor.vendor == "AuthenticAMD":
        family, model = processor.family, processor.model
        return next((name for f, models, name in _AMD if f == family and model in models), None)
    return _ARM.get((processor.implementer, processor.part))


def _intel_core(processor: ProcessorNumbers) -> str | None:
    if processor.family != 6:
        return None
    if processor.model == _SKYLAKE_SP:
        is_older = (processor.stepping or 0) < STEPPING_OF_CASCADE_LAKE
        return "skylake-avx512" if is_older else "cascadelake"
    return _INTEL.get(processor.model)
