"""Loads and stores of vector code at places that do not follow each other."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.issue.body_shape import WHOLE_LINE, BodyShape
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HEADER = (
    "void f(int n, float *restrict a, const float *restrict b, const int *restrict p)\n{{ {} }}"
)


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


@pytest.mark.parametrize(
    ("body", "cycles"),
    [
        ("a[i] = b[p[i]];", 42 / 2 / 16),
        ("a[p[i]] = b[i];", 24.5 / 16),
        # microcode: neither runs beside the other
        ("a[p[i]] = b[p[i]];", (42 / 2 + 24.5) / 16),
    ],
)
def test_gathers_and_scatters_of_a_zen_4_take_turns(body: str, cycles: float) -> None:
    text = HEADER.format(f"for (int i = 0; i < n; i++) {body}")
    (source,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    zen4 = find_machine("zen4-9654", (builtin_dir(),))
    facts = facts_of(source.function)[-1]
    code = plan_of(source.function, facts, zen4, Compiler()).code
    assert code.overlapping_cy == pytest.approx(cycles, rel=0.1)
