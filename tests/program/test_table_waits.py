"""Waits for elements of tables that no cache holds."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.machine import builtin_dir, find_machine
from rooflint.program.linking import ProgramEquations, link_files
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.solver import ProgramSolver
from rooflint.program.table_waits import (
    LEVELS,
    MEMORY_CYCLES,
    table_waits,
    waiting_cycles,
)
from rooflint.program.weights import program_weights

MIB = 2**20
LARGE = 64 * MIB


def program(body: str, callers: str, size: int = LARGE) -> ProgramEquations:
    """A function ``f`` of a table ``t`` of so many bytes, and a main program with ``callers``."""
    text = f"""
        #include <stdlib.h>
        int more(int *t, int i) {{ return t[i]; }}
        int f(int *t, int *u, int i, int j) {{ {body} }}
        int main(void) {{ int *t = malloc({size}), *u = malloc({size}), s = 0; {callers} }}
    """
    return link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])


def waits_of(body: str, callers: str, size: int = LARGE) -> float:
    linked = program(body, callers, size)
    (file,) = linked.files
    names = file.equations.quantities
    found = table_waits(file, ProgramSolver(linked))
    return sum(each.cycles for each in found if names[each.function].name == "f")


@pytest.mark.parametrize(
    ("table", "cycles"),
    [
        (0, 0),
        (2**15, 0),
        (2**16, 10 / 2),  # half of it in L2
        (2**19, 10 * 15 / 16),
        (2**20, (10 * 15 / 16 + 36) / 2),
        (2**24, 10 * 15 / 512 + 36 * 31 / 32),
        (2**25, (10 * 15 / 512 + 36 * 31 / 32 + 240) / 2),
    ],
)
def test_cycles_follow_the_levels_over_which_a_table_spreads(table: int, cycles: float) -> None:
    assert waiting_cycles(table) == pytest.approx(cycles)


DATA = "f(t, u, t[s], 1);"
INDICES = [
    ("return t[i];", DATA, 1),
    ("return t[u[i]];", DATA, 2),  # one after the other
    ("return t[i] + u[i];", DATA, 1),  # at once
    ("return t[i];", "f(t, u, 5, 1);", 0),
    ("return t[i];", "for (int k = 0; k < 1000; k++) s += f(t, u, k, 1);", 0),
    ("return t[j];", DATA, 0),
    ("return i;", DATA, 0),
]


@pytest.mark.parametrize(("body", "callers", "times"), INDICES)
def test_only_indices_that_data_decide_wait(body: str, callers: str, times: int) -> None:
    assert waits_of(body, callers) == pytest.approx(times * waiting_cycles(LARGE))


@pytest.mark.parametrize(("size", "waits"), [(2**15, False), (2**15 + 1, True)])
def test_a_table_in_the_nearest_cache_costs_nothing(size: int, waits: bool) -> None:
    assert (waits_of("return t[i];", DATA, size) > 0) == waits


def test_a_table_of_unknown_size_costs_nothing() -> None:
    assert waits_of("extern int *other(void); return other()[i];", DATA) == 0


def test_weights_have_the_waits_of_all_calls_on_their_paths() -> None:
    body = "if (i == 77) return t[i]; return 1;"
    linked = program(body, "for (int k = 0; k < 1000; k++) s += f(t, u, t[s], 1);")
    (own,) = [each for each in program_weights(linked).functions if each.function.name == "f"]
    assert own.weight.executions == 1000
    # of the path of an equality some runs take
    assert 0 < own.waits < 1000 * waiting_cycles(LARGE)


def test_calls_cost_their_waits() -> None:
    def cycles(size: int) -> float:
        (file,) = program("return t[i];", DATA, size).files
        (key,) = [each.key for each in file.equations.quantities if each.name == "f"]
        return ProgramScenario([file.equations]).of_file("/a.c").calls[key].cycles

    more = cycles(LARGE) - cycles(2**15)
    # and a call, since a body that waits is not worth inlining
    assert more == pytest.approx(waiting_cycles(LARGE), rel=0.1)


def test_levels_are_those_of_the_default_machine() -> None:
    machine = find_machine("generic-avx2", (builtin_dir(),))
    first, memory = machine.caches[0], machine.memory
    assert first.latency_cy is not None and memory is not None and memory.latency_ns is not None
    assert [(each.bytes, each.cycles) for each in LEVELS] == [
        (cache.size_bytes, (cache.latency_cy or 0) - first.latency_cy) for cache in machine.caches
    ]
    assert memory.latency_ns * machine.clock_ghz == pytest.approx(MEMORY_CYCLES)
