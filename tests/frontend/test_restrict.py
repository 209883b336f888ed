"""``restrict`` of parameters, wherever C lets it stand."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request


@pytest.mark.parametrize(
    ("parameter", "is_promised"),
    [
        ("double *restrict a", True),
        ("double *__restrict__ a", True),
        ("double a[restrict]", True),
        ("double a[restrict n]", True),
        ("double a[restrict 100]", True),
        ("double a[static restrict 100]", True),
        ("double a[const restrict n]", True),
        ("double a[ restrict static n]", True),
        ("ARRAY(a)", True),
        ("double *a", False),
        ("double a[]", False),
        ("double a[n]", False),
        ("double a[restricted]", False),
        ("double a[const n]", False),
    ],
)
def test_a_parameter_that_promises_no_overlap(parameter: str, is_promised: bool) -> None:
    text = (
        "#define ARRAY(x) double x[restrict n]\n"
        f"void f(int n, int restricted, {parameter}, const double *b) {{\n"
        "  for (int i = 0; i < n; i++) a[i] = b[i];\n}\n"
    )
    unit = extract(Request("/nowhere/f.c", Flags("c"), text.encode()))
    arrays = {array.name: array for array in unit.functions[0].function.arrays}
    assert arrays["a"].restrict is is_promised
    assert not arrays["b"].restrict


def test_rows_of_a_parameter() -> None:
    text = (
        "void f(int n, double a[restrict n][n], double (*restrict b)[n], double c[n][n]) {\n"
        "  for (int i = 0; i < n; i++) a[1][i] = b[1][i] + c[1][i];\n}\n"
    )
    unit = extract(Request("/nowhere/f.c", Flags("c"), text.encode()))
    found = {array.name: array.restrict for array in unit.functions[0].function.arrays}
    assert found == {"a": True, "b": True, "c": False}
