"""Loops that go on where the call before left off: how far they run is no guess of their ends."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips
from rooflint.program.typical_value import TypicalValue
from rooflint.scenario.roles import SizeRole

STATE = """
struct state { int done, base, size; int *table; } s;
int seen;
"""
LOOPS = [
    ("while", "int i = t->done; while (i < end) { t->table[i] = i; i++; } t->done = end;"),
    ("for without a beginning", "int i = t->done; for (; i < end; i += 3) t->table[i] = i;"
     " t->done = end;"),
    ("for", "for (int i = t->done; i < end; i++) t->table[i] = i; t->done = end;"),
    ("from a copy", "int i = t->done; for (i = t->done; i <= end; i++) t->table[i] = i;"
     " t->done = end;"),
    ("global", "for (int i = seen; i < end; i++) t->table[i] = i; seen = end;"),
    ("member to member", "for (int i = t->done; i < t->size; i++) t->table[i] = i;"
     " t->done = t->size;"),
]  # fmt: skip
OTHERS = [
    ("not set", "for (int i = t->done; i < end; i++) t->table[i] = i;"),
    ("set to something else", "for (int i = t->done; i < end; i++) t->table[i] = i;"
     " t->done = end + 1;"),
    ("a variable of the function", "int begin = t->done; for (int i = begin; i < end; i++)"
     " t->table[i] = i; begin = end; t->base = begin;"),
    ("begins anew", "for (int i = 0; i < end; i++) t->table[i] = i; t->done = end;"),
    ("falls", "for (int i = t->done; i > end; i--) t->table[i] = i;"),
]  # fmt: skip


def trips(body: str) -> TypicalValue:
    text = f"{STATE} void more(struct state *t, int end) {{ {body} }}"
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    typical = typical_trips(program, ProgramSolver(program))
    (loop,) = program.loops
    return typical.of(loop)


@pytest.mark.parametrize("body", [each[1] for each in LOOPS], ids=[each[0] for each in LOOPS])
def test_loops_that_go_on(body: str) -> None:
    found = trips(body)
    assert (found.role, found.value) == (SizeRole.CONDITION, 4)


@pytest.mark.parametrize("body", [each[1] for each in OTHERS], ids=[each[0] for each in OTHERS])
def test_loops_that_do_not(body: str) -> None:
    assert trips(body).role is not SizeRole.CONDITION
