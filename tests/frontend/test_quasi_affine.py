"""Bounds that are no polynomials: choices and geometric steps, against counting by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import UNCOUNTED, Function, Loop, Poly, walk
from rooflint.ir.poly import function
from rooflint.ir.text import print_function
from rooflint.replay.progressions import unplaced_array
from rooflint.workers.wire import Codec


def lowered(body: str) -> Function:
    text = f"void f(double *a, long n, long m) {{ {body} }}"
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    codec = Codec[Function](Function)
    assert codec.from_json(codec.to_json(source.function)) == source.function
    return source.function


def loops(body: str) -> list[Loop]:
    return [node for node in walk(lowered(body).body) if isinstance(node, Loop)]


def count(first: int, goes_on: str, moves: str, n: int) -> int:
    """Iterations of ``for (i = first; goes_on; moves)``, run."""
    i, trips = first, 0
    while eval(goes_on, {"i": i, "n": n}):
        i = eval(moves, {"i": i, "n": n})
        trips += 1
    return trips


UP = [
    (f"i = {first}; i {sign} n; i *= {by}", first, f"i {sign} n", f"i * {by}")
    for first in (1, 3)
    for sign in ("<", "<=")
    for by in (2, 3)
]
SHIFTED = [
    ("i = 1; i < n; i <<= 1", 1, "i < n", "i * 2"),
    ("i = 1; n > i; i += i", 1, "i < n", "i * 2"),
]
DOWN = [
    ("i = n; i > 0; i >>= 1", "i > 0", "i // 2"),
    ("i = n; i > 1; i /= 2", "i > 1", "i // 2"),
    ("i = n; i >= 1; i /= 3", "i >= 1", "i // 3"),
    ("i = n; i >= 5; i /= 3", "i >= 5", "i // 3"),
    ("i = n; i != 0; i >>= 2", "i != 0", "i // 4"),
    ("i = n; i; i >>= 1", "i != 0", "i // 2"),
]


@pytest.mark.parametrize(("header", "first", "goes_on", "moves"), UP + SHIFTED)
def test_counters_that_are_multiplied(header: str, first: int, goes_on: str, moves: str) -> None:
    (loop,) = loops(f"for (long {header}) a[0] += 1.0;")
    assert UNCOUNTED not in loop.exits
    for n in (*range(-2, 30), 63, 64, 65, 1000, 6561, 10**9):
        assert loop.trip_count.evaluate({"n": n}) == count(first, goes_on, moves, n)


@pytest.mark.parametrize(("header", "goes_on", "moves"), DOWN)
def test_counters_that_are_divided(header: str, goes_on: str, moves: str) -> None:
    (loop,) = loops(f"for (long {header}) a[0] += 1.0;")
    assert UNCOUNTED not in loop.exits
    for n in (*range(30), 63, 64, 65, 1000, 6561, 10**9):
        assert loop.trip_count.evaluate({"n": n}) == count(n, goes_on, moves, n)


def test_a_constant_geometric_loop_has_a_number() -> None:
    (loop,) = loops("for (long l = 1; l < 4096; l *= 2) a[0] += 1.0;")
    assert loop.trip_count.value == 12
    (loop,) = loops("long l = 1; while (l <= 4096) { a[0] += 1.0; l <<= 1; }")
    assert loop.trip_count.value == 13


def test_a_subscript_that_each_iteration_doubles_has_a_place() -> None:
    header = "long l = 1; for (long i = 0; i < 9; i++)"
    assert unplaced_array(lowered(f"{header} {{ a[l] = 0; l *= 2; }}")) is None
    assert unplaced_array(lowered(f"{header} {{ a[l] = 0; l = (long) a[l]; }}")) == "a"


@pytest.mark.parametrize(
    "header", ["i = n; i < m; i *= 2", "i = 0; i < n; i *= 2", "i = 1; i > n; i *= 2"]
)
def test_counters_that_may_never_get_there_stay_uncounted(header: str) -> None:
    (loop,) = loops(f"for (long {header}) a[0] += 1.0;")
    assert UNCOUNTED in loop.exits


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "!="])
def test_choices_before_a_loop(sign: str) -> None:
    written = f"long top = n {sign} 5 ? n + m : 7; for (long i = 0; i < top; i++) a[i] = 1.0;"
    branched = (
        f"long top = 7; if (n {sign} 5) top = n + m; for (long i = 0; i < top; i++) a[i] = 1;"
    )
    for text in (written, branched):
        (loop,) = loops(text)
        for n in range(12):
            expected = n + 3 if eval(f"{n} {sign} 5") else 7
            assert loop.upper.evaluate({"n": n, "m": 3}) == expected


def test_a_clamp_that_varies_with_a_loop_is_an_extreme() -> None:
    body = "for (long d = 0; d < n; d++) { long lo = d >= 800 ? d - 799 : 1; LOOP }"
    inner = "for (long i = lo; i < d; i++) a[i] = 1.0;"
    loop = loops(body.replace("LOOP", inner))[1]
    assert str(loop.lower) == "max(1, d - 799)"


def test_the_print_of_both() -> None:
    function_ = lowered("long top = n > 5 ? m : 7; for (long i = 1; i < top; i *= 2) a[0] += 1.0;")
    assert "ceil(log(select(n - 6 >= 0, m, 7), 2))" in print_function(function_)


integers = st.integers(-20, 20)
linear = st.tuples(st.integers(-3, 3), integers).map(lambda t: Poly.symbol("n") * t[0] + t[1])


@given(linear, linear, linear, integers)
def test_a_selection_is_that_of_the_values(c: Poly, a: Poly, b: Poly, n: int) -> None:
    at = {"n": n}
    expected = a.evaluate(at) if c.evaluate(at) >= 0 else b.evaluate(at)
    assert function("select", c, a, b).evaluate(at) == expected


@given(st.integers(-5, 10**12), st.integers(2, 9))
def test_the_logarithm_is_the_least_exponent(value: int, base: int) -> None:
    steps = function("ceillog", Poly.symbol("n"), Poly.constant(base)).evaluate({"n": value})
    assert steps >= 0
    assert base**steps >= value
    assert steps == 0 or base ** (steps - 1) < value
    assert function("ceillog", Poly.constant(value), Poly.constant(base)).value == steps
