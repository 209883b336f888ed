"""Ranges of a size, and amounts of data, as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.errors import UsageError
from rooflint.measure.sizes.sweep import MOST_POINTS, Sweep, parse_bytes, parse_sweep


def test_a_sweep_is_even_on_a_logarithmic_axis() -> None:
    assert parse_sweep("n=1e2:1e4:3") == Sweep(name="n", first=100, last=10000, points=3)
    assert parse_sweep("n=1e2:1e4:3").sizes == (100, 1000, 10000)
    assert parse_sweep("n=5:5").sizes == (5,)
    assert parse_sweep("n=7:9:1").sizes == (7,)
    assert len(parse_sweep("a.b=10:100000").sizes) == 12


@given(st.integers(1, 10**7), st.integers(0, 10**7), st.integers(1, MOST_POINTS))
def test_sizes_grow_from_first_to_last(first: int, more: int, points: int) -> None:
    sizes = Sweep(name="n", first=first, last=first + more, points=points).sizes
    assert list(sizes) == sorted(set(sizes))
    assert sizes[0] == first
    assert points == 1 or sizes[-1] == first + more
    assert 1 <= len(sizes) <= points


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n", "expected NAME=FIRST:LAST"),
        ("=1:2", "expected NAME=FIRST:LAST"),
        ("n=1", "expected NAME=FIRST:LAST"),
        ("n=1:2:3:4", "expected NAME=FIRST:LAST"),
        ("n=1:x", "'x' is no whole number"),
        ("n=1:2.5", "'2.5' is no whole number"),
        ("n=1:inf", "'inf' is no whole number"),
        ("n=0:5", "FIRST must be at least 1"),
        ("n=6:5", "no more than LAST"),
        ("n=1:5:0", "POINTS must be from 1 to 200"),
        ("n=1:5:201", "POINTS must be from 1 to 200"),
    ],
)
def test_a_sweep_that_is_none(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        parse_sweep(text)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("65536", 65536),
        ("64B", 64),
        ("512K", 512 << 10),
        ("1.5MiB", 3 << 19),
        ("2g", 2 << 30),
        ("8KB", 8 << 10),
    ],
)
def test_amounts(text: str, amount: int) -> None:
    assert parse_bytes(text) == amount


@pytest.mark.parametrize("text", ["", "K", "-1", "0", "much", "1e99", "nan"])
def test_amounts_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="--hold"):
        parse_bytes(text)
