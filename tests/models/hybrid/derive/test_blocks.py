"""The block search: the thesis's 32 x 8 x 8, and that no other block is better."""

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint_plugins.models.hybrid.derive.blocks import AccessBox, BoxSide, largest_block

BANK = 32768


def stencil(halo: int = 1, align: int = 4) -> list[AccessBox]:
    """u with a halo on all sides, v and r without, floats; the last axis is contiguous."""

    def box(width: int) -> AccessBox:
        sides = [BoxSide(((axis, 1),), 0, width, width) for axis in (0, 1)]
        return AccessBox(4, (*sides, BoxSide(((2, 1),), 0, width, width, align)))

    return [box(halo), box(0), box(0)]


def test_residual_on_one_bank_is_32_by_8_by_8() -> None:
    # 4 * (10*10*40 + 2 * 8*8*32) = 32384 B of 32768; 64 x 8 x 8: 4 * (72*10*10 + 2*4096) = 61568
    assert largest_block((256, 256, 256), stencil(), BANK, 4) == (8, 8, 32)
    boxes = stencil()
    assert sum(box.bytes((8, 8, 32)) for box in boxes) == 32384
    assert sum(box.bytes((8, 8, 64)) for box in boxes) == 61568


def test_no_other_block_of_the_residual_has_as_many_points() -> None:
    best = []
    for z, y, x in product(range(1, 64), range(1, 64), range(4, 257, 4)):
        if z * y * x < 2048:
            continue
        if 4 * ((x + 8) * (y + 2) * (z + 2) + 2 * x * y * z) <= BANK:
            best.append((z, y, x))
    assert best == [(8, 8, 32)]


def test_the_whole_axis_may_break_the_multiple() -> None:
    assert largest_block((3, 3, 10), stencil(), 1e9, 4) == (3, 3, 10)


def test_nothing_fits() -> None:
    # the smallest block is 1 x 1 x 4: 4 * (3*3*12 + 2*4) = 464 B
    assert largest_block((256, 256, 256), stencil(), 464, 4) == (1, 1, 4)
    assert largest_block((256, 256, 256), stencil(), 463, 4) is None


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(1, 16), st.integers(1, 16), st.integers(1, 16)),
    st.integers(0, 2), st.integers(200, 20000), st.sampled_from([1, 2, 4]),
)  # fmt: skip
def test_up_to_16_it_is_the_best_of_all(
    extents: tuple[int, int, int], halo: int, limit: int, multiple: int
) -> None:
    boxes = stencil(halo, multiple)
    fitting = [
        block
        for block in product(*(range(1, extent + 1) for extent in extents))
        if (block[-1] % multiple == 0 or block[-1] == extents[-1])
        and sum(box.bytes(block) for box in boxes) <= limit
    ]
    found = largest_block(extents, boxes, limit, multiple)
    if not fitting:
        assert found is None
    else:
        assert found is not None
        assert prod(found) == max(map(prod, fitting))
        assert found in fitting


@pytest.mark.parametrize(
    ("low", "align", "extent"), [(1, 4, 40), (4, 4, 40), (5, 4, 48), (1, 1, 34)]
)
def test_halos_are_rounded_to_what_the_channel_moves(low: int, align: int, extent: int) -> None:
    assert BoxSide(((0, 1),), 0, low, low, align).extent((32,)) == extent
