"""Sizes from the counts of loops: which loop tells a size, and how a mean is rounded."""

from types import ModuleType

import pytest
from msgspec import structs
from rooflint.facts import facts_of
from rooflint.ir import Function, Loop
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer, Sizes
from rooflint.scenario.values import CountedLoop


@pytest.mark.parametrize(
    ("executions", "iterations", "whole"),
    [
        (10, 100, 10),
        (10, 34, 3),
        (10, 35, 4),
        (10, 1, 1),
        (10, 0, 0),
        (0, 0, 0),
        (None, 50, 0),
    ],
)
def test_a_mean_as_a_size(executions: int | None, iterations: int, whole: int) -> None:
    assert CountedLoop(0, executions, iterations).whole_trips == whole


def doubling(build: ModuleType, origin: int, bound: str, extent: int | None = None) -> Function:
    """``for (i = 0; i < bound; ++i) a[i] *= 2`` whose node is ``origin``."""
    a = build.array("a", "f64", extent)
    loop: Loop = build.loop("i", 0, bound, a["i"].set(a["i"] * 2.0))
    function: Function = build.function("f", [a], structs.replace(loop, origin=origin))
    return function


def together(first: Function, second: Function) -> Function:
    return structs.replace(first, body=(*first.body, *second.body))


def values(function: Function, *given: SizeLayer) -> dict[str, tuple[int, str]]:
    sizes: Sizes = resolve(facts_of(function), function, given)
    return {name: (size.value, size.origin) for name, size in sizes.by_name.items()}


def counts(*loops: CountedLoop) -> SizeLayer:
    return SizeLayer("counts", {}, loops=loops)


def test_loops_of_one_index_have_their_own_counts(build: ModuleType) -> None:
    function = together(doubling(build, 1, "n"), doubling(build, 2, "m - 1"))
    layer = counts(CountedLoop(1, 2, 200), CountedLoop(2, 1, 30))
    assert values(function, layer) == {"n": (100, "counts"), "m": (31, "counts")}


def test_of_loops_to_one_bound_the_first_layered_decides(build: ModuleType) -> None:
    function = together(doubling(build, 1, "n"), doubling(build, 2, "n"))
    one, other = CountedLoop(1, 2, 200), CountedLoop(2, 1, 30)
    assert values(function, counts(one, other)) == {"n": (100, "counts")}
    assert values(function, counts(other, one)) == {"n": (30, "counts")}


def test_whoever_sets_a_size_comes_before_counts(build: ModuleType) -> None:
    given = SizeLayer("configuration", {"n": 7})
    layer = counts(CountedLoop(1, 1, 100))
    assert values(doubling(build, 1, "n"), given, layer) == {"n": (7, "configuration")}


def test_counts_come_before_extents(build: ModuleType) -> None:
    layer = counts(CountedLoop(1, 1, 100))
    assert values(doubling(build, 1, "n", 1000), layer) == {"n": (100, "counts")}


def test_a_loop_that_is_left_early_tells_less_than_an_extent_and_more_than_a_guess(
    build: ModuleType,
) -> None:
    layer = counts(CountedLoop(1, 1, 100, early_exit=True))
    assert values(doubling(build, 1, "n", 1000), layer) == {"n": (1000, "source")}
    assert values(doubling(build, 1, "n"), layer) == {"n": (100, "counts")}


def test_a_loop_that_never_ran_tells_nothing(build: ModuleType) -> None:
    function = doubling(build, 1, "n")
    assert values(function, counts(CountedLoop(1, 0, 0))) == values(function)
