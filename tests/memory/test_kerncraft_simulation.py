"""kerncraft's simulated traffic of its own kernels, warm caches, arrays where it puts them."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.memory.hierarchy import CacheGeometry
from rooflint.memory.line_counts import LineCounts
from rooflint.memory.reuse import Reuse
from rooflint.memory.subnest_footprints import SubnestFootprints

Row = dict[str, Any]
ROWS = json.loads((Path(__file__).parent / "kerncraft.json").read_text(encoding="utf-8"))["traffic"]
REPEATS = 100
"""So often the nest runs: what it finds in caches then is what it left there itself."""
OUTSIDE = 0.08
"""Lines per line of work that a level may miss that kerncraft's misses nothing of."""

# sets and ways of kerncraft's machine files; a victim cache counts with what it takes lines from,
# and caches from the third level on as fully associative (addresses are hashed over slices)
CACHES = {
    "snb": (CacheGeometry(64, 8), CacheGeometry(512, 8), CacheGeometry(1, 20480 * 16)),
    "hsw": (CacheGeometry(64, 8), CacheGeometry(512, 8), CacheGeometry(1, 35840 * 16)),
    "bdw": (CacheGeometry(64, 8), CacheGeometry(512, 8), CacheGeometry(1, 20480 * 20)),
    "skx": (
        CacheGeometry(64, 8),
        CacheGeometry(1024, 16),
        CacheGeometry(1, 40960 * 11 + 1024 * 16),
    ),
    "clx": (
        CacheGeometry(64, 8),
        CacheGeometry(1024, 16),
        CacheGeometry(1, 14336 * 16 + 1024 * 16),
    ),
    "zen2": (CacheGeometry(64, 8), CacheGeometry(1024, 8), CacheGeometry(1, 16384 * 16 + 1024 * 8)),
}
VICTIM = {"skx", "clx", "zen2"}
"""kerncraft counts clean lines handed to a victim cache as evicted, and the memory's as nothing."""

# rows that differ by more than 2 %, and why
KNOWN = {
    # SKX: lines from memory bypass its victim cache, so that L3 has no misses of its own there
    ("DAXPY", "skx", 10000000): {3},
    ("copy", "skx", 10000000): {3},
    ("scalar_product", "skx", 10000000): {3},
    ("triad", "skx", 10000000): {3},
    ("2d-5pt", "skx", 10000): {3},
    ("3d-7pt", "skx", 300): {3},
    ("3d-long-range-stencil", "skx", 300): {3},
    # Zen 2: 16 MB in a victim cache of 16 MB and 512 KB above it fit; pycachesim keeps the line of
    # a hit in the victim cache as well
    ("triad", "zen2", 300000): {3},
    ("2d-5pt", "zen2", 1000): {3},
    ("3d-7pt", "zen2", 100): {3},
    # the L3 of 20 sets more than a power of two and a fully associative one differ where the data
    # are 1 % larger than the cache
    ("3d-long-range-stencil", "snb", 100): {3},
    ("3d-long-range-stencil", "zen2", 100): {3},
    # our simulator has 2.083 at this size, as the analysis; kerncraft's window of 100 000
    # iterations is a tenth of the sweep
    ("3d-7pt", "skx", 100): {2},
    ("3d-long-range-stencil", "skx", 100): {2},
}


def layout(function: Function, sizes: dict[str, int]) -> dict[str, int]:
    """Arrays in alphabetical order, one behind the other, each from a line on."""
    places: dict[str, int] = {}
    end = 0
    for array in sorted(function.arrays, key=lambda each: each.name):
        places[array.name] = end
        size = array.element_bytes
        for extent in array.extents:
            assert extent is not None
            size *= extent.evaluate(sizes)
        end += -(-size // 64) * 64
    return places


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row["mode"] == "SIM"],
    ids=lambda row: "-".join([row["kernel"], row["machine"], *map(str, row["sizes"].values())]),
)
def test_within_two_per_cent(build: ModuleType, nests: ModuleType, row: Row) -> None:
    sizes = row["sizes"]
    function = nests.kerncraft(build)[row["kernel"]]
    places = layout(function, sizes)
    function = nests.repeated(function, REPEATS)
    arrays = {array.name: array for array in function.arrays}
    windows, facts = SubnestFootprints(arrays, sizes, 64, places), facts_of(function)
    lines_of_work = windows.space(windows.number(facts[0]), 0, ()).executions / 8
    reuse = Reuse(windows)
    known = KNOWN.get((row["kernel"], row["machine"], sizes["N"]), set())
    for level, cache in enumerate(CACHES[row["machine"]], start=1):
        total = LineCounts(0.0, 0.0, 0.0)
        for growth in reuse.misses(facts, cache)[0].values():
            total = total.plus(growth)
        misses = (total.load + total.allocate) / lines_of_work
        kerncraft = row["misses"][level - 1]
        close = misses == pytest.approx(kerncraft, rel=0.02, abs=0 if kerncraft else OUTSIDE)
        assert close != (level in known), (level, misses, kerncraft)
        if row["machine"] not in VICTIM and level not in known:
            evicts = row["evicts"][level - 1]
            assert total.evict / lines_of_work == pytest.approx(evicts, rel=0.02, abs=OUTSIDE)


@pytest.mark.parametrize("cache", [CacheGeometry(1024, 16)])
def test_the_simulator_sides_with_the_analysis(
    build: ModuleType, nests: ModuleType, simulator: ModuleType, cache: CacheGeometry
) -> None:
    # the row of KNOWN that is kerncraft's window, with a fifth of the planes
    sizes = {"M": 20, "N": 100}
    function = nests.kerncraft(build)["3d-7pt"]
    places = layout(function, sizes)
    trace = simulator.walks(function, places, sizes, simulator.Policy())
    level = simulator.Level("L2", cache.sets, cache.ways)
    [counts] = simulator.simulate(simulator.line_passes(trace, 64), (level,))
    arrays = {array.name: array for array in function.arrays}
    [row] = Reuse(SubnestFootprints(arrays, sizes, 64, places)).misses(facts_of(function), cache)
    misses = sum(growth.load + growth.allocate for growth in row.values())
    assert misses == pytest.approx(counts.misses, rel=0.01)
