"""Scenarios of programs: values of names and loops in each file, and the steps to them."""

import itertools
from collections.abc import Mapping

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import ExtractedFile, extracted_file
from rooflint.frontend.request import Request
from rooflint.ir import Loop, walk
from rooflint.program.linking import link_files
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import LARGEST_GUESS, typical_trips
from rooflint.scenario.roles import SizeRole
from rooflint.scenario.sizes import SizeLayer
from rooflint.scenario.values import ScenarioValue

MAIN = """
struct opts { int nx; };
void scale(double *a, int n);
static void run(double *a, int edge) { scale(a, edge * edge); }
int main(int argc, char **argv) {
    static double a[10000];
    struct opts o;
    o.nx = 30;
    if (argc > 1) read_opts(&o.nx);
    run(a, o.nx);
    return 0;
}
"""
SCALE = """
void scale(double *a, int n) {
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"""
PROGRAM = {"main.c": MAIN, "scale.c": SCALE}


def read(name: str, text: str) -> ExtractedFile:
    flags = Flags("c") if name.endswith(".c") else Flags("c++")
    return extracted_file(Request(f"/{name}", flags, text.encode()))


def values(
    files: Mapping[str, str], name: str, *given: SizeLayer
) -> dict[str, dict[str, ScenarioValue]]:
    """Per function of the file ``name``, the values of its names that have one."""
    extracted = {each: read(each, text) for each, text in files.items()}
    program = ProgramScenario([file.equations for file in extracted.values()])
    scenario = program.of_file(f"/{name}", given)
    return {
        source.function.name: {
            each: value for each in NAMES if (value := scenario.of(source).named(each)) is not None
        }
        for source in extracted[name].unit.functions
    }


NAMES = ("n", "m", "k", "d.n", "n()", "p->n", "g[1]", "g[2]", "g[i]", "n'2")


DOWN = "int f(int x, int n) { int r = 0; do { r |= x & 1; r <<= 1; } while (--n > 0); return r; }"


@pytest.mark.parametrize(("call", "known"), [("f(1, 5)", True), ("f(1, c)", False)])
def test_parameter_that_counts_down_begins_where_callers_decide(call: str, known: bool) -> None:
    """Only where all callers are known: else what it counts has no value of its own."""
    text = f"{DOWN} int main(int c, char **v) {{ return {call}; }}"
    found = values({"a.c": text}, "a.c")["f"]
    assert ("n" in found) is known
    assert not known or found["n"].typical == 5


def command_line(**sizes: int) -> SizeLayer:
    return SizeLayer("command line", sizes)


def test_a_value_crosses_files_with_its_steps() -> None:
    n = values(PROGRAM, "scale.c")["scale"]["n"]
    assert (n.scope, n.typical, n.origin) == ("scale", 900, "source default")
    assert list(map(str, n.chain)) == [
        "opts::nx = 30, main.c:8", "edge = 30, main.c:10", "n = 900, main.c:4",
    ]  # fmt: skip


def test_a_value_that_is_set_flows_forward() -> None:
    n = values(PROGRAM, "scale.c", command_line(nx=60))["scale"]["n"]
    assert (n.low, n.typical, n.high, n.origin) == (3600, 3600, 3600, "command line")
    assert str(n.chain[0]) == "opts::nx = 60, command line"


def test_a_scope_is_nearer_than_the_program() -> None:
    near = SizeLayer("command line", {"run:edge": 4, "edge": 9})
    assert values(PROGRAM, "scale.c", near)["scale"]["n"].typical == 16


def test_the_configuration_yields_to_the_command_line() -> None:
    given = command_line(nx=2), SizeLayer("configuration", {"nx": 3})
    n = values(PROGRAM, "scale.c", *given)["scale"]["n"]
    assert (n.typical, n.origin) == (4, "command line")
    n = values(PROGRAM, "scale.c", *given[1:])["scale"]["n"]
    assert (n.typical, n.origin) == (9, "configuration")


def test_names_that_decide_something_are_matched() -> None:
    files = [read(name, text).equations for name, text in PROGRAM.items()]
    given = command_line(nx=1, argc=5, length=3)
    assert ProgramScenario(files).of_file("/scale.c", [given]).matched == {"nx"}


def test_the_order_of_files_changes_nothing() -> None:
    files = [read(name, text).equations for name, text in {**PROGRAM, "x.c": SCALE}.items()]
    first, *others = [
        ProgramScenario(order).of_file("/scale.c") for order in itertools.permutations(files)
    ]
    assert all(other == first for other in others)


