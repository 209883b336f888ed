"""Loop-carried paths: how many cycles an iteration takes at least because it waits for another.

RecMII, as in modulo scheduling: the largest ratio, over the cycles of the dependence graph, of the
latency around the cycle to the iterations it spans (Rau, Iterative modulo scheduling, 1996).
"""

from rooflint.records import NamedTuple


class CarriedLatency(NamedTuple):
    """A dependence between two carried values: ``latency_cy`` from one to the other.

    ``iterations`` is how many it spans.
    """

    source: int
    target: int
    latency_cy: float
    iterations: int


def longest_cycle(count: int, edges: list[CarriedLatency]) -> float:
    """The largest latency per iteration of any cycle among ``count`` carried values; 0 without.

    Raises the guess to the ratio of a cycle that beats it until none does: each step is exact.
    """
    ratio = 0.0
    while edges:
        cycle = _better_cycle(count, edges, ratio)
        if not cycle:
            return ratio
        latency = sum([edge.latency_cy for edge in cycle])
        spanned = sum([edge.iterations for edge in cycle])
        if spanned <= 0 or latency / spanned <= ratio + 1e-9:
            return ratio
        ratio = latency / spanned
    return ratio


def _better_cycle(count: int, edges: list[CarriedLatency], ratio: float) -> list[CarriedLatency]:
    """A cycle with more latency than ``ratio`` per iteration (Bellman-Ford), or nothing."""
    lengths = [0.0] * count
    reached: list[CarriedLatency | None] = [None] * count
    last = -1
    for _ in range(count):
        last = -1
        for edge in edges:
            length = lengths[edge.source] + edge.latency_cy - ratio * edge.iterations
            if length > lengths[edge.target] + 1e-9:
                lengths[edge.target] = length
                reached[edge.target] = edge
                last = edge.target
        if last < 0:
            return []
    # relaxed in the last round: walking back that often ends up inside a cycle
    for _ in range(count):
        step = reached[last]
        if step is None:
            return []
        last = step.source
    cycle: list[CarriedLatency] = []
    place = last
    while True:
        step = reached[place]
        if step is None:
            return []
        cycle.append(step)
        place = step.source
        if place == last:
            return cycle
