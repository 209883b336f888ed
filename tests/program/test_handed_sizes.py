"""Sizes that one function computes from guesses and others read from a member."""

from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips

TEXT = """
int atoi(const char *);
struct matrix { int local_nrow; double *b; } a;
void generate(int k, int m) {
    int rows = SIZE;
    a.local_nrow = rows;
    for (int i = 0; i < rows; i++) a.b[i] = 0;
}
void use(void) { int n = a.local_nrow; for (int i = 0; i < n; i++) a.b[i] += 1; }
int main(int argc, char **argv) { generate(atoi(argv[1]), atoi(argv[2])); use(); return 0; }
"""


def trips(size: str) -> list[float]:
    text = TEXT.replace("SIZE", size)
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    return typical_trips(program, ProgramSolver(program)).trips()


def test_a_computed_size_is_handed_on_to_what_it_is_copied_to() -> None:
    # parameters of these names are 32
    assert trips("k * m") == [32 * 32, 32 * 32]


def test_a_role_that_is_copied_tells_less_than_a_name() -> None:
    # rows are 500
    assert trips("k") == [500, 500]
