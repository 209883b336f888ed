"""The port bound against brute force and its laws."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.core.issue.ports import busiest, level_load

NAMES = ("0", "1", "2", "5")
PORTS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)
WORK = st.dictionaries(PORTS.map(lambda p: tuple(sorted(p))), st.integers(0, 12), max_size=6)


def test_by_hand() -> None:
    # 3 cycles only on 1, 2 on 0 or 1, 4 on any of three: {1} 3, {0,1} 5/2, {0,1,5} 9/3
    work = {("1",): 3.0, ("0", "1"): 2.0, ("0", "1", "5"): 4.0}
    assert busiest(work) == (frozenset("1"), 3.0)
    assert level_load(work) == {"0": 3.0, "1": 3.0, "5": 3.0}
    assert busiest({("0", "1"): 5.0}).cycles == 2.5
    assert busiest({}) == (frozenset(), 0.0)


@given(WORK)
def test_no_set_of_ports_has_more_to_do(work: dict[tuple[str, ...], int]) -> None:
    most = 0.0
    for size in range(1, len(NAMES) + 1):
        for subset in combinations(NAMES, size):
            inside = sum(cycles for ports, cycles in work.items() if set(ports) <= set(subset))
            most = max(most, inside / size)
    assert busiest({ports: float(c) for ports, c in work.items()}).cycles == pytest.approx(most)


@given(WORK)
def test_levelling_places_all_work_and_never_exceeds_the_bound(
    work: dict[tuple[str, ...], int],
) -> None:
    known = {ports: float(cycles) for ports, cycles in work.items()}
    loads = level_load(known)
    assert sum(loads.values()) == pytest.approx(sum(known.values()))
    assert max(loads.values(), default=0.0) == pytest.approx(busiest(known).cycles)
