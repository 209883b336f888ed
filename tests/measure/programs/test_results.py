"""Contents after one call of real programs: equal ones, different ones, and others' layouts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.build import build_program
from rooflint.measure.process import refusal_of, run_results
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.refusals import RefusalCode, refusal_text
from rooflint.measure.subject import Subject
from rooflint.measure.versions.equality import (
    Agreement,
    EmptyResults,
    EqualityAnswer,
    LayoutDifference,
    ResultDifference,
    VersionResults,
    compare_results,
)
from rooflint.measure.versions.subjects import VersionFile, version_file

pytestmark = pytest.mark.long

Compare = Callable[..., EqualityAnswer]
SUM = "double f(int n, const double *a) { double s = %s; for (int i = 0; i < n; i++) s += a[i]; "
LIMIT = 1 << 20
SETTINGS = RunSettings(sizes=(("n", 300),), results=LIMIT)


@pytest.fixture
def program_of(tmp_path: Path) -> Callable[..., Program]:
    """``program_of(text, ".cpp")``: the program of a text's only function with a loop."""

    def build(text: str, suffix: str = ".c", number: int = 0) -> Program:
        path = tmp_path / f"code{number}{suffix}"
        path.write_text(text)
        file = version_file(str(path), FlagFinder(extra=["gcc", "-O2"]).flags(str(path)))
        assert isinstance(file, VersionFile)
        subject = file.subject()
        assert isinstance(subject, Subject), subject
        folder = tmp_path / f"build{number}"
        folder.mkdir(exist_ok=True)
        program = build_program(subject, str(folder))
        assert isinstance(program, Program), program
        return program

    return build


@pytest.fixture
def compare(program_of: Callable[..., Program]) -> Compare:
    """``compare(before, after, Agreement.BITS)``: the answer on two texts."""

    def answer(
        before: str, after: str, required: Agreement = Agreement.BITS, suffix: str = ".c"
    ) -> EqualityAnswer:
        programs = [program_of(before, suffix)]
        programs.append(program_of(after, suffix, 1) if after != before else programs[0])
        sides = [results_of(program) for program in programs]
        return compare_results(sides[0], sides[1], required)

    return answer


def results_of(program: Program) -> VersionResults:
    found = run_results(program, SETTINGS, 60)
    assert refusal_of(program, SETTINGS, found.run) is None
    return VersionResults(arrays=program.arrays, cells=program.cells, contents=found.contents)


FORMS = {
    "array": (".c", "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = %s; }", "a"),
    "value": (".c", "long f(int n) { long s = 0; for (int i = 0; i < n; i++) s += %s; return s; }",
              "the value of the call"),
    "variable": (".c", "int g = 3; void f(int n) { for (int i = 0; i < n; i++) g += %s; }", "g"),
    "file's array": (".c", "float a[5000]; void f(int n) "
                     "{ for (int i = 0; i < n; i++) a[i] = %s; }", "a"),
    "record": (".c", "struct p { double x; int k; }; "
               "void f(int n, struct p *p) { for (int i = 0; i < n; i++) p[i].k = %s; }", "p"),
    "rows": (".c", "void f(int n, double **a) { for (int i = 0; i < n; i++) a[i][0] = %s; }", "a"),
    "reference": (".cpp", "void f(int n, double &s) { for (int i = 0; i < n; i++) s += %s; }", "s"),
    "method": (".cpp", "struct C { double s; void f(int n) "
               "{ for (int i = 0; i < n; i++) s += %s; } }; void g(C &c) { c.f(1); }", "*this"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_place_of_a_result(program_of: Callable[..., Program], form: str) -> None:
    """A program agrees with itself, and differs where one element is another."""
    suffix, text, name = FORMS[form]
    before = program_of(text % "i", suffix)
    one = results_of(before)
    assert compare_results(one, results_of(before), Agreement.BITS) is Agreement.BITS
    other = results_of(program_of(text % "(i == 200 ? 7 : i)", suffix, 1))
    found = compare_results(one, other, Agreement.RELATIVE)
    assert isinstance(found, ResultDifference), found
    assert found.name == name


def test_the_first_element_that_differs(compare: Compare) -> None:
    text = FORMS["array"][1]
    found = compare(text % "i", text % "(i < 200 ? i : -i)")
    assert found == ResultDifference(name="a", element=200, before="200", after="-200")


@pytest.mark.parametrize(
    ("start", "agreement"), [("0", Agreement.BITS), ("1e-7", Agreement.RELATIVE)]
)
def test_rounding(compare: Compare, start: str, agreement: Agreement) -> None:
    before, after = (SUM % each + "return s; }" for each in ("0", start))
    assert compare(before, after, Agreement.RELATIVE) is agreement


def test_a_function_that_leaves_nothing(compare: Compare) -> None:
    text = SUM % "0" + "return 0; }"
    silent = text.replace("double f", "static double *p; void f").replace("return 0;", "")
    assert compare(silent, silent) == EmptyResults()


@pytest.mark.parametrize("arrays", ["double *b, const double *a", "float *b, const float *a"])
def test_a_copy_leaves_a_result(compare: Compare, arrays: str) -> None:
    copy = f"void f(int n, {arrays}) {{ for (int i = 0; i < n; i++) b[i] = a[i]; }}"
    assert compare(copy, copy) is Agreement.BITS
    assert isinstance(compare(copy, copy.replace("b[i] =", "b[i] +=")), ResultDifference)


def test_structures_of_arrays_are_another_layout(compare: Compare) -> None:
    records = (
        "struct p { double x, y; }; "
        "void f(int n, struct p *p) { for (int i = 0; i < n; i++) p[i].x = p[i].y; }"
    )
    arrays = (
        "struct p { double *x, *y; }; "
        "void f(int n, struct p *p) { for (int i = 0; i < n; i++) p->x[i] = p->y[i]; }"
    )
    assert compare(records, arrays) == LayoutDifference(name="p")


def test_results_have_a_limit(program_of: Callable[..., Program]) -> None:
    program = program_of(FORMS["array"][1] % "i")
    large = RunSettings(sizes=(("n", LIMIT // 8 + 1),), results=LIMIT)
    refusal = refusal_of(program, large, run_results(program, large, 60).run)
    assert refusal is not None
    assert refusal.code is RefusalCode.LARGE_RESULTS
    assert "give smaller sizes" in refusal_text(refusal)
    small = RunSettings(sizes=(("n", LIMIT // 16),), results=LIMIT)
    assert refusal_of(program, small, run_results(program, small, 60).run) is None


def test_a_fault_in_the_call_is_one(program_of: Callable[..., Program]) -> None:
    text = "void f(int n, int *a) { for (int i = 0; i < n; i++) *(int *)16L = a[i]; }"
    program = program_of(text)
    refusal = refusal_of(program, SETTINGS, run_results(program, SETTINGS, 60).run)
    assert refusal is not None
    assert refusal.code is RefusalCode.FAULT
