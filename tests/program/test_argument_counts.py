"""``argc`` of an ordinary run, where a branch or a choice decides a size by it."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver
from rooflint.program.trips import typical_trips

MAIN = "int main(int argc, char **argv) {{ {body} return 0; }}"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if (argc > 1) puts(argv[1]);", 1),
        ("if (argc < 3) { puts(argv[0]); return 1; }", 3),
        ("if (argc != 4) { puts(argv[0]); return 1; }", 4),
    ],
)
def test_a_run_has_as_many_arguments_as_it_does_not_end_without(body: str, count: int) -> None:
    text = "int puts(const char *);" + MAIN.format(body=body)
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    value = typical_trips(program, ProgramSolver(program)).quantity(
        program.position("argc", "main")
    )
    assert (value.value, value.decided) == (count, False)
    assert value.points[0] == count < value.points[-1]


def test_the_argc_of_another_function_is_a_local_number() -> None:
    text = "void f(double *a, int argc) { for (int i = 0; i < argc; i++) a[i] = 0; }"
    program = link_files([file_equations(Request("/a.c", Flags("c"), text.encode()))])
    value = typical_trips(program, ProgramSolver(program)).quantity(program.position("argc", "f"))
    assert value.value > 1
