"""Variables and members that have a value, in whatever scope they stand."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.program.linking import link_files
from rooflint.program.solver import ProgramSolver

VALUES = [
    ("int n = 5;", "n", "", 5),
    ("int m, n = 5, k;", "n", "", 5),
    ("namespace a { int n = 5; }", "n", "a", 5),
    ("struct s { int m; int n = 5; };", "n", "s", 5),
    ("struct s { static const int n = 5; };", "n", "s", 5),
    ("int t[3] = {5, 6, 7};", "t[1]", "", 6),
    ("int n = 2 * (3 + 4);", "n", "", 14),
]


@pytest.mark.parametrize(("text", "name", "scope", "value"), VALUES)
def test_a_variable_has_its_value(text: str, name: str, scope: str, value: int) -> None:
    file = file_equations(
        Request("/a.cpp", Flags("c++"), f"{text} int f() {{ return 0; }}".encode())
    )
    program = link_files([file])
    solved = [
        ProgramSolver(program).value(place).typical
        for place, each in enumerate(program.quantities)
        if (each.name, each.scope) == (name, scope)
    ]
    assert solved == [value]
    assert [each.name for each in file.quantities if each.kind == "result"] == ["f"]


def test_a_variable_without_a_value_says_nothing() -> None:
    file = file_equations(Request("/a.cpp", Flags("c++"), b"int n; struct s { int m; };"))
    assert file.quantities == ()
