"""Executions of functions: entries once, and what they call as often as the calls say."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rooflint.facts.kernels import RECURSION_RUNS
from rooflint.program.call_graph import CallGraph, ProgramCall
from rooflint.program.components import components

_MOST: Final = 1e18
"""Executions beyond take more than a year: guesses that multiply."""

NOTHING_COUNTED: Final[Mapping[int, float]] = {}

Executions = dict[int, float]
"""By function; one without an entry is not reached."""


class ProgramRuns:
    """The runs of a program from its entries.

    entries  each ``main``; without one, the functions of a library that no other one calls
    callers_first  all functions, those of a circle of calls together, behind those that call them
    """

    def __init__(self, graph: CallGraph, counted: Mapping[int, float] = NOTHING_COUNTED) -> None:
        """``counted``: calls of functions that a run has counted."""
        self._counted = counted
        self.has_counts = bool(counted)
        self._calls: list[list[ProgramCall]] = [[] for _ in graph.functions]
        for call in graph.calls:
            self._calls[call.caller].append(call)
        self._callees = [sorted({call.callee for call in own}) for own in self._calls]
        self.callers_first = self._components()
        self._ranks = {
            member: rank
            for rank, component in enumerate(self.callers_first)
            for member in component
        }
        self._recursive = {
            rank
            for rank, inside in enumerate(self.callers_first)
            if any(not inside.isdisjoint(self._callees[member]) for member in inside)
        }
        self.entries = self._entries(graph)

    def executions(self, entries: Iterable[int]) -> Executions:
        """Of each function that the ``entries`` reach when each of them runs once."""
        reached = dict.fromkeys(_depths((*entries, *self._counted), self._calls), 0.0)
        for entry in entries:
            reached[entry] += 1.0
        reached |= self._counted
        for rank in sorted({self._ranks[member] for member in reached}):
            inside = self.callers_first[rank]
            if rank in self._recursive and self._counted.keys().isdisjoint(inside):
                self._run_recursion(inside, reached)
            for member in sorted(inside):
                _hand_on(self._leaving(member, inside), reached)
        return reached

    def shares(self, costs: Sequence[float]) -> Mapping[int, float]:
        """The part of an entry's time that a function takes: of several entries, the largest.

        ``costs``: those of one call of each function, without the functions that it calls.
        """
        shares: dict[int, float] = {}
        # counts are those of all runs together
        for entries in [self.entries] if self._counted else [[each] for each in self.entries]:
            executions = self.executions(entries)
            spent = {each: count * costs[each] for each, count in executions.items()}
            total = sum(spent.values())
            for each, own in spent.items():
                shares[each] = max(shares.get(each, 0.0), own / total if total else 0.0)
        return shares

    def _leaving(self, member: int, inside: frozenset[int]) -> list[ProgramCall]:
        """The calls of a function out of its component, but for those that a run has counted."""
        known = self._counted
        return [
            call
            for call in self._calls[member]
            if call.callee not in inside and call.callee not in known
        ]

    def _components(self) -> list[frozenset[int]]:
        done: set[int] = set()
        found: list[frozenset[int]] = []
        for start in range(len(self._callees)):
            if start not in done:
                for component in components(start, self._callees.__getitem__, done):
                    done.update(component)
                    found.append(frozenset(component))
        return found[::-1]

    def _entries(self, graph: CallGraph) -> list[int]:
        mains = [number for number, each in enumerate(graph.functions) if each.entry]
        if mains:
            return mains
        called = {call.callee for call in graph.calls if call.callee != call.caller}
        entries = [number for number in range(len(graph.functions)) if number not in called]
        # functions that only call one another in a circle are entered at the first of them
        reached = set(_depths(entries, self._calls))
        for number in range(len(graph.functions)):
            if number not in reached:
                entries.append(number)
                reached.update(_depths([number], self._calls))
        return sorted(entries)

    def _run_recursion(self, inside: frozenset[int], executions: Executions) -> None:
        """Hands executions on along the shortest ways into the cycle, each function eight times."""
        begun = [member for member in sorted(inside) if executions.get(member, 0.0) > 0]
        within = {
            member: [call for call in self._calls[member] if call.callee in inside]
            for member in inside
        }
        depths = _depths(begun, within)
        for member in sorted(depths, key=lambda each: (depths[each], each)):
            deeper = [c for c in within[member] if depths[c.callee] > depths[member]]
            _hand_on(deeper, executions)
        for member in inside & executions.keys():
            executions[member] = min(_MOST, executions[member] * RECURSION_RUNS)


def _hand_on(calls: Iterable[ProgramCall], executions: Executions) -> None:
    for call in calls:
        count = executions[call.callee] + executions[call.caller] * call.frequency
        executions[call.callee] = min(_MOST, count)


def _depths(
    starts: Iterable[int], calls: Sequence[list[ProgramCall]] | Mapping[int, list[ProgramCall]]
) -> dict[int, int]:
    """Calls that lie between ``starts`` and each function that they reach."""
    depths = dict.fromkeys(starts, 0)
    waiting = deque(depths)
    while waiting:
        member = waiting.popleft()
        for call in calls[member]:
            if call.callee not in depths:
                depths[call.callee] = depths[member] + 1
                waiting.append(call.callee)
    return depths
