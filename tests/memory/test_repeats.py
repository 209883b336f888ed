"""Loops that move no data find it again only where all of it fits."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function, Loop, Poly
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.scenario.sizes import Size, Sizes

MACHINE = find_machine("generic-2level", (builtin_dir(),))
RATES = Rates(MACHINE, 1)
KIB_OF_DOUBLES = 128


def repeated(function: Function, times: int) -> Function:
    """``function`` with a loop around its body that moves nothing."""
    t = Loop("t", Poly.constant(0), Poly.constant(times), Poly.constant(1), function.body)
    return Function(function.name, function.parameters, function.arrays, (t,))


def sum_of(build: ModuleType, nests: ModuleType, n: int, times: int) -> FunctionTraffic:
    function = repeated(nests.streaming(build)["sum"], times)
    arrays = {array.name: array for array in function.arrays}
    sizes = Sizes({"n": Size(n, "command line")}, {"n": n})
    return FunctionTraffic(facts_of(function)[-1:], arrays, sizes, 64)


@pytest.mark.parametrize(
    ("kib", "over_l1_l2", "over_l2_mem"),
    [
        # L1 32 KiB, L2 256 KiB; 10 repetitions of one load of 8 B per iteration: a level that holds
        # the array is filled once, 0.8 B per iteration; a smaller one every time
        (16, 0.8, 0.8),
        (64, 8.0, 0.8),
        (1024, 8.0, 8.0),
    ],
)
def test_each_level_keeps_what_fits(
    build: ModuleType, nests: ModuleType, kib: int, over_l1_l2: float, over_l2_mem: float
) -> None:
    links = sum_of(build, nests, kib * KIB_OF_DOUBLES, 10).traffic(0, RATES).links
    assert [link.load_bytes for link in links] == pytest.approx([8.0, over_l1_l2, over_l2_mem])


def test_the_report_says_what_does_not_stay(build: ModuleType, nests: ModuleType) -> None:
    (note,) = sum_of(build, nests, 1024 * KIB_OF_DOUBLES, 10).traffic(0, RATES).assumptions
    lost = "each t iteration touches 1 MiB, more than stays cached"
    assert note == f"{lost}: 10 x compulsory traffic over L1-L2, 10 x over L2-MEM"
    assert sum_of(build, nests, KIB_OF_DOUBLES, 10).traffic(0, RATES).assumptions == ()


def test_totals_count_every_repetition(build: ModuleType, nests: ModuleType) -> None:
    # 64 KiB are 1024 lines: ten times over L1-L2, once over L2-MEM
    one = sum_of(build, nests, 64 * KIB_OF_DOUBLES, 10)
    assert [(t.link, t.load_lines) for t in one.totals(RATES)] == [
        ("L1-L2", 10240),
        ("L2-MEM", 1024),
    ]
