"""The footprint that searches ask for is that of the lines per array."""

from collections.abc import Mapping
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.facts import (
    KernelFootprints,
    NestFootprint,
    Space,
    compulsory_lines,
    facts_of,
    space_of,
    touched,
)
from rooflint.ir import Function, Loop

LINE = 64


def footprint_bytes(function: Function, values: dict[str, int]) -> float:
    """The largest number of lines that a kernel touches of each array, summed."""
    arrays = {array.name: array for array in function.arrays}
    largest: dict[str, float] = {}
    for facts in facts_of(function):
        space = space_of(facts.kernel.loops, values)
        if space.executions:
            for lines in compulsory_lines(facts, space, values, LINE, arrays):
                largest[lines.array] = max(largest.get(lines.array, 0.0), lines.touched)
    return sum(largest.values()) * LINE


def walks(build: ModuleType) -> Function:
    """Downwards, in steps, shifted, by columns, scattered, over an extent, several at once."""
    a, b, c = (build.array(name, "f64", None) for name in "abc")
    d, e = build.array("d", "f64", "n", "m"), build.array("e", "f32", 100)
    found: Function = build.function(
        "walks",
        [a, b, c, d, e],
        build.loop("i", "n - 1", 0, a["i"].set(b["3*i"] + e["i"]), step=-1),
        build.loop("i", 3, "n", a["i - 3"].set(b["i"] + c["m*i"]), step=2),
        build.loop("j", 1, "m", build.loop("i", 2, "n", d["i", "j"].set(c["i*j"] + a["i"]))),
        build.loop("i", 0, "n", build.loop("j", "i", "n", b["j"].set(a["i"] + a["j"]))),
        build.loop("i", 0, "n", c["i"].set(c["i + 1"] + c["i + 700"])),
    )
    return found


@settings(max_examples=60, deadline=None)
@given(n=st.integers(0, 2000), m=st.integers(0, 300))
def test_bytes_are_those_of_the_lines(build: ModuleType, n: int, m: int) -> None:
    function = walks(build)
    arrays = {array.name: array for array in function.arrays}
    footprint = NestFootprint(facts_of(function), arrays, LINE)
    for values in ({"n": n, "m": m}, {"n": m, "m": n}):
        assert footprint.bytes_at(values) == footprint_bytes(function, values)


@pytest.mark.parametrize("name", ["lu", "gemm", "jacobi2d"])
def test_bytes_of_known_nests(build: ModuleType, nests: ModuleType, name: str) -> None:
    function = getattr(nests, name)(build)
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    footprint = NestFootprint(facts, arrays, LINE)
    for size in (1, 7, 64, 1000):
        values = dict.fromkeys([n for each in facts for n in each.names], size)
        assert footprint.bytes_at(values) == footprint_bytes(function, values)


def test_a_vector_by_hand(build: ModuleType) -> None:
    # 100 doubles are 800 B in 13 lines; the other array's 100 floats are 7 lines, whatever n is
    a, e = build.array("a", "f64", None), build.array("e", "f32", 100)
    function = build.function("f", [a, e], build.loop("i", 0, "n", a["i"].set(e["i"])))
    footprint = NestFootprint(facts_of(function), {x.name: x for x in function.arrays}, LINE)
    assert footprint.bytes_at({"n": 100}) == (13 + 7) * 64
    assert footprint.bytes_at({"n": 1000}) == (125 + 7) * 64


def test_a_search_asks_only_the_kernels_with_the_size_that_it_changes(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"n{number}" for number in range(20)]
    arrays = [build.array(f"a{number}", "f64", None) for number in range(20)]
    loops = [
        build.loop("i", 0, name, array["i"].set(array["i"] + 1))
        for name, array in zip(names, arrays, strict=True)
    ]
    facts = facts_of(build.function("f", arrays, *loops))
    asked: list[tuple[Loop, ...]] = []

    def space_once(loops: tuple[Loop, ...], values: Mapping[str, int]) -> Space:
        asked.append(loops)
        return space_of(loops, values)

    monkeypatch.setattr(touched, "space_of", space_once)
    known = KernelFootprints()
    typical = dict.fromkeys(names, 100)
    # 100 doubles are 800 B in 13 lines, 1000 in 125
    assert NestFootprint(facts, {}, LINE, known).bytes_at(typical) == 20 * 13 * 64
    assert len(asked) == 20
    for name in names:
        larger = NestFootprint(facts, {}, LINE, known).bytes_at({**typical, name: 1000})
        assert larger == (19 * 13 + 125) * 64
    assert len(asked) == 40


def test_an_index_of_a_kernel_may_be_the_size_of_another(build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    function = build.function(
        "f",
        [a, b],
        build.loop("i", 0, "n", a["i"].set(a["i"])),
        build.loop("n", 0, "i", b["n"].set(b["n"])),
    )
    arrays = {array.name: array for array in function.arrays}
    known = KernelFootprints()
    for values in ({"n": 64, "i": 8}, {"n": 8, "i": 64}, {"n": 64, "i": 64}):
        found = NestFootprint(facts_of(function), arrays, LINE, known).bytes_at(values)
        assert found == footprint_bytes(function, values)
