"""Ends of short rows: of scalar code, and where the checks before the vectors fail."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler, LazyPlan
from rooflint.core.code import (
    BetweenExecutions,
    Code,
    RowSpace,
    chain_share,
    overlapped_chain_cy,
    reach,
)
from rooflint.core.lazy import kernels_beside
from rooflint.core.rows import HIDDEN
from rooflint.facts import Space, facts_of, space_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

ZEN4 = find_machine("zen4-9654", (builtin_dir(),))
GCC, CLANG = Compiler("gcc"), Compiler("clang")
STEP = (
    "void f(long m, long n, long s, double *a, double *restrict c)"
    " { for (long i = 0; i < m; i++) for (long j = 0; j < n; j++) c[40 * i + j] += %s; }"
)
SUMS = """void f(long m, long n, double (*a)[64], double *b, double *c, double *y) {
for (long i = 0; i < m; i++) { c[i] = 0; for (long j = 0; j < n; j++) c[i] += a[i][j] * b[j];
for (long j = 0; j < n; j++) y[j] += a[i][j] * %s; } }"""


def code_of(text: str, compiler: Compiler, position: int = -1, **values: int) -> Code:
    """The code of executions, with what is left of its chains."""
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    nest = facts_of(source.function)
    facts = nest[position]
    beside = kernels_beside(facts, nest)
    lazy = LazyPlan(source.function, facts, ZEN4, compiler, beside=beside)
    rows = RowSpace(space_of(facts.kernel.loops, values), values, 64)
    return lazy.with_overlap(lazy.code_for(rows)[0], rows)


def test_rows_whose_checks_fail_have_ends() -> None:
    """clang compares a step with 1, and runs four scalar iterations together where it is not."""
    found = {n: code_of(STEP % "a[j * s + i]", CLANG, m=24, n=n, s=40) for n in (16, 18)}
    assert found[16].vector.width == 1
    assert found[16].ends_cy > 0
    # two of eighteen iterations are left, which take a jump each
    assert found[18].issue_cy > found[16].issue_cy
    plain = code_of(STEP % "a[40 * i + j]", GCC, m=24, n=2000, s=40)
    assert plain.ends_cy == 0


def test_ends_of_scalar_rows_hide_behind_ports() -> None:
    """A copy of columns by gcc stores once in a cycle, and issues five instructions."""
    text = "void f(long m, long n, double *restrict a, double *restrict c) {"
    text += " for (long i = 0; i < m; i++) for (long j = 0; j < n; j++) c[99*j+i] = a[99*j+i]; }"
    code = code_of(text, GCC._replace(level=1), m=24, n=12)
    assert code.vector.width == 1
    # three pointers, four instructions each
    assert code.ends_cy == pytest.approx((1 - HIDDEN) * 3 * 4 / 6 / 12)


def test_chains_of_unequal_rows() -> None:
    """Short rows are bound by their instructions, and long ones by their chains."""
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), (SUMS % "2.5").encode())).functions
    facts = facts_of(source.function)[1]
    scalar = LazyPlan(source.function, facts, ZEN4, GCC).plan.scalar
    space = space_of(facts.kernel.loops, {"m": 500, "n": 32})
    core, none = ZEN4.core, BetweenExecutions()
    assert core is not None
    busy = scalar._replace(recurrence_cy=0).t_core_cy
    chains = {n: scalar.recurrence_cy * share(scalar, space, n) for n in (4, 60)}
    assert chains[4] < busy < chains[60]
    found = overlapped_chain_cy(scalar, core, space, [4, 60], none)
    assert found == pytest.approx((4 * busy + 60 * chains[60]) / 64)
    # no row waits for its chain: what is left of it at their mean length
    alike = overlapped_chain_cy(scalar, core, space._replace(trips=(500, 4)), [4, 4], none)
    assert alike == pytest.approx(chains[4])
    assert overlapped_chain_cy(scalar, core, space, [0], none) is not None


def share(code: Code, space: Space, trips: int) -> float:
    """The share of its chain that a row of so many iterations takes."""
    core = ZEN4.core
    assert core is not None
    found = chain_share(code, core, space._replace(trips=(500, trips)))
    assert found is not None
    return found


def test_what_is_beside_a_chain_takes_room() -> None:
    """The second loop fills the buffer, and waits for the sum where it needs it."""
    apart, needed = (code_of(SUMS % each, CLANG, 1, m=500, n=22) for each in ("2.5", "c[i]"))
    assert needed.recurrence_cy > 1.2 * apart.recurrence_cy


def test_entries_that_others_hold() -> None:
    core = ZEN4.core
    assert core is not None
    code = code_of(SUMS % "2.5", CLANG, 1, m=500, n=22)
    alone = reach(code, core, 20)
    own = code.waiting.held * 20
    assert alone == pytest.approx(1 / own)
    # both fit, they do not fit, and nothing is free
    for held in (0.2, 0.75, 1.5):
        found = reach(code, core, 20, BetweenExecutions(held=held))
        assert found == pytest.approx(min(1 / (own + held), max(0, 1 - held) / own))
    full = reach(code, core, 20, BetweenExecutions(micro_ops=10_000))
    assert full is not None
    assert full < 0.04
