"""Extents of arrays that end a record."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Poly


@pytest.mark.parametrize(
    ("member", "extent"),
    [("w[]", None), ("w[0]", None), ("w[1]", None), ("w[2]", Poly.constant(2))],
)
def test_a_member_of_one_element_may_stand_for_more(member: str, extent: Poly | None) -> None:
    text = (
        f"struct plan {{ int n; double {member}; }};"
        "void f(struct plan *p) { for (int i = 0; i < p->n; i++) p->w[i] = 0; }"
    )
    (found,) = extract(Request("/nowhere/a", Flags("c"), text.encode())).functions
    (array,) = [each for each in found.function.arrays if each.name == "p->w"]
    assert array.extents[0] == extent
