"""What teams of OpenMP share: loops, functions called from them, and cycles of calls."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.equations.extraction import file_equations
from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.program.linking import link_files
from rooflint.program.scenarios import ProgramScenario
from rooflint.program.weights import ProgramWeights, program_weights

FOR = "\n#pragma omp parallel for\n"
LEAF = "double a[99]; static void g(void) { for (int i = 0; i < 90; i++) a[i] += 1; }\n"


def equations(text: str) -> Equations:
    return file_equations(Request("/a.c", Flags("c"), text.encode()))


def weights(text: str) -> ProgramWeights:
    return program_weights(link_files([equations(text)]))


def in_teams(text: str) -> dict[str, float]:
    return {each.function.name: each.in_team for each in weights(text).functions}


DIRECTIVES = [
    ("#pragma omp parallel for", True),
    ("#pragma omp parallel for simd schedule(static)", True),
    ("#pragma omp for", True),
    ("#pragma omp taskloop", True),
    ("#pragma omp target teams distribute", True),
    ("#pragma omp loop", True),
    ("#pragma omp simd", False),
    ("#pragma omp parallel", False),
    ("#pragma GCC ivdep", False),
    ("", False),
]


@pytest.mark.parametrize(("directive", "shared"), DIRECTIVES)
def test_directives_that_share_a_loop(directive: str, shared: bool) -> None:
    text = f"double a[9]; void f(void) {{\n{directive}\nfor (int i = 0; i < 9; i++) a[i] = 1;\n}}"
    assert [loop.shared for loop in equations(text).loops] == [shared]


INNER = "for (int j = 0; j < 8; j++)"
CALLS = [
    ("serial", "g();", 0),
    ("in a loop", f"{FOR} for (int i = 0; i < 8; i++) g();", 1),
    ("in a loop of a loop", f"{FOR} for (int i = 0; i < 8; i++) {INNER} g();", 1),
    ("beside a loop", f"{FOR} for (int i = 0; i < 8; i++) a[i] = 1;\n g();", 0),
    ("around a loop", f"for (int i = 0; i < 8; i++) {{ {FOR} {INNER} g(); }}", 1),
    ("most", f"{FOR} for (int i = 0; i < 3; i++) g();\n g();", 0.75),
    ("half", f"{FOR} for (int i = 0; i < 1; i++) g();\n g();", 0.5),
]  # fmt: skip


@pytest.mark.parametrize(("body", "part"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_part_of_the_calls_that_a_team_shares(body: str, part: float) -> None:
    found = in_teams(f"{LEAF} int main(void) {{ {body} }}")
    assert [found["main"], found["g"]] == pytest.approx([0, part])


def test_parts_go_on_to_what_is_called_in_turn() -> None:
    text = (
        f"{LEAF} static void f(int n) {{ g(); if (n) f(n - 1); }}\n"
        f"int main(void) {{ {FOR} for (int i = 0; i < 3; i++) f(i);\n f(1); }}"
    )
    found = in_teams(text)
    assert found["f"] == found["g"] == pytest.approx(0.75)


def test_loops_of_a_function_have_its_part_or_are_shared_themselves() -> None:
    text = (
        "double a[99]; static void g(void) {\n for (int i = 0; i < 90; i++) a[i] += 1;\n"
        f" {FOR} for (int i = 0; i < 90; i++) a[i] += 1;\n}}\n"
        f"int main(void) {{ {FOR} for (int i = 0; i < 3; i++) g();\n g(); }}"
    )
    parts = [loop.in_team for loop in weights(text).loops]
    assert parts == pytest.approx([0.75, 1, 1])


MOSTLY = [(1, []), (2, ["g"])]


@pytest.mark.parametrize(("shared", "names"), MOSTLY)
def test_functions_that_mostly_run_in_teams(shared: int, names: list[str]) -> None:
    text = f"{LEAF}int main(void) {{ {FOR} for (int i = 0; i < {shared}; i++) g();\n g(); }}"
    own = equations(text)
    scenario = ProgramScenario([own]).of_file("/a.c")
    spans = {each.span: own.quantities[each.result].name for each in own.functions}
    assert [spans[each] for each in scenario.in_teams] == names


def shared_part(body: str, more: str = "") -> float:
    """The part of the cycles of ``f`` that a team shares, as a call of it has them."""
    text = f"{LEAF}{more}static void f(void) {{ {body} }}\nint main(void) {{ f(); }}"
    own = equations(text)
    costs = ProgramScenario([own]).of_file("/a.c").calls
    (key,) = [each.key for each in own.quantities if each.name == "f"]
    return costs[key].shared / costs[key].cycles


LOOP = "for (int i = 0; i < 900; i++) a[i % 99] += 1;"
SHARED = [
    ("serial", LOOP, 0, 0),
    ("shared", f"{FOR}{LOOP}", 0.98, 1),
    ("both", f"{LOOP}{FOR}{LOOP}", 0.45, 0.55),
    ("call in a shared loop", f"{FOR} for (int i = 0; i < 9; i++) g();", 0.95, 1),
    ("call of what shares", "for (int i = 0; i < 9; i++) h();", 0.9, 1),
    ("call of what does not", "for (int i = 0; i < 9; i++) g();", 0, 0),
]


@pytest.mark.parametrize(("body", "least", "most"), [c[1:] for c in SHARED],
                         ids=[c[0] for c in SHARED])  # fmt: skip
def test_shared_cycles_of_a_call(body: str, least: float, most: float) -> None:
    part = shared_part(body, f"static void h(void) {{ {FOR} {LOOP} }}\n")
    assert least <= part <= most


def test_a_circle_of_calls_shares_as_much_as_its_bodies() -> None:
    body = f"{FOR}{LOOP}\n if (a[0] > 1) f();"
    assert 0.98 <= shared_part(body, "static void f(void);\n") <= 1
