"""Copies of records: members that are variables of their own are read and written."""

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Assignment, Function, Statement, Store, walk
from rooflint.transform.layout import split_fields
from rooflint.transform.result import ChangeRefusal

TYPES = """
typedef struct { float re, im; } number;
struct wide { double a[4]; };
struct bits { unsigned a : 3, b : 5; };
union either { float x; int n; };
static inline number times(number a, number b)
{ number r; r.re = a.re * b.re - a.im * b.im; r.im = a.re * b.im + a.im * b.re; return r; }
"""
LOOP = "void f(int n, float *y, {parameter}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"


def lowered(parameter: str, body: str, language: Language = "c") -> Function:
    text = TYPES + LOOP.format(parameter=parameter, body=body)
    unit = extract(Request("/nowhere/a", Flags(language), text.encode()))
    (found,) = [each.function for each in unit.functions if each.function.name == "f"]
    return found


def assigned(function: Function) -> set[str]:
    values = [
        value
        for node in walk(function.body)
        if isinstance(node, Statement)
        for value in node.values
    ]
    return {value.name for value in values if isinstance(value, Assignment)}


def stored(function: Function) -> list[str]:
    return [
        f"{value.type} {node.accesses[value.access].array}"
        for node in walk(function.body)
        if isinstance(node, Statement)
        for value in node.values
        if isinstance(value, Store)
    ]


@pytest.mark.parametrize("language", ["c", "c++"])
def test_an_oscillator_goes_on_from_its_last_value(language: Language) -> None:
    step = "*p = times(*p, *q); y[i] = p->re;"
    function = lowered("number *p, number *q", step, language)
    assert {"p->re", "p->im"} <= assigned(function)
    assert stored(function) == ["f32 y"]


def test_a_copy_in_a_variable_has_the_values_of_its_source() -> None:
    function = lowered("number *p", "number t = *p; p->re = t.im; p->im = t.re; y[i] = t.re;")
    # an exchange: both are read before one is written
    assert {"t.re", "t.im", "p->re", "p->im"} <= assigned(function)


def test_elements_that_a_variable_is_copied_to_are_stored_by_member() -> None:
    function = lowered("number *o", "number t; t.re = y[i]; t.im = 0; o[i] = t;")
    assert stored(function) == ["f32 o", "f32 o"]


@pytest.mark.parametrize(
    ("parameter", "body"),
    [
        ("number *o, number *p", "o[i] = p[i];"),  # nothing but memory
        ("struct wide *o, struct wide *p", "*o = *p;"),
        ("struct bits *o, struct bits *p", "*o = *p;"),
        ("union either *o, union either *p", "*o = *p;"),
    ],
)
def test_other_records_are_copied_whole(parameter: str, body: str) -> None:
    assert stored(lowered(parameter, body)) == ["record o"]


def test_accesses_to_bit_fields_have_their_width() -> None:
    function = lowered("struct bits *p", "p[i].b = p[i].a; y[i] = 0;")
    statements = [node for node in walk(function.body) if isinstance(node, Statement)]
    found = {(a.array, a.write, a.bits) for each in statements for a in each.accesses}
    assert found == {("p", True, 5), ("p", False, 3), ("y", True, 0)}


def test_structures_with_bit_fields_are_not_split() -> None:
    function = lowered("struct bits *p", "p[i].b = 0; y[i] = 0;")
    refused = split_fields(function, array="p")
    assert isinstance(refused, ChangeRefusal)
    assert refused.reason == "fields of p share their bytes"
