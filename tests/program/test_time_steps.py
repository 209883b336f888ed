"""Loops over time steps, which no comparison of integers counts."""

from collections.abc import Mapping

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips
from rooflint.program.typical_value import TypicalValue
from rooflint.scenario.roles import SizeRole

WORK = "double a[99]; static void work(void) { for (int i = 0; i < 99; i++) a[i] += 1; }\n"
NAMES = (
    "struct run { double time, end; int cycle, cycles; } r; double t, dt, error, limit; int n, m;\n"
    "static void plain(void) { t += dt; } static void deeper(void) { work(); }\n"
)


def guesses(files: Mapping[str, str]) -> dict[int, TypicalValue]:
    """Of the loops of the first file, by line."""
    language = {name: Flags("c" if name.endswith(".c") else "c++") for name in files}
    read = [
        file_equations(Request(f"/{name}", language[name], text.encode()))
        for name, text in files.items()
    ]
    program = link_files(read)
    typical = typical_trips(program, ProgramSolver(program))
    first = f"/{next(iter(files))}"
    outer = [each for each in program.loops if each.path == first and each.loop.parent < 0]
    return {each.loop.span.line: typical.of(each) for each in outer}


def guess(loop: str, before: str = "") -> TypicalValue:
    """Of a loop that ``main`` begins with."""
    found = guesses({"a.c": f"{WORK}{NAMES}{before}\nint main(void) {{\n{loop}\n}}"})
    return found[1 + (WORK + NAMES + before + "\n").count("\n") + 1]


STEPS = [
    ("time and its end", "while (t < limit) { work(); t += dt; }"),
    ("members", "while (r.time <= r.end) { work(); r.time += dt; }"),
    ("turned", "while (r.end > r.time) { work(); }"),
    ("counts down to zero", "while (dt > 0.0) { work(); dt -= 1; }"),
    ("behind the body", "do { work(); } while (error > limit);"),
    ("index that is a time", "for (t = 0; t < limit; t += dt) work();"),
    ("a loop of its own", "while (t < limit) { t += dt; for (int i = 0; i < n; i++) a[i] = t; }"),
    ("by way of another function", "while (t < limit) { deeper(); t += dt; }"),
    ("from inside a loop", "while (t < limit) { for (int i = 0; i < n; i++) work(); t += dt; }"),
    ("on a path", "while (t < limit) { if (n < m) work(); t += dt; }"),
    ("also an integer", "while (t < limit && n < m) { work(); n++; }"),
    ("cycles", "while (r.cycle < r.cycles) { work(); r.cycle++; }"),
    ("cycles, turned", "while (m >= r.cycle) { work(); r.cycle++; }"),
]  # fmt: skip
OTHERS = [
    ("no work", "while (t < limit) t += dt;"),
    ("no loop in what it calls", "while (t < limit) plain();"),
    ("values that are equal", "while (t != limit) { work(); t += dt; }"),
    ("other integers", "while (n < m) { work(); n++; }"),
    ("one of two conditions", "while (t < limit || n) { work(); t += dt; }"),
    ("steps that are equal", "while (r.cycle != m) { work(); r.cycle++; }"),
]  # fmt: skip


@pytest.mark.parametrize("loop", [each[1] for each in STEPS], ids=[each[0] for each in STEPS])
def test_loops_that_do_the_work_of_a_run_again(loop: str) -> None:
    found = guess(loop)
    assert (found.role, found.value) == (SizeRole.TIME_STEPS, 10)


@pytest.mark.parametrize("loop", [each[1] for each in OTHERS], ids=[each[0] for each in OTHERS])
def test_loops_that_are_none_over_steps(loop: str) -> None:
    assert guess(loop).role is SizeRole.CONDITION


MOST = [
    (10_000_000, 3162, 3162),
    (200, 14, 100),
    (100, 10, 100),
    (11, 10, 11),
    (10, 10, 10),
    (6, 6, 6),
    (1, 1, 1),
]


@pytest.mark.parametrize(("most", "typical", "high"), MOST)
def test_no_more_steps_than_the_source_allows(most: int, typical: int, high: int) -> None:
    loop = f"while (error > limit && r.cycle < {most}) {{ work(); r.cycle++; }}"
    assert (guess(loop).value, guess(loop).points[-1]) == (typical, high)


