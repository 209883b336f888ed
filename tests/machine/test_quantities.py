"""Bytes and seconds in the words of every report."""

import pytest
from rooflint.machine.quantities import format_bytes, format_duration, format_volume


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"), (0.268, "268 ms"), (1.0, "1 s"), (4321.0, "4321 s"), (9.8e-4, "980 µs"),
        (1.07e-3, "1.07 ms"), (8.4e-8, "84 ns"), (2.5e-10, "0.25 ns"), (-3e-6, "-3 µs"),
    ],
)  # fmt: skip
def test_times(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"), (8, "8 B"), (1000, "1000 B"), (1023, "1023 B"), (1024, "1 KiB"),
        (98304, "96 KiB"), (1008 * 1024, "1008 KiB"), (3 << 19, "1.5 MiB"), (1 << 40, "1024 GiB"),
    ],
)  # fmt: skip
def test_capacities(count: float, text: str) -> None:
    assert format_bytes(count) == text


def test_transfers() -> None:
    assert [format_volume(n) for n in (12.6e6, 999, 1e3)] == ["12.6 MB", "999 B", "1 kB"]
