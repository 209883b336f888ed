"""The time that a program may take: which guesses shrink, and how far."""

from math import inf

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request
from rooflint.program.budget import MAX_BYTES, MAX_OPERATORS, MIN_OPERATORS, affordable_trips
from rooflint.program.linking import ProgramEquations, link_files
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import LARGEST_GUESS, TypicalTrips, typical_trips
from rooflint.program.weights import program_weights
from rooflint.scenario.guesses import size_of

# n is guessed 250 and k 32: time grows with the fourth power of n, and linearly with k
NEST = """
void f(double *a, int n, int k) {
    for (int t = 0; t < TIMES; t++)
        for (int h = 0; h < n; h++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    for (int l = 0; l < n; l++)
                        for (int m = 0; m < k; m++) a[l] = 0;
}
"""


def linked(times: str) -> ProgramEquations:
    request = Request("/a.c", Flags("c"), NEST.replace("TIMES", times).encode())
    return link_files([extracted_file(request).equations])


def operators(program: ProgramEquations, typical: TypicalTrips) -> float:
    return program_weights(program, typical=typical).operators


@pytest.mark.parametrize(("times", "fits"), [("1", True), ("2", False), ("40", False)])
def test_the_steepest_guess_shrinks_until_the_program_ends_in_time(times: str, fits: bool) -> None:
    program = linked(times)
    solver = ProgramSolver(program)
    before = typical_trips(program, solver)
    assert (operators(program, before) <= MAX_OPERATORS) is fits
    after = affordable_trips(program, solver)
    assert operators(program, after) <= 1.01 * MAX_OPERATORS
    n, k = program.position("n", "f"), program.position("k", "f")
    assert after.quantity(k) == before.quantity(k)
    assert before.quantity(n).value == 250
    assert (after.quantity(n).value == 250) is fits
    # no more than it has to
    assert fits or operators(program, after) > 0.9 * MAX_OPERATORS


def test_the_scenario_says_what_it_would_be() -> None:
    request = Request("/a.c", Flags("c"), NEST.replace("TIMES", "40").encode())
    file = extracted_file(request)
    scenario = ProgramScenario([file.equations]).of_file("/a.c")
    n = scenario.of(file.unit.functions[0]).named("n")
    assert n is not None
    assert n.typical < n.shrunk_from == 250


def test_several_programs_have_the_time_of_all() -> None:
    # the same two sweeps of n**4 in each of two programs; of one alone the guess shrinks
    main = "int input(void);\nint main(void) { double a[9]; f(a, input(), input()); return 0; }\n"
    text = NEST.replace("TIMES", "2") + main
    files = [
        extracted_file(Request(f"/{name}.c", Flags("c"), each.encode())).equations
        for name, each in (("a", text), ("b", "int main(void) { return 0; }\n"))
    ]
    one, two = link_files(files[:1]), link_files(files)
    shrunk, whole = (
        affordable_trips(each, ProgramSolver(each)).quantity(each.position("n", "f")).value
        for each in (one, two)
    )
    assert shrunk < whole == 250


def test_each_entry_of_a_library_has_the_time_of_a_run() -> None:
    # the sweeps of n**4 take nearly two runs' time: one entry has to end sooner, two need not
    text = NEST.replace("TIMES", "2")
    alone, beside = (
        link_files([extracted_file(Request("/a.c", Flags("c"), each.encode())).equations])
        for each in (text, f"{text}void g(double *a) {{ a[0] = 0; }}")
    )
    assert operators(alone, typical_trips(alone, ProgramSolver(alone))) < 2 * MAX_OPERATORS
    shrunk, whole = (
        affordable_trips(each, ProgramSolver(each)).quantity(each.position("n", "f")).value
        for each in (alone, beside)
    )
    assert shrunk < whole == 250


def test_what_the_source_decides_does_not_shrink() -> None:
    program = linked("1000000000")
    typical = affordable_trips(program, ProgramSolver(program))
    assert typical.trips()[0] == 1e9
    assert typical.quantity(program.position("n", "f")).value < 10


