"""Loop-carried paths: how many cycles an iteration takes at least because it waits for another.

RecMII, as in modulo scheduling: the largest ratio, over the cycles of the dependence graph, of the
latency around the cycle to the iterations it spans (Rau, Iterative modulo scheduling, 1996).
Howard's policy iteration finds it; in practice the fastest of the known algorithms (Dasdan,
Experimental analysis of the fastest optimum cycle ratio and mean algorithms, TODAES 2004).
"""

from collections.abc import Sequence
from math import inf

from rooflint.program.components import components
from rooflint.records import NamedTuple

MARGIN = 1e-9
"""Cycles by which a longer path counts as longer: below any latency, above errors of rounding."""


class CarriedLatency(NamedTuple):
    """A dependence between two carried values: ``latency_cy`` from one to the other.

    ``iterations`` is how many it spans.
    """

    source: int
    target: int
    latency_cy: float
    iterations: int


def longest_cycle(count: int, edges: Sequence[CarriedLatency]) -> float:
    """The largest latency per iteration of any cycle among ``count`` carried values; 0 without."""
    leaving: list[list[CarriedLatency]] = [[] for _ in range(count)]
    for edge in edges:
        leaving[edge.source].append(edge)
    needs = [sorted({edge.target for edge in each}) for each in leaving]
    ratio, done = 0.0, set[int]()
    for start in range(count):
        if start in done:
            continue
        for component in components(start, needs.__getitem__, done):
            done.update(component)
            within = set(component)
            inner = {n: [e for e in leaving[n] if e.target in within] for n in component}
            if all(inner.values()):  # not so for a value alone that does not need itself
                ratio = max(ratio, _longest_among(inner))
    return ratio


class _PolicyCycle(NamedTuple):
    """The cycle with the largest ratio among those that a policy leads to, and a value on it."""

    ratio: float
    value: int


def _longest_among(leaving: dict[int, list[CarriedLatency]]) -> float:
    """The largest ratio where each value leads to all others.

    A policy is one edge from each value. Where its best cycle is known, a value whose other edge
    leads there by more latency takes that edge, until none does.
    """
    policy = {value: max(edges, key=_latency) for value, edges in leaving.items()}
    lengths = {value: edge.latency_cy for value, edge in policy.items()}
    while True:
        ratio, value = _best_cycle(policy)
        if ratio == inf:  # values of one iteration that wait for each other
            return ratio
        lengths |= _lengths_to(value, policy, ratio, lengths[value])
        longer = False
        for source, edges in leaving.items():
            for edge in edges:
                length = _reduced(edge, ratio) + lengths[edge.target]
                if length > lengths[source] + MARGIN:
                    lengths[source], policy[source] = length, edge
                    longer = True
        if not longer:
            return ratio


def _latency(edge: CarriedLatency) -> float:
    return edge.latency_cy


def _reduced(edge: CarriedLatency, ratio: float) -> float:
    """The latency beyond ``ratio`` cycles an iteration."""
    return edge.latency_cy - ratio * edge.iterations


def _best_cycle(policy: dict[int, CarriedLatency]) -> _PolicyCycle:
    """The best of the cycles of a policy; each value leads to one of them."""
    best = _PolicyCycle(-1.0, -1)
    walk_of: dict[int, int] = {}
    for start in policy:
        value = start
        while value not in walk_of:
            walk_of[value] = start
            value = policy[value].target
        if walk_of[value] == start:
            best = max(best, _PolicyCycle(_ratio_around(value, policy), value), key=_ratio)
    return best


def _ratio(cycle: _PolicyCycle) -> float:
    return cycle.ratio


def _ratio_around(value: int, policy: dict[int, CarriedLatency]) -> float:
    """Latency per iteration of the cycle of a policy that ``value`` lies on."""
    cycle = [policy[value]]
    while cycle[-1].target != value:
        cycle.append(policy[cycle[-1].target])
    spanned = sum([edge.iterations for edge in cycle])
    return sum([edge.latency_cy for edge in cycle]) / spanned if spanned > 0 else inf


def _lengths_to(
    value: int, policy: dict[int, CarriedLatency], ratio: float, own: float
) -> dict[int, float]:
    """Latency beyond ``ratio`` from each value that its policy leads to ``value``."""
    arriving: dict[int, list[CarriedLatency]] = {}
    for edge in policy.values():
        arriving.setdefault(edge.target, []).append(edge)
    lengths = {value: own}
    waiting = [value]
    while waiting:
        target = waiting.pop()
        for edge in arriving.get(target, ()):
            if edge.source not in lengths:
                lengths[edge.source] = lengths[target] + _reduced(edge, ratio)
                waiting.append(edge.source)
    return lengths
