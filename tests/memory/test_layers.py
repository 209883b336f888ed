"""Layer conditions and regimes: kerncraft's on its own kernels, the lectures' rule, hand counts."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.facts import facts_of
from rooflint.ir import Function, Poly
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.memory.layers import Layer, Rule, largest, layers_of
from rooflint.memory.line_counts import CountMethod
from rooflint.scenario.sizes import Size, Sizes

KERNCRAFT = json.loads((Path(__file__).parent / "kerncraft.json").read_text(encoding="utf-8"))
Row = dict[str, Any]
KIB, MIB = 1024, 1024 * 1024
CACHES = {  # bytes of L1, L2, L3 in kerncraft's machine files: sets x ways x 64
    "snb": (32 * KIB, 256 * KIB, 20480 * 16 * 64),
    "hsw": (32 * KIB, 256 * KIB, 35840 * 16 * 64),
    "bdw": (32 * KIB, 256 * KIB, 20480 * 20 * 64),
    "skx": (32 * KIB, 1 * MIB, 40960 * 11 * 64),
    "clx": (32 * KIB, 1 * MIB, 14336 * 16 * 64),
    "zen2": (32 * KIB, 512 * KIB, 16384 * 16 * 64),
}
SNB = Rates(find_machine("snb", (builtin_dir(),)), 1)


def layers(function: Function, rule: Rule = "exact", **values: int) -> tuple[Layer, ...]:
    arrays = {array.name: array for array in function.arrays}
    return layers_of(facts_of(function)[-1], arrays, values, 64, rule)


def first_held(found: tuple[Layer, ...], capacity: int, values: dict[str, int]) -> Layer:
    return next(layer for layer in found if layer.held(capacity, values))


def ident(row: dict[str, Any]) -> str:
    return "-".join([row["kernel"], row["machine"], *map(str, row.get("sizes", {}).values())])


@pytest.mark.parametrize("row", KERNCRAFT["conditions"], ids=ident)
def test_the_conditions_of_kerncraft(build: ModuleType, nests: ModuleType, row: Row) -> None:
    found = layers(nests.kerncraft(build)[row["kernel"]])
    for expected, capacity in zip(row["levels"], CACHES[row["machine"]], strict=True):
        own = []
        for layer in found:
            own.append((layer.misses, layer.evicts))
            if not layer.required.names():
                break  # holds at any size: what follows never matters
        assert own == [(misses, evicts) for _, misses, _, evicts in expected]
        for layer, (condition, *_) in zip(found, expected, strict=False):
            for n in (*range(1, 60), 1023, 1024, 1025, 5461, 5462, 5463, 8192, 655360, 655361):
                values = {"M": 7, "N": n}
                theirs = eval(condition, {}, values)
                assert layer.held(capacity, values) == theirs, (condition, values)


@pytest.mark.parametrize(
    "row", [row for row in KERNCRAFT["traffic"] if row["mode"] == "LC"], ids=ident
)
def test_the_traffic_of_kerncraft(build: ModuleType, nests: ModuleType, row: Row) -> None:
    found = layers(nests.kerncraft(build)[row["kernel"]], **row["sizes"])
    held = [first_held(found, capacity, row["sizes"]) for capacity in CACHES[row["machine"]]]
    assert [layer.misses for layer in held] == row["misses"]
    assert [layer.evicts for layer in held] == row["evicts"]


@pytest.mark.parametrize(
    ("rule", "limits"),
    [
        # exact reuse: 4(8N - 8) + 16 <= C
        ("exact", [1024, 8192, 655360]),
        # the lectures: 3 rows of 8N in half of C; C/48 = 682.7, 5461.3 and 436906.7, printed there
        # as N < 683, 5461 and 436900
        ("half-cache", [682, 5461, 436906]),
    ],
)
def test_five_points_on_sandy_bridge(
    build: ModuleType, nests: ModuleType, rule: Rule, limits: list[int]
) -> None:
    [rows] = [x for x in layers(nests.kerncraft(build)["2d-5pt"], rule) if x.label == "rows of a"]
    capacities = (32 * KIB, 256 * KIB, 20 * MIB)
    assert [rows.limit(capacity, "N", {}) for capacity in capacities] == limits


def test_conditions_are_reduced(build: ModuleType, nests: ModuleType) -> None:
    _, planes, rows, _ = layers(nests.kerncraft(build)["3d-7pt"])
    assert (planes.label, rows.label) == ("planes of a", "rows of a")
    assert planes.condition(32 * KIB) == "2*N^2 - N <= 2048"
    assert rows.condition(32 * KIB) == "N <= 683"


def test_reuse_over_the_loops_of_a_product(build: ModuleType, nests: ModuleType) -> None:
    # C[i][j] += A[i][k] * B[k][j] over i, k, j: one iteration of k touches a row of C and of B
    # (16 nj bytes) and a line of A; one of i all of B (8 nk nj), a row of A (8 nk) and of C (8 nj)
    found = {layer.label: layer for layer in layers(nests.gemm(build), ni=100, nj=100, nk=100)}
    over_k, over_i = found["reuse of C, A over k"], found["reuse of B over i"]
    assert over_k.required.evaluate({"nj": 100}) == 16 * 100 + 64
    sizes = {"nj": 100, "nk": 50}
    assert over_i.required.evaluate(sizes) == pytest.approx(8 * 5000 + 8 * 50 + 8 * 100, abs=64)


def test_nothing_in_closed_form_for_what_is_gathered(build: ModuleType, nests: ModuleType) -> None:
    assert layers(nests.spmv(build)) == ()


@given(st.integers(1, 50), st.integers(-20, 20), st.integers(-50, 50), st.integers(0, 5000))
def test_the_largest_size_is_the_largest(a: int, b: int, c: int, most: int) -> None:
    poly = Poly({("n", "n"): a, ("n",): b, (): c})
    found = largest(Poly({m: k for m, k in poly.terms.items() if k}), "n", most)
    assert found is not None
    if found >= 0:
        assert poly.evaluate({"n": found}) <= most
    assert poly.evaluate({"n": found + 1}) > most or found + 1 < b / -2 / a


def movement(function: Function, **values: int) -> FunctionTraffic:
    arrays = {array.name: array for array in function.arrays}
    by_name = {name: Size(value, "command line") for name, value in values.items()}
    return FunctionTraffic(facts_of(function), arrays, Sizes(by_name, values), 64)


def test_regimes_follow_each_other(build: ModuleType, nests: ModuleType) -> None:
    found = movement(nests.kerncraft(build)["2d-5pt"], M=4000, N=4000).regimes(0, SNB)
    rows = [(r.condition, r.resides["rows of a"]) for r in found.regimes]
    assert rows[2:] == [
        ("327 < N <= 1024", "L1"),
        ("1024 < N <= 8192", "L2"),
        ("8192 < N <= 655360", "L3"),
        ("N > 655360", "MEM"),
    ]
    assert [r.condition for r in found.regimes if r.now] == ["1024 < N <= 8192"]
    # 4 misses over L1-L2, where rows do not stay, 2 beyond, one line leaves
    assert [r.traffic for r in found.regimes if r.now] == [
        (("L1-L2", 4, 1), ("L2-L3", 2, 1), ("L3-MEM", 2, 1))
    ]
    assert ("rows of a", "L2", "N <= 8192") in found.conditions
    assert ("all of a, b", "L1", "M*N <= 2047") in found.conditions
    # four rows of 1023 elements and what is between them fit in 32 KiB
    (block,) = found.blocks
    assert block[:4] == ("i", 1023, "rows of a", "L1")
    assert block.method is CountMethod.CLOSED_FORM and block.share_left is None


@given(st.integers(3, 3000), st.integers(3, 3000))
def test_the_regime_of_now_says_what_holds(
    build: ModuleType, nests: ModuleType, m: int, n: int
) -> None:
    function = nests.kerncraft(build)["3d-7pt"]
    [now] = [r for r in movement(function, M=m, N=n).regimes(0, SNB).regimes if r.now]
    for layer in layers(function, M=m, N=n):
        level = now.resides.get(layer.label)
        if level is not None:
            held = [
                link.near
                for link in SNB.hierarchy
                if layer.held(link.above.lines * 64, {"M": m, "N": n})
            ]
            assert level == (held[0] if held else "MEM")


def test_a_loop_alone_has_no_regimes(build: ModuleType, nests: ModuleType) -> None:
    assert movement(nests.streaming(build)["triad"], n=1000).regimes(0, SNB) == ((), (), ())
