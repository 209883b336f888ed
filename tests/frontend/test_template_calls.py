"""Templates that nothing in the file instantiates: parameters are double, calls have names."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request

BEFORE = """
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>
namespace own {
template <class V> V zero() { return V(); }
template <class V> V half(const V &v) { return v * V(0.5); }
template <class V> V two(V v) { return v; }
template <class V> V two(const V *v) { return *v; }
template <class V> struct vector { V operator[](int) const; };
}
"""


def kernel(body: str, parameters: str = "std::vector<T> &x, const T *y") -> KernelFacts:
    """The loop over ``i`` of a template with the body."""
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    text = f"{BEFORE} template <class T> void f(int n, {parameters}) {{ {loop} }}"
    (source,) = extract(Request("/nowhere/a.cpp", Flags("c++"), text.encode())).functions
    (facts,) = facts_of(source.function)
    return facts


def bytes_of(facts: KernelFacts) -> dict[str, int]:
    return {stream.array: stream.element_bytes for stream in facts.streams}


def gaps(facts: KernelFacts) -> list[str]:
    return [str(gap.reason) for gap in facts.not_covered]


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = y[i];",
        "x[i] = sqrt(y[i]);",
        "x[i] = std::sqrt(y[i]);",
        "x[i] = std::max(y[i], y[i + 1]);",
        "x[i] = own::half(y[i]);",
        "x[i] = T(y[i]);",
        "x[i] = own::zero<T>() * y[i];",
    ],
)
def test_elements_are_doubles_and_small_functions_stand_in_place(body: str) -> None:
    facts = kernel(body)
    assert bytes_of(facts) == {"x": 8, "y": 8}
    assert gaps(facts) == []


def test_a_square_root_is_one() -> None:
    operations = [
        value.op for s in kernel("x[i] = sqrt(y[i]);").kernel.statements for value in s.values
    ]
    assert operations.count("sqrt") == 1


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("x[i] = own::two(y[i]);", "call of two"),  # which one, T decides
        ("x[i] = y[i].norm();", "call of norm"),
        ("x[i] = y[i].max(x[i], x[i]);", "call of max"),
    ],
)
def test_what_an_instance_would_resolve_has_its_name(body: str, named: str) -> None:
    assert gaps(kernel(body)) == [named]


def test_complex_numbers_are_pairs_of_doubles() -> None:
    parameters = "std::vector<std::complex<T>> &x, const std::complex<T> *y"
    facts = kernel("x[i] = std::complex<T>(y[i].imag(), y[i].real()) * y[i];", parameters)
    assert bytes_of(facts) == {"x": 16, "y": 16}
    assert gaps(facts) == []
    assert facts.work.flops == 6


def test_a_vector_of_somebody_else_s_is_no_container() -> None:
    assert gaps(kernel("s += x[i];", "own::vector<T> &x, T s")) == ["access x[i]"]


def test_elements_of_a_type_that_only_an_instance_has_stay_unknown() -> None:
    assert gaps(kernel("x[i] = 0;", "std::vector<typename T::index> &x")) == ["access x[i]"]
