"""Branches that defaults decide, and pointers that lead where a run takes addresses."""

from collections.abc import Mapping

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.weights import program_weights


def executions(text: str, name: str = "a.c") -> dict[str, float]:
    return executions_of({name: text})


def executions_of(files: Mapping[str, str]) -> dict[str, float]:
    read = [
        file_equations(Request(f"/{name}", flags, text.encode()))
        for name, text in files.items()
        for flags in [Flags("c" if name.endswith(".c") else "c++")]
    ]
    weights = program_weights(link_files(read)).functions
    return {each.function.name: each.weight.executions for each in weights}


OPTION = """
int atoi(const char *);
struct options { int level, mode; } o;
int n, m;
static void g(void) { for (int i = 0; i < 9; i++) n += m * i; }
int main(int argc, char **argv) {
    o.level = 0;
    o.mode = 2;
    if (argc > 1) o.level = 7;
    if (argc > 2) o.mode = atoi(argv[2]);
    BODY
    return 0;
}
"""
DECIDED = [
    ("if (o.level) g();", 0.05),
    ("if (!o.level) g();", 0.95),
    ("if (o.level > 0 && n < m) g();", 0.05),
    ("if (o.mode == 2 && !o.level) g();", 0.95),
    ("if (o.mode == 2 && n < m) g();", 0.5),
    ("if (o.mode == 1) n++; else g();", 0.95),
    ("switch (o.mode) { case 1: break; case 2: g(); break; default: ; }", 0.95),
    ("switch (o.mode) { case 1: g(); break; case 2: break; default: ; }", 0.05),
    ("switch (o.mode) { case 1: case 2: g(); break; default: ; }", 0.95),
    ("switch (o.mode) { case 1: case 3: break; default: g(); }", 0.95),
    ("if (n > 0x40000000) g();", 1 / 749),
    ("if (n < 0x40000000) g();", 748 / 749),
    ("if (n + 2 * m >= 2 * (1 << 28)) g();", 1 / 749),
    ("if (2 * (1 << 28) > n - m) g();", 748 / 749),
    ("if (n > (1 << 28) - 1) g();", 1 / ((1 << 28) - 1)),
    ("if (n + m > 1000) g();", 0.5),
    ("if (o.mode * 2 == 4) g();", 0.95),
    ("if (o.mode * 2 == 5) g();", 0.05),
    ("if (n > 1000) g();", 0.5),
    ("int k = 3; if (k == 3) g();", 1.0),
    ("int k = 3; if (k != 3) g();", 0.0),
    ("if (0 && n < m) g();", 0.0),
    ("if (n < m && sizeof(long) == 8) g();", 0.5),
    ("if (sizeof(long) == 8) n++; else g();", 0.0),
]


@pytest.mark.parametrize(("body", "expected"), DECIDED, ids=[body for body, _ in DECIDED])
def test_a_default_decides_branches_for_most_runs(body: str, expected: float) -> None:
    assert executions(OPTION.replace("BODY", body))["g"] == pytest.approx(expected)


def test_a_state_of_a_function_is_no_option() -> None:
    state = "int found = 0; for (int i = 0; i < 9; i++) if (n < m + i) found = 1; if (found) g();"
    text = OPTION.replace("int main(", f"static void f(void) {{ {state} }}\nint main(")
    assert executions(text.replace("BODY", "f();"))["g"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [("if (argc > 3) o.level++;", 0.5), ("if (argc > 3) o.level = 3;", 0.05)],
)
def test_a_member_that_a_branch_counts_up_is_a_state(counts: str, expected: float) -> None:
    body = f"{counts} if (o.level > 0) g();"
    assert executions(OPTION.replace("BODY", body))["g"] == pytest.approx(expected)


METHODS = """
int atoi(const char *);
int same(const char *, const char *);
extern const char *names[];
struct options { int method; } o;
int n, m;
static void g(void) { for (int i = 0; i < 9; i++) n += m * i; }
static void solve(const struct options *p) {
    int method = p->method;
    TEST
}
int main(int argc, char **argv) {
    o.method = 1;
    if (argc > 2)
        for (int i = 0; names[i]; i++)
            if (same(names[i], argv[2])) SET;
    solve(&o);
    return 0;
}
"""
SWITCH = "switch (method) { case 0: break; case 1: g(); break; case 2: n--; break; default: ; }"
CHAIN = "if (method == 2) n--; else if (method == 1) g();"


@pytest.mark.parametrize(
    ("test", "sets", "expected"),
    [
        (SWITCH, "o.method = i", 0.95),
        (CHAIN, "o.method = i", 0.95 * 0.95),
        (SWITCH, "o.method++", 0.25),  # a state
        ("if (method == 1) g();", "o.method = i", 0.25),  # a position with one end
        ("if (method == 2) n--; else if (method >= 1) g();", "o.method = i", 0.375),
    ],
)
def test_a_category_is_no_position_that_it_was_found_at(
    test: str, sets: str, expected: float
) -> None:
    found = executions(METHODS.replace("TEST", test).replace("SET", sets))["g"]
    assert found == pytest.approx(expected)


