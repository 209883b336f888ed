"""What holds of every change: values, places in the source, order of iterations, named kernels."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rooflint.ir import Branch, Function, Loop, Node, Region, Statement, children, walk
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal, Result

Same = Callable[..., ChangedFunction]

AT_A_LOOP: dict[str, Callable[[Function, str], Result]] = {
    "strip": lambda f, at: transform.strip_mine(f, at, 3),
    "unroll": lambda f, at: transform.unroll(f, at, 2),
    "split sums": lambda f, at: transform.unroll(f, at, 4, 4),
    "jam": lambda f, at: transform.unroll_and_jam(f, at, 2),
    "peel first": lambda f, at: transform.peel(f, at, "first"),
    "peel last": lambda f, at: transform.peel(f, at, "last"),
    "unswitch": transform.unswitch,
    "fuse": transform.fuse,
    "fission": lambda f, at: transform.fission(f, at, 1),
    "hoist": transform.hoist,
    "reciprocal": transform.reciprocal,
    "merge": transform.merge_divisions,
    "contract": transform.contract,
    "in register": lambda f, at: transform.in_register(f, at, f.arrays[0].name),
    "expand": lambda f, at: transform.expand_scalar(f, at, "t"),
    "threads": transform.parallelise,
    "simd": transform.vectorise,
    "offload": transform.offload,
    "tile": lambda f, at: transform.tile(f, at, {transform.sites(f)[at].loop.index: 3}),
}


def _swapped(function: Function, at: str) -> Result:
    loop = transform.sites(function)[at].loop
    inner = loop.body[0]
    if not isinstance(inner, Loop):
        return ChangeRefusal("no nest")
    return transform.interchange(function, at, (inner.index, loop.index))


def _there_and_back(function: Function, at: str) -> Result:
    result = transform.parallelise(function, at)
    if isinstance(result, ChangeRefusal):
        return result
    return result.then(lambda f: transform.serialise(f, at))


AT_A_LOOP["swap"] = _swapped
AT_A_LOOP["threads and back"] = _there_and_back
KERNELS = (
    "gemm", "lu", "cholesky", "trisolv", "correlation_triangle", "dgemv", "jacobi2d", "heat3d",
)  # fmt: skip
SIZES = (
    {"n": 6, "m": 5, "ni": 4, "nj": 5, "nk": 3},
    {"n": 3, "m": 7, "ni": 3, "nj": 4, "nk": 7},
)


@pytest.mark.parametrize("kernel", KERNELS)
def test_named_kernels_keep_their_values(
    build: ModuleType, nests: ModuleType, same: Same, kernel: str
) -> None:
    function = numbered(getattr(nests, kernel)(build))
    origins = {node.origin for node in walk(function.body)}
    made = 0
    for change in AT_A_LOOP.values():
        for at in transform.sites(function):
            result = change(function, at)
            if isinstance(result, ChangeRefusal):
                assert result.reason
                continue
            made += 1
            same(function, result, SIZES)
            assert {node.origin for node in walk(result.function.body)} <= origins
            assert transform.apply(function, result.steps) == result
    assert made >= 8


def numbered(function: Function) -> Function:
    """``function`` with an origin of its own for every node."""
    count = iter(range(10_000))

    def visit(node: Node) -> Node:
        new = replace(node, origin=next(count))
        if isinstance(new, Loop | Region):
            return replace(new, body=tuple(map(visit, new.body)))
        if isinstance(new, Branch):
            condition = visit(new.condition)
            assert isinstance(condition, Statement)
            then, orelse = tuple(map(visit, new.then)), tuple(map(visit, new.orelse))
            return replace(new, condition=condition, then=then, orelse=orelse)
        return new

    return replace(function, body=tuple(map(visit, function.body)))


subscript = st.tuples(st.sampled_from([0, 1, 1, 2, -1]), st.integers(-1, 1))
item = st.tuples(
    st.sampled_from("aab"), subscript, subscript, st.sampled_from(["set", "sum", "tmp", "add"])
)


@settings(max_examples=80, deadline=None)
@given(items=st.lists(item, min_size=1, max_size=3), change=st.sampled_from(["threads", "simd"]))
def test_threads_may_take_iterations_in_any_order(
    build: ModuleType, interpreter: ModuleType, items: list[Any], change: str
) -> None:
    arrays = {name: build.array(name, "f64", None) for name in "ab"}
    body: list[Statement] = []
    for name, (c, shift), (d, other), kind in items:
        target, source = arrays[name][f"{c}*i + {shift + 9}"], arrays["a"][f"{d}*i + {other + 9}"]
        if kind == "sum":
            body.append(build.assign("s", build.carried("s") + source))
        elif kind == "tmp":
            body.append(build.assign("t", source * 3))
            body.append(target.set(build.scalar("t") + 1))
        else:
            body.append(target.add(source) if kind == "add" else target.set(source))
    loop = build.loop("i", 0, "n", *body)
    function = build.function("f", list(arrays.values()), loop)
    result = AT_A_LOOP[change](function, "i")
    if isinstance(result, ChangeRefusal):
        event("refused")
        return
    event("changed")
    backward = replace(loop, lower=build.poly("n - 1"), upper=build.poly("-1"), step=-loop.step)
    for n in (1, 2, 7):
        expected, sums = interpreter.run(function, {"n": n})
        found, other_sums = interpreter.run(replace(function, body=(backward,)), {"n": n})
        assert found == expected
        assert other_sums.get("s") == sums.get("s")


def test_rows_and_columns_out_of_one_index(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    for size in ("m", 4):
        copy = a["i"].set(b[f"(i % {size})*20 + i // {size}"])
        function = build.function("f", [a, b], build.loop("i", 0, "n", copy))
        sizes = ({"n": 11, "m": 4}, {"n": 8, "m": 3}, {"n": 0, "m": 1})
        result = same(function, transform.split_index(function, "i", size), sizes)
        [rows] = result.function.body
        [columns] = children(rows)
        offset = columns.body[0].accesses[0].offset  # type: ignore[union-attr]
        assert offset == build.poly("160*i_mod + 8*i_div")
        assert result.assumes == (("m is positive",) if size == "m" else ())
    plain = build.function("f", [a, b], build.loop("i", 0, "n", a["i"].set(b["i"])))
    assert isinstance(transform.split_index(plain, "i", 4), ChangeRefusal)


def test_an_array_between_two_fused_loops_becomes_a_scalar(build: ModuleType, same: Same) -> None:
    a, c = build.array("a", "f64", "n"), build.array("c", "f64", "n")
    t = build.array("t", "f64", "n", storage="local")
    first = build.loop("i", 0, "n", t["i"].set(a["i"] * 2))
    function = build.function(
        "f", [a, c, t], first, build.loop("i", 0, "n", c["i"].set(t["i"] + 1))
    )
    assert isinstance(transform.contract_array(function, "i", "t"), ChangeRefusal)
    result = transform.fuse(function, "i")
    assert isinstance(result, ChangedFunction)
    result = result.then(lambda f: transform.contract_array(f, "i", "t"))
    assert isinstance(result, ChangedFunction), result
    assert [array.name for array in result.function.arrays] == ["a", "c"]
    # t itself is gone, so only what is stored to c can be compared
    keep_c = build.function("f", [a, c], build.loop("i", 0, "n", c["i"].set(a["i"] * 2 + 1)))
    same(keep_c, result)
