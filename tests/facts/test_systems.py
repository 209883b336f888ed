"""Whether inequalities can hold: hand-made systems, and never False where integers exist."""

import itertools
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.facts.systems import LinearForms, NotLinearError, SplitSystem, is_feasible

number = st.integers(-3, 3)
form = st.fixed_dictionaries({"x": number, "y": number, "z": number, "": st.integers(-6, 6)})
BOX = [{name: sign, "": 4} for name in "xyz" for sign in (1, -1)]  # -4 <= x, y, z <= 4


def test_the_greatest_common_divisor_decides() -> None:
    assert not is_feasible([{"x": 2, "y": 4, "": 1}], [])  # even + even + 1
    assert is_feasible([{"x": 2, "y": 3, "": 1}], [])
    # x + y = 1 and x - y = 0: 2x = 1
    assert not is_feasible([{"x": 1, "y": 1, "": -1}, {"x": 1, "y": -1}], [])


def test_bounds_are_rounded_to_integers() -> None:
    assert not is_feasible([], [{"x": 3, "": -1}, {"x": -3, "": 2}])  # 1 <= 3x <= 2
    assert is_feasible([], [{"x": 3, "": -1}, {"x": -3, "": 3}])
    assert not is_feasible([], [{"x": 1, "y": -1, "": -1}, {"y": 1, "x": -1}])  # x > y, y >= x
    assert is_feasible([], [{"x": 1, "n": -1}])  # any size


@settings(max_examples=200, deadline=None)
@given(st.lists(form, max_size=2), st.lists(form, max_size=4))
def test_no_solution_is_excluded(equal: list[dict[str, int]], more: list[dict[str, int]]) -> None:
    def at(one: dict[str, int], x: int, y: int, z: int) -> int:
        return one["x"] * x + one["y"] * y + one["z"] * z + one[""]

    exists = any(
        all(at(f, *point) == 0 for f in equal) and all(at(f, *point) >= 0 for f in more)
        for point in itertools.product(range(-4, 5), repeat=3)
    )
    assert is_feasible(equal, [*more, *BOX]) or not exists


sparse = st.dictionaries(st.sampled_from(["v", "w", "x", "y", "z", ""]), number, max_size=3)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(sparse, max_size=3),
    st.lists(sparse, max_size=4),
    st.lists(st.tuples(st.lists(sparse, max_size=2), st.lists(sparse, max_size=3)), max_size=3),
)
def test_a_split_system_says_what_all_its_forms_together_say(
    equal: list[dict[str, int]],
    at_least: list[dict[str, int]],
    questions: list[tuple[list[dict[str, int]], list[dict[str, int]]]],
) -> None:
    system = SplitSystem(equal, at_least)
    for zero, more in [*questions, *questions[::-1]]:
        expected = is_feasible([*equal, *zero], [*at_least, *more])
        assert system.is_feasible_with(zero, more) == expected


def test_a_part_that_nobody_names_counts() -> None:
    impossible = SplitSystem([{"x": 2, "": 1}], [{"y": 1}])
    assert not impossible.is_feasible_with([], [{"y": -1}])
    possible = SplitSystem([{"x": 1, "": 1}], [{"y": 1}])
    assert possible.is_feasible_with([], [{"y": -1}])
    assert not possible.is_feasible_with([], [{"y": -1, "x": 1}])  # y <= x = -1
    assert not possible.is_feasible_with([{"": 1}], [])


def test_quotients_and_extremes_are_fenced_in(build: ModuleType) -> None:
    linear = LinearForms()
    names = {"i": "i"}
    quotient = linear.form(build.poly("i//4"), names)
    [name] = quotient
    # i = 7: the quotient is 1 and nothing else
    seven = {"i": 1, "": -7}
    assert is_feasible([seven, {name: 1, "": -1}], linear.constraints)
    for other in (0, 2):
        assert not is_feasible([seven, {name: 1, "": -other}], linear.constraints)
    rest = linear.form(build.poly("i % 4"), names)
    [remainder] = rest
    assert is_feasible([seven, {remainder: 1, "": -3}], linear.constraints)
    assert not is_feasible([seven, {remainder: 1, "": -2}], linear.constraints)
    least = linear.form(build.poly("min(i, 4)"), names)
    [smaller] = least
    assert not is_feasible([seven, {smaller: 1, "": -5}], linear.constraints)


def test_what_is_not_linear_says_so(build: ModuleType) -> None:
    linear = LinearForms()
    assert linear.form(build.poly("8*n*i + m*n"), {"i": "i@1"}) == {"i@1·n": 8, "m·n": 1}
    with pytest.raises(NotLinearError, match="not linear in the loop indices"):
        linear.form(build.poly("i*j"), {"i": "i", "j": "j"})
    with pytest.raises(NotLinearError, match="indirect through col"):
        linear.form(build.unknown("col[j]", "j"), {"j": "j"})
    with pytest.raises(NotLinearError, match="no positive constant divisor"):
        linear.form(build.poly("i // n"), {"i": "i"})


@pytest.mark.parametrize(
    ("text", "i", "within", "beyond"),
    [
        # a minimum is no more than either operand, a maximum no less; the other side stays open
        ("min(i, 4)", 7, (4, 3), 5),
        ("min(i, 4)", 2, (2, 1), 3),
        ("max(i, 4)", 7, (7, 8), 6),
        ("max(i, 4)", 2, (4, 5), 3),
    ],
)
def test_an_extreme_lies_on_its_own_side_of_both_operands(
    build: ModuleType, text: str, i: int, within: tuple[int, int], beyond: int
) -> None:
    linear = LinearForms()
    [name] = linear.form(build.poly(text), {"i": "i"})
    index = {"i": 1, "": -i}
    for value in within:
        assert is_feasible([index, {name: 1, "": -value}], linear.constraints)
    assert not is_feasible([index, {name: 1, "": -beyond}], linear.constraints)
