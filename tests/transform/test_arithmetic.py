"""Cheaper arithmetic, hoisting, types and layouts: the same values, or the reason why not."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from rooflint.facts import work_of
from rooflint.ir import Array, Call, Function, Loop, Statement, walk
from rooflint.ir.text import detail_text
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal
from rooflint.transform.nest.rewrite import statements_in

Same = Callable[..., ChangedFunction]


def one(build: ModuleType, *body: object) -> Function:
    arrays = [build.array(name, "f64", "n") for name in "abc"]
    return build.function("f", arrays, build.loop("i", 0, "n", *body))


def own(function: Function) -> tuple[Statement, ...]:
    [loop] = [node for node in function.body if isinstance(node, Loop)]
    return tuple(node for node in loop.body if isinstance(node, Statement))


def ops(function: Function) -> list[str]:
    skipped = ("load", "store", "const", "scalar", "assign", "carried", "index")
    return [v.op for s in own(function) for v in s.values if v.op not in skipped]


def test_division_by_what_stays(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    function = one(build, a["i"].set(b["i"] / build.scalar("h")))
    result = same(function, transform.reciprocal(function, "i"))
    assert ops(result.function) == ["mul"]
    assert not result.exact
    by_eight = one(build, a["i"].set(b["i"] / 8.0))
    assert same(by_eight, transform.reciprocal(by_eight, "i")).exact
    varying = one(build, a["i"].set(a["i"] / b["i"]))
    assert isinstance(transform.reciprocal(varying, "i"), ChangeRefusal)
    changed = one(build, build.assign("h", b["i"]), a["i"].set(b["i"] / build.scalar("h")))
    assert isinstance(transform.reciprocal(changed, "i"), ChangeRefusal)


def test_two_divisions_become_one(build: ModuleType, same: Same) -> None:
    a, b, c = (build.array(name, "f64", "n") for name in "abc")
    one_over = build.number(1.0)
    for value, left in (
        (a["i"] / b["i"] / c["i"], ["mul", "div"]),
        (a["i"] / (b["i"] / c["i"]), ["mul", "div"]),
        (one_over / b["i"] + one_over / c["i"], ["mul", "mul", "add", "mul", "div"]),
    ):
        function = one(build, a["i"].set(value))
        result = same(function, transform.merge_divisions(function, "i"))
        assert ops(result.function) == left
    shared = b["i"] / c["i"]
    function = one(build, a["i"].set(shared / a["i"] + shared))
    refused = transform.merge_divisions(function, "i")  # b/c is needed as it is
    assert isinstance(refused, ChangeRefusal)


@pytest.mark.parametrize(("exponent", "products"), [(1, 0), (3, 2), (4, 2), (7, 4), (15, 6)])
def test_powers_by_squaring(build: ModuleType, same: Same, exponent: int, products: int) -> None:
    # bits below the highest: one square each; ones among them: one product each
    assert products == exponent.bit_length() - 1 + exponent.bit_count() - 1
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    power = build.call("pow", b["i"], build.number(exponent))
    function = one(build, a["i"].set(power))
    result = same(function, transform.expand_powers(function, "i"))
    assert ops(result.function) == ["mul"] * products


def test_products_and_sums_contract(build: ModuleType, same: Same) -> None:
    a, b, c = (build.array(name, "f64", "n") for name in "abc")
    function = one(build, a["i"].set(c["i"] + a["i"] * b["i"]))
    result = same(function, transform.contract(function, "i"))
    assert ops(result.function) == ["fma"]
    assert work_of(own(result.function)).flops == 2


def test_hoisting_the_largest_part(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    steady = build.call("gravity", build.scalar("g") * 3)
    function = one(build, a["i"].set(b["i"] * steady), b["i"].add(steady))
    result = same(function, transform.hoist(function, "i"))
    assert ops(result.function) == ["mul", "add"]
    assert len(result.function.body) == 2  # one value, used twice
    assert result.assumes == ("gravity has no effects",)
    moving = one(build, a["i"].set(build.call("exp", b["i"])))
    assert isinstance(transform.hoist(moving, "i"), ChangeRefusal)
    only = one(build, a["i"].set(b["i"] * (build.scalar("g") * build.scalar("h"))))
    assert isinstance(transform.hoist(only, "i", ("call",)), ChangeRefusal)


def test_a_hoisted_call_leaves_nothing_behind(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    same, other = build.call("g", build.scalar("h")), build.call("g", b["i"])
    effects = Call("g")
    function = one(build, effects, a["i"].set(b["i"] * same))
    result = transform.hoist(function, "i", ("call",))
    assert isinstance(result, ChangedFunction)
    assert result.assumes[0] == "g has no effects"
    assert not any(isinstance(node, Call) for node in walk(result.function.body))
    # one that is called for each element goes on being called
    both = transform.hoist(one(build, effects, a["i"].set(other * same)), "i", ("call",))
    assert isinstance(both, ChangedFunction)
    assert any(isinstance(node, Call) for node in walk(both.function.body))


def test_sum_in_memory_kept_in_a_register(build: ModuleType, same: Same) -> None:
    s, a = build.array("s", "f64", 4), build.array("a", "f64", "n")
    function = build.function("f", [s, a], build.loop("i", 0, "n", s["2"].add(a["i"])))
    result = same(function, transform.in_register(function, "i", "s"))
    assert tuple(map(str, result.assumes)) == ("a and s do not overlap",)
    [statement] = own(result.function)
    assert [access.array for access in statement.accesses] == ["a"]
    both = build.function("f", [s, a], build.loop("i", 0, "n", s["2"].add(s["1"])))
    assert isinstance(transform.in_register(both, "i", "s"), ChangeRefusal)


def widened(build: ModuleType, value: object) -> Any:  # noqa: ANN401
    return build.op("convert", value, kind="f64")


def test_double_literals_and_functions_in_float_code(
    build: ModuleType, same: Same, interpreter: ModuleType
) -> None:
    x, y = build.array("x", "f32", "n"), build.array("y", "f32", "n")
    root = build.call("exp", widened(build, y["i"]) * 0.001) * 2.2
    narrow = build.op("convert", root, kind="f32")
    function = build.function("f", [x, y], build.loop("i", 0, "n", x["i"].set(narrow)))
    result = transform.narrow(function, "i")
    same(function, result, arithmetic=interpreter.DOUBLES, tolerance=1e-5)
    assert isinstance(result, ChangedFunction)
    values = own(result.function)[0].values
    assert {v.type for v in values} == {"f32"}
    assert [detail_text(v) for v in values if v.op in ("const", "call")] == [
        "0.001f",
        "expf",
        "2.2f",
    ]
    d = build.array("d", "f64", "n")  # a double among the operands is meant
    meant = build.op("convert", widened(build, y["i"]) * d["i"], kind="f32")
    function = build.function("f", [x, y, d], build.loop("i", 0, "n", x["i"].set(meant)))
    assert isinstance(transform.narrow(function, "i"), ChangeRefusal)


def test_structures_split_by_field(build: ModuleType, same: Same) -> None:
    p = build.array("p", "f64", "n")
    p.array = Array("p", "record", 32, p.array.extents, "parameter")
    moved = p.at("32*i + 8")
    p.array = p.array._replace(element_bytes=8, type="f64")
    x, v = p.at("32*i + 8"), p.at("32*i + 24")
    p.array = p.array._replace(element_bytes=32, type="record")
    for reference in (x, v):
        reference.kind = "f64"
    function = build.function("f", [p], build.loop("i", 0, "n", x.add(v * 2)))
    result = transform.split_fields(function, "p")
    del moved

    def before(place: tuple[str, int]) -> tuple[str, int]:
        array, offset = place
        name, _, field = array.partition("_")
        return name, offset * 4 + int(field)  # elements of 8 B out of records of 32 B

    same(function, result, canonical=before)
    assert isinstance(result, ChangedFunction)
    assert [a.name for a in result.function.arrays] == ["p_8", "p_24"]
    assert own(result.function)[0].accesses[0].offset == build.poly("8*i")


def test_narrow_entries(build: ModuleType, same: Same) -> None:
    index, a = build.array("index", "i64", "n"), build.array("a", "f64", "n")
    body = (a["i"].set(a["i"] * 2), index["i"].set(index["i"] + 1))
    function = build.function("f", [index, a], build.loop("i", 0, "n", *body))
    result = transform.narrow_elements(function, "index")

    def before(place: tuple[str, int]) -> tuple[str, int]:
        return (place[0], 2 * place[1]) if place[0] == "index" else place

    same(function, result, canonical=before)
    assert isinstance(result, ChangedFunction)
    assert [a.element_bytes for a in result.function.arrays if a.name == "index"] == [4]
    assert isinstance(transform.narrow_elements(function, "a"), ChangeRefusal)


def test_longer_rows(build: ModuleType, same: Same) -> None:
    a = build.array("a", "f64", "n", 16, storage="local")
    nest = build.loop("i", 0, "n", build.loop("j", 0, 15, a["i", "j"].set(a["i", "j + 1"])))
    function = build.function("f", [a], nest)
    result = transform.pad(function, "a", 8)

    def before(place: tuple[str, int]) -> tuple[str, int]:
        row, column = divmod(place[1], 24 * 8)
        return "a", row * 16 * 8 + column

    same(function, result, canonical=before)
    assert isinstance(result, ChangedFunction)
    assert result.assumes == ()
    flat = build.array("f", "f64", None)
    function = build.function("f", [flat], build.loop("i", 0, "n", flat["i"].set(flat["i"])))
    assert isinstance(transform.pad(function, "f", 8), ChangeRefusal)


def test_promises_and_stores_past_the_caches(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    copy = one(build, a["i"].set(b["i"]))
    result = same(copy, transform.store_past_caches(copy, "i", ("a",)))
    [loop] = result.function.body
    assert isinstance(loop, Loop)
    stores = [v.nontemporal for s in statements_in(loop.body) for v in s.values if v.op == "store"]
    assert stores == [True]
    update = one(build, a["i"].add(b["i"]))
    refused = transform.store_past_caches(update, "i", ("a",))
    assert isinstance(refused, ChangeRefusal)
    assert refused.reason == "i also reads a"
    promised = same(copy, transform.promise_restrict(copy, ("a", "b")))
    assert [array.restrict for array in promised.function.arrays] == [True, True, False]
    assert isinstance(transform.promise_restrict(promised.function, ("a",)), ChangeRefusal)


def test_every_change_can_be_written_down(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    body = a["i", "j"].set(b["i", "j"] / build.scalar("h"))
    function = build.function("f", [a, b], build.loop("i", 0, "n", build.loop("j", 0, "n", body)))
    changes: list[Callable[[Function], transform.Result]] = [
        lambda f: transform.tile(f, "i", {"i": 8, "j": 4}),
        lambda f: transform.interchange(f, "i", ("j", "i")),
        lambda f: transform.unroll_and_jam(f, "i", 4),
        lambda f: transform.unroll(f, "i.j", 4),
        lambda f: transform.peel(f, "i", "last"),
        lambda f: transform.reciprocal(f, "i"),
        lambda f: transform.strip_mine(f, "i.j", 16),
        lambda f: transform.parallelise(f, "i"),
        lambda f: transform.promise_restrict(f, ("a", "b")),
        lambda f: transform.pad(f, "a", 8),
    ]
    for change in changes:
        result = change(function)
        assert isinstance(result, ChangedFunction), result
        steps = transform.from_json(transform.to_json(result.steps))
        again = transform.apply(function, steps)
        assert again == result