# as the C library has it
ASSERT = """void __assert_fail(void);
#define assert(e) ({ if (e) ; else __assert_fail(); })
"""
LOOP = "for (int i = 0; i < {0}; i++) a[i] = 0;"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("static void f(int *a, int n) { LOOP(n) } void g(int *a) { f(a, 8); }", "n",
         (8, 8, 8, "source")),
        ("static void f(int *a, int n) { LOOP(n) } void g(int *a) { f(a, 8); f(a, 4); f(a, 6); }",
         "n", (4, 6, 8, "callers")),
        ("void f(int *a, int n) { LOOP(n) }", "n", (40, 250, 6000, "role")),
        ("void f(int *a, int k) { LOOP(k) }", "k", (8, 32, 128, "role")),
        # a value that only stands there until input brings another
        ("int n = 0; void get(int *); void f(int *a) { get(&n); LOOP(n) }", "n",
         (16, 32, 7000, "role")),
        ("int n = 5; void get(int *); void f(int *a) { get(&n); LOOP(n) }", "n",
         (5, 5, 5, "source default")),
        ("struct s { int n; }; void g(struct s *p) { p->n = 3; }"
         " void f(int *a, struct s *p) { LOOP(p->n) }", "p->n", (3, 3, 3, "source")),
        # an assertion limits a guess, whichever way it is written, and no value of the source
        (ASSERT + "void f(int *a, int n) { assert(n <= 100); LOOP(n) }", "n",
         (40, 100, 100, "role")),
        (ASSERT + "void f(int *a, int n) { assert(a && n < 100); LOOP(n) }", "n",
         (40, 99, 99, "role")),
        ("void exit(int); void f(int *a, int n) { if (n > 100) exit(1); LOOP(n) }", "n",
         (40, 100, 100, "role")),
        ("void exit(int); void f(int *a, int n) { if (1000 <= n) exit(1); LOOP(n) }", "n",
         (40, 250, 999, "role")),
        ("void exit(int); void f(int *a, int n) { if (n > 100 && !a) exit(1); LOOP(n) }", "n",
         (40, 250, 6000, "role")),
        ("void exit(int); void f(int *a, int n) { if (n < 100) exit(1); LOOP(n) }", "n",
         (40, 250, 6000, "role")),
        ("void exit(int); static void f(int *a, int n) { if (n > 5) exit(1); LOOP(n) }"
         " void g(int *a) { f(a, 8); }", "n", (8, 8, 8, "source")),
        # members of one name in two types: the function speaks of one, or of both
        ("struct s { int n; }; struct t { int n; }; void g(struct s *p, struct t *q)"
         " { p->n = 3; q->n = 4; } void f(int *a, struct s *p) { LOOP(p->n) }", "p->n",
         (3, 3, 3, "source")),
        ("struct s { int n; }; struct t { int n; }; void g(struct s *p, struct t *q)"
         " { p->n = 3; q->n = 4; } void f(int *a, struct s *p, struct t *q)"
         " { LOOP(p->n) LOOP(q->n) }", "p->n", None),
        ("struct s { int n; }; struct t { int n; }; void g(struct s *p, struct t *q)"
         " { p->n = 3; q->n = 3; } void f(int *a, struct s *p) { LOOP(p->n) }", "p->n",
         (3, 3, 3, "source")),
        # two variables of one name
        ("void f(int *a) { int n = 3; LOOP(n) { int n = 4; LOOP(n) } }", "n", None),
        ("static int g[3] = {1, 2, 3}; void f(int *a) { LOOP(g[1]) }", "g[1]", (2, 2, 2, "source")),
    ],
)  # fmt: skip
def test_values(text: str, name: str, expected: tuple[int, int, int, str] | None) -> None:
    head, *rest = text.split("LOOP(")
    for part in rest:
        bound, _, after = part.partition(")")
        head += LOOP.format(bound) + after
    found = values({"a.c": head}, "a.c")["f"].get(name)
    assert (found and found[2:6]) == expected


GUESSES = """
static void inner(int *a, int m) { for (int i = 0; i < m; i++) a[i] = 0; }
void f(int *a, int n) { inner(a, n * n); for (int i = 0; i < n; i++) a[i] = 1; }
void part(int *a, int from, int to) { for (int i = from; i < to; i++) a[i] = 0; }
void row(int *a, const int *begin, int r) {
    for (int i = begin[r]; i < begin[r + 1]; i++) a[i] = 0;
}
"""


def test_what_follows_from_a_guess_has_its_range() -> None:
    file = read("a.c", GUESSES)
    scenario = ProgramScenario([file.equations]).of_file("/a.c")
    found = {
        (source.function.name, name): scenario.of(source).named(name)
        for source in file.unit.functions
        for name in ("n", "m", "from", "to")
    }
    n, m = found["f", "n"], found["inner", "m"]
    assert n is not None
    assert m is not None
    assert (n.low, n.quartiles, n.typical, n.high) == (40, (190, 500), 250, 6000)
    squares = 40**2, (190**2, 500**2), 250**2, LARGEST_GUESS  # rather than 6000**2
    assert (m.low, m.quartiles, m.typical, m.high) == squares
    assert m.role is n.role is SizeRole.LENGTH_PARAMETER
    begin, end = found["part", "from"], found["part", "to"]
    assert begin is not None
    assert end is not None
    assert (begin.typical, begin.role) == (0, SizeRole.LOWER_BOUND)
    assert (end.typical, end.role) == (32, SizeRole.PARAMETER)


