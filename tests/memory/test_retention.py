"""What is left in a cache after a walk when a later one comes the same way, or back."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import SubnestFootprints

LINE = 64
DOUBLES = 8
"""In a line."""


def walked(build: ModuleType, lines: int, between: int, back: bool) -> Function:
    """A sum over ``lines`` of x, one over lines of y, and the sum over x again or backwards."""
    n, m = DOUBLES * lines, DOUBLES * between
    x, y = build.array("x", "f64", n), build.array("y", "f64", max(m, 1))
    s, t, u = (
        build.assign(v, build.carried(v) + a["i"]) for v, a in zip("stu", (x, y, x), strict=True)
    )
    middle = [build.loop("i", 0, m, t)] if between else []
    again = build.loop("i", n - 1, -1, u, step=-1) if back else build.loop("i", 0, n, u)
    return build.function("f", [x, y], build.loop("i", 0, n, s), *middle, again)


@pytest.mark.parametrize(
    ("lines", "between", "misses"),
    [
        # of 128 lines the last 128 of x are left: a walk back misses the other 64
        (192, 0, 64),
        # y takes 32 of them, and 96 of x's 160 are left: 64 missed
        (160, 32, 64),
        # 127 of y leave one line of x, 128 none
        (60, 127, 59),
        (60, 128, 60),
        (60, 129, 60),
        # all that lies in between fits, or is one line too much
        (96, 32, 0),
        (97, 32, 1),
    ],
)
def test_a_walk_back_finds_what_came_last(
    build: ModuleType, lines: int, between: int, misses: int
) -> None:
    function = walked(build, lines, between, back=True)
    arrays = {array.name: array for array in function.arrays}
    rows = Reuse(SubnestFootprints(arrays, {}, LINE)).misses(
        facts_of(function), CacheGeometry(1, 128)
    )
    assert rows[0]["x"].load == pytest.approx(lines)
    assert rows[-1]["x"].load == pytest.approx(misses, abs=1e-6)


@pytest.mark.parametrize(("lines", "between", "misses"), [(96, 32, 0), (97, 32, 97), (192, 0, 192)])
def test_the_same_way_again_finds_all_or_nothing(
    build: ModuleType, lines: int, between: int, misses: int
) -> None:
    function = walked(build, lines, between, back=False)
    arrays = {array.name: array for array in function.arrays}
    rows = Reuse(SubnestFootprints(arrays, {}, LINE)).misses(
        facts_of(function), CacheGeometry(1, 128)
    )
    assert rows[-1]["x"].load == pytest.approx(misses, abs=1e-6)
