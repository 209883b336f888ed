"""``do { ... } while (0)`` is a block, as the macros that are written so have it."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Loop, Unit, walk

ADD = "#define ADD(x, y) do { (x) += (y); } while (0)\n"


def unit_of(text: str, language: Language = "c++") -> Unit:
    return extract(Request("/nowhere/a", Flags(language), text.encode()))


def loops(unit: Unit) -> list[Loop]:
    (source,) = unit.functions
    return [node for node in walk(source.function.body) if isinstance(node, Loop)]


@pytest.mark.parametrize("condition", ["0", "false", " 0 ", "'\\0'"])
def test_a_statement_that_runs_once_is_a_block(condition: str) -> None:
    inner = f"do {{ a[i] = 0; }} while ({condition});"
    unit = unit_of(f"void f(double *a, int n) {{ for (int i = 0; i < n; i++) {inner} }}")
    assert [loop.index for loop in loops(unit)] == ["i"]
    assert unit.refusals == ()


@pytest.mark.parametrize("condition", ["1", "n", "--n"])
def test_others_stay_loops(condition: str) -> None:
    inner = f"do {{ a[i] = 0; }} while ({condition});"
    unit = unit_of(f"void f(double *a, int n) {{ for (int i = 0; i < n; i++) {inner} }}")
    assert len(loops(unit)) == 2


def test_blocks_of_macros_nest() -> None:
    body = "ADD(a[i], 1.0); do { ADD(a[i], 2.0); } while (0);"
    unit = unit_of(f"{ADD}void f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    assert [loop.index for loop in loops(unit)] == ["i"]
    assert unit.loops == 1


def test_a_function_of_blocks_alone_has_no_loop() -> None:
    unit = unit_of(f"{ADD}void f(double *a) {{ ADD(a[0], 1.0); do {{ a[1] = 2; }} while (0); }}")
    assert (unit.loops, unit.functions, unit.refusals) == (0, (), ())


def test_a_block_that_a_break_leaves_is_a_loop_of_one_iteration() -> None:
    unit = unit_of(
        "void f(double *a, int n) { do { a[0] = 1; if (n) break; a[1] = 2; } while (0); }"
    )
    (loop,) = loops(unit)
    assert loop.trip_count.value == 1


def test_a_break_of_a_switch_or_of_a_loop_inside_leaves_no_block() -> None:
    inner = "switch (i) { case 1: a[i] = 1; break; default: a[i] = 2; }"
    unit = unit_of(
        f"void f(double *a, int n) {{ for (int i = 0; i < n; i++) do {{ {inner} }} while (0); }}"
    )
    assert len(loops(unit)) == 1


def test_a_continue_in_a_switch_does_leave_it() -> None:
    inner = "switch (n) { case 1: continue; default: a[0] = 2; }"
    unit = unit_of(f"void f(double *a, int n) {{ do {{ {inner} }} while (0); }}")
    assert len(loops(unit)) == 1


def test_so_it_is_in_code_with_errors() -> None:
    inner = "do { a[i] = missing; } while (0);"
    unit = unit_of(f"void f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {inner} }} }}")
    assert [loop.index for loop in loops(unit)] == ["i"]
