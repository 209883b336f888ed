"""Traffic of a function that is called again: what its last call left in the caches stays there."""

from types import ModuleType

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function, Loop, Poly
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.scenario import CacheEntry, EntryOrigin, EntryState
from rooflint.scenario.sizes import Size, Sizes

MACHINE = find_machine("generic-2level", (builtin_dir(),))
RATES = Rates(MACHINE, 1)
LINE = 64
KIB_OF_DOUBLES = 128


COLD = CacheEntry(EntryState.COLD, EntryOrigin.COMMAND_LINE)


def steady(between_bytes: float = 0.0) -> CacheEntry:
    return CacheEntry(EntryState.STEADY, EntryOrigin.REPEATED_CALLS, between_bytes)


def moved(function: Function, n: int, entry: CacheEntry) -> list[tuple[float, float, float]]:
    """Load, write-allocate and evict bytes per iteration over each link, of the first kernel."""
    arrays = {array.name: array for array in function.arrays}
    sizes = Sizes({"n": Size(n, "command line")}, {"n": n})
    facts = facts_of(function)
    found = FunctionTraffic(facts, arrays, sizes, LINE, entry=entry).traffic(0, RATES).links
    return [(e.load_bytes, e.write_allocate_bytes, e.evict_bytes) for e in found]


def calls_of(function: Function, times: int) -> Function:
    """``function`` called so often: a loop around its body that moves nothing."""
    zero, one = Poly.constant(0), Poly.constant(1)
    loop = Loop(index="call", lower=zero, upper=Poly.constant(times), step=one, body=function.body)
    return Function(function.name, function.parameters, function.arrays, (loop,))


@pytest.mark.parametrize(
    ("kib", "links"),
    # copy: 8 B loaded, 8 B allocated and 8 B stored an element; both arrays together have twice
    # ``kib``. L1 32 KiB, L2 256 KiB.
    [
        (8, [(8, 0, 8), (0, 0, 0), (0, 0, 0)]),
        (64, [(8, 0, 8), (8, 8, 8), (0, 0, 0)]),
        (1024, [(8, 0, 8), (8, 8, 8), (8, 8, 8)]),
    ],
)
def test_the_level_that_holds_everything_is_the_last_that_moves_anything(
    build: ModuleType, nests: ModuleType, kib: int, links: list[tuple[float, ...]]
) -> None:
    function = nests.streaming(build)["copy"]
    assert moved(function, kib * KIB_OF_DOUBLES, steady()) == [
        pytest.approx(link) for link in links
    ]


def test_beyond_the_caches_nothing_differs_from_cold(build: ModuleType, nests: ModuleType) -> None:
    for function in nests.streaming(build).values():
        assert moved(function, 10**7, steady()) == moved(function, 10**7, COLD)


def test_what_is_touched_between_two_calls_evicts(build: ModuleType, nests: ModuleType) -> None:
    function = nests.streaming(build)["copy"]
    n = 8 * KIB_OF_DOUBLES
    # 16 KiB here: beside 16 KiB elsewhere they just fit into 32 KiB, beside one line more not
    _, near, far = moved(function, n, steady(16 * 1024))
    assert (sum(near), sum(far)) == (0, 0)
    _, near, far = moved(function, n, steady(16 * 1024 + LINE))
    assert [sum(near), sum(far)] == pytest.approx([24, 0])
    _, near, far = moved(function, n, steady(1024 * 1024))
    assert [sum(near), sum(far)] == pytest.approx([24, 24])


@pytest.mark.parametrize("kib", [4, 12, 20, 100, 250, 300, 2000])
def test_as_one_of_many_iterations_of_a_loop_around_the_body(
    build: ModuleType, nests: ModuleType, kib: int
) -> None:
    # the law that defines the state: what calls 2 to 1001 move, each a thousandth of them
    for function in nests.streaming(build).values():
        n = kib * KIB_OF_DOUBLES
        many, once = (
            moved(
                calls_of(function, times), n, CacheEntry(EntryState.COLD, EntryOrigin.COMMAND_LINE)
            )
            for times in (1001, 1)
        )
        for again, link, first in zip(moved(function, n, steady()), many, once, strict=True):
            expected = [(1001 * a - b) / 1000 for a, b in zip(link, first, strict=True)]
            assert again == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("n", [40, 80])
def test_as_the_simulator_counts_a_later_call(
    build: ModuleType, nests: ModuleType, simulator: ModuleType, n: int
) -> None:
    # L1 of 64 sets of 8 ways, replayed for three calls and for two; 2 arrays of 40 x 40 doubles are
    # 25 KiB, of 80 x 80 they are 100 KiB
    function = nests.jacobi2d(build, n)
    level = simulator.Level("L1", 64, 8)

    def lines(times: int) -> int:
        again = calls_of(function, times)
        layout = simulator.lay_out(again, {})
        passes = simulator.line_passes(simulator.walks(again, layout, {}))
        (counts,) = simulator.simulate(passes, [level])
        misses: int = counts.misses
        return misses

    later = lines(3) - lines(2)
    found = moved(function, 0, steady())[1]
    facts = facts_of(function)
    executions = (n - 2) ** 2
    assert len(facts) == 1
    assert (found[0] + found[1]) * executions / LINE == pytest.approx(later, abs=1)
