"""Blocks of loops whose bounds are numbers: each iteration once, the last block cut at the end."""

from collections.abc import Iterator
from types import ModuleType

import pytest
from rooflint.ir import Loop, Node
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction


def visited(nodes: tuple[Node, ...], values: dict[str, int]) -> Iterator[int]:
    """The values of i in order, by walking the loops."""
    for node in nodes:
        if not isinstance(node, Loop):
            yield values["i"]
            continue
        first, end, step = (p.evaluate(values) for p in (node.lower, node.upper, node.step))
        for value in range(first, end, step):
            yield from visited(node.body, {**values, node.index: value})


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 12])
@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    # 12 and 13 iterations, of one and of several steps, up and down; steps that end beyond
    [(0, 12, 1), (0, 13, 1), (5, 29, 2), (5, 30, 2), (11, -1, -1), (12, -1, -1), (40, 3, -3)],
)
def test_blocks_cover_every_iteration_once(
    build: ModuleType, lower: int, upper: int, step: int, size: int
) -> None:
    a = build.array("a", "f64", 64)
    loop = build.loop("i", lower, upper, a["i"].set(a["i"] * 2.0), step=step)
    function = build.function("f", [a], loop)
    for result in (
        transform.strip_mine(function, "i", size),
        transform.tile(function, "i", {"i": size}),
    ):
        assert isinstance(result, ChangedFunction)
        assert list(visited(result.function.body, {})) == list(range(lower, upper, step))
