"""What people read has the names of the source, not the marks of the analysis."""

import pytest
from rooflint.facts import plain
from rooflint.facts.affine import NotAffineError
from rooflint.ir import Poly, Reason, Unknown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?x / n has no negative operand", "x / n has no negative operand"),
        ("'8*?row[i] + 1' is not linear", "'8*row[i] + 1' is not linear"),
        ("idx / ?access t.max - ?access t.min + 1", "idx / t.max - t.min + 1"),
        ("?div(convert(globals[0]),convert(t)) / t", "div(globals[0],t) / t"),
        ("convert(convert(x))", "x"),
        ("n > 0 ? n : 1", "n > 0 ? n : 1"),
        ("(n)?n:1", "(n)?n:1"),
        ("a[i]?b:c", "a[i]?b:c"),
        ("x.size()", "x.size()"),
    ],
)
def test_plain(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_plain_takes_polynomials() -> None:
    unknown = Poly.symbol(Unknown("row[i]", Reason("indirect", ("row",)), ("i",)))
    assert plain(unknown * 8 + 1) == "8*row[i] + 1"


def test_reasons_are_plain() -> None:
    assert str(NotAffineError("the step '?s' has no value")) == "the step 's' has no value"
