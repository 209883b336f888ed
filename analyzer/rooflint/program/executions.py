"""Executions of functions: entries once, and what they call as often as the calls say."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from rooflint.program.call_graph import CallGraph, ProgramCall
from rooflint.program.components import components

_RECURSION: Final = 8.0
"""Calls of a recursive function for each call from outside: a depth, not measured."""
_MOST: Final = 1e18
"""Executions beyond take more than a year: guesses that multiply."""


def entries_of(graph: CallGraph) -> list[int]:
    """``main``; without one, the functions of a library that no other one calls."""
    mains = [number for number, each in enumerate(graph.functions) if each.entry]
    if mains:
        return mains
    calls = _calls_by_caller(graph)
    called = {call.callee for call in graph.calls if call.callee != call.caller}
    entries = [number for number in range(len(graph.functions)) if number not in called]
    # functions that only call one another in a circle are entered at the first of them
    reached = set(_depths(entries, calls))
    for number in range(len(graph.functions)):
        if number not in reached:
            entries.append(number)
            reached.update(_depths([number], calls))
    return sorted(entries)


def executions_of(graph: CallGraph, entries: list[int]) -> list[float]:
    """Executions of each function when each of the ``entries`` runs once."""
    calls = _calls_by_caller(graph)
    root = len(graph.functions)
    callees = [*[sorted({call.callee for call in own}) for own in calls], entries]
    executions = [0.0] * root
    for entry in entries:
        executions[entry] += 1.0
    callees_first = list(components(root, callees.__getitem__))
    for component in reversed(callees_first[:-1]):  # the last one is the root
        inside = frozenset(component)
        if any(not inside.isdisjoint(callees[member]) for member in component):
            _run_recursion(inside, calls, executions)
        for member in component:
            _hand_on([call for call in calls[member] if call.callee not in inside], executions)
    return executions


def _hand_on(calls: Iterable[ProgramCall], executions: list[float]) -> None:
    for call in calls:
        count = executions[call.callee] + executions[call.caller] * call.frequency
        executions[call.callee] = min(_MOST, count)


def _calls_by_caller(graph: CallGraph) -> list[list[ProgramCall]]:
    calls: list[list[ProgramCall]] = [[] for _ in graph.functions]
    for call in graph.calls:
        calls[call.caller].append(call)
    return calls


def _run_recursion(
    inside: frozenset[int], calls: list[list[ProgramCall]], executions: list[float]
) -> None:
    """Hands executions on along the shortest ways into the cycle, each function eight times."""
    within = [[call for call in own if call.callee in inside] for own in calls]
    depths = _depths([member for member in sorted(inside) if executions[member] > 0], within)
    for member in sorted(depths, key=lambda each: (depths[each], each)):
        _hand_on([c for c in within[member] if depths[c.callee] > depths[member]], executions)
    for member in inside:
        executions[member] = min(_MOST, executions[member] * _RECURSION)


def _depths(starts: Iterable[int], calls: list[list[ProgramCall]]) -> dict[int, int]:
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
