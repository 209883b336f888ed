"""What people read has the names of the source, not the marks of the analysis."""

import pytest
from rooflint.facts import as_written
from rooflint.ir import DataSize, Poly, Reason, SourceName, Unknown, plain, source_form
from rooflint.ir.poly import function

SCALAR = Poly.symbol(Unknown((SourceName("x"),), Reason("count"), ("i",)))
ELEMENT = Poly.symbol(
    Unknown((SourceName("row", "array"), "[", SourceName("i"), "]"), Reason("count"), ("i",))
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (function("floordiv", SCALAR, Poly.symbol("n")), "floor(x, n)"),
        (ELEMENT * 8 + 1, "8*row[i] + 1"),
        (function("min", ELEMENT, SCALAR - 1), "min(row[i], x - 1)"),
        (Poly.symbol("n > 0 ? n : 1") * 2, "2*(n > 0 ? n : 1)"),
        (Poly.symbol(DataSize(("a[", *source_form(ELEMENT), "]"))), "(a[row[i]])"),
        (Poly.symbol(DataSize(("(n)?n:1",))), "((n)?n:1)"),
        (Poly({}), "0"),
        ("x.size()", "x.size()"),
    ],
)
def test_plain(value: Poly | str, expected: str) -> None:
    assert plain(value) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("i'2", "i"),
        ("p'12.x", "p.x"),
        ("f(x)'2", "f(x)'2"),
        ("B[k'2][j'3]", "B[k][j]"),
        ("x'", "x'"),
    ],
)
def test_names_of_the_analysis_are_written_as_the_source_has_them(name: str, expected: str) -> None:
    assert as_written(name) == expected
