"""Rows that pointers lead to: ``double ***c`` is one array of rows in all its dimensions."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Access, Function, Poly, Statement, walk


def only(text: str) -> Function:
    (found,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    return found.function


def stored_in(function: Function) -> Access:
    statements = [node for node in walk(function.body) if isinstance(node, Statement)]
    [stored] = [access for each in statements for access in each.accesses if access.write]
    return stored


def symbol(name: str) -> Poly:
    return Poly.symbol(name)


@pytest.mark.parametrize("kind", ["double", "float"])
def test_rows_of_pointers_of_pointers_keep_every_subscript(kind: str) -> None:
    function = only(
        f"void f(int n, {kind} ***c) {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        " for (int k = 0; k < n; k++) c[i][j][k] = 0; }"
    )
    stored = stored_in(function)
    assert stored.subscripts == (symbol("i"), symbol("j"), symbol("k"))
    planes, rows, size = symbol("pitch(*c)"), symbol("pitch(**c)"), stored.bytes
    expected = ((symbol("i") * planes + symbol("j")) * rows + symbol("k")) * size
    assert stored.offset == expected
    assert function.array("**c").extents == (None, None, None)


def test_an_array_of_pointers_has_its_rows_in_all_its_dimensions() -> None:
    function = only(
        "void f(int n) { static double *c[4][8]; for (int i = 0; i < n; i++)"
        " for (int k = 0; k < n; k++) c[i][i + 1][k] = 0; }"
    )
    stored = stored_in(function)
    assert stored.subscripts == (symbol("i"), symbol("i") + 1, symbol("k"))
    # row 8 i + i + 1 of all
    assert stored.offset == ((symbol("i") * 9 + 1) * symbol("pitch(*c)") + symbol("k")) * 8
    assert [str(extent) for extent in function.array("*c").extents] == ["None", "8", "None"]
