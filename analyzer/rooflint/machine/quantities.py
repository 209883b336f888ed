"""Bytes, seconds and rates as people read them, written the same way by every report."""

from collections.abc import Sequence
from typing import Final

_TIMES: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BINARY: Final = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
_DECIMAL: Final = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def format_duration(seconds: float) -> str:
    """``1.07 ms``, ``84 ns``, ``0 s``."""
    return _scaled(seconds, _TIMES) if seconds else "0 s"


def format_bytes(count: float) -> str:
    """Bytes in powers of 1024, as capacities are given: ``96 KiB``, ``8 B``."""
    return _scaled(count, _BINARY)


def format_volume(count: float) -> str:
    """Bytes in powers of 1000, as transfers are given: ``12.6 MB``."""
    return _scaled(count, _DECIMAL)


def format_rate(op_s: float) -> str:
    """Performance in GOP/s, below one in MOP/s."""
    return f"{op_s / 1e9:.4g} GOP/s" if op_s >= 1e9 else f"{op_s / 1e6:.4g} MOP/s"


def _scaled(value: float, units: Sequence[tuple[float, str]]) -> str:
    """Three digits in the largest unit that the value reaches, else in the smallest."""
    scale, unit = next((each for each in units if abs(value) >= each[0]), units[-1])
    number = value / scale
    # 1000 KiB are no 1e+03 KiB
    return f"{number:.0f} {unit}" if abs(number) >= 999.5 else f"{number:.3g} {unit}"
