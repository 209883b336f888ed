"""How integers in arrays are filled, as the function sees them."""

import struct
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace
from rooflint.measure.process import run_results
from rooflint.measure.program import IndexFill, RunSettings

SIZE = 1024
CODE = """\
void copy(int n, int *restrict to, const int *restrict from)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}
"""


@pytest.fixture
def indices(subject_in: Callable[..., Any], bench: Callable[..., Any]) -> Callable[..., list[int]]:
    program = bench(subject_in(CODE)).program

    def filled(how: IndexFill, least: int = 0) -> list[int]:
        settings = RunSettings(sizes=(("n", SIZE),), indices=how, least=least, results=1 << 20)
        found = {each.name: each for each in run_results(program, settings, 60.0).contents}
        start = -found["from"].low
        return list(struct.unpack_from(f"{SIZE}i", found["from"].fresh, start))

    return filled


def test_each_fill_is_what_it_says(indices: Callable[..., list[int]]) -> None:
    near, random, identity = indices("near"), indices("random"), indices("identity")
    assert identity == list(range(SIZE))
    # the number with one of its three lowest bits changed
    assert all(value ^ place < 8 for place, value in enumerate(near))
    assert near != identity
    assert all(0 <= value < SIZE for value in random)
    # two random numbers are a third of the size apart in the mean; neighbours share numbers, so
    # that the mean of 1023 differences has a standard deviation of about 3 %
    apart = [abs(one - other) for one, other in pairwise(random)]
    assert sum(apart) / len(apart) == pytest.approx(SIZE / 3, rel=0.15)
    # nothing but the zeros changes
    assert indices("identity", least=1) == [1, *range(1, SIZE)]
    assert 0 in near
    assert indices("near", least=1) == [max(1, value) for value in near]


def test_bytes_that_divide_are_not_zero(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    code = """\
void divide(int n, int *restrict to, const unsigned char *restrict by)
{
    for (int i = 0; i < n; i++)
        to[i] = n / by[i];
}
"""
    program = bench(subject_in(code, function="divide")).program
    zeros = RunSettings(sizes=(("n", SIZE),), results=1 << 20)
    stop = run_results(program, zeros, 60.0).run.stop
    assert stop is not None
    assert stop.why == "division"
    assert run_results(program, replace(zeros, least=1), 60.0).run.stop is None
