"""What no change can be faster than, on figures made for it."""

from types import SimpleNamespace
from typing import Any

import pytest
from rooflint.pricing.floors import latency_cy

RECURRENCE_CY = 12.0
TRIPS = 10


def latency(*, width: int = 1, rob: int | None = 160, executions: float = 1e9) -> float:
    """Of a loop with 4 micro-ops a pass and 10 iterations."""
    code: Any = SimpleNamespace(
        recurrence_cy=RECURRENCE_CY,
        micro_ops=4 / width,
        vector=SimpleNamespace(width=width),
        waiting=SimpleNamespace(held=0),
    )
    space: Any = SimpleNamespace(trips=(100, TRIPS), executions=executions)
    machine: Any = SimpleNamespace(core=SimpleNamespace(buffers=SimpleNamespace(rob=rob)))
    return latency_cy(code, space, machine)


@pytest.mark.parametrize(
    ("width", "rob", "expected"),
    [
        # an execution has 40 micro-ops: four more of them fit while one waits
        (1, 160, RECURRENCE_CY / 5),
        # of half the micro-ops, eight more
        (2, 160, RECURRENCE_CY / 9),
        (1, 40, RECURRENCE_CY / 2),
        # of a buffer that nobody states any number may fit
        (1, None, 0.0),
    ],
)
def test_executions_wait_side_by_side_as_far_as_the_buffer_reaches(
    width: int, rob: int | None, expected: float
) -> None:
    assert latency(width=width, rob=rob) == pytest.approx(expected)


def test_one_execution_waits_in_full() -> None:
    assert latency(executions=TRIPS) == RECURRENCE_CY
    assert latency(executions=TRIPS + 1) < RECURRENCE_CY
