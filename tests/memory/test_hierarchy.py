"""Which cache decides what crosses which link: victim, shared and write-through caches."""

from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import CacheLevel, Machine, builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, LinkTraffic, Rates
from rooflint.memory.hierarchy import CacheGeometry, links_of
from rooflint.scenario.sizes import Size, Sizes

TWO = find_machine("generic-2level", (builtin_dir(),))
SWEEPS = 10
LINE = 64
KIB_OF_DOUBLES = 128


def three_levels(holds: str) -> Machine:
    """L1 of 32 KiB, L2 of 256 KiB, L3 of 1 MiB."""
    last = CacheLevel("L3", 1024, 16, shared_by_cores=4, holds=holds)  # type: ignore[arg-type]
    return replace(TWO, caches=(*TWO.caches, last), cores_per_socket=4)


def swept(build: ModuleType, nests: ModuleType, machine: Machine, kib: int) -> list[LinkTraffic]:
    """A sum over so much data, ten times."""
    function: Function = nests.repeated(nests.streaming(build)["sum"], SWEEPS)
    arrays = {array.name: array for array in function.arrays}
    n = kib * KIB_OF_DOUBLES
    sizes = Sizes({"n": Size(n, "command line")}, {"n": n})
    return list(
        FunctionTraffic(facts_of(function), arrays, sizes, LINE).traffic(0, Rates(machine, 1)).links
    )


def bytes_over(links: list[LinkTraffic]) -> dict[str, tuple[float, float]]:
    """(load, evict) per iteration, that is for each 8 B of data a sweep."""
    return {link.link: (link.load_bytes, link.evict_bytes) for link in links[1:]}


def test_an_inclusive_cache_is_filled_once(build: ModuleType, nests: ModuleType) -> None:
    # 512 KiB: too much for L2, filled into L3 by the first of ten sweeps
    found = bytes_over(swept(build, nests, three_levels("inclusive"), 512))
    assert found == {"L1-L2": (8, 0), "L2-L3": (8, 0), "L3-MEM": (0.8, 0)}


def test_a_victim_cache_takes_what_is_dropped(build: ModuleType, nests: ModuleType) -> None:
    # L2 drops every line that comes in, clean as it is: 8 B per iteration go down; from the second
    # sweep on they come back up: 7.2 B of 8
    found = bytes_over(swept(build, nests, three_levels("victim"), 512))
    assert found["L2-L3"] == pytest.approx((7.2, 8))
    assert found["L3-MEM"] == pytest.approx((0.8, 0))


def test_a_victim_cache_adds_to_what_is_above(build: ModuleType, nests: ModuleType) -> None:
    # 1152 KiB are more than L3 and less than L2 and L3 together
    assert bytes_over(swept(build, nests, three_levels("inclusive"), 1152))["L3-MEM"] == (8, 0)
    found = bytes_over(swept(build, nests, three_levels("victim"), 1152))
    assert found["L3-MEM"] == pytest.approx((0.8, 0))


def test_cores_divide_what_they_share() -> None:
    machine = three_levels("inclusive")
    caches = [link.above for link in links_of(machine, 3)]
    # addresses are hashed over the slices of a third level: any line may lie anywhere
    assert caches == [
        CacheGeometry(64, 8),
        CacheGeometry(512, 8),
        CacheGeometry(1, 1024 * 1024 // 64 // 3),
    ]


def test_stores_through_a_cache(build: ModuleType, nests: ModuleType) -> None:
    # the T2's L1 neither allocates nor keeps stores: 8 B of each go down without a fetch; its L2
    # does both
    machine = find_machine("ultrasparc-t2plus", (builtin_dir(),))
    function = nests.streaming(build)["copy"]
    arrays = {array.name: array for array in function.arrays}
    n = 1 << 22
    sizes = Sizes({"n": Size(n, "command line")}, {"n": n})
    found = FunctionTraffic(facts_of(function), arrays, sizes, machine.line_bytes).traffic(
        0, Rates(machine, 1)
    )
    first, second = found.links[1:]
    assert (first.load_bytes, first.write_allocate_bytes, first.evict_bytes) == (8, 0, 8)
    assert (second.load_bytes, second.write_allocate_bytes, second.evict_bytes) == (8, 8, 8)
