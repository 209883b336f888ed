"""Branches on data that compiled loops keep, and the wrong guesses of an iteration at most."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.data_branches import wrong_guesses
from rooflint.core.mispredictions import guess_words, misprediction_cy, wrong_share
from rooflint.core.plan import plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HASWELL = find_machine("haswell-ep-e5-2695v3", (builtin_dir(),))
PARAMETERS = "int *restrict a, const int *restrict b, double *restrict c, int mode, int n"
LOOP = "int k = 0; for (int i = 0; i < n; i++) "
PACK = "{ a[k] = i; k++; }"


def wrong(body: str, compiler: Compiler | None = None) -> float:
    source = f"int f({PARAMETERS}) {{ {LOOP}{body} return k; }}"
    (found,) = extract(Request("/nowhere/a.c", Flags("c"), source.encode())).functions
    (facts,) = facts_of(found.function)
    plan = plan_of(found.function, facts, HASWELL, compiler or Compiler("gcc"))
    return wrong_guesses(facts.kernel, plan, plan.code)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if (b[i] < 0) {PACK}", 0.5),
        (f"{{ int d = b[i] - i; if (d < 0) {PACK} }}", 0.5),
        # the second one is reached in half of the iterations
        ("if (b[i] < 0) { a[k] = i; k++; if (b[i] < -9) { c[k] = 0; k++; } }", 0.75),
        (f"if (b[i] < 0) {PACK} else {{ a[n - k] = i; k++; }}", 0.5),
        # an index, a value of the whole loop, a way out
        (f"if (i & 1) {PACK}", 0.0),
        (f"if (mode) {PACK}", 0.0),
        (f"{{ if (b[i] < 0) break; {PACK} }}", 0.0),
        # selections, and vectors
        ("a[i] = b[i] < 0 ? 1 : 2;", 0.0),
        ("if (b[i] < 0) a[i] = 1;", 0.0),
    ],
)
def test_branches_of_an_iteration(body: str, expected: float) -> None:
    assert wrong(body) == pytest.approx(expected)


def test_vectors_have_no_branches() -> None:
    body = "{ if (b[i] < 0) a[i] = 1; else c[i] = 2; }"
    assert wrong(body, Compiler("gcc", level=1)) == 0.5
    assert wrong(body) in (0.0, 0.5)


@pytest.mark.parametrize(("taken", "expected"), [(0, 0), (0.1, 0.18), (0.5, 0.5), (1, 0)])
def test_independent_outcomes(taken: float, expected: float) -> None:
    assert wrong_share(taken) == pytest.approx(expected)


def test_machines_state_the_price() -> None:
    assert misprediction_cy(HASWELL) == 16
    assert misprediction_cy(find_machine("generic-avx2", (builtin_dir(),))) is None


def test_it_is_said_where_it_costs() -> None:
    assert guess_words(0.5, 0.0) == ()
    assert guess_words(0.5, 8.0) == (
        "branches on data are guessed right; wrong guesses, 0.5 an iteration at most, add up to"
        " 8 cy/it",
    )
