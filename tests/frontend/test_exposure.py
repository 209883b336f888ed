"""Arrays that nothing but their own name reaches, as the front end tells them apart."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request

CODE = """
double *keep(double *);
void f(int n) {{
    double a[64], b[64];
    for (int i = 0; i < n; i++)
        {statement}
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}}
"""


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("a[i] = b[i];", set()),
        ("*(a + i) = *b;", set()),
        ("a[(int)b[i]] = 0;", set()),
        # what is followed is only part of the place: its other part hands the array on
        ("*(i + keep(b)) = a[i];", {"b"}),
        ("keep(b)[i] = a[i];", {"b"}),
        ("a[(int)*keep(b)] = 0;", {"b"}),
        ("keep(a)[i] = *keep(b);", {"a", "b"}),
    ],
)
def test_who_hands_an_array_on(statement: str, names: set[str]) -> None:
    text = CODE.format(statement=statement)
    unit = extract(Request("/nowhere/a.c", Flags("c"), text.encode()))
    (source,) = unit.functions
    exposed = {array.name for array in source.function.arrays if array.provenance.exposed}
    assert exposed & {"a", "b"} == names
