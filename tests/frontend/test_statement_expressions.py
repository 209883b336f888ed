"""GNU's ``({ ...; value; })`` amid an expression: its statements run before, and lose nothing."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Branch, Function, Node, Statement, walk

LARGER = "({ int _a = 3; int _b = a[i + 1].n; _a > _b ? _a : _b; })"
FORMS = [
    f"out[i] = a[i].id + {LARGER};",
    f"out[i] = {LARGER} + a[i].id;",
    f"out[{LARGER} & 7] = a[i].id;",
    f"if (a[i].id == 3 && a[i].n > {LARGER}) out[i] = 1;",
    f"if (a[i].id == 3 && (a[i].n > {LARGER} || a[i].n < 3)) out[i] = 1;",
    f"out[i] = a[i].n > {LARGER} ? a[i].id : {LARGER};",
    f"out[i] += sink(a[i].id, {LARGER});",
]


def statements(nodes: tuple[Node, ...]) -> list[Statement]:
    found = [node for node in walk(nodes) if isinstance(node, Statement)]
    return found + [node.condition for node in walk(nodes) if isinstance(node, Branch)]


def lowered(form: str) -> Function:
    text = (
        "struct c { int id, n; };\nint sink(int, int);\n"
        f"void f(struct c *a, int n, int *out) {{ for (int i = 0; i < n; i++) {{ {form} }} }}"
    )
    (source,) = extract(Request("/nowhere/a.c", Flags("c"), text.encode())).functions
    return source.function


@pytest.mark.parametrize("form", FORMS)
def test_values_are_computed_from_earlier_ones_of_their_statement(form: str) -> None:
    for statement in statements(lowered(form).body):
        for number, value in enumerate(statement.values):
            assert all(0 <= argument < number for argument in value.args)


@pytest.mark.parametrize("form", FORMS)
def test_all_members_are_loaded(form: str) -> None:
    found = statements(lowered(form).body)
    offsets = {
        str(access.offset) for each in found for access in each.accesses if access.array == "a"
    }
    assert {"8*i", "8*i + 12"} <= offsets