def test_a_guess_that_hardly_matters_shrinks_to_one_at_most() -> None:
    """Beside a nest of constant trips, n moves time so little that its power overflows."""
    text = """
    void f(double *a, int n) {
        for (int i = 0; i < 2000000; i++)
            for (int j = 0; j < 2000000; j++) a[j] = 0;
        for (int k = 0; k < n; k++) a[k] = 1;
    }
    """
    program = link_files([extracted_file(Request("/a.c", Flags("c"), text.encode())).equations])
    solver = ProgramSolver(program)
    assert operators(program, typical_trips(program, solver)) > MAX_OPERATORS
    assert affordable_trips(program, solver).quantity(program.position("n", "f")).value >= 1


def test_counts_beyond_every_number_shrink_too() -> None:
    headers = "".join([f"for (int i{k} = 0; i{k} < n; i{k}++) " for k in range(200)])
    request = Request(
        "/a.c", Flags("c"), f"void f(double *a, int n) {{ {headers} a[i0] = 0; }}".encode()
    )
    program = link_files([extracted_file(request).equations])
    solver = ProgramSolver(program)
    assert operators(program, typical_trips(program, solver)) == inf
    assert operators(program, affordable_trips(program, solver)) <= MAX_OPERATORS


GROWN = """
int total, next(void);
static void count(int n) { total = 0; for (int i = 0; i < n; i++) total += 1000; }
void f(double *a, int n) {
    count(n);
    for (int i = 0; i < total; i++)
        for (int j = 0; j < total; j++)
            for (int k = 0; k < total; k++) a[k] = 0;
}
"""


def test_what_guessed_loops_count_up_shrinks_too() -> None:
    program = link_files([extracted_file(Request("/a.c", Flags("c"), GROWN.encode())).equations])
    solver = ProgramSolver(program)
    total = program.position("total")
    before = typical_trips(program, solver)
    assert before.quantity(total).value == 250_000
    after = affordable_trips(program, solver)
    assert operators(program, after) <= 1.01 * MAX_OPERATORS
    assert 1 < after.quantity(total).value < 250_000


def test_loops_that_nothing_counts_shrink_too() -> None:
    headers = "while (next()) " * 20  # 4 times each
    text = f"int next(void); void f(double *a) {{ {headers} a[0] += 1; }}"
    program = link_files([extracted_file(Request("/a.c", Flags("c"), text.encode())).equations])
    solver = ProgramSolver(program)
    before = typical_trips(program, solver)
    assert operators(program, before) > MAX_OPERATORS
    after = affordable_trips(program, solver)
    assert operators(program, after) <= MAX_OPERATORS
    assert before.trips() == [4.0] * 20
    assert min(after.trips()) >= 1
    least = next(each for each in program.loops if after.of(each).value < 4)
    assert after.of(least).shrunk_from == 4


STEPS = """
double a[1000]; double t, dt, end;
static void work(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 1000; j++) a[j] += i; }
static void inner(int n) { while (dt < end) { work(n); dt += 1; } }
int main(void) {
    BEFORE while (t < end) { work(SIZE); t += dt; }
}
"""


def steps(size: int, before: str = "") -> tuple[list[int], float]:
    """Of the main loop and of the one in a function, and the operators of the run in the end."""
    text = STEPS.replace("SIZE", f"{size}").replace("BEFORE", before)
    program = link_files([extracted_file(Request("/a.c", Flags("c"), text.encode())).equations])
    typical = affordable_trips(program, ProgramSolver(program))
    inner, main = [typical.of(each).value for each in program.loops if each.steps]
    return [main, inner], operators(program, typical)


def test_a_short_run_has_as_many_steps_as_make_it_worth_a_look() -> None:
    (main, inner), spent = steps(100_000)
    assert 10 < main < 100
    assert inner == 10
    assert spent == pytest.approx(MIN_OPERATORS, rel=0.05)


def test_there_are_no_more_steps_than_their_role_has() -> None:
    (main, _), spent = steps(1_000)
    assert main == 100
    assert spent < MIN_OPERATORS


