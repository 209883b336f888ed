"""Solutions that move with the lines of their file are those of the moved file."""

from collections.abc import Iterable, Iterator
from random import Random

import pytest
from msgspec.structs import replace
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import extracted_file
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.pipeline.files import PlacelessForm
from rooflint.pipeline.in_child import SCENARIOS
from rooflint.pipeline.moved.moved_shares import moved_shares, placeless_basis
from rooflint.pipeline.moved.placeless import placeless_form
from rooflint.pipeline.moved.program_places import ProgramPlaces, moved_values
from rooflint.pipeline.weights.basis import WeighedFile, WeighedKernel
from rooflint.pipeline.weights.run_program import RunProgram
from rooflint.scenario.values import FileScenario

TEXT = """
#include <string.h>
typedef void (*step)(double *, int);
static int width = 64;
static int height = 48;
static void half(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] *= 0.5;
}
static void twice(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] *= 2.0;
}
step chosen = half;
void copy(char *to, const char *from) {
  memcpy(to, from, 900);
  memcpy(to, from,
         2 * 900);
}
void run(double *a, double *b, int m) {
  int rows = width / 2;
  if (a[0] > 1.0)
    chosen = twice;
#pragma omp parallel for
  for (int r = 0; r < rows; r++) {
    chosen(a, rows);
    if (a[r] > 1.0)
      twice(a, rows);
    for (int c = 0; c < m; c++)
      a[c] += 1.0;
  }
  for (int k = 0; k < height; k++)
    copy((char *)a, (char *)b);
}
"""
OTHER = """
extern int rows_of(void);
void run(double *a, double *b, int m);
int main(void) {
  static double a[4096], b[4096];
  for (int t = 0; t < 20; t++)
    run(a, b, 4000);
  return 0;
}
"""
A, B = "/moved/a.c", "/moved/b.c"


def equations(text: str, path: str = A) -> Equations:
    return extracted_file(Request(path, Flags("c"), text.encode())).equations


def moved_text(text: str, chance: Random) -> str:
    """The text with lines that are blank between its lines, and columns at their begins."""
    lines = []
    for line in text.splitlines():
        lines += [""] * chance.choice((0, 0, 1, 3))
        lines.append(line if line.startswith("#") else " " * chance.choice((0, 0, 2)) + line)
    return "\n".join(lines) + "\n"


def kernels_of(file: Equations, cycles: float = 2.0) -> WeighedFile:
    """A report of all loops of the file."""
    kernels = [
        WeighedKernel(
            line=loop.span.line,
            column=loop.span.column,
            headers=(loop.span.line,),
            is_own=True,
            trips=(10.0 + number,),
            cores=1,
            cycles=cycles + number,
        )
        for number, loop in enumerate(file.loops)
    ]
    return WeighedFile(file.path, None, tuple(kernels))


def program_of(files: Iterable[Equations]) -> RunProgram:
    program = RunProgram()
    program.add(files)
    return program


def places_of(*files: Equations) -> ProgramPlaces:
    return ProgramPlaces([(file.path, placeless_form(file).places) for file in files])


def scenarios(*files: Equations) -> Iterator[FileScenario]:
    program = program_of(files)
    for file in files:
        yield program.of_file(file.path, ())


@pytest.mark.parametrize("seed", range(12))
def test_what_moved_is_what_is_solved_anew(seed: int) -> None:
    chance = Random(seed)
    before = [equations(TEXT), equations(OTHER, B)]
    texts = [TEXT, OTHER]
    texts[seed % 2] = moved_text(texts[seed % 2], chance)
    after = [equations(texts[0]), equations(texts[1], B)]
    for old, new in zip(before, after, strict=True):
        assert placeless_form(old).digest == placeless_form(new).digest
    old_places, places = places_of(*before), places_of(*after)
    values = [SCENARIOS.encode(each) for each in scenarios(*before)]
    for number, moved in places.moves_since(old_places.packed):
        values = list(moved_values(values, number, moved, after[number]))
    assert [SCENARIOS.decode(each) for each in values] == list(scenarios(*after))
    basis, new_basis = (tuple(map(kernels_of, files)) for files in (before, after))
    assert placeless_basis(basis, old_places.by_path) == placeless_basis(new_basis, places.by_path)
    moves = [file for _, file in places.moves_since(old_places.packed)]
    assert moved_shares(program_of(before).shares(basis), moves) == program_of(after).shares(
        new_basis
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("width / 2", "width / 4"),
        ("a[i] *= 0.5", "a[i] *= 0.5 * a[i]"),
        ("memcpy(to, from, 900)", "memcpy(to, from, 901)"),
        ("height; k++)\n", "height; k++) "),  # a loop and its call in one line
        ("rows);\n    for", "rows); for"),
        ("static int width", "/* rooflint: m=7 */\nstatic int width"),
    ],
)
def test_another_form(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    assert placeless_form(equations(text)).digest != placeless_form(equations(TEXT)).digest


def test_all_places_count_where_comments_set_sizes() -> None:
    text = "/* rooflint: m=7 */\n" + TEXT
    form, moved = placeless_form(equations(text)), placeless_form(equations("\n" + text))
    assert form.digest != moved.digest and not form.places
    assert form == placeless_form(equations(text))
    assert form != PlacelessForm()


def test_all_places_count_where_a_call_has_the_type_of_an_instance() -> None:
    file = equations(TEXT)
    (call,) = file.pointer_calls
    without = replace(file, pointer_calls=(replace(call, signature=""),))
    assert placeless_form(file).places and not placeless_form(without).places


def test_kernels_at_other_loops_are_another_basis() -> None:
    file = equations(TEXT)
    places, basis = places_of(file).by_path, kernels_of(file)
    first, second, *rest = basis.kernels
    swapped = first._replace(line=second.line, column=second.column)
    beyond = first._replace(line=999)
    for kernel in (swapped, beyond, first._replace(headers=(999,)), first._replace(cycles=9.5)):
        other = basis._replace(kernels=(kernel, second, *rest))
        assert placeless_basis([other], places) != placeless_basis([basis], places)


def test_files_of_one_name_are_not_told_apart() -> None:
    text = OTHER.replace("4000", "size").replace("int main", "int size = 4000;\nint main")
    before = [equations(text, "/moved/b.c"), equations(TEXT), equations("int k;", "/other/b.c")]
    after = [equations("\n" + text, "/moved/b.c"), *before[1:]]
    values = [SCENARIOS.encode(each) for each in scenarios(*before)]
    places = places_of(*after)
    ((_, moved),) = places.moves_since(places_of(*before).packed)
    assert places.may_mistake(moved, values)
    assert not places.may_mistake(moved, [SCENARIOS.encode(FileScenario())])
    assert not places_of(*after[:2]).may_mistake(moved, values)
