"""Nests are analysed with the sizes that decide on them: known where another size changes."""

from collections.abc import Mapping
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.facts import Space, facts_of, space_of
from rooflint.ir import Function, Loop
from rooflint.memory import ReuseCache, subnest_footprints
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import SubnestFootprints

LINE = 64
CACHES = (CacheGeometry(1, 8), CacheGeometry(8, 4), CacheGeometry(64, 8))


def several_nests(build: ModuleType) -> Function:
    """Nests with sizes of their own, that share an array, or a size; one kernel of straight code;
    one whose index is a size elsewhere."""
    a, b, c = (build.array(name, "f64", None) for name in "abc")
    d = build.array("d", "f64", "n", "m")
    found: Function = build.function(
        "several",
        [a, b, c, d],
        build.loop("i", 0, "n", a["i"].set(b["i"])),
        build.loop(
            "i",
            0,
            "n",
            build.loop("j", "i", "n", b["j"].set(a["i"] + a["j"])),
            build.loop("j", 0, "m", d["i", "j"].set(c["j"])),
        ),
        build.loop("i", 0, "k", c["i*m"].set(c["i"] + b["i"])),
        build.loop("k", 0, "m", build.loop("j", 0, "n", d["j", "k"].set(a["k"]))),
    )
    return found


SIZES = st.integers(0, 90)


@settings(max_examples=15, deadline=None)
@given(n=SIZES, m=SIZES, k=SIZES, other=SIZES, between=st.sampled_from([None, 0.0, 9.0]))
def test_lines_are_those_of_an_analysis_with_all_sizes(
    build: ModuleType, n: int, m: int, k: int, other: int, between: float | None
) -> None:
    function = several_nests(build)
    arrays, facts = {array.name: array for array in function.arrays}, facts_of(function)
    known = ReuseCache()
    values = {"n": n, "m": m, "k": k, "none": 7}
    for sizes in (values, *[{**values, name: other} for name in "nmk"]):
        whole = Reuse(SubnestFootprints(arrays, sizes, LINE))
        for cache in CACHES:
            found = known.of(arrays, sizes, LINE).misses(facts, cache, between)
            assert found == whole.misses(facts, cache, between)


def test_a_size_that_changes_asks_its_nest_alone(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"n{number}" for number in range(12)]
    arrays = [build.array(f"a{number}", "f64", None) for number in range(12)]
    nests = [
        build.loop("i", 0, name, build.loop("j", 0, name, array["j"].set(array["j"] + 1)))
        for name, array in zip(names, arrays, strict=True)
    ]
    function = build.function("f", arrays, *nests)
    facts, by_name = facts_of(function), {array.name: array for array in function.arrays}
    asked: list[tuple[Loop, ...]] = []

    def counted(loops: tuple[Loop, ...], values: Mapping[str, int]) -> Space:
        asked.append(loops)
        return space_of(loops, values)

    monkeypatch.setattr(subnest_footprints, "space_of", counted)
    known, typical = ReuseCache(), dict.fromkeys(names, 1000)
    known.of(by_name, typical, LINE).misses(facts, CACHES[1])
    each = len(asked) // len(nests)
    asked.clear()
    for name in names:
        known.of(by_name, {**typical, name: 100}, LINE).misses(facts, CACHES[1])
    assert 0 < len(asked) <= len(nests) * each
