"""Lines per set, counted for all sets at once, against counting them one by one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from rooflint.facts.footprint import Repeat, RunShape
from rooflint.memory.occupancy import SCALE, sets_of, thin_out

LINE = 64

shapes = st.builds(
    RunShape,
    st.integers(1, 700),
    st.lists(st.builds(Repeat, st.integers(8, 9000), st.integers(1, 40)), max_size=2).map(tuple),
)


def one_by_one(start: int, shape: RunShape, sets: int) -> Counter[int]:
    """Every line of every run, a line that two runs share counted twice."""
    begins = [start]
    for stride, times in shape.repeats:
        begins = [begin + stride * n for begin in begins for n in range(int(times))]
    found: Counter[int] = Counter()
    for begin in begins:
        for line in range(begin // LINE, int(begin + shape.width - 1) // LINE + 1):
            found[line % sets] += 1
    return found


@given(st.integers(0, 5000), shapes, st.sampled_from([1, 2, 3, 12, 64]))
def test_runs_and_repeats(start: int, shape: RunShape, number: int) -> None:
    sets = sets_of(number)
    counts = sets.fields(SCALE * sets.lines_of(start, shape, LINE))
    expected = one_by_one(start, shape, number)
    assert [count / SCALE for count in counts] == [expected[each] for each in range(number)]


def test_a_column_comes_back_to_few_sets() -> None:
    # rows of 4096 B are 64 lines apart: of 64 sets the 100 lines of a column meet in the third
    sets = sets_of(64)
    column = SCALE * sets.lines_of(128, RunShape(8, (Repeat(4096, 100),)), LINE)
    assert [n for n, count in enumerate(sets.fields(column)) if count] == [2]
    assert sets.total(column) == 100


counts = st.lists(st.integers(0, 50), min_size=8, max_size=8)


@given(counts, counts, st.integers(0, 50))
def test_larger_and_at_most(one: list[int], other: list[int], ways: int) -> None:
    sets = sets_of(8)

    def packed(lines: list[int]) -> int:
        return sum(count * SCALE << 64 * place for place, count in enumerate(lines))

    both = sets.larger(packed(one), packed(other))
    assert [count // SCALE for count in sets.fields(both)] == list(map(max, one, other))
    kept = sets.fields(packed(other) & sets.at_most(packed(one), ways))
    assert [count // SCALE for count in kept] == [
        there if here <= ways else 0 for here, there in zip(one, other, strict=True)
    ]
    assert (sets.at_most(packed(one), ways) == sets.all) == (max(one) <= ways)


def test_fewer_than_the_hull() -> None:
    sets = sets_of(4)
    counts = SCALE * sets.lines_of(0, RunShape(4 * 64 * 6), LINE)
    assert [count / SCALE for count in sets.fields(thin_out(counts, 0.5))] == [3.0] * 4
    assert [count / SCALE for count in sets.fields(sets.even(10))] == [2.5] * 4
