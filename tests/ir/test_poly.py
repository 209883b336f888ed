"""Laws of polynomials: they agree with the integers they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.ir import Reason, SourceName, Unknown
from rooflint.ir.poly import ONE, ZERO, Poly, UnknownValueError, function


def element(array: str, index: str) -> Unknown:
    form = (SourceName(array, "array"), "[", SourceName(index), "]")
    return Unknown(form, Reason("indirect", (array,)), (index,))


NAMES = ("i", "j", "n")
values = st.fixed_dictionaries({name: st.integers(-50, 50) for name in NAMES})
leaves = st.one_of(st.integers(-9, 9).map(Poly.constant), st.sampled_from(NAMES).map(Poly.symbol))
polynomials = st.recursive(
    leaves,
    lambda inner: st.tuples(inner, inner, st.sampled_from("+-*")).map(
        lambda t: t[0] + t[1] if t[2] == "+" else t[0] - t[1] if t[2] == "-" else t[0] * t[1]
    ),
    max_leaves=8,
)


@given(polynomials, polynomials, values)
def test_arithmetic_is_that_of_the_values(a: Poly, b: Poly, at: dict[str, int]) -> None:
    assert (a + b).evaluate(at) == a.evaluate(at) + b.evaluate(at)
    assert (a - b).evaluate(at) == a.evaluate(at) - b.evaluate(at)
    assert (a * b).evaluate(at) == a.evaluate(at) * b.evaluate(at)


@given(polynomials, polynomials, polynomials)
def test_equal_expressions_are_equal_values(a: Poly, b: Poly, c: Poly) -> None:
    assert (a + b) * c == c * a + b * c
    assert hash((a + b) * c) == hash(c * a + b * c)
    assert a - a == ZERO
    assert str((a + b) * c) == str(a * c + c * b)


@given(polynomials, st.integers(1, 20), values)
def test_division_rounds_down_and_leaves_the_remainder(
    a: Poly, by: int, at: dict[str, int]
) -> None:
    divisor = Poly.constant(by)
    assert function("floordiv", a, divisor).evaluate(at) == a.evaluate(at) // by
    assert function("mod", a, divisor).evaluate(at) == a.evaluate(at) % by


@given(polynomials, polynomials, values)
def test_minimum_and_maximum(a: Poly, b: Poly, at: dict[str, int]) -> None:
    assert function("min", a, b).evaluate(at) == min(a.evaluate(at), b.evaluate(at))
    assert function("max", a, b) == function("max", b, a)


@given(polynomials, polynomials, values)
def test_substitution_then_value_is_value_of_substituted(
    a: Poly, b: Poly, at: dict[str, int]
) -> None:
    assert a.substitute({"i": b}).evaluate(at) == a.evaluate({**at, "i": b.evaluate(at)})


@given(polynomials, values)
def test_coefficient_is_the_difference_of_one_step(a: Poly, at: dict[str, int]) -> None:
    factor = a.coefficient("i")
    if factor is not None:
        step = a.evaluate({**at, "i": at["i"] + 1}) - a.evaluate(at)
        assert factor.evaluate(at) == step


def test_a_power_has_no_coefficient() -> None:
    i = Poly.symbol("i")
    assert (i * i).coefficient("i") is None
    assert (i * Poly.symbol("n") + 3).coefficient("i") == Poly.symbol("n")
    assert function("floordiv", i, Poly.constant(2)).coefficient("i") is None


def test_whole_multiples_leave_a_division() -> None:
    n = Poly.symbol("n")
    assert function("floordiv", 8 * n + 3, Poly.constant(4)) == 2 * n
    assert function("mod", 8 * n + 3, Poly.constant(4)) == Poly.constant(3)
    assert str(function("floordiv", n + 3, Poly.constant(4))) == "floor(n + 3, 4)"


def test_clamping_by_a_constant_folds() -> None:
    i = Poly.symbol("i")
    assert function("min", i, i + 3) == i
    assert function("max", i, i + 3, i - 1) == i + 3


def test_an_unknown_keeps_what_it_depends_on() -> None:
    column = Poly.symbol(element("col", "j"))
    offset = 8 * column + 8 * Poly.symbol("k")
    assert offset.names() == {"j", "k"}
    assert offset.coefficient("k") == Poly.constant(8)
    assert offset.coefficient("j") is None
    assert offset.substitute({"j": Poly.symbol("t") + 1}).names() == {"k", "t"}
    assert offset.evaluate({"col[j]": 5, "k": 2}) == 56
    with pytest.raises(UnknownValueError, match=r"col\[j\]"):
        offset.evaluate({"k": 2})


def test_a_division_by_zero_has_no_value() -> None:
    n, d = Poly.symbol("n"), Poly.symbol("d")
    for kind in ("floordiv", "mod"):
        with pytest.raises(UnknownValueError, match="d"):
            (1 + function(kind, n, d)).evaluate({"n": 8, "d": 0})


def test_text_orders_terms_and_ends_with_the_constant() -> None:
    i, n = Poly.symbol("i"), Poly.symbol("n")
    assert str(8 * i * n - 16 + 8 * n) == "8*i*n + 8*n - 16"
    assert str(ZERO) == "0"
    assert str(-ONE * i) == "-i"
