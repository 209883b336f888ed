"""Executions of an inner loop that begin with what the last one made, and scalar maxima of gcc."""

from collections.abc import Callable

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.core.executions import begins_with_last
from rooflint.core.plan import Planner
from rooflint.facts import facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine

NEST = (
    "void f(int m, int n, double *s, const double *a) {{ for (int j = 1; j < m; j++) {{"
    " {before} for (int k = 0; k < n; k++) s[j] += a[k]; {behind} }} }}"
)


@pytest.mark.parametrize(
    ("before", "behind", "serial"),
    [
        ("s[j] += s[j-1];", "", True),
        ("if (j < n) s[j] += s[j-1];", "", True),
        ("s[j] += s[j-2];", "", False),
        ("s[j] += s[j+1];", "", False),
        ("s[j] = 0;", "", False),
        ("", "s[j] += s[j-1];", False),
        ("", "", False),
    ],
)
def test_an_execution_begins_with_what_the_last_one_made(
    before: str, behind: str, serial: bool
) -> None:
    source = NEST.format(before=before, behind=behind).encode()
    [found] = extract(Request("/nowhere/f.c", Flags("c"), source)).functions
    function = found.function
    facts = [each for each in facts_of(function) if each.kernel.innermost]
    machine = find_machine("zen4-9654", (builtin_dir(),))
    assert begins_with_last(Planner(function, facts[-1], machine, Compiler())) is serial


MAXIMA = (
    b"int f(int n, const %s *a) { %s m = 0; for (int i = 0; i < n; i++) m = m > a[i] ? m : a[i];"
    b" return m; }"
)


@pytest.mark.parametrize(
    ("machine", "compiler", "kind", "cycles"),
    [
        ("zen4-9654", Compiler("gcc", vectorise=False), b"int", 1.0),
        ("zen4-9654", Compiler("gcc", vectorise=False), b"long", 1.0),
        ("zen2-7452", Compiler("gcc", vectorise=False), b"int", 1.0),
        # no instruction for 64 bits before AVX-512, and none before SSE4.1
        ("zen2-7452", Compiler("gcc", vectorise=False), b"long", 2.0),
        ("zen2-7452", Compiler("gcc", vectorise=False, baseline=True), b"int", 2.0),
        ("skylake-sp-6148", Compiler("gcc", vectorise=False), b"int", 2.0),
    ],
)
def test_gcc_takes_maxima_of_integers_in_vector_registers_on_zen(
    plan: Callable[..., CorePlan], machine: str, compiler: Compiler, kind: bytes, cycles: float
) -> None:
    [found] = extract(Request("/nowhere/f.c", Flags("c"), MAXIMA % (kind, kind))).functions
    assert plan(found.function, machine, compiler).code.recurrence_cy == pytest.approx(cycles)