def test_a_value_that_is_set_twice_is_no_default() -> None:
    body = "o.level = 3; if (o.level) g();"
    assert executions(OPTION.replace("BODY", body))["g"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("n > room * 0.5", 1 / 100000),
        ("0.5f * room <= n", 1 / 100000),
        ("n < room * .5", 1 - 1 / 100000),
        ("n > room * 0.3", 0.5),  # a count below 2^16 may well be exceeded
        ("n > room * -0.5", 0.5),
        ("n > room * x", 0.5),
    ],
)
def test_a_count_seldom_exceeds_a_part_of_a_large_table(test: str, expected: float) -> None:
    text = f"""
        const int room = 200000; int n; double x;
        static void grow(void) {{ for (int i = 0; i < room; i++) x += i; }}
        static void add(void) {{ n++; if ({test}) grow(); }}
        int main(void) {{ add(); return 0; }}
    """
    assert executions(text)["grow"] == pytest.approx(expected)


POINTERS = """
int n, m, late;
static void a(void) { for (int i = 0; i < 9; i++) n += m * i; }
static void b(void) { for (int i = 0; i < 9; i++) n -= m * i; }
static void c(void) { for (int i = 0; i < 9; i++) n ^= m * i; }
struct ops { void (*run)(void); };
void never(struct ops *o) { o->run = c; }
void unlikely(struct ops *o) { o->run = b; }
int main(int argc, char **argv) {
    struct ops o;
    late = 0;
    o.run = a;
    if (argc > 1) late = 1;
    if (late) unlikely(&o);
    for (int i = 0; i < 100; i++) o.run();
    return 0;
}
"""


def test_a_pointer_leads_where_a_run_takes_addresses() -> None:
    found = executions(POINTERS)
    assert found["a"] == pytest.approx(100 / 1.05)
    assert found["b"] == pytest.approx(5 / 1.05)
    assert found["c"] == 0


def test_an_address_outside_of_functions_is_always_there() -> None:
    text = POINTERS.replace("int main(", "struct ops table[] = {{c}};\nint main(")
    assert executions(text)["c"] == pytest.approx(100 / 2.05)


CLASSES = """
int n;
struct Matrix { virtual void row(int) = 0; };
struct Kernel : Matrix {
    void (Kernel::*way)(int);
    Kernel() { way = &Kernel::one; }
    void row(int) = 0;
    void one(int k) { for (int i = 0; i < k; i++) n += i; }
};
struct Dense : Kernel {
    Dense() : Kernel() {}
    void row(int k) { (this->*way)(k); }
};
template <class T> void fill(T *p, int k) { for (int i = 0; i < k; i++) p[i] = 0; }
template <class T> void fill(T *p) { *p = 0; }
template <class T> void outer(T *p) { fill(p, 8); }
int main() {
    Dense d;
    Matrix &m = d;
    double x[8];
    for (int i = 0; i < 10; i++) m.row(i);
    for (int i = 0; i < 5; i++) outer(x);
    return 0;
}
"""


def test_abstract_classes_member_pointers_and_overloads_are_followed() -> None:
    found = executions(CLASSES, "a.cpp")
    assert found["row"] == 10
    assert found["one"] == 10
    assert found["Kernel"] == 1
    assert found["outer"] == 5


def test_the_overload_with_as_many_parameters_is_called() -> None:
    text = CLASSES.replace(
        "template <class T> void fill(T *p) {", "template <class T> void g(T *p) {"
    )
    text = text.replace("fill(p, 8)", "g(p); fill(p, 8)")
    assert executions(text, "a.cpp")["fill"] == 5


ARGUMENTS = """
void exit(int);
int n;
static void g(void) { for (int i = 0; i < 9; i++) n += i; }
int main(int argc, char **argv) { BODY return 0; }
"""
COUNTED_ARGUMENTS = [
    # a run without arguments
    ("if (argc > 1) g();", 0.05),
    ("if (argc == 1) g();", 0.95),
    # it says how it is called, and ends
    ("if (argc < 2) exit(1); if (argc > 1) g();", 0.95),
    ("if (argc < 3) exit(1); if (argc > 2) g();", 0.95),
    ("if (argc < 3) exit(1); if (argc > 3) g();", 0.05),
    ("if (argc != 2 && argc != 4) exit(1); if (argc == 4) g();", 0.95),
    ("if (argc != 2 && argc != 4) exit(1); if (argc == 4) n++; else g();", 0.05),
    ("if (argc == 3) n++; else exit(1); if (argc > 2) g();", 0.95),
    # other conditions may keep it from ending
    ("if (argc < 2 && n) exit(1); if (argc > 1) g();", 0.05),
    # what counts arguments down is no number of arguments
    ("argc--; if (argc > 1) g();", 0.5),
]


