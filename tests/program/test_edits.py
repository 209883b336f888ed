"""Edits that leave the values of a program alone, and those that do not."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request
from rooflint.ir import Span
from rooflint.ir.equations import Equations, IntegerTerm, WorkSite
from rooflint.pipeline.weights.comment_sizes import commented_sizes
from rooflint.program.linking import link_files
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.solved.edits import edited_program
from rooflint.scenario.sizes import SizeLayer

TEXT = """
static int width = 64;
static void g(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2.0; }
void f(double *a, int m) {
    int rows = width / 2;
    for (int r = 0; r < rows; r++) {
        if (a[r] > 1.0) g(a, rows);
        for (int c = 0; c < m; c++) a[c] += 1.0;
    }
}
"""


def equations(text: str = TEXT, path: str = "/a.c") -> Equations:
    return extracted_file(Request(path, Flags("c"), text.encode())).equations


def more_work(file: Equations) -> Equations:
    first, *others = file.work
    more: WorkSite = replace(first, operators=first.operators + 1)
    return replace(file, work=(more, *others))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("a[r] > 1.0", "a[r] * 2.0 > 1.0"),
        TEXT.replace("g(a, rows)", "g(a + 1, rows)"),
    ],
)
def test_other_work_keeps_all_that_is_linked(text: str) -> None:
    before, after = link_files([equations()]), equations(text)
    assert after.work != before.files[0].equations.work
    edited = edited_program(before, [after])
    assert edited is not None
    assert edited.definitions is before.definitions
    assert edited.loops is before.loops
    assert edited == link_files([after])


@pytest.mark.parametrize("text", ["\n" + TEXT, TEXT.replace("    if", "\n    if")])
def test_code_on_other_lines_has_the_same_values(text: str) -> None:
    before = link_files([equations()])
    edited = edited_program(before, [equations(text)])
    assert edited == link_files([equations(text)])
    assert edited != before


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("64", "65"),
        TEXT.replace("width / 2", "width / 4"),
        TEXT.replace("r < rows", "r <= rows"),
        TEXT.replace("c < m", "c < rows"),
        TEXT.replace("a[r] > 1.0", "rows > 1"),
        TEXT.replace("g(a, rows)", "g(a, 7)"),
        TEXT.replace("a[c] += 1.0", "for (int k = 0; k < m; k++) a[c] += 1.0"),
        TEXT.replace("if (a[r] > 1.0) g", "if (a[r] > 1.0) a[0] = 1.0; g"),
        TEXT.replace("static void g", "static int unused = 3;\nstatic void g"),
    ],
)
def test_other_values_are_solved_again(text: str) -> None:
    assert edited_program(link_files([equations()]), [equations(text)]) is None


def test_another_number_of_files_is_another_program() -> None:
    one, other = equations(), equations("int k = 3;", "/b.c")
    assert edited_program(link_files([one]), [one, other]) is None
    assert edited_program(link_files([one, other]), [one]) is None
    assert edited_program(link_files([one, other]), [other, more_work(one)]) is not None


Edit = Callable[[Equations], Equations]


def _moved(file: Equations) -> Equations:
    def down(span: Span) -> Span:
        return span._replace(line=span.line + 9, end_line=span.end_line + 9)

    return replace(
        file,
        functions=tuple(
            [f if f.span is None else replace(f, span=down(f.span)) for f in file.functions]
        ),
        loops=tuple([replace(each, span=down(each.span)) for each in file.loops]),
        equations=tuple([replace(e, line=e.line + 9) for e in file.equations]),
    )


@pytest.mark.parametrize("edit", [more_work, _moved, lambda file: _moved(more_work(file))])
@pytest.mark.parametrize("given", [(), (SizeLayer(sizes={"m": 17}, origin="command line"),)])
def test_a_scenario_after_an_edit_is_that_of_the_file(
    edit: Edit, given: tuple[SizeLayer, ...]
) -> None:
    file = equations()
    before = ProgramScenario([file])
    before.of_file("/a.c", given)
    before.weights(given, reported={0: 3.0})
    after, fresh = ProgramScenario([edit(file)], before=before), ProgramScenario([edit(file)])
    assert after.of_file("/a.c", given) == fresh.of_file("/a.c", given)
    for reported in ({0: 3.0}, {0: 4.0}, {}):
        one, other = (each.weights(given, reported=reported) for each in (after, fresh))
        assert (one.functions, one.loops) == (other.functions, other.loops)


def test_a_run_that_is_too_long_shrinks_by_its_own_work() -> None:
    text = TEXT.replace("r < rows", "r < m * m").replace("c < m", "c < m * m")
    file = equations(text)
    heavy = replace(
        file, work=tuple([replace(w, operators=w.operators * 10**9) for w in file.work])
    )
    before = ProgramScenario([file])
    light = before.of_file("/a.c")
    after = ProgramScenario([heavy], before=before).of_file("/a.c")
    assert after == ProgramScenario([heavy]).of_file("/a.c")
    assert [each.typical for each in after.values] != [each.typical for each in light.values]


def test_sizes_of_comments_count_after_an_edit() -> None:
    file = equations(TEXT.replace("    int rows", "    // rooflint: m=17\n    int rows"))
    assert file.comments
    before = ProgramScenario([file])
    before.of_file("/a.c")
    after = ProgramScenario([file], commented_sizes([file]), before)
    fresh = ProgramScenario([file], commented_sizes([file]))
    assert after.of_file("/a.c") == fresh.of_file("/a.c")
    assert after.of_file("/a.c") != before.of_file("/a.c")


def test_a_constant_is_no_work() -> None:
    file = equations()
    first, *others = file.equations
    other = replace(file, equations=(replace(first, term=IntegerTerm(5)), *others))
    assert edited_program(link_files([file]), [other]) is None
