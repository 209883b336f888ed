"""Values: every type by its operation, in print, over JSON and the wire."""

from typing import Final

import pytest
from rooflint.ir import (
    Access,
    AddressValue,
    Arithmetic,
    Assignment,
    CallValue,
    CarriedRead,
    Const,
    Conversion,
    Function,
    IndexValue,
    Load,
    OpaqueValue,
    Poly,
    Reason,
    Relation,
    ScalarRead,
    Selection,
    SourceName,
    Statement,
    Store,
    Unknown,
    Value,
    with_operands,
    without_carry,
)
from rooflint.ir.text import print_function
from rooflint.ir.values import VALUE_TYPES
from rooflint.workers.wire import Codec


def element(array: str, index: str) -> Unknown:
    form = (SourceName(array, "array"), "[", SourceName(index), "]")
    return Unknown(form, Reason("indirect", (array,)), (index,))


N = Poly.symbol("n")
ACCESSES: Final = (Access("a", N * 8, "f64", 8, False), Access("b", N * 8, "f64", 8, True))
PRINTED: Final[dict[str, Value]] = {
    "load.f64 a @ 8*n": Load(type="f64", access=0),
    "store.f64 %0 b @ 8*n": Store(type="f64", args=(0,), access=1),
    "store.f64 %0 nontemporal b @ 8*n": Store(type="f64", args=(0,), access=1, nontemporal=True),
    "const.f32 0.5f": Const(type="f32", spelling="0.5f", number=0.5),
    "scalar.f64 s": ScalarRead(type="f64", name="s"),
    "carried.f64 s": CarriedRead(type="f64", name="s"),
    "assign.f64 %0 s": Assignment(type="f64", args=(0,), name="s"),
    "index.i32 n + 1": IndexValue(type="i32", poly=N + 1),
    "index.ptr &a": AddressValue(type="ptr", target="a"),
    "fma.f64 %0 %1 %2": Arithmetic(op="fma", type="f64", args=(0, 1, 2)),
    "compare.f64 %0 %1 <=": Relation(type="f64", args=(0, 1), operator="<="),
    "select.f64 %2 %0 %1": Selection(type="f64", args=(2, 0, 1)),
    "convert.f32 %0": Conversion(type="f32", args=(0,)),
    "call.f64 %0 exp": CallValue(type="f64", args=(0,), callee="exp"),
    "opaque.opaque access r[i]": OpaqueValue(type="opaque", reason=Reason("access", ("r[i]",))),
}


def test_every_type_of_value_is_tried() -> None:
    assert {type(value) for value in PRINTED.values()} == set(VALUE_TYPES)


@pytest.mark.parametrize("text", PRINTED)
def test_values_print_their_operation_type_operands_and_detail(text: str) -> None:
    body = (Statement((PRINTED[text],), ACCESSES),)
    assert print_function(Function("f", (), (), body)).splitlines()[-1] == f"    %0 = {text}"


def test_values_pass_through_json_and_the_wire() -> None:
    statement = Statement(tuple(PRINTED.values()), ACCESSES)
    codec = Codec[Statement](Statement)
    assert codec.from_json(codec.to_json(statement)) == statement
    assert codec.decode(codec.encode(statement)) == statement


def test_closed_forms_are_whole_numbers_and_indices_without_unknowns() -> None:
    unknown = Poly.symbol(element("c", "i"))
    assert IndexValue(type="i32", poly=N).closed_form == N
    assert IndexValue(type="i32", poly=N + unknown).closed_form is None
    assert Const(type="i32", spelling="4", number=4).closed_form == Poly.constant(4)
    assert Const(type="f64", spelling="4.0", number=4.0).closed_form is None
    assert AddressValue(type="ptr", target="a").closed_form is None


def test_other_operands_leave_leaves_as_they_are() -> None:
    assert with_operands(PRINTED["scalar.f64 s"], ()) is PRINTED["scalar.f64 s"]
    assert with_operands(PRINTED["convert.f32 %0"], (3,)) == Conversion(type="f32", args=(3,))


def test_a_read_of_the_last_iteration_becomes_one_of_this() -> None:
    assert without_carry(PRINTED["carried.f64 s"]) == PRINTED["scalar.f64 s"]
    assert without_carry(PRINTED["convert.f32 %0"]) is PRINTED["convert.f32 %0"]
