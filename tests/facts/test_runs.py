"""How far a stream walks in a row."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.facts.streams import run_bytes

LINE = 64


def run(build: ModuleType, row: int, trips: tuple[float, ...], side_by_side: float) -> float | None:
    """Of ``a[j][i]`` with rows of ``row`` doubles; the loop over j is the inner one."""
    a = build.array("a", "f64", "n", "m")
    nest = build.loop("i", 0, "m", build.loop("j", 0, "n", a["j", "i"].set(a["j", "i"] + 1.0)))
    (stream,) = facts_of(build.function("f", [a], nest))[-1].streams
    return run_bytes(stream, trips, {"n": 9, "m": row}, 2 * LINE - 8, side_by_side)


@pytest.mark.parametrize(
    ("row", "bytes_in_a_row"),
    [
        # steps of 120 B leave out less than a line, those of 128 B a whole one
        (15, 99 * 120 + 8 + 8),
        (16, 8),
    ],
)
def test_steps_below_two_lines_are_a_run(build: ModuleType, row: int, bytes_in_a_row: int) -> None:
    assert run(build, row, (2, 100), 1) == bytes_in_a_row


@pytest.mark.parametrize(("rows", "bytes_in_a_row"), [(16, 8 * 500), (17, 8)])
def test_a_few_rows_side_by_side_are_runs(
    build: ModuleType, rows: int, bytes_in_a_row: int
) -> None:
    assert run(build, 500, (500, rows), 16) == bytes_in_a_row


def test_nothing_is_said_of_unknown_steps(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", "m")
    nest = build.loop("j", 0, "n", a["j", 0].set(a["j", 0] + 1.0))
    (stream,) = facts_of(build.function("f", [a], nest))[-1].streams
    assert run_bytes(stream, (9,), {"n": 9}, LINE, 16) is None
