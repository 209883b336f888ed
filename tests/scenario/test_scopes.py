"""Sizes that belong to one function or type."""

import pytest
from rooflint.scenario.sizes import SizeLayer, in_function, split_scope


@pytest.mark.parametrize(
    ("name", "scope", "inner"),
    [
        ("n", "", "n"),
        ("gemm:n", "gemm", "n"),
        ("gemm::n", "gemm", "n"),
        ("blas::gemm:n", "blas::gemm", "n"),
        ("gemm:row[i+1]-row[i]", "gemm", "row[i+1]-row[i]"),
    ],
)
def test_a_name_and_its_scope(name: str, scope: str, inner: str) -> None:
    assert split_scope(name) == (scope, inner)


def test_a_function_is_nearer_than_the_program() -> None:
    layer = SizeLayer("command line", {"n": 10, "gemm:n": 512, "gemm::m": 8, "gem:n": 1})
    for name in ("gemm", "blas::gemm"):
        own = in_function(layer, name).sizes
        assert (own["n"], own["m"]) == (512, 8)
    for name in ("gem2", "emm", "gemm::run"):
        assert in_function(layer, name) is layer


def test_a_layer_keeps_what_has_no_scope() -> None:
    layer = SizeLayer("comment", {"f:n": 2}, trips={"i": 3})
    assert in_function(layer, "f") == SizeLayer("comment", {"f:n": 2, "n": 2}, trips={"i": 3})
