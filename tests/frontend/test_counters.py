"""Integers that a loop changes besides its index: sums, counts, and second counters."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Clause, Function, Induction, Loop, Poly, Region, Statement, Value, walk
from rooflint.ir.text import detail_text
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal, parallelise


def lowered(text: str) -> Function:
    unit = extract(Request("/a.c", Flags("c"), text.encode()))
    (found,) = unit.functions
    return found.function


def loops(function: Function) -> list[Loop]:
    return [node for node in walk(function.body) if isinstance(node, Loop)]


def values(function: Function) -> list[Value]:
    inside = [node for node in walk(function.body) if isinstance(node, Statement)]
    return [value for statement in inside for value in statement.values]


def clauses(function: Function) -> tuple[Clause, ...]:
    result = parallelise(function, loops(function)[0].index)
    assert isinstance(result, ChangedFunction)
    (region,) = [node for node in result.function.body if isinstance(node, Region)]
    return region.clauses


def test_a_sum_of_integers_is_handed_from_iteration_to_iteration() -> None:
    function = lowered(
        "long f(const int *a, int n) { long s = 0; for (int j = 0; j < n; j++)\n"
        "for (int i = 0; i < n; i++) s += a[i * n + j]; return s; }"
    )
    assert [
        (v.op, detail_text(v))
        for v in values(function)
        if v.op in ("scalar", "carried", "assign") and v.name == "s"
    ] == [
        ("assign", "s"),
        ("carried", "s"),
        ("assign", "s"),
    ]
    assert [loop.extra_inductions for loop in loops(function)] == [(), ()]
    assert clauses(function) == (Clause("reduction", "+ : s"),)


def test_a_count_in_a_branch_is_not_stated_and_forbids_threads() -> None:
    function = lowered(
        "int f(const int *a, int n) { int c = 0; for (int i = 0; i < n; i++)\n"
        "if (a[i] > 3) c++; return c; }"
    )
    (loop,) = loops(function)
    assert loop.extra_inductions == (Induction("c", known=False),)
    result = parallelise(function, "i")
    assert isinstance(result, ChangeRefusal)
    assert result.reason == "c changes in a way that is not modelled"


def test_a_second_counter_follows_the_index_as_a_value_too() -> None:
    function = lowered(
        "void f(double *a, int n) { int k, m; for (k = m = 0; k < n; k++, m += 2)\na[m] = m + 1; }"
    )
    (loop,) = loops(function)
    assert loop.extra_inductions == (Induction("m"),)
    assert [detail_text(value) for value in values(function) if value.op == "index"] == ["2*k + 1"]


def test_counters_of_loops_inside_are_their_own() -> None:
    function = lowered(
        "void f(double *a, int n) { int i, j; for (i = 0; i < n; i++)\n"
        "for (j = 0; j < n; j++) a[i * n + j] = 0; }"
    )
    assert [loop.extra_inductions for loop in loops(function)] == [(), ()]


def test_what_is_added_to_a_sum_behind_its_statement_is_not_stated() -> None:
    function = lowered(
        "int f(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) {\n"
        "s += a[i]; s++; } return s; }"
    )
    (loop,) = loops(function)
    assert loop.extra_inductions == (Induction("s", known=False),)


def nest(before: str) -> str:
    return (
        "void f(int n, const int *restrict a, int *restrict b) { int s = 4; for (int i = 0; i < n;"
        f" i++) {{ {before} for (int k = 0; k < n; k++) s += a[k]; b[i] = s; }} }}"
    )


@pytest.mark.parametrize(
    ("before", "begins"),
    [
        ("s = 0;", [("const", "0"), ("assign", "s")]),
        ("s = i + 2;", [("index", "i + 2"), ("assign", "s")]),
        ("s += 3;", [("const", "3"), ("carried", "s"), ("add", ""), ("assign", "s")]),
        ("", []),
    ],
)
def test_what_a_sum_of_integers_begins_with_is_said(
    before: str, begins: list[tuple[str, str]]
) -> None:
    function = lowered(nest(before))
    first, outer = function.body
    assert isinstance(first, Statement)
    assert isinstance(outer, Loop)
    # s = 0 in each iteration, and the s before the nest is nothing to it
    own = before.startswith("s =")
    assert [(v.op, detail_text(v)) for v in first.values] == [("const", "4"), ("assign", "s")]
    inside = outer.body[0]
    said = [(v.op, detail_text(v)) for v in inside.values] if isinstance(inside, Statement) else []
    assert said == begins
    shared = parallelise(function, "i")
    assert isinstance(shared, ChangedFunction) == own


def test_a_sum_that_a_branch_begins_anew_is_not_stated() -> None:
    function = lowered(nest("if (b[i]) s = 0;"))
    assert loops(function)[0].extra_inductions == (Induction("s", known=False),)
    assert isinstance(parallelise(function, "i"), ChangeRefusal)


def test_a_sum_of_comparisons_is_one_of_integers() -> None:
    function = lowered(
        "int f(const double *a, int n) { int c = 0; for (int i = 0; i < n; i++) c += a[i] > 3;\n"
        "return c; }"
    )
    assert [v.type for v in values(function) if v.op == "add"] == ["i32"]
    assert not [v for v in values(function) if v.op == "convert"]


LIST = "struct list { int n; double *v; double s; };\n"


@pytest.mark.parametrize(
    ("record", "before", "body", "stride_bytes"),
    [
        ("struct list *p", "", "p->v[p->n] = b[i]; p->n++;", 8),
        ("struct list *p", "p->n = 3;", "p->v[p->n++] = b[i];", 8),
        ("struct list q", "", "q.v[q.n] = b[i]; q.n += 2;", 16),
        ("struct list *p", "", "*p->v++ = b[i];", 8),
    ],
)
def test_a_member_that_counts_moves_what_it_indexes(
    record: str, before: str, body: str, stride_bytes: int
) -> None:
    text = f"{LIST}void f({record}, const double *b, int n) {{ {before}\n"
    function = lowered(f"{text}for (int i = 0; i < n; i++) {{ {body} }} }}")
    inside = [node for node in walk(function.body) if isinstance(node, Statement)]
    [stored] = [access for each in inside for access in each.accesses if access.write]
    steps = stored.offset.substitute({"i": Poly.symbol("i") + 1}) - stored.offset
    assert steps.value == stride_bytes


@pytest.mark.parametrize(
    "body", ["b[i] = i; p->n++;", "b[i] = i; if (b[i] > 3) p->n++;", "b[i] = p->n; p->n *= 2;"]
)
def test_a_member_that_every_iteration_changes_forbids_threads(body: str) -> None:
    function = lowered(
        f"{LIST}void f(struct list *p, double *b, int n) {{ for (int i = 0; i < n; i++)"
        f" {{ {body} }} }}"
    )
    assert isinstance(parallelise(function, "i"), ChangeRefusal)


FUNCTIONS = """
struct list { int n; double *v; double s; };
int calls;
static void counted(struct list *p) { p->n++; }
static void hit(void) { calls++; }
static void appended(struct list *p, double x) { p->v[p->n] = x; p->n++; }
static void moved(struct list *p) { p->v++; }
static void summed(struct list *p, double x) { p->s += x; }
"""


@pytest.mark.parametrize(
    ("body", "along"),
    [
        ("b[i] = i; counted(p);", "?p->n"),
        ("b[i] = i; hit();", "calls"),
        ("appended(p, b[i]);", "?p->n"),
        ("b[i] = i; moved(p);", "?p->v"),
        ("b[i] = i; (*p).n++;", "?p->n"),
        ("b[i] = i; for (int j = 0; j < n; j++) counted(p);", "?p->n"),
    ],
)
def test_what_called_functions_count_along_forbids_threads(body: str, along: str) -> None:
    function = lowered(
        f"{FUNCTIONS}void f(struct list *p, double *b, int n) {{\n"
        f"for (int i = 0; i < n; i++) {{ {body} }} }}"
    )
    assert along in map(str, loops(function)[0].extra_inductions)
    assert isinstance(parallelise(function, "i"), ChangeRefusal)


def test_a_sum_in_a_called_function_goes_from_iteration_to_iteration() -> None:
    function = lowered(
        f"{FUNCTIONS}void f(struct list *p, double *b, int n) {{\n"
        "for (int i = 0; i < n; i++) summed(p, b[i]); }"
    )
    assert [v.op for v in values(function) if detail_text(v) == "p->s"] == ["carried", "assign"]
    assert Clause("reduction", "+ : p->s") in clauses(function)


@pytest.mark.parametrize(
    ("header", "values"),
    [
        # with a step of one the loop takes the short way, with two the long one
        ("int i = n; i >= 3; i--", range(10, 2, -1)),
        ("int i = n; i > 3; i--", range(10, 3, -1)),
        ("int i = n; i >= 3; i -= 2", range(10, 2, -2)),
        ("int i = n; i > 3; i -= 2", range(10, 3, -2)),
        ("int i = n - 1; i >= 3; i -= 2", range(9, 2, -2)),
        ("int i = 3; i <= n; i += 2", range(3, 11, 2)),
        ("int i = 3; i < n; i += 2", range(3, 10, 2)),
        # the other side first
        ("int i = n; 4 <= i; i -= 3", range(10, 3, -3)),
        ("int i = n; 4 < i; i -= 3", range(10, 4, -3)),
    ],
)
def test_a_bound_belongs_to_the_loop_or_does_not(header: str, values: range) -> None:
    function = lowered(f"void f(double *a, int n) {{ for ({header}) a[i] = 1; }}")
    (loop,) = loops(function)
    bounds = [part.evaluate({"n": 10}) for part in (loop.lower, loop.upper, loop.step)]
    assert list(range(*bounds)) == list(values)
    assert loop.trip_count.evaluate({"n": 10}) == len(values)


@pytest.mark.parametrize(
    ("expression", "types"),
    [
        ("x * 5u", ["u32"]),
        ("x >> 3", ["u32"]),
        ("x * i", ["i64"]),  # the index is a long
    ],
)
def test_a_scalar_computes_in_its_own_type(expression: str, types: list[str]) -> None:
    function = lowered(
        "void f(unsigned *restrict a, const unsigned *restrict b, long n)\n"
        f"{{ for (long i = 0; i < n; i++) {{ unsigned x = b[i]; a[i] = {expression}; }} }}"
    )
    assert [v.type for v in values(function) if v.op in ("mul", "div", "shr")] == types