def test_a_limit_that_input_may_replace_is_one() -> None:
    before = "int main(void);\nstatic void read(char *t) { m = 3; if (*t) m = t[0] - 48; }"
    loop = "while (error > limit && r.cycle < m) { work(); r.cycle++; }"
    assert guess(loop, before).value == 3


def test_of_several_limits_the_largest_is_the_most_there_can_be() -> None:
    before = "int main(void);\nstatic void set(int k) { m = k; } void f(void) { set(3); set(60); }"
    loop = "while (error > limit && r.cycle < m) { work(); r.cycle++; }"
    assert guess(loop, before).points == (1, 2, 10, 50, 60)


READING = "unsigned long fread(void *, unsigned long, unsigned long, void *); void *in; char b[64];"
READS = [
    ("to its end", "while ((n = fread(b, 1, 64, in)) > 0) work();"),
    ("left from inside", "for (;;) { n = fread(b, 1, 64, in); if (n == 0) break; work(); }"),
    ("behind the body", "do { n = fread(b, 1, 64, in); work(); } while (n);"),
    ("in a loop inside", "while (m) { while (n) { n = fread(b, 1, 64, in); } work(); }"),
]  # fmt: skip
READ_OTHERWISE = [
    ("without work", "while ((n = fread(b, 1, 64, in)) > 0) m += n;", SizeRole.CONDITION),
    ("for another one", "while (n) { work(); } n = fread(b, 1, 64, in);", SizeRole.CONDITION),
    ("without input", "for (;;) { if (n == 0) break; work(); }", SizeRole.ENDLESS),
]  # fmt: skip


@pytest.mark.parametrize("loop", [each[1] for each in READS], ids=[each[0] for each in READS])
def test_loops_over_input(loop: str) -> None:
    guessed = guess(loop, READING)
    assert (guessed.role, guessed.value) == (SizeRole.INPUT, 16)


LINES = """
char *fgets(char *, int, void *); int fgetc(void *); void *in; char b[64];
static char *line_of(void *f) { return fgets(b, 64, f); }
static int read_row(void) { return line_of(in) ? 1 : 0; }
static int word(void) { int k = 0; while (1) { int c = fgetc(in); if (c <= 32) break; k++; }
    return k; }
static int rows(void) { int k = 0; while (fgets(b, 64, in)) k++; return k; }
"""


@pytest.mark.parametrize(
    "loop",
    [
        "while (fgets(b, 64, in)) m++;",
        "while (line_of(in)) m++;",
        "for (;;) { if (!read_row()) break; m++; }",
        "while (word()) work();",
    ],
)
def test_loops_over_lines_and_words(loop: str) -> None:
    guessed = guess(loop, LINES)
    assert (guessed.role, guessed.value) == (SizeRole.LINES, 1000)


def test_a_function_that_reads_all_lines_reads_none_of_them_for_its_caller() -> None:
    assert guess("while (rows()) work();", LINES).role is SizeRole.CONDITION


@pytest.mark.parametrize(("loop", "role"), [each[1:] for each in READ_OTHERWISE])
def test_loops_that_are_none_over_input(loop: str, role: SizeRole) -> None:
    assert guess(loop, READING).role is role


def test_a_function_of_the_program_that_is_named_as_one_that_reads_is_none() -> None:
    before = "static int read(int k) { return k + 1; }"
    assert guess("while ((n = read(n)) > 0) work();", before).role is SizeRole.CONDITION


def test_a_limit_that_nobody_knows_is_none() -> None:
    assert guess("while (error > limit && r.cycle < m) { work(); r.cycle++; }").value == 10


def test_work_of_another_file_and_accessors() -> None:
    run = (
        "struct Domain { double m_time, m_end; int m_cycle;\n"
        " double &time() { return m_time; } double &end() { return m_end; }\n"
        " int &cycle() { return m_cycle; } };\n"
        "void step(Domain &);\n"
        "int main() { Domain d;\n"
        " while ((d.time() < d.end()) && (d.cycle() < 50)) {\n step(d); }\n"
        "}\n"
    )
    step = "struct Domain; double a[99]; void step(Domain &) { for (double &x : a) x = 2 * x; }"
    found = guesses({"run.cc": run, "step.cc": step})[6]
    assert (found.role, found.points) == (SizeRole.TIME_STEPS, (1, 2, 10, 50, 50))
