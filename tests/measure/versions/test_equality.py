"""Results of two versions: bits, rounding, what a call leaves alone, and other layouts."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.measure.contents import MemoryContents
from rooflint.measure.program import ProgramArray, ScalarKind
from rooflint.measure.versions.equality import (
    RELATIVE,
    Agreement,
    EmptyResults,
    LayoutDifference,
    ResultDifference,
    VersionResults,
    compare_results,
)

FORMATS = {"f64": "d", "f32": "f", "integer": "i"}


def results(
    after: list[float],
    fresh: list[float] | None = None,
    scalar: ScalarKind = "f64",
    low: int = 0,
    name: str = "a",
    single: bool = False,
) -> VersionResults:
    code = FORMATS[scalar]
    known = [0] * len(after) if fresh is None else fresh
    kind = ProgramArray(
        name=name, element_bytes=struct.calcsize(code), element=scalar, scalar=scalar
    )
    values = [int(each) if code == "i" else each for each in after]
    contents = MemoryContents(
        name=name,
        low=low,
        fresh=struct.pack(f"={len(known)}{code}", *known),
        after=struct.pack(f"={len(values)}{code}", *values),
    )
    return VersionResults(
        arrays=() if single else (kind,), cells=(kind,) if single else (), contents=(contents,)
    )


def test_equal_bits() -> None:
    one = results([1.0, 2.0])
    assert compare_results(one, one, Agreement.BITS) is Agreement.BITS
    assert compare_results(one, one, Agreement.RELATIVE) is Agreement.BITS


@pytest.mark.parametrize("scalar", ["f64", "f32"])
@pytest.mark.parametrize(("share", "close"), [(0.5, True), (2.0, False)])
def test_rounding_has_a_limit(scalar: ScalarKind, share: float, close: bool) -> None:
    one = results([1.0, 1.0], scalar=scalar)
    other = results([1.0, 1.0 + share * RELATIVE[scalar]], scalar=scalar)
    assert isinstance(compare_results(one, other, Agreement.BITS), ResultDifference)
    answer = compare_results(one, other, Agreement.RELATIVE)
    assert answer is Agreement.RELATIVE if close else isinstance(answer, ResultDifference)


def test_integers_have_no_rounding() -> None:
    million = results([1000000], scalar="integer")
    more = results([1000001], scalar="integer")
    assert compare_results(million, more, Agreement.RELATIVE) == ResultDifference(
        name="a", element=0, before="1000000", after="1000001"
    )


def test_the_first_difference_beyond_rounding_is_named() -> None:
    one = results([1.0, 2.0, 3.0, 4.0])
    other = results([1.0, 2.0 + 1e-9, 3.5, 5.0])
    found = compare_results(one, other, Agreement.RELATIVE)
    assert found == ResultDifference(name="a", element=2, before="3", after="3.5")
    assert found.place == "a[2]"
    exact = compare_results(one, other, Agreement.BITS)
    assert isinstance(exact, ResultDifference)
    assert exact.element == 1


def test_a_single_object_has_no_number() -> None:
    one, other = results([1.0], single=True), results([2.0], single=True)
    found = compare_results(one, other, Agreement.BITS)
    assert isinstance(found, ResultDifference)
    assert found.place == "a"


def test_memory_that_no_version_changes_is_no_result() -> None:
    """Such as pointers, whose values differ from process to process."""
    one = results([1.0, 7.0], fresh=[0.0, 7.0])
    other = results([1.0, 8.0], fresh=[0.0, 8.0])
    assert compare_results(one, other, Agreement.BITS) is Agreement.BITS
    untouched = results([7.0], fresh=[7.0])
    assert compare_results(untouched, untouched, Agreement.BITS) == EmptyResults()


@pytest.mark.parametrize(("value", "equal"), [(5.0, True), (6.0, False)])
def test_pages_that_one_version_alone_touched(value: float, equal: bool) -> None:
    """They count as unchanged in the other one."""
    wide = results([1.0, value], fresh=[0.0, 5.0])
    narrow = results([1.0], fresh=[0.0])
    for pair in ((wide, narrow), (narrow, wide)):
        answer = compare_results(*pair, Agreement.RELATIVE)
        assert answer is Agreement.BITS if equal else isinstance(answer, ResultDifference)


def test_not_a_number_equals_itself() -> None:
    nan = float("nan")
    one = results([nan, 1.0])
    other = results([-nan, 1.0])
    assert compare_results(one, other, Agreement.RELATIVE) is Agreement.RELATIVE
    assert isinstance(
        compare_results(one, results([2.0, 1.0]), Agreement.RELATIVE), ResultDifference
    )


@pytest.mark.parametrize(
    "other", [results([1.0], scalar="f32"), results([1.0], name="b"), results([1.0], single=True)]
)
def test_other_types_are_not_compared(other: VersionResults) -> None:
    answer = compare_results(results([1.0]), other, Agreement.RELATIVE)
    assert answer == LayoutDifference(name="a")


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40), st.data())
def test_any_change_of_one_element_is_found(values: list[float], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(values) - 1))
    other = [*values]
    other[number] = values[number] * 2 + 1
    changed = [each + 1 for each in values]
    answer = compare_results(
        results(values, fresh=changed), results(other, fresh=changed), Agreement.RELATIVE
    )
    if other[number] == values[number]:
        assert answer is Agreement.BITS
    else:
        assert isinstance(answer, ResultDifference)
        assert answer.element == number
