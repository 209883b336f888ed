"""Where the front end takes a short way, it arrives where the long way does."""

import gc

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Access, Function, Loop, Poly, SourceFunction, Statement, walk
from rooflint.ir.text import print_function


def functions_of(text: str, language: Language = "c") -> tuple[SourceFunction, ...]:
    unit = extract(Request("/nowhere/a", Flags(language), text.encode()))
    assert not unit.refusals
    return unit.functions


def only(text: str, language: Language = "c") -> Function:
    (found,) = functions_of(text, language)
    return found.function


def statements(function: Function) -> list[Statement]:
    return [node for node in walk(function.body) if isinstance(node, Statement)]


def accesses(function: Function) -> list[Access]:
    return [access for statement in statements(function) for access in statement.accesses]


def nested(depth: int) -> str:
    """``f(x) < 1 ? 2 : f(x) < 1 ? 2 : ... f(x)``, ``depth`` questions inside each other."""
    return "f(x) < 1 ? 2.0 : (" * depth + "f(x)" + ")" * depth


def test_nested_choices_over_inlined_calls_cost_what_they_are_long() -> None:
    # a level that lowered its arms twice would lower the innermost one 2^200 times
    text = f"""static double f(double x) {{ return x * x; }}
    void g(int n, double x, double *a) {{ for (int i = 0; i < n; i++) a[i] = {nested(200)}; }}"""
    (statement,) = statements(only(text))
    # 200 conditions and the last arm square x once each
    assert sum(value.op == "mul" for value in statement.values) == 201
    assert sum(value.op == "select" for value in statement.values) == 200


def test_a_clamped_index_is_a_minimum_and_leaves_no_comparison() -> None:
    function = only(
        "void f(int n, int m, double *a) { for (int i = 0; i < n; i++) a[i < m ? i : m] = 1; }"
    )
    (statement,) = statements(function)
    assert [value.op for value in statement.values] == ["const", "store"]
    assert str(statement.accesses[0].subscripts[0]) == "min(i, m)"


def test_what_the_arms_of_a_minimum_load_is_kept_and_renumbered() -> None:
    function = only(
        """void f(int n, int m, double *a, double *t) {
          for (int i = 0; i < n; i++) a[i < m ? (t[i] * t[i + 1], i) : m] = 2;
        }"""
    )
    (statement,) = statements(function)
    # two loads, their product, the constant and its store; no comparison before them
    assert [value.op for value in statement.values] == ["load", "load", "mul", "const", "store"]
    assert statement.values[2].args == (0, 1)
    assert statement.values[4].args == (3,)
    assert [access.array for access in statement.accesses] == ["t", "t", "a"]


@pytest.mark.parametrize(
    ("header", "lower", "upper", "step"),
    [
        ("i = 0; i < n; i++", "0", "n", 1),
        ("i = 2; i <= n; ++i", "2", "n + 1", 1),
        ("i = 0; i != n; i++", "0", "n", 1),
        ("i = n - 1; i >= 0; i--", "n - 1", "-1", -1),
        ("i = n; i > m; --i", "n", "m", -1),
        ("i = n; i != m; i--", "n", "m", -1),
        # the mirrored comparison, a step of two and a sum on the left go the long way
        ("i = 0; n > i; i++", "0", "n", 1),
        ("i = 0; i < n; i += 2", "0", "n", 2),
        ("i = 0; i + 1 < n; i++", "0", "n - 1", 1),
    ],
)
def test_a_plain_counter_has_the_bounds_of_its_header(
    header: str, lower: str, upper: str, step: int
) -> None:
    function = only(
        f"void f(int n, int m, double *a) {{ int i; for ({header}) a[i] = 0; a[i] = 1; }}"
    )
    (loop,) = (node for node in function.body if isinstance(node, Loop))
    assert (str(loop.lower), str(loop.upper), loop.step) == (lower, upper, Poly.constant(step))


@pytest.mark.parametrize(
    # left early, it holds what only the running program knows: a size of its own, not the index i
    ("body", "after"),
    [("", "n"), ("if (a[i] > 9) continue;", "n"), ("if (a[i] > 9) break;", "i'2")],
)
def test_behind_its_loop_a_counter_holds_the_bound_unless_left_early(body: str, after: str) -> None:
    function = only(
        f"""void f(int n, double *a) {{
          int i;
          for (i = 0; i < n; i++) {{ a[i] += 1; {body} }}
          a[i] = 0;
        }}"""
    )
    assert str(accesses(function)[-1].subscripts[0]) == after


def test_a_body_that_steps_its_counter_too_is_not_a_plain_count() -> None:
    function = only("void f(int n, double *a) { for (int i = 0; i < n; i++) { a[i] = 0; i++; } }")
    (loop,) = (node for node in function.body if isinstance(node, Loop))
    assert loop.step == Poly.constant(2)


def test_a_pointer_of_unknown_origin_is_still_stepped_as_a_pointer() -> None:
    function = only(
        """double *make(void);
        void f(int n, int m) {
          double *p;
          for (int j = 0; j < m; j++) {
            p = make();
            for (int i = 0; i < n; i++) *p++ = 0;
          }
        }"""
    )
    assert accesses(function)[-1].write


TEMPLATE = "template <class T> void scale(T *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"


@pytest.mark.parametrize(
    "caller",
    [
        "void f(float *a) { scale(a, 10); }",
        "void f(float *a) { scale<float>(a, 10); }",
        "#define TWICE(x) scale(x, 10)\nvoid f(float *a) { TWICE(a); }",
        "#define ONE(x) scale(x, 10)\n#define TWO(x) ONE(x)\nvoid f(float *a) { TWO(a); }",
        "#define PASTE(x) sc##ale(x, 10)\nvoid f(float *a) { PASTE(a); }",
        "template <class T> void both(T *a) { scale(a, 10); }\nvoid f(float *a) { both(a); }",
    ],
)
def test_an_instance_is_found_however_its_template_is_named(caller: str) -> None:
    function = only(TEMPLATE + caller, "c++")
    assert {access.type for access in accesses(function)} == {"f32"}


def test_members_of_a_resting_record_are_one_place_each_time() -> None:
    text = """struct s { int n; double *x, *y; };
    void f(struct s *p, struct s *q) {
      for (int i = 0; i < p->n; i++) p->x[i] = p->y[i] + q->x[i] + p->x[i];
    }"""
    names = [access.array for access in accesses(only(text))]
    assert names == ["p->y", "q->x", "p->x", "p->x"]


def test_the_same_file_twice_gives_the_same_and_leaves_the_collector_on() -> None:
    text = TEMPLATE + "void f(float *a, double *b) { scale(a, 3); scale(b, 4); }"
    gc.enable()
    first, second = functions_of(text, "c++"), functions_of(text, "c++")
    assert gc.isenabled()
    assert list(map(print_function, (f.function for f in first))) == list(
        map(print_function, (f.function for f in second))
    )
    assert [f.spans for f in first] == [f.spans for f in second]