def test_a_run_that_takes_long_has_the_typical_steps() -> None:
    (main, _), spent = steps(1_000_000)
    assert main == 10
    assert spent > MIN_OPERATORS


def test_steps_inside_of_a_run_of_steps_do_not_grow() -> None:
    (main, inner), _ = steps(1_000, "for (int i = 0; i < 3; i++) inner(1000);")
    assert (main, inner) == (100, 10)
    (main, inner), _ = steps(1_000, "inner(1000);")
    assert (main, inner) == (100, 100)


def test_the_source_limits_the_steps_of_a_longer_run() -> None:
    text = STEPS.replace("SIZE", "1000").replace("BEFORE", "int cycle = 0;")
    text = text.replace("(t < end)", "(t < end && cycle < 40)")
    file = extracted_file(Request("/a.c", Flags("c"), text.encode()))
    values = ProgramScenario([file.equations]).of_file("/a.c").values
    (steps,) = [each for each in values if each.name == "trips of line 6"]
    assert (steps.typical, steps.shrunk_from) == (40, 10)
    assert "10 → 40, so that the program takes 10 seconds" in size_of("trip", steps).detail


COUNTED = """
void f(double *a, int n, int m) {
    int c = 0;
    for (int h = 0; h < 100000; h++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int l = 0; l < n; l++) a[l] = 0;
    for (int i = 0; i < m; i++) a[i] = 1;
}
"""


def test_the_guess_that_shrinks_is_that_of_the_longest_nest() -> None:
    # the nest takes 250 ** 3 * 1e5, more than a thousand times what a run may take; m has one loop
    request = Request("/a.c", Flags("c"), COUNTED.encode())
    program = link_files([extracted_file(request).equations])
    after = affordable_trips(program, ProgramSolver(program))
    n, m = program.position("n", "f"), program.position("m", "f")
    assert after.quantity(n).value < 250
    before = typical_trips(program, ProgramSolver(program))
    assert after.quantity(m) == before.quantity(m)
    # a cube: one step of its elasticity hits the limit
    assert 0.9 * MAX_OPERATORS < operators(program, after) <= 1.01 * MAX_OPERATORS


HEADER_OF_CALLS = """
static double g(const double *a, int k) {
    double s = 0;
    for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) s += a[j];
    return s;
}
void f(double *a, int n) {
    for (int h = 0; h < n; h++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) a[j] = g(a, 3);
}
"""


def test_a_guess_of_the_loops_around_calls_shrinks() -> None:
    # the time is in g, whose sizes are constants: 250 ** 3 calls of a million iterations
    request = Request("/a.c", Flags("c"), HEADER_OF_CALLS.encode())
    program = link_files([extracted_file(request).equations])
    solver = ProgramSolver(program)
    assert operators(program, typical_trips(program, solver)) > 10 * MAX_OPERATORS
    after = affordable_trips(program, solver)
    assert 1 < after.quantity(program.position("n", "f")).value < 250
    assert operators(program, after) <= 1.05 * MAX_OPERATORS


TABLE = """
#include <stdlib.h>
void f(int n, int m) {{
    double *a = malloc({size});
    for (int i = 0; i < n; i++) a[i] = m;
}}
"""
# n is guessed 250 and m 32: n * n * n * n doubles take 29 GiB
SIZES = [
    ("8 * n", 250),
    ("8L * n * n * n", 250),
    ("8L * n * n * n * n", 181),
    ("sizeof(double) * n * n * n * n * n", 64),
    ("(size_t)m << 40", 250),  # m cannot make up for it
    ("8 * ((long)n * n * n * n + m)", 181),
]


@pytest.mark.parametrize(("size", "n"), SIZES)
def test_guesses_shrink_until_a_table_fits_into_memory(size: str, n: int) -> None:
    text = TABLE.format(size=size)
    program = link_files([extracted_file(Request("/a.c", Flags("c"), text.encode())).equations])
    typical = affordable_trips(program, ProgramSolver(program))
    found = typical.quantity(program.position("n", "f")).value
    # a part of ten is left at least of what would fit
    assert 0.85 * n <= found <= n


