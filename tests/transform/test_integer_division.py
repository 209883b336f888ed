"""Divisions of 32-bit integers as products with a reciprocal: the same quotients."""

from fractions import Fraction
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rooflint.ir import Function, Statement, walk
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal

LARGEST = 2**32 - 1


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1).filter(bool))
@example(-(2**31), 1)
@example(-6, 2)
@example(6, -2)
def test_so_is_that_of_signed_integers(a: int, b: int) -> None:
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    assert int((a + (-0.5 if a < 0 else 0.5)) * (1.0 / b)) == quotient


@given(st.integers(0, LARGEST), st.integers(1, LARGEST))
@example(LARGEST, 1)
@example(LARGEST, LARGEST)
@example(LARGEST - 1, LARGEST)
@example(0, 1)
def test_the_product_is_the_quotient(a: int, b: int) -> None:
    assert int((a + 0.5) * (1.0 / b)) == a // b


@given(st.integers(1, 2**16), st.integers(1, 2**16 - 1))
def test_at_multiples_and_next_to_them(q: int, b: int) -> None:
    for a in (q * b - 1, q * b, q * b + 1):
        assert int((a + 0.5) * (1.0 / b)) == a // b


def test_the_bound_of_the_proof() -> None:
    # two roundings of half a unit in the last place each, for the largest quotient over b
    assert LARGEST * Fraction(1, 2**52) < Fraction(1, 2)


def divided(build: ModuleType, kind: str, name: str, divisor: str | int) -> Function:
    a, q = build.array("a", kind, "n"), build.array("q", kind, "n")
    by = build.scalar(divisor, kind) if isinstance(divisor, str) else build.number(divisor, kind)
    value = build.op(name, a["i"], by, kind=kind)
    return build.function("f", [a, q], build.loop("i", 0, "n", q["i"].set(value)))


def operations(function: Function) -> list[str]:
    statements = [node for node in walk(function.body) if isinstance(node, Statement)]
    found = [f"{v.op}.{v.type}" for s in statements for v in s.values]
    return [each for each in found if each.partition(".")[0] in ("div", "rem", "mul")]


@pytest.mark.parametrize("kind", ["i32", "u32"])
def test_one_reciprocal_serves_all_iterations(build: ModuleType, kind: str) -> None:
    result = transform.integer_reciprocal(divided(build, kind, "div", "w"), "i")
    assert isinstance(result, ChangedFunction)
    assert operations(result.function) == ["div.f64", "mul.f64"]
    assert result.exact
    assert result.assumes == ()
    remainder = transform.integer_reciprocal(divided(build, kind, "rem", "w"), "i")
    assert isinstance(remainder, ChangedFunction)
    assert operations(remainder.function) == ["div.f64", "mul.f64", f"mul.{kind}"]


def test_quotient_and_remainder_share_it(build: ModuleType) -> None:
    a, q, r = (build.array(name, "i32", "n") for name in "aqr")
    w = build.scalar("w", "i32")
    body = [
        target["i"].set(build.op(name, a["i"], w, kind="i32"))
        for target, name in ((q, "div"), (r, "rem"))
    ]
    function = build.function("f", [a, q, r], build.loop("i", 0, "n", *body))
    result = transform.integer_reciprocal(function, "i")
    assert isinstance(result, ChangedFunction)
    assert operations(result.function).count("div.f64") == 1


@pytest.mark.parametrize(
    ("kind", "divisor"), [("i32", 37), ("i64", "w"), ("f64", "w"), ("i16", "w")]
)
def test_what_stays(build: ModuleType, kind: str, divisor: str | int) -> None:
    function = divided(build, kind, "div", divisor)
    assert isinstance(transform.integer_reciprocal(function, "i"), ChangeRefusal)


def test_a_divisor_that_the_loop_changes(build: ModuleType) -> None:
    a, b, q = (build.array(name, "i32", "n") for name in "abq")
    body = q["i"].set(build.op("div", a["i"], b["i"], kind="i32"))
    function = build.function("f", [a, b, q], build.loop("i", 0, "n", body))
    assert isinstance(transform.integer_reciprocal(function, "i"), ChangeRefusal)
