"""Loads and stores of vector code at places that do not follow each other."""

import pytest
from rooflint.core.issue.body_shape import WHOLE_LINE, BodyShape


@pytest.mark.parametrize(
    ("compiler_gathers", "stride", "width_bytes", "expected"),
    [
        # an array tells the places: no vector code of gcc's but by AVX-512's instructions
        (False, None, WHOLE_LINE, True),
        (False, None, WHOLE_LINE // 2, False),
        (False, None, None, False),
        # columns: elements one by one where those cost less
        (False, 1024, WHOLE_LINE, False),
        # LLVM takes them for cheap everywhere
        (True, 1024, WHOLE_LINE // 2, True),
    ],
)
def test_which_places_are_gathered_whatever_it_costs(
    compiler_gathers: bool, stride: int | None, width_bytes: int | None, expected: bool
) -> None:
    assert BodyShape(gathers=compiler_gathers).gathers_at(stride, width_bytes) is expected
