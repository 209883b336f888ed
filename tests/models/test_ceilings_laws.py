"""The laws of stacks of ceilings and of the climb to the roof."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint_plugins.models.ceilings.intensity import NOTABLE, Misses, raised_of
from rooflint_plugins.models.ceilings.stack import Stack, StackStep, climb, region_of

factors = st.floats(1.0, 16.0)
rates = st.floats(1e-3, 1e4)


@st.composite
def stacks(draw: st.DrawFn) -> list[Stack]:
    """One to three stacks; threads may stand in all of them."""
    threads = draw(st.none() | st.tuples(factors, st.booleans()))
    found = []
    for side in draw(
        st.sampled_from((("compute",), ("compute", "memory"), ("compute", "memory", "cache")))
    ):
        steps = []
        for number in range(draw(st.integers(0, 4))):
            factor = draw(factors)
            taken = draw(st.booleans())
            reached = factor if taken else draw(st.floats(1.0, factor))
            steps.append(StackStep(f"{side}{number}", factor, reached, taken))
        if threads is not None:
            factor, taken = threads
            steps.append(StackStep("tlp", factor, factor if taken else 1.0, taken))
        found.append(Stack(side, draw(rates), tuple(steps)))
    return found


@given(stacks())
def test_a_ceiling_never_exceeds_its_roof(sides: list[Stack]) -> None:
    for stack in sides:
        lines = [stack.floor, *stack.lines]
        assert lines == sorted(lines)
        assert lines[-1] == stack.top
        everything = {step.name for step in stack.steps}
        assert stack.rate(everything) == pytest.approx(stack.top)
        assert stack.rate(()) <= stack.top * (1 + 1e-9)


@given(stacks(), st.data())
def test_lifting_a_ceiling_never_lowers_performance(
    sides: list[Stack], data: st.DataObject
) -> None:
    names = [step.name for stack in sides for step in stack.steps]
    before = set(data.draw(st.lists(st.sampled_from(names), unique=True))) if names else set()
    after = {*before, data.draw(st.sampled_from(names))} if names else set()

    def attained(taken: set[str]) -> float:
        return min(stack.rate(taken) for stack in sides)

    assert attained(after) >= attained(before) * (1 - 1e-12)


@given(stacks())
def test_gains_multiply_along_the_path(sides: list[Stack]) -> None:
    found = climb(sides)
    assert found.base <= found.roof * (1 + 1e-9)
    product = math.prod(rise.factor for rise in found.path)
    assert product == pytest.approx(found.roof / found.base, rel=1e-6)
    assert all(rise.factor >= 1 - 1e-12 for rise in found.path)
    heights = [found.base, *[rise.g_per_s for rise in found.path]]
    assert heights == sorted(heights)
    names = [rise.name for rise in found.path]
    assert len(set(names)) == len(names)
    assert not set(names) & set(found.skipped)


@given(stacks())
def test_what_is_skipped_gains_nothing(sides: list[Stack]) -> None:
    # with every step but the skipped ones the roof is reached
    found = climb(sides)
    taken = {step.name for stack in sides for step in stack.steps} - set(found.skipped)
    assert min(stack.rate(taken) for stack in sides) == pytest.approx(found.roof, rel=1e-6)


@given(stacks())
def test_the_region_says_which_side_the_climb_needs(sides: list[Stack]) -> None:
    found, region = climb(sides), region_of(sides)
    raised = {rise.side for rise in found.path if rise.factor > 1 + 1e-9}
    if region == "memory":
        assert "compute" not in {rise.side for rise in found.path if rise.factor > 1.06}
    if region == "none":
        assert found.roof <= found.base / 0.95 * (1 + 1e-9)
    else:
        assert raised


@given(stacks(), st.floats(1.0, 4.0))
def test_a_higher_floor_never_lowers_the_roof(sides: list[Stack], factor: float) -> None:
    raised = [stack._replace(floor=stack.floor * factor) for stack in sides]
    assert climb(raised).roof >= climb(sides).roof
    assert climb(raised).base >= climb(sides).base


@given(stacks(), st.floats(1.0, 100.0), st.floats(1.0, 100.0))
def test_raising_the_intensity_gains_at_most_what_the_misses_cost(
    sides: list[Stack], capacity: float, conflict: float
) -> None:
    misses = Misses("L2-MEM", 1.0, capacity * conflict, capacity, conflict)
    now = climb(sides)
    raised = raised_of(sides, now, misses)
    if misses.excess <= NOTABLE:
        assert raised is None
        return
    assert raised is not None
    assert 1 - 1e-12 <= raised.gain <= misses.excess * (1 + 1e-12)
    assert raised.climb.roof >= now.roof * (1 - 1e-12)
    # it is told first only where no ceiling that comes next gives more
    following = next((rise.factor for rise in now.path if rise.factor >= NOTABLE), 1.0)
    assert not raised.first or raised.gain >= following