@pytest.mark.parametrize(("body", "expected"), COUNTED_ARGUMENTS, ids=str)
def test_a_run_has_the_arguments_that_it_needs(body: str, expected: float) -> None:
    assert executions(ARGUMENTS.replace("BODY", body))["g"] == pytest.approx(expected)


STATE = """
struct state { int used, end, left; char *block; } s;
int read(void *, int);
int step;
static void full(void) { for (int i = 0; i < 9; i++) step += i; }
static void refill(void) { int n = read(s.block, 9); s.left += n; }
int main(void) {
    s.end = 1000;
    s.used = 0;
    for (int i = 0; i < 10000; i++) { BODY }
    return 0;
}
"""
STATES = [
    # a counter is at its end once in a thousand times
    ("s.used++; if (s.used == s.end) full();", 10.0),
    ("s.used++; if (s.used != s.end) full();", 9990.0),
    ("s.used++; int flag = s.used == s.end; if (flag) full();", 10.0),
    ("s.used++; int flag = s.used == s.end; if (!flag) full();", 9990.0),
    # a flag of other values, too, is open
    ("s.used++; int flag = s.used == s.end; if (i > 9) flag = step; if (flag) full();", 5000.0),
    # 4 is the least capacity, and below the pattern tells
    ("s.used++; if (s.used == 5) full();", 2000.0),
    ("s.used++; if (s.used == 3) full();", 2500.0),
    # what is filled in amounts is nearly empty once in 64 times
    ("s.left--; if (s.left < 9) { full(); refill(); }", 156.25),
    ("s.left--; if (s.left >= 9) full(); else refill();", 9843.75),
    ("s.left--; if (s.left < step) full(); refill();", 5000.0),
    # what is filled alone is no store
    ("if (s.left < 9) { full(); refill(); }", 5000.0),
]


@pytest.mark.parametrize(("body", "expected"), STATES, ids=str)
def test_what_counts_up_to_a_capacity_reaches_it_rarely(body: str, expected: float) -> None:
    assert executions(STATE.replace("BODY", body))["full"] == pytest.approx(expected)


SOLVE = """
double err(void);
int n, m;
int max_iter;
static void g(void) { for (int i = 0; i < 9; i++) n += m * i; }
static int solve(int most) { int iter = 0; while (iter < most) { if (err() < 1) break; iter++; }
    return iter; }
int main(void) { int iter = solve(max_iter), warmup_iter = 3; BODY return 0; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (iter >= max_iter) g();", 0.05),
        ("if (iter < max_iter) g();", 0.95),
        ("if (iter == max_iter) n++; else g();", 0.95),
        ("if (iter >= warmup_iter) g();", 0.5),
        ("if (n >= max_iter) g();", 0.5),
    ],
)
def test_a_method_mostly_ends_before_its_largest_number_of_steps(
    body: str, expected: float
) -> None:
    assert executions(SOLVE.replace("BODY", body))["g"] == pytest.approx(expected)


LIBRARY = """
int atoi(const char *);
struct run { int gravity; } *r;
struct run *make(void);
int n, m;
static void g(void) { for (int i = 0; i < 9; i++) n += m * i; }
static void reset(void) { r->gravity = 1; }
static void other_method(void) { r->gravity = 3; }
int main(int argc, char **argv) {
    BEFORE
    SET
    AFTER
    switch (r->gravity) { case 1: n++; break; case 2: g(); break; default: ; }
    return 0;
}
"""


@pytest.mark.parametrize(
    ("before", "set_in_main", "after", "expected"),
    [
        ("reset();", "r->gravity = 2;", "", 0.95),
        # which of them holds is open
        ("reset();", "r->gravity = 1; r->gravity = 2;", "", 1 / 3),
        ("", "r->gravity = 2;", "reset();", 1 / 3),
        ("reset();", "if (argc > 1) r->gravity = 2;", "", 1 / 3),
    ],
)
def test_what_main_sets_holds_over_defaults_of_a_library(
    before: str, set_in_main: str, after: str, expected: float
) -> None:
    text = LIBRARY.replace("BEFORE", before).replace("SET", set_in_main).replace("AFTER", after)
    assert executions(text)["g"] == pytest.approx(expected)


ELEMENTS = """
int opts[4], n; int atoi(const char *);
static void g(void) { for (int i = 0; i < 9; i++) n += i; }
int main(int argc, char **argv) {
    for (int i = 0; i < 4; i++) opts[i] = 0;
    if (argc > 2) opts[1] = atoi(argv[2]);
    BODY
    return 0;
}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (opts[1] >= 1) g();", 0.05),
        ("if (!opts[3]) g();", 1.0),
        ("if (opts[n] >= 1) g();", 0.5),  # which element is it?
    ],
)
def test_elements_at_constant_indices_are_options(body: str, expected: float) -> None:
    assert executions(ELEMENTS.replace("BODY", body))["g"] == pytest.approx(expected)