def test_given_sizes_do_not_shrink() -> None:
    text = TABLE.format(size="8L * n * n * n * n") + "int main(void) { f(1000, 2); return 0; }"
    program = link_files([extracted_file(Request("/a.c", Flags("c"), text.encode())).equations])
    typical = affordable_trips(program, ProgramSolver(program))
    assert typical.quantity(program.position("n", "f")).value == 1000
    assert MAX_BYTES < 8 * 1000**4


POINTERS = """
double a[4096]; int m;
static void heavy(void) {
    for (int i = 0; i < 4000; i++)
        for (int j = 0; j < 4000; j++)
            for (int k = 0; k < 4000; k++) a[i] += a[j] * a[k];
}
static void light(void) { a[0] = 0; }
int main(int argc, char **argv) {
    void (*p)(void) = 0;
    if (argc > 3) p = heavy;
    NEST a[0] += a[1];
    for (int i = 0; i < m; i++)
        if (a[i] > 1) if (a[i] > 2) if (a[i] > 3) if (a[i] > 4) if (a[i] > 5) if (a[i] > 6)
            p = light;
    for (int i = 0; i < 4; i++) p();
    return 0;
}
"""


def test_a_smaller_guess_that_makes_a_heavier_function_likelier_shrinks_further() -> None:
    nest = " ".join(f"for (int i{depth} = 0; i{depth} < m; i{depth}++)" for depth in range(8))
    request = Request("/a.c", Flags("c"), POINTERS.replace("NEST", nest).encode())
    program = link_files([extracted_file(request).equations])
    after = affordable_trips(program, ProgramSolver(program))
    assert operators(program, after) <= MAX_OPERATORS


CUT_OFF = """
void f(double *a, int n) {
    for (int i = 0; i < n * n * n * n; i++)
        for (int j = 0; j < 100000; j++) a[j] += i;
}
"""


def test_trips_that_are_cut_off_shrink_themselves() -> None:
    request = Request("/a.c", Flags("c"), CUT_OFF.encode())
    program = link_files([extracted_file(request).equations])
    solver = ProgramSolver(program)
    before, after = typical_trips(program, solver), affordable_trips(program, solver)
    assert before.trips()[0] == LARGEST_GUESS
    assert 0.9 * MAX_OPERATORS < operators(program, after) <= MAX_OPERATORS


BYTES = """
struct set { int colors[6], rows; };
static void leaf(double *x, int n) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i] += j;
}
static void row(double *x, int a0, int a1, int b1, int c1, int d1) {
    for (int a = a0; a <= a1; a++) for (int b = 0; b <= b1; b++) for (int c = 0; c <= c1; c++)
    for (int d = 0; d <= d1; d++) for (int e = 0; e <= d1; e++) leaf(x, 1000);
}
void build(double *x, unsigned char *data, int n) {
    struct set s; int header[9];
    for (int i = 0; i < n; i++) header[i] = data[i] ^ (i * 55);
    for (int i = 0; i < 6; i++) s.colors[i] = header[i];
    for (int i = 0; i < s.colors[0]; i++) for (int j = 0; j < s.colors[1]; j++)
    for (int k = 0; k < s.colors[2]; k++) for (int l = 0; l < s.colors[3]; l++)
        row(x, i, s.colors[0] - 1, s.colors[1] - 1, s.colors[2] - 1, s.colors[3] - 1);
}
"""


def test_sizes_that_are_computed_from_bytes_shrink_alike() -> None:
    """Half of a byte's guess tells nothing; executions end at an upper limit, calls do not."""
    request = Request("/a.c", Flags("c"), BYTES.encode())
    program = link_files([extracted_file(request).equations])
    after = affordable_trips(program, ProgramSolver(program))
    assert operators(program, after) <= MAX_OPERATORS
    sizes = [after.quantity(program.position(f"colors[{i}]", "set")).value for i in (1, 2, 3)]
    assert min(sizes) > 2 and max(sizes) < 60