def test_sizes_and_trips_are_told_by_one_solver() -> None:
    file = read("a.c", GUESSES)
    scenario = ProgramScenario([file.equations]).of_file("/a.c")
    program = link_files([file.equations])
    typical = typical_trips(program, ProgramSolver(program))
    loops = [scenario.counted(loop.loop.span) for loop in program.loops]
    assert [loop and loop.typical for loop in loops] == typical.trips() == [62500, 250, 32, 27]


def test_a_value_that_is_set_moves_what_follows_from_it() -> None:
    file = read("a.c", GUESSES)
    scenario = ProgramScenario([file.equations]).of_file("/a.c", [command_line(n=100)])
    (source, *_) = file.unit.functions
    m = scenario.of(source).named("m")
    assert m is not None
    assert (m.typical, m.origin) == (10000, "command line")


def test_a_method_knows_its_members() -> None:
    text = """
struct D { int n; int &m() { return n; } void f(int *a); };
void D::f(int *a) { for (int i = 0; i < n; i++) a[i] = 0; }
void set(D &d) { d.m() = 12; }
"""
    n = values({"a.cpp": text}, "a.cpp")["D::f"]["n"]
    assert (n.scope, n.name, n.typical) == ("D", "n", 12)


def test_a_loop_has_the_trips_that_its_bounds_give() -> None:
    text = """
int starts[2] = {10, 34};
void f(int *a) { for (int i = starts[0]; i < starts[1]; i++) a[i] = 0; }
"""
    file = read("a.c", text)
    scenario = ProgramScenario([file.equations]).of_file("/a.c")
    (source,) = file.unit.functions
    (loop,) = [node for node in walk(source.function.body) if isinstance(node, Loop)]
    trips = scenario.of(source).trips(loop.origin)
    assert trips is not None
    assert (trips.typical, trips.origin) == (24, "source")


def test_what_the_values_of_a_function_rest_on_has_no_places() -> None:
    moved = {**PROGRAM, "main.c": "\n\n" + MAIN}
    settings = []
    for files in (PROGRAM, moved):
        extracted = {name: read(name, text) for name, text in files.items()}
        program = ProgramScenario([file.equations for file in extracted.values()])
        (source,) = extracted["scale.c"].unit.functions
        of_function = program.of_file("/scale.c").of(source)
        settings.append(tuple(of_function.settings(source.function)))
    assert settings[0] == settings[1] == (("n", "source default", 900, None, 900, 900),)


CLEARED = """
struct s { int n; double *x; };
static void begin(struct s *p) { p->n = 0; p->x = 0; }
void clear(struct s *p) { for (int i = 0; i < p->n; i++) p->x[i] = 0; }
"""


def test_a_member_that_a_part_of_a_program_only_clears_has_a_size() -> None:
    found = values({"a.c": CLEARED}, "a.c")["clear"]["p->n"]
    assert found.typical > 0
    assert found.origin == "role"
    # a whole program tells that it is never set
    start = "void clear(struct s *p);\nint main(void) { struct s a; begin(&a); clear(&a); }\n"
    found = values({"a.c": CLEARED + start}, "a.c")["clear"]["p->n"]
    assert (found.typical, found.origin) == (0, "source")
    # nor is a constant that is not zero, or a value set elsewhere, taken for an open one
    other = CLEARED + "void grow(struct s *p) { p->n = 27; }\n"
    assert values({"a.c": other}, "a.c")["clear"]["p->n"].typical == 27


def test_loops_of_a_macro_share_a_place_and_have_the_values_of_the_first() -> None:
    text = """
    #define BOTH(a, n, m) do { for (int i = 0; i < (n); i++) a[i] = 0; \\
        for (int i = 0; i < (m); i++) a[i] += 1; } while (0)
    void f(double *a) { BOTH(a, 30, 40); for (int i = 0; i < 50; i++) a[i] = 2; }
    """
    file = read("m.c", text)
    scenario = ProgramScenario([file.equations]).of_file("/m.c", ())
    spans = [each.span for each in scenario.loops]
    assert spans == sorted(set(spans))
    # do ... while, and both loops in it, are where the macro is used
    assert [scenario.counted(each) is not None for each in spans] == [True, True]
    assert scenario.counted(spans[0]._replace(line=99)) is None
    assert not scenario.resumes(spans[0])
