"""Parsed expressions as formulas of sympy: the same values, and limits on the work."""

import ast
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rooflint_plugins.models.hybrid.evaluate.algebra import MAX_TERMS, constant, equal, formula
from rooflint_plugins.models.hybrid.procedure.expression import ExpressionError, parse
from sympy import Expr

VALUES = {"K": 3.0, "N": 8.0, "e": 4.0, "bw": 0.75}
EXAMPLES = Path(__file__).parents[4] / "examples"


def of(text: str) -> Expr:
    return formula(parse(text).tree, {})


def solved(left: str, right: str, wanted: str) -> str:
    return str(equal(of(left), of(right), wanted))


def random_expressions(functions: tuple[str, ...]) -> st.SearchStrategy[str]:
    leaves = st.sampled_from([*VALUES, "0", "1", "2", "7", "0.5", "1e9", "3e-13"])

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        binary = st.tuples(inner, st.sampled_from("+ - * / **".split()), inner)
        call = st.tuples(st.sampled_from(functions), inner)
        pair = st.tuples(st.sampled_from(["min", "max"]), inner, inner)
        return st.one_of(
            binary.map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
            call.map(lambda t: f"{t[0]}({t[1]})"),
            pair.map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
            inner.map(lambda t: f"-({t})"),
        )

    return st.recursive(leaves, grown, max_leaves=8)


def value_of(text: str) -> float | None:
    try:
        return parse(text).value(VALUES)
    except ExpressionError:
        return None


def largest_part(text: str) -> float:
    """The largest value on the way to an expression's: what rounding errors are a part of."""
    nodes = ast.walk(ast.parse(text, mode="eval"))
    values = [value_of(ast.unparse(node)) for node in nodes if isinstance(node, ast.expr)]
    return max([abs(value) for value in values if value is not None])


# Not ceil and floor: a rounding error before them is a whole number after them.
@given(random_expressions(("log2", "sqrt")))
def test_a_formula_has_the_value_of_the_expression(text: str) -> None:
    expected = value_of(text)
    assume(expected is not None)
    try:
        shown = str(of(text))
    except ExpressionError:
        return
    again = value_of(shown)
    assert expected is not None
    assert again is None or math.isclose(
        again, expected, rel_tol=1e-6, abs_tol=1e-9 * largest_part(text)
    ), shown


@given(
    random_expressions(("log2", "sqrt", "ceil", "floor")),
    random_expressions(("log2", "sqrt", "ceil", "floor")),
    st.sampled_from([*VALUES]),
)
def test_whatever_is_to_be_equal_is_solved_or_refused(left: str, right: str, wanted: str) -> None:
    try:
        shown = solved(left, right, wanted)
    except ExpressionError:
        return
    assert wanted not in parse(shown).names()


@pytest.mark.parametrize(
    ("left", "right", "wanted", "expected"),
    [
        ("N/3", "K", "N", "3*K"),
        ("N**2", "K", "N", "sqrt(K)"),
        ("sqrt(N)", "K*e", "N", "K**2*e**2"),
        ("log2(N)", "K/e", "N", "2**(K/e)"),
        ("N**2.807*K", "N**2*e", "K", "e/N**(807/1000)"),
        ("log2(N)**2", "K", "N", "2**(sqrt(K))"),
        ("log2(N)", "100*K/e", "N", "2**(100*K/e)"),
        ("log2(N)", "K + 1e9", "N", "2**(K + 1000000000)"),
        ("log2(N) + 3", "0 - 0*K + 1", "N", "1/4"),
        # e (2K + 1) = 4 K F, K (4 F - 2 e) = e
        ("(2*K + 1)/(4*F)", "K/e", "K", "e/(2*(2*F - e))"),
        # both sides have K + 1 as a factor, which balances nothing
        ("(K + 1)*e", "(K + 1)*N/bw", "bw", "N/e"),
        ("min(3, 4)*ceil(7/2)*N", "log2(8)*K", "N", "K/4"),
        # the nearest fraction with a denominator of up to 10**12 would be 0
        ("3e-13*N", "K", "N", "10000000000000*K/3"),
    ],
)
def test_solved(left: str, right: str, wanted: str, expected: str) -> None:
    assert solved(left, right, wanted) == expected


