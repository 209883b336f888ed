"""Times, volumes and rates as people read them, the same in every report."""

from collections.abc import Sequence

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def format_duration(seconds: float) -> str:
    """``0.268 s``, ``980 µs``."""
    return _scaled(seconds, _TIMES) if seconds else "0 s"


def format_volume(volume_bytes: float) -> str:
    """``12.6 MB``, in decimal units as channels are rated."""
    return _scaled(volume_bytes, _BYTES) if volume_bytes else "0 B"


def format_rate(op_s: float) -> str:
    """Performance in GOP/s, below one in MOP/s."""
    return f"{op_s / 1e9:.4g} GOP/s" if op_s >= 1e9 else f"{op_s / 1e6:.4g} MOP/s"


def _scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    scale, unit = next((each for each in units if abs(value) >= each[0]), units[-1])
    return f"{value / scale:.3g} {unit}"
