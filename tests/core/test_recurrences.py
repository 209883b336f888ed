"""The longest loop-carried cycle, against graphs small enough to see and brute force."""

from itertools import pairwise, permutations
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.core.graph import recurrences
from rooflint.core.graph.recurrences import CarriedLatency, longest_cycle


def test_by_hand() -> None:
    assert longest_cycle(0, []) == 0
    assert longest_cycle(2, [CarriedLatency(0, 1, 9.0, 1)]) == 0
    assert longest_cycle(1, [CarriedLatency(0, 0, 4.0, 1)]) == 4
    assert longest_cycle(1, [CarriedLatency(0, 0, 4.0, 4)]) == 1
    # 0 -> 1 -> 0: 3 + 12 over two iterations beats 4 and 7 over one each? no: 7.5 > 7
    edges = [
        CarriedLatency(0, 0, 4.0, 1),
        CarriedLatency(1, 1, 7.0, 1),
        CarriedLatency(0, 1, 3.0, 1),
        CarriedLatency(1, 0, 12.0, 1),
    ]
    assert longest_cycle(2, edges) == pytest.approx(7.5)


EDGES = st.lists(
    st.builds(
        CarriedLatency,
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 20).map(float),
        st.integers(1, 4),
    ),
    max_size=8,
)


@given(EDGES)
def test_against_every_simple_cycle(edges: list[CarriedLatency]) -> None:
    most = 0.0
    for size in range(1, 5):
        for places in permutations(range(4), size):
            ring = [*places, places[0]]
            steps = list(pairwise(ring))
            choices = [[e for e in edges if (e.source, e.target) == step] for step in steps]
            most = max(most, _best(choices, 0.0, 0))
    assert longest_cycle(4, edges) == pytest.approx(most)


def _best(choices: list[list[CarriedLatency]], latency: float, iterations: int) -> float:
    if not choices:
        return latency / iterations
    return max(
        (
            _best(choices[1:], latency + edge.latency_cy, iterations + edge.iterations)
            for edge in choices[0]
        ),
        default=0.0,
    )


def test_of_parallel_edges_the_better_ratio_counts() -> None:
    # 9 cycles over 3 iterations, 4 over one
    assert longest_cycle(1, [CarriedLatency(0, 0, 9.0, 3), CarriedLatency(0, 0, 4.0, 1)]) == 4


def test_values_of_one_iteration_that_wait_for_each_other_never_come() -> None:
    assert longest_cycle(2, [CarriedLatency(0, 1, 1.0, 0), CarriedLatency(1, 0, 1.0, 0)]) == inf


def test_a_few_policies_suffice_for_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    # Values that use each other's results at many offsets: one policy after the other is tried,
    # and their number hardly grows. To raise a guess cycle by cycle took hundreds of rounds over
    # all edges as often as there are values.
    tried: list[int] = []
    best_cycle = recurrences._best_cycle

    def counted(policy: dict[int, CarriedLatency]) -> recurrences._PolicyCycle:
        tried.append(len(policy))
        return best_cycle(policy)

    monkeypatch.setattr(recurrences, "_best_cycle", counted)
    draw = Random(7)
    edges = [
        CarriedLatency(
            draw.randrange(400), draw.randrange(400), draw.choice((3.0, 4.5, 11.0)), 1 + k % 8
        )
        for k in range(8000)
    ]
    assert longest_cycle(400, edges) == 11  # edges of one iteration alone close a cycle
    assert len(tried) <= 12


def test_values_that_begin_alike_are_one() -> None:
    # 400 values that one load begins: one node of the graph of cycles, not 400
    edges = [CarriedLatency(0, 0, float(4 + n % 3), n) for n in range(1, 401)]
    assert longest_cycle(1, edges) == 5.0
