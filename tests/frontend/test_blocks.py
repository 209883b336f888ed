"""``do { ... } while (0)``, which macros write around statements, is a block and no loop."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Branch, Loop, Statement, Unit, walk


def unit_of(text: str, language: str = "c") -> Unit:
    flags = Flags("c" if language == "c" else "c++")
    return extract(Request("/nowhere/a", flags, text.encode()))


def loops_of(unit: Unit) -> list[Loop]:
    (source,) = unit.functions
    return [node for node in walk(source.function.body) if isinstance(node, Loop)]


@pytest.mark.parametrize(
    "condition", ["0", "(0)", "0 && x", "((void)0, 0)", "ZERO"], ids=lambda text: text
)
def test_statements_that_run_once_stand_in_the_loop_around(condition: str) -> None:
    unit = unit_of(
        "#define ZERO 0\n"
        "void f(int n, int x, double *a) {\n"
        f"  for (int i = 0; i < n; i++) do {{ if (x) a[i] += 1; }} while ({condition}); }}"
    )
    (loop,) = loops_of(unit)
    assert (loop.form, unit.loops, unit.refusals) == ("for", 1, ())
    (branch,) = [node for node in loop.body if isinstance(node, Branch)]
    assert any(isinstance(node, Statement) and node.accesses for node in branch.then)


def test_a_macro_of_cpp_tests_is_a_block() -> None:
    unit = unit_of(
        "void f(int n, double *a) { for (int i = 0; i < n; i++)"
        " do { a[i] += 1; } while ((void)0, (false) && static_cast<bool>(a[i] > 1)); }",
        "c++",
    )
    assert [loop.form for loop in loops_of(unit)] == ["for"]


@pytest.mark.parametrize(
    "body, condition",
    [
        ("a[n] += 1;", "1"),
        ("a[n] += 1;", "n--"),
        ("if (a[n] > 1) break; a[n] += 1;", "0"),
        ("if (a[n] > 1) continue; a[n] += 1;", "0"),
        ("switch (n) { case 1: continue; } a[n] += 1;", "0"),
    ],
)
def test_what_may_repeat_or_is_left_early_stays_a_loop(body: str, condition: str) -> None:
    unit = unit_of(f"void f(int n, double *a) {{ do {{ {body} }} while ({condition}); }}")
    (loop,) = loops_of(unit)
    assert (loop.form, unit.loops) == ("do", 1)
    assert (loop.trip_count.value == 1) == (condition == "0")


@pytest.mark.parametrize("inner", ["while (n--) { if (a[n] > 1) break; }",
                                   "switch (n) { case 1: a[0] = 2; break; }"])  # fmt: skip
def test_a_jump_of_an_inner_statement_leaves_the_block_a_block(inner: str) -> None:
    unit = unit_of(
        f"void f(int m, int n, double *a) {{ for (int i = 0; i < m; i++)"
        f" do {{ {inner} a[i] += 1; }} while (0); }}"
    )
    assert "do" not in [loop.form for loop in loops_of(unit)]


def test_a_block_outside_of_loops_is_no_refused_loop() -> None:
    unit = unit_of("void f(double *a) { do { a[0] += 1; } while (0); }")
    assert (unit.loops, unit.functions, unit.refusals) == (0, (), ())


def test_blocks_nest() -> None:
    unit = unit_of(
        "#define ADD(x, y) do { (x) += (y); } while (0)\n"
        "void f(double *a, int n) { for (int i = 0; i < n; i++) {"
        " ADD(a[i], 1.0); do { ADD(a[i], 2.0); } while (0); } }"
    )
    assert [loop.form for loop in loops_of(unit)] == ["for"]


def test_so_it_is_in_code_with_errors() -> None:
    unit = unit_of(
        "void f(double *a, int n) { for (int i = 0; i < n; i++) { do a[i] = lost; while (0); } }"
    )
    assert [loop.form for loop in loops_of(unit)] == ["for"]
