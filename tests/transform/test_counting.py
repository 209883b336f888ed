"""Counts of conditions as sums, and stores under a branch as selections."""

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function, Loop, walk
from rooflint.transform.branches.counting import count_condition
from rooflint.transform.branches.selecting import conditional_store

TEXT = """int k(int n, const unsigned char *p, int t, int *v) {{
  int c = 0, d = 0;
  for (int i = 0; i < n; i++) {{
    {body}
  }}
  return c + d;
}}
"""


def loop_of(body: str) -> Loop:
    flags = read_flags(["gcc", "-O2"], "/", "/k.c")
    unit = extract(Request("/k.c", flags, TEXT.format(body=body).encode()))
    function: Function = unit.functions[0].function
    return next(node for node in walk(function.body) if isinstance(node, Loop))


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        ("if (p[i] > t) c++;", ["load", "index", "compare", "carried", "add", "assign"]),
        (
            "if (p[i] > t) c += 3;",
            ["load", "index", "compare", "const", "mul", "carried", "add", "assign"],
        ),
    ],
)
def test_a_count_is_a_sum(body: str, operations: list[str]) -> None:
    counted = count_condition(loop_of(body))
    [statement] = counted.body
    assert [value.op for value in statement.values] == operations  # type: ignore[union-attr]
    assert counted.definitions == ()
    assert counted.extra_inductions == ()


@pytest.mark.parametrize(
    "body",
    [
        "if (p[i] > t) c++; else d++;",
        "if (p[i] > t) c = i;",
        "c += p[i] > t;",
        "if (p[i] > t) { c++; break; }",
    ],
)
def test_another_loop_stays(body: str) -> None:
    loop = loop_of(body)
    assert count_condition(loop) is loop


def test_what_an_arm_costs() -> None:
    cheap = conditional_store(loop_of("if (p[i] > t) v[i] = p[i] + t;"))
    dear = conditional_store(loop_of("if (p[i] > t) v[i] = p[i] / t;"))
    assert cheap is not None
    assert dear is not None
    assert (cheap.costly, dear.costly) == ("", "a div")
