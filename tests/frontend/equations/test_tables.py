"""Elements that straight code reads of tables, and the bytes of the objects behind pointers."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations, IntegerTerm
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver

LIBRARY = "#include <stdlib.h>\n"


def read(text: str) -> Equations:
    return file_equations(Request("/a.c", Flags("c"), (LIBRARY + text).encode()))


def bytes_of(file: Equations, name: str, scope: str = "f") -> int | None:
    program = link_files([file])
    return ProgramSolver(program).value(program.position(f"{name}.bytes", scope)).typical


OBJECTS = [
    ("double *p = malloc(100 * sizeof(double));", 800),
    ("double *p; p = calloc(100, 8);", 800),
    ("double *p = realloc(0, 96);", 96),
    ("double *p = aligned_alloc(64, 128);", 128),
    ("double a[10]; double *p = a;", 80),
    ("double a[10]; double *p = &a[2];", 80),
    ("double a[10]; double *p = a + 2;", 80),
    ("double *q = malloc(40), *p = q;", 40),
    ("double *p = own();", 24),
    ("double *p = held.table;", 72),
]


@pytest.mark.parametrize(("statement", "size"), OBJECTS)
def test_objects_behind_pointers(statement: str, size: int) -> None:
    before = """
        struct { double *table; } held;
        void *own(void) { return malloc(24); }
        void hold(void) { held.table = malloc(9 * sizeof(double)); }
    """
    assert bytes_of(read(f"{before}void f(void) {{ {statement} }}"), "p") == size


def test_arguments_hand_objects_on() -> None:
    file = read("void f(int *p) { } void g(void) { int t[6]; f(t); }")
    assert bytes_of(file, "p") == 24


@pytest.mark.parametrize("statement", ["char *p = malloc(9);", "void (*p)(void) = 0;"])
def test_text_and_functions_are_no_tables(statement: str) -> None:
    assert not [each for each in read(f"void f(void) {{ {statement} }}").quantities
                if each.kind == "extent"]  # fmt: skip


ACCESSES = [
    ("x = t[i];", 1),
    ("x = t[i] + t[i];", 1),
    ("x = t[i] + t[j];", 2),
    ("x = t[i] + u[i];", 2),
    ("x = t[3];", 0),  # at a place of its own
    ("x = r[i][j];", 1),  # r[i] reads nothing
    ("int *q = &t[i];", 1),
    ("if (t[i]) x = t[i];", 1),
    ("if (x) i = t[i]; else j = t[i];", 2),  # one or the other
    ("for (int k = 0; k < 9; k++) x += t[k];", 0),  # the models' matter
]


@pytest.mark.parametrize(("statement", "count"), ACCESSES)
def test_elements_count_once_where_code_comes_by(statement: str, count: int) -> None:
    file = read(f"int r[9][9]; void f(int *t, int *u, int i, int j, int x) {{ {statement} }}")
    assert len(file.tables) == count


def test_an_array_has_its_own_bytes() -> None:
    (access,) = read("int r[9][9]; int f(int i, int j) { return r[i][j]; }").tables
    assert access.bytes == IntegerTerm(324)
