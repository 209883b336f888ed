"""Passes that plans state, as gcc 12.2 (``-fopt-info-loop-optimized``) and clang 19 (``-Rpass``)
run them over these loops for Haswell."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.code import LoopPass
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

HASWELL = find_machine("haswell-ep-e5-2695v3", (builtin_dir(),))
GCC, GCC_O2, CLANG = Compiler("gcc"), Compiler("gcc", level=2), Compiler()
DOUBLES = "double *restrict a, const double *restrict b, double *restrict c, int mode, long n"
LOOP = "for (long i = 0; i < n; i++) "
TIMES = "for (long i = 0; i < {}; i++) a[i] = b[i] * 2;"


def plan(text: str, compiler: Compiler) -> CorePlan:
    source = f"int f({DOUBLES}) {{ {text} return 0; }}"
    (found,) = extract(Request("/nowhere/a.c", Flags("c"), source.encode())).functions
    facts = facts_of(found.function)[-1]
    return plan_of(found.function, facts, HASWELL, compiler)


def passes(text: str, compiler: Compiler) -> list[str]:
    return [each.kind for each in plan(text, compiler).passes]


@pytest.mark.parametrize(
    ("body", "gcc", "gcc_o2", "clang"),
    [
        ("if (mode) a[i] = b[i] * 2; else a[i] = b[i] + 1;", True, False, True),
        ("a[i] = mode ? b[i] * 2 : b[i] + 1;", True, False, True),
        # not always the same way
        ("if (b[i] > 0) a[i] = b[i] * 2; else a[i] = b[i] + 1;", False, False, False),
        # known at once
        ("if (2 > 1) a[i] = b[i] * 2; else a[i] = b[i] + 1;", False, False, False),
    ],
)
def test_steady_tests_leave_loops(body: str, gcc: bool, gcc_o2: bool, clang: bool) -> None:
    found = ["unswitching" in passes(LOOP + body, each) for each in (GCC, GCC_O2, CLANG)]
    assert found == [gcc, gcc_o2, clang]


@pytest.mark.parametrize(("additions", "copied"), [(45, True), (46, False)])
def test_long_loops_are_not_copied(additions: int, copied: bool) -> None:
    """Two loads, two stores, a product and the additions: up to 50 operations."""
    value = "b[i] * 2" + "".join([f" + {number}.5" for number in range(additions)])
    body = f"if (mode) a[i] = {value}; else a[i] = b[i];"
    assert ("unswitching" in passes(LOOP + body, GCC)) == copied


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ("{ a[i] = 0; c[i] = b[i] * 2; }", ["memset"]),
        ("a[i] = 0;", ["memset"]),
        ("a[i] = b[i];", ["memcpy"]),
        # no byte over and over, not in every iteration, or read in the loop
        ("{ a[i] = 1; c[i] = b[i] * 2; }", []),
        ("{ if (b[i] > 0) a[i] = 0; c[i] = b[i] * 2; }", []),
        ("{ a[i] = 0; c[i] = a[i + 1] * 2; }", []),
    ],
)
def test_stores_that_become_calls(body: str, calls: list[str]) -> None:
    for compiler in (GCC, GCC_O2, CLANG):
        made = plan(LOOP + body, compiler).passes
        assert [each.subject for each in made if each.kind == "library-call"] == calls


def test_copies_up_to_a_value_are_no_calls() -> None:
    text = "char *d = (char *)a; const char *s = (const char *)b; while ((*d++ = *s++)) ;"
    assert plan(text, GCC).code.vector.library is None


@pytest.mark.parametrize(
    ("trips", "gcc", "gcc_o2", "clang"),
    [
        # at -O2 two vectors of 4 take no more room than the loop
        (8, True, True, True),
        (16, True, False, True),
        # 17 vectors, of which 16 follow on the first, and one more; clang: 300 operations
        (68, True, False, True),
        (72, False, False, True),
        (1600, False, False, False),
        ("n", False, False, False),
    ],
)
def test_loops_that_vanish(trips: int | str, gcc: bool, gcc_o2: bool, clang: bool) -> None:
    found = [
        "complete-unrolling" in passes(TIMES.format(trips), each) for each in (GCC, GCC_O2, CLANG)
    ]
    assert found == [gcc, gcc_o2, clang]


def test_passes_are_said() -> None:
    found = plan(TIMES.format(8), GCC)
    assert found.passes == (LoopPass("complete-unrolling", "8"),)
    assert "gcc -O3 unrolls all 8 iterations" in found.assumptions


INNER = "if (b[i] > 0) {{ if ({}) a[i] = b[i] * 2; else a[i] = b[i] + 1; }}"


@pytest.mark.parametrize(
    ("body", "flags", "gcc"),
    [
        (INNER.format("mode > 0"), GCC, True),
        (INNER.format("mode + n > 0"), GCC, True),
        (INNER.format("mode > 0.0"), GCC, False),
        (INNER.format("mode > 0.0"), GCC._replace(trapping_math=False), True),
        # every iteration needs it
        ("if (mode > 0.0) a[i] = b[i] * 2; else a[i] = b[i] + 1;", GCC, True),
    ],
)
def test_tests_that_may_trap_stay_in_their_arm(body: str, flags: Compiler, gcc: bool) -> None:
    """gcc 12.2 -O3: a conversion may raise a flag."""
    assert ("unswitching" in passes(LOOP + body, flags)) == gcc


COPY = "for (long i = 0; i < {}; i++) a[i] = b[i];"
ROUNDS = "for (long k = 0; k < mode; k++) {{ {} {} }}"


@pytest.mark.parametrize(
    ("text", "gcc"),
    [
        (ROUNDS.format(COPY.format("n"), "ext(a);"), False),
        (ROUNDS.format("ext(a);", COPY.format("n")), False),
        # no call, a call after the loops, two loops inside, and fewer iterations every time
        (ROUNDS.format(COPY.format("n"), "c[k] = k;"), True),
        (COPY.format("n") + " ext(a);", True),
        (ROUNDS.format(COPY.format("n"), "ext(a);" + COPY.format("n")), True),
        (ROUNDS.format(COPY.format("k"), "ext(a);"), True),
    ],
)
def test_calls_around_keep_loops_from_becoming_calls(text: str, gcc: bool) -> None:
    """gcc 12.2 looks for patterns from the outermost loop inwards, up to side effects."""
    text = "void ext(double *); " + text
    assert ("library-call" in passes(text, GCC)) == gcc
    assert "library-call" in passes(text, CLANG)


@pytest.mark.parametrize(
    ("text", "trips", "gone"),
    [
        # vectors of four: three instructions an element, up to 300 in all
        ("a[i] = c[64 * i] * 2 + b[i];", 88, False),
        ("a[i] = c[64 * i] * 2 + b[i];", 48, True),
        ("a[i] = c[i] * 2 + b[i];", 88, True),
    ],
)
def test_elements_apart_lengthen_code(text: str, trips: int, gone: bool) -> None:
    text = f"for (long i = 0; i < {trips}; i++) {text}"
    assert ("complete-unrolling" in passes(text, CLANG)) == gone
