"""Counting operations: every class and type by hand."""

from types import ModuleType

import pytest
from rooflint.facts import work_of
from rooflint.ir import (
    Access,
    AddressValue,
    Arithmetic,
    Assignment,
    CarriedRead,
    Const,
    Conversion,
    IndexValue,
    OpaqueValue,
    Poly,
    Reason,
    ScalarRead,
    Selection,
    Statement,
    Store,
    Value,
)

OPERANDS = {"sqrt": 1, "abs": 1, "neg": 1, "convert": 1, "fma": 3, "select": 3}


def values(*operations: tuple[str, str]) -> Statement:
    made: list[Value] = []
    for op, kind in operations:
        args = (0,) * OPERANDS.get(op, 2)
        if op == "convert":
            made.append(Conversion(type=kind, args=args))
        elif op == "select":
            made.append(Selection(type=kind, args=args))
        else:
            made.append(Arithmetic(op=op, type=kind, args=args))  # type: ignore[arg-type]
    return Statement(tuple(made))


@pytest.mark.parametrize(
    ("op", "kind", "flops"),
    [
        ("add", "f64", 1),
        ("sub", "f32", 1),
        ("mul", "f16", 1),
        ("div", "bf16", 1),
        ("sqrt", "f80", 1),
        ("fma", "f64", 2),
        ("add", "c128", 2),
        ("mul", "c64", 6),
        ("div", "c128", 11),
        ("fma", "c128", 8),
        ("add", "f64x4", 4),
        ("fma", "f32x16", 32),
        ("min", "f64", 0),
        ("max", "f64", 0),
        ("abs", "f64", 0),
        ("neg", "f64", 0),
        ("convert", "f64", 0),
        ("select", "f64", 0),
        ("add", "i32", 0),
    ],
)
def test_flops_of_one_operation(op: str, kind: str, flops: int) -> None:
    work = work_of([values((op, kind))])
    assert work.flops == flops
    element = kind.partition("x")[0] if kind[0] == "f" else kind
    assert list(work.operations) == [f"{op}.{element}"]


def test_what_moves_a_value_is_no_operation() -> None:
    silent = (
        Const(type="f64", spelling="1.0", number=1.0),
        ScalarRead(type="f64", name="s"),
        CarriedRead(type="f64", name="s"),
        Assignment(type="f64", args=(0,), name="s"),
        OpaqueValue(type="f64", reason=Reason("opaque-value", ("x",))),
        IndexValue(type="i64", poly=Poly.symbol("i")),
        AddressValue(type="ptr", target="a"),
    )
    assert work_of([Statement(silent)]).operations == {}


def test_triad(build: ModuleType) -> None:
    a, b, c = (build.array(name, "f64", "n") for name in "abc")
    work = work_of([a["i"].set(b["i"] + c["i"] * build.scalar("s"))])
    assert work.operations == {"mul.f64": 1, "add.f64": 1}
    assert (work.type, work.flops, work.loads, work.stores) == ("f64", 2, 2, 1)


def test_calls_and_comparisons_have_keys_of_their_own(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    exp = build.call("exp", a["i"])
    compared = build.op("compare", a["i"], build.number(0.0), kind="bool")
    work = work_of([build.assign("x", exp), build.condition(compared)])
    assert work.operations == {"call:exp.f64": 1, "compare.f64": 1}
    assert (work.flops, work.integer_operations) == (0, 0)


def test_integers_are_counted_apart(build: ModuleType) -> None:
    a = build.array("a", "i32", "n")
    mixed = build.op("xor", a["i"], a["i"] * 3)
    work = work_of([a["i"].set(mixed)])
    assert (work.type, work.flops, work.integer_operations) == ("i32", 0, 2)


def test_the_type_is_that_of_most_flops() -> None:
    work = work_of([values(("add", "f64"), ("mul", "f32"), ("mul", "f32"))])
    assert work.type == "f32"
    # without any operation that of most bytes moved
    assert work_of([]).type == ""


def test_integers_that_nothing_reads_computed_an_address() -> None:
    # a[k*s] = 1.0 with a stride s that is not known: the product is there, and nothing reads it
    address = Arithmetic(op="mul", type="i32", args=(0, 0))
    loaded = ScalarRead(type="i32", name="s")
    stored = (
        loaded,
        address,
        Const(type="f64", spelling="1.0"),
        Store(type="f64", args=(2,), access=0),
    )
    access = Access("a", Poly.constant(0), "f64", 8, True)
    work = work_of([Statement(stored, (access,))])
    assert (work.operations, work.integer_operations, work.type) == ({}, 0, "f64")
    # the same product stored counts
    kept = (loaded, address, Store(type="i32", args=(1,), access=0))
    work = work_of([Statement(kept, (access._replace(type="i32", bytes=4),))])
    assert (work.operations, work.integer_operations) == ({"mul.i32": 1}, 1)
