import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint_plugins.models.hybrid.procedure.expression import (
    MAX_DEPTH,
    ExpressionError,
    UnboundError,
    parse,
)
from rooflint_plugins.models.hybrid.procedure.load import quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5*N*log2(N)", 5 * 256 * 8),
        ("-N**2 + 2", -65534),
        ("min(N, 3, 7) + max(1, 2)", 5),
        ("ceil(N/100) - floor(N/100)", 1),
        ("sqrt(N)", 16),
        ("2**(32*K/8)", 65536),
        ("1e3 + .5", 1000.5),
    ],
)
def test_arithmetic(text: str, value: float) -> None:
    assert parse(text).value({"N": 256, "K": 4}) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "N.real",
        "N[0]",
        "[x for x in N]",
        "lambda: 1",
        "N if K else 1",
        "N == 1",
        "exec(N)",
        "abs(N)",
        "log2(N, base=2)",
        "log2()",
        "min(1)",
        "'text'",
        "True",
        "1j",
        "N // 2",
        "N @ K",
        "f'{N}'",
        "(x := 1)",
        "log2",
        "",
        "1 +",
        "*N",
    ],
)
def test_everything_outside_the_list_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_names_must_have_values() -> None:
    with pytest.raises(UnboundError, match="unknown symbol 'M'"):
        parse("N + M").value({"N": 1})
    assert parse("N + log2(M)").names() == {"N", "M"}


@pytest.mark.parametrize(
    "text", ["1/0", "log2(0)", "log2(-1)", "sqrt(-1)", "(-8)**0.5", "9**9**9**9", "log2((-8)**0.5)"]
)
def test_what_has_no_value_says_so(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text).value({})


def test_length_and_depth_are_limited() -> None:
    with pytest.raises(ExpressionError, match="characters"):
        parse("1+" * 2000 + "1")
    with pytest.raises(ExpressionError, match="levels"):
        parse("-" * 100 + "1")


@pytest.mark.parametrize(
    ("opened", "closed"),
    [("-", ""), ("+", ""), ("", "+1"), ("1-(", ")"), ("sqrt(", ")"), ("min(1,", ")")],
)
def test_nesting_counts_on_either_side_of_an_operator(opened: str, closed: str) -> None:
    def nested(levels: int) -> str:
        return opened * levels + "1" + closed * levels

    assert parse(nested(MAX_DEPTH)).text == nested(MAX_DEPTH)
    with pytest.raises(ExpressionError, match=f"more than {MAX_DEPTH} levels"):
        parse(nested(MAX_DEPTH + 1))


@given(st.text(max_size=60))
def test_any_text_is_an_expression_or_an_error(text: str) -> None:
    try:
        value = parse(text).value({})
    except ExpressionError:
        return
    assert math.isfinite(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("64KiB", 65536), ("2.7GB/s", 2.7e9), ("200MHz", 2e8), ("1.5GOP/s", 1.5e9), ("6e9", 6e9)],
)
def test_numbers_may_have_units(text: str, value: float) -> None:
    assert quantity(text).value({}) == value
