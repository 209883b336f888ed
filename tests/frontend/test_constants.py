"""Constant expressions: what compilers evaluate is no work of a loop, and no advice is about it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.core import Compiler
from rooflint.core.graph.folding import evaluates_call
from rooflint.frontend.extract import extract
from rooflint.frontend.lower.state.constants import EVALUATED
from rooflint.frontend.request import Request
from rooflint.ir import Loop, Statement, Value, walk
from rooflint.ir.text import detail_text

ARGUMENTS = {
    **dict.fromkeys(("pow", "fmod", "copysign", "fmax", "fmin", "atan2", "hypot"), "1.5, 2.25"),
    **{"remainder": "1.5, 2.25", "fma": "1.5, 2.25, 3.5", "acosh": "1.5"},
}
SPELLED = {"abs": "fabs", "max": "fmax", "min": "fmin"}
ERRORS = ("log(0.0)", "sqrt(-1.0)", "pow(-1.0, 0.5)", "exp(1000.0)", "exp(-1000.0)", "asin(2.0)",
          "fmod(1.0, 0.0)")  # fmt: skip
GCC_ALONE = ("atan", "atan2", "cbrt", "hypot", "erf", "erfc", "tgamma", "expm1", "log1p", "asinh",
             "acosh", "atanh", "tanh", "remainder")  # fmt: skip


def in_loop(expression: str, before: str = "", language: Language = "c") -> list[Value]:
    """The values that a loop computes which multiplies by the expression."""
    header = "#include <math.h>\n#include <stdio.h>\n#define BASE 5.0\n"
    text = (
        f"{header}static const double FILE_CONSTANT = 5.0;\nconst volatile double LIVE = 5.0;\n"
        f"void g(double *);\nvoid f(double *a, int n, double x) {{ {before}\n"
        f"for (int i = 0; i < n; i++) a[i] *= {expression}; }}"
    )
    unit = extract(Request("/nowhere/a.c", Flags(language), text.encode()))
    [function] = unit.functions
    [loop] = [node for node in walk(function.function.body) if isinstance(node, Loop)]
    return [v for node in walk(loop.body) if isinstance(node, Statement) for v in node.values]


def computes(values: list[Value]) -> list[str]:
    """What is done besides the update itself."""
    done = [f"{value.op} {detail_text(value)}".strip() for value in values]
    return [each for each in done if not each.startswith(("const", "load", "store", "mul"))]


def compiled_calls(tmp_path: Path, compiler: str, expressions: list[str]) -> set[str]:
    """Those of the expressions for which the compiled loop calls a function."""
    program = shutil.which(compiler)
    if program is None:
        pytest.skip(f"no {compiler} here")
    text = "#include <math.h>\n" + "".join(
        f"void f{number}(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] *= {each}; }}\n"
        for number, each in enumerate(expressions)
    )
    (tmp_path / "a.c").write_text(text)
    command = [program, "-O2", "-w", "-mfma", "-msse4.1", "-S", "a.c", "-o", "a.s"]
    subprocess.run(command, cwd=tmp_path, check=True)
    calling: set[str] = set()
    function = ""
    for line in (tmp_path / "a.s").read_text().splitlines():
        words = line.split()
        if line.startswith("f") and words[0].endswith(":"):
            function = words[0][:-1]
        if words and words[0] in ("call", "callq") and function:
            calling.add(expressions[int(function[1:])])
    return calling


def calls_of(names: frozenset[str] | tuple[str, ...]) -> list[str]:
    spelled = sorted(SPELLED.get(name, name) for name in names)
    return [f"{name}({ARGUMENTS.get(name, '0.75')})" for name in spelled]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_evaluate_what_we_take_for_a_constant(tmp_path: Path, compiler: str) -> None:
    expressions = calls_of(EVALUATED)
    assert compiled_calls(tmp_path, compiler, expressions) == set()
    for expression in expressions:
        assert computes(in_loop(expression)) == [], expression


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_leave_errors_to_the_library(tmp_path: Path, compiler: str) -> None:
    assert compiled_calls(tmp_path, compiler, list(ERRORS)) == set(ERRORS)
    for expression in ERRORS:
        assert computes(in_loop(expression)), expression


def test_gcc_evaluates_more(tmp_path: Path) -> None:
    assert compiled_calls(tmp_path, "gcc", calls_of(GCC_ALONE)) == set()
    for name in GCC_ALONE:
        arguments = [float(part) for part in ARGUMENTS.get(name, "0.75").split(",")]
        assert computes(in_loop(f"{name}({ARGUMENTS.get(name, '0.75')})")) == [f"call {name}"]
        assert evaluates_call(Compiler(name="gcc", level=2), name, arguments)
        assert not evaluates_call(Compiler(name="gcc", level=0), name, arguments)
        assert not evaluates_call(Compiler(name="clang", level=2), name, arguments)
    assert not evaluates_call(Compiler(name="gcc", level=2), "atanh", [2.0])
    assert not evaluates_call(Compiler(name="gcc", level=2), "atan", [None])
    assert not evaluates_call(Compiler(name="gcc", level=2), "lgamma", [3.5])


@pytest.mark.parametrize(
    ("expression", "before"),
    [
        ("pow(5.0, 13.0)", ""),
        ("pow(BASE, 13)", ""),
        ("pow(BASE + 1, 2 * BASE)", ""),
        ("pow(FILE_CONSTANT, 13.0)", ""),
        ("pow(c, 13.0)", "const double c = 5.0;"),
        ("pow(c, 13.0)", "double c = 5.0;"),
        ("exp(-pow(2.0, 3.0)) * sqrt(sin(1.0))", ""),
        ("powf(5.0f, 3.0f)", ""),
        ("(1.0 / 3.0)", ""),
        ("(1 / 3.0f - 2 * 0.25)", ""),
    ],
)
def test_constants_in_all_spellings(expression: str, before: str) -> None:
    assert computes(in_loop(expression, before)) in ([], ["convert"])


@pytest.mark.parametrize(
    ("expression", "before"),
    [
        ("pow(x, 13.0)", ""),
        ("pow(LIVE, 13.0)", ""),
        ("pow(c, 13.0)", "double c = 5.0; if (x > 0) c = 6.0;"),
        ("pow(c, 13.0)", "double c = 5.0; g(&c);"),
        ("pow(c, 13.0)", "double c = 5.0; double *p = &c; *p = x;"),
        ("pow(c, 13.0)", "double c; c = x;"),
        ("pow(c, 13.0)", "const double c = x;"),
        ("pow(c, (double)i)", "const double c = 5.0;"),
        ("lgamma(3.5)", ""),
    ],
)
def test_what_the_program_computes_stays(expression: str, before: str) -> None:
    assert any(each.startswith("call") for each in computes(in_loop(expression, before)))


def test_references_may_assign() -> None:
    before = "double c = 5.0; double &r = c; r = x;"
    assert "call pow" in computes(in_loop("pow(c, 13.0)", before, "c++"))
    before = "constexpr double c = 5.0;"
    assert computes(in_loop("pow(c, 13.0)", before, "c++")) == []


@pytest.mark.parametrize(
    ("expression", "literal"),
    [
        ("(1.0 / 3.0)", "0.3333333333333333"),
        ("(0.1 + 0.2)", "0.30000000000000004"),
        # in float, then to double
        ("(1.0f / 3.0f)", "0.3333333432674408f"),
        ("(16777216.0f + 1.0f)", "16777216.0f"),
        ("(0.1f * 1.0)", "0.10000000149011612"),
    ],
)
def test_arithmetic_is_exact(expression: str, literal: str) -> None:
    assert literal in [detail_text(value) for value in in_loop(expression)]


@pytest.mark.parametrize("expression", ["(1.0 / 0.0)", "(1e308 * 10.0)", "(0.0 / 0.0)"])
def test_what_is_no_number_is_computed(expression: str) -> None:
    assert len(in_loop(expression)) > 4


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_no_advice_is_about_constants(tmp_path: Path, compiler: str) -> None:
    names = sorted(EVALUATED | (set(GCC_ALONE) if compiler == "gcc" else set()))
    sum_of_calls = " + ".join(calls_of(tuple(names)))
    (tmp_path / "a.c").write_text(
        "#include <math.h>\nstatic const double C = 5.0;\n"
        f"void f(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] *= {sum_of_calls}; }}\n"
        "void g(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= pow(C, 13.0); }\n"
        "void h(float *a, int n) { for (int i = 0; i < n; i++) a[i] *= (float)sqrt(2.0); }\n"
    )
    command = [sys.executable, "-m", "rooflint", "lint", "a.c", "--format", "gcc", "--preview"]
    (tmp_path / "rooflint.toml").write_text(f'compiler = "{compiler}"\n')
    options = ["--min-gain", "1.01", "--min-time", "1us", "--ignore", "RL0"]
    options += ["--fail-on", "never", "--", "-O3"]
    done = subprocess.run(
        [*command, *options], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    # RL310 is about the flags of the file
    assert [line for line in done.stdout.splitlines() if "[RL310]" not in line] == []
    (tmp_path / "a.c").write_text(
        "#include <math.h>\n"
        "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= pow(a[i], 13.0); }\n"
    )
    done = subprocess.run(
        [*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "[RL204]" in done.stdout


@pytest.mark.parametrize(
    ("literal", "number"),
    [
        ("0.1", 0.1),
        ("0.1f", 13421773 / 2**27),  # the nearest of 24 bits
        ("0x1.8p3", 12.0),
        ("0x1p3f", 8.0),
        ("2.5L", 2.5),
        (".5e1F", 5.0),
    ],
)
def test_a_literal_carries_its_value_and_its_spelling(literal: str, number: float) -> None:
    [found] = [value for value in in_loop(f"(x + {literal})") if value.op == "const"]
    assert (found.spelling, found.number) == (literal, number)


def test_digit_separators_are_no_part_of_a_value() -> None:
    [found] = [v for v in in_loop("(x + 1'000.5)", language="c++") if v.op == "const"]
    assert (found.spelling, found.number) == ("1'000.5", 1000.5)


def test_a_converted_literal_has_the_value_of_its_new_type() -> None:
    [found] = [value for value in in_loop("(x + 7)") if value.op == "const"]
    assert (found.type, found.spelling) == ("f64", "7")
    assert isinstance(found.number, float)
    assert found.number == 7
