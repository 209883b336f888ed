"""Names under which a size of a function goes into the configuration."""

import pytest
from rooflint.plugin_api.report import FunctionReport, SizeRange
from rooflint_lsp.views.actions import project_name


def size(scope: str, name: str, spelling: str) -> SizeRange:
    return SizeRange(
        scope=scope, name=name, size=spelling, low=1, typical=2, high=3, origin="role", chain=()
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("n", "gemm:n"),
        ("grid->nx", "Grid:nx"),
        ("count", "count"),
        ("m", "m"),  # nothing tells where it belongs
    ],
)
def test_the_scope_of_a_size(given: str, expected: str) -> None:
    values = (
        size("blas::gemm", "n", "n"),
        size("Grid", "nx", "grid->nx"),
        size("", "count", "count"),
    )
    function = FunctionReport(
        name="blas::gemm", line=1, column=1, nests=(), totals=(), values=values
    )
    assert project_name(function, given) == expected