@pytest.mark.parametrize(
    ("left", "right", "wanted", "reason"),
    [
        ("(K + 1)*e", "(K + 1)*N", "K", "does not depend on K"),
        ("N*log2(N)", "K", "N", r"N is inside log2\(N\)"),
        ("log2(N*K)", "e", "N", r"N is inside log2\(K\*N\)"),
        ("2**N", "K", "N", r"N is inside 2\*\*N"),
        ("min(N, e)", "K", "N", r"N is inside min\(N, e\)"),
        ("sqrt(N) + N", "K", "N", "N occurs in 3 different powers"),
        ("K - N", "2*K", "N", "no N above 0 makes T_C and T_tr equal"),
        ("N", "0", "N", "division by zero"),
        ("K/(2 - 2)", "N", "N", "division by zero"),
        ("K/((N + 1)**2 - N**2 - 2*N - 1)", "K", "K", "division by zero"),
        ("0**(-1)", "N", "N", "division by zero"),
        ("log2(N)", "1e9", "N", "N has more than 1024 bits"),
        ("log2(N)**2 + K", "0*K", "N", "division by zero"),
        ("log2(N)**2 + 2", "1", "N", "no N above 0"),
    ],
)
def test_what_is_not_solved_says_why(left: str, right: str, wanted: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        solved(left, right, wanted)


SUMS = "*".join([f"(x{i} + N)" for i in range(20)])
FRACTIONS = " + ".join([f"x{i}/(y{i} + N)" for i in range(20)])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("9**9**9**9", "exponent above"),
        ("2**(10**9 + N)", "exponent above"),
        ("((((9**12)**12)**12)**12)**12", "bits"),
        ("(N**12)**12", "exponent above"),
        ("N**3e-13*3e-13**3e-13", "finer fractions"),
        ("N**(1/997) + K**(1/991)", "finer fractions"),
        ("(1 + N)**(64 + K)", "terms"),
        ("((N + 1)**6)**10", "terms"),
        ("log2((N + K + 1)**60)", "terms"),
        (SUMS, "terms"),
        (FRACTIONS, "terms"),
    ],
)
def test_what_takes_too_long_is_refused_at_once(text: str, reason: str) -> None:
    start = time.process_time()
    with pytest.raises(ExpressionError, match=reason):
        of(text)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", ["log2(a*x + a) + a*y", "a*a", "a*a + a"])
def test_formulas_that_double_again_and_again_are_refused(text: str) -> None:
    symbols = {"a": of("0.999999999*x")}
    with pytest.raises(ExpressionError, match=r"terms|parts|bits"):
        for _ in range(60):
            symbols = {"a": formula(parse(text).tree, symbols)}


def test_the_limit_leaves_room_for_the_sums_of_procedures() -> None:
    terms = " + ".join([f"x{i}" for i in range(MAX_TERMS)])
    assert len(of(terms).args) == MAX_TERMS
    with pytest.raises(ExpressionError, match=f"more than {MAX_TERMS} terms"):
        of(f"{terms} + N")


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_constant_is_the_float_exactly(value: float) -> None:
    exact = constant(value)
    assert exact.p / exact.q == value


@pytest.mark.parametrize(
    "command",
    [
        f"estimate {EXAMPLES / 'procedures' / 'ft3d_two_stage.yaml'} --machine titan-node",
        f"estimate {EXAMPLES / 'triad.c'} --machine titan-node -D n=1e8",
        f"analyze {EXAMPLES / 'triad.c'} --machine titan-node --model hybrid",
        f"lint {EXAMPLES / 'triad.c'}",
    ],
)
def test_only_a_formula_imports_sympy(command: str) -> None:
    def imported(*arguments: str) -> str:
        program = f"import sys; from rooflint.cli.main import run; run({list(arguments)})"
        shown = f"{program}; print(); print('sympy' in sys.modules)"
        child = subprocess.run(
            [sys.executable, "-c", shown], capture_output=True, text=True, check=True, timeout=120
        )
        return child.stdout.splitlines()[-1]

    assert imported(*command.split()) == "False"
    if command.startswith("estimate"):
        assert imported(*command.split(), "--balance", "BW") == "True"
