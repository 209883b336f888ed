"""Which core a processor has, from the numbers that it gives itself in ``/proc/cpuinfo``.

Compilers know this too, but one older than the processor names the core before it.
"""

from collections.abc import Mapping

STEPPING_OF_CASCADE_LAKE = 5

_INTEL = {
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
_ARM = {
    **{(0x41, 0xD0C): "neoverse-n1", (0x41, 0xD40): "neoverse-v1", (0x41, 0xD49): "neoverse-n2"},
    **{(0x41, 0xD4F): "neoverse-v2", (0x46, 0x001): "a64fx"},
}


def core_name(fields: Mapping[str, str]) -> str | None:
    """LLVM's name for the core, from the first processor's fields; None for one not listed.

    Numbers: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 4, table 2-1; AMD
    revision guides; Arm's MIDR_EL1 implementers and part numbers.
    """
    vendor = fields.get("vendor_id", "")
    if vendor == "GenuineIntel":
        return _intel_core(fields)
    if vendor == "AuthenticAMD":
        family, model = _number(fields.get("cpu family")), _number(fields.get("model"))
        return next((name for f, models, name in _AMD if f == family and model in models), None)
    return _ARM.get((_number(fields.get("CPU implementer")), _number(fields.get("CPU part"))))


def _intel_core(fields: Mapping[str, str]) -> str | None:
    model = _number(fields.get("model"))
    if _number(fields.get("cpu family")) != 6:
        return None
    if model == _SKYLAKE_SP:
        is_older = _number(fields.get("stepping")) < STEPPING_OF_CASCADE_LAKE
        return "skylake-avx512" if is_older else "cascadelake"
    return _INTEL.get(model)


def _number(text: str | None) -> int:
    try:
        return int(text or "", 0)
    except ValueError:
        return -1
