"""Executions of functions: entries once, and what they call as often as the calls say."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Final

from rooflint.facts.text_values import RECURSION_RUNS
from rooflint.program.call_graph import CallGraph, ProgramCall
from rooflint.program.callees.function_table import ProgramFunction
from rooflint.program.components import components
from rooflint.program.costs import whole_times
from rooflint.program.ways.mean_times import mean_times
from rooflint.program.ways.run_ways import (
    EVERY_RUN,
    ChosenCall,
    ChosenWay,
    RunWay,
    calls_on,
    chosen_calls,
    pointer_calls,
    way_on,
)
from rooflint.records import NamedTuple

_MOST: Final = 1e18
"""Executions beyond take more than a year: guesses that multiply."""

NOTHING_COUNTED: Final[Mapping[int, float]] = {}

Executions = dict[int, float]
"""By function; one without an entry is not reached."""


class _EntryRun(NamedTuple):
    """Executions of all that an ``entry`` reaches, and the ways there; without both where a run was
    counted, which is that of all entries."""

    executions: Executions
    ways: Mapping[int, RunWay] | None
    entry: ProgramFunction | None

    def times(self, costs: Sequence[float]) -> Mapping[int, float]:
        """Those of the functions; ``costs``: those of one call."""
        spent = {each: count * costs[each] for each, count in self.executions.items()}
        return spent if self.ways is None else mean_times(spent, self.ways)


class _EnteringCall(NamedTuple):
    """A call of a circle of calls, which has this ``rank``, from outside: the ``number``-th one."""

    rank: int
    number: int
    call: ChosenCall


_number_of: Final = attrgetter("number")


class ProgramRuns:
    """The runs of a program from its entries.

    entries  each ``main``; without one, the functions of a library that no other one calls
    callers_first  all functions, those of a circle of calls together, behind those that call them
    """

    def __init__(self, graph: CallGraph, counted: Mapping[int, float] = NOTHING_COUNTED) -> None:
        """``counted``: calls of functions that a run has counted."""
        self._counted = counted
        self._functions = graph.functions
        self.has_counts = bool(counted)
        self._calls, self._callers = _calls_of(graph)
        # in the order in which calls lead to them
        self._callees = [list(dict.fromkeys([call.callee for call in own])) for own in self._calls]
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
        self._leaving = [self._leaving_calls(member) for member in range(len(self._calls))]
        self.entries = self._entries(graph)

    def executions(self, entries: Iterable[int]) -> Executions:
        """Of each function that the ``entries`` reach when each of them runs once."""
        reached = dict.fromkeys(_depths((*entries, *self._counted), self._callees), 0.0)
        for entry in entries:
            reached[entry] += 1.0
        reached |= self._counted
        for rank in sorted({self._ranks[member] for member in reached}):
            inside = self.callers_first[rank]
            if rank in self._recursive and self._counted.keys().isdisjoint(inside):
                self._run_recursion(inside, reached)
            for member in sorted(inside):
                _hand_on(self._leaving[member], reached)
        return reached

    def shares(self, costs: Sequence[float]) -> Mapping[int, float]:
        """The part of an entry's time that a function takes: of several entries, the largest.

        Without counts the mean over runs: what few of them reach is no more than all of the time in
        these. ``costs``: those of one call of each function, without the functions that it calls.
        """
        shares: dict[int, float] = {}
        times = [run.times(costs) for run in self._by_entry]
        wholes = whole_times([run.entry for run in self._by_entry], times)
        for spent, total in zip(times, wholes, strict=True):
            for each, own in spent.items():
                shares[each] = max(shares.get(each, 0.0), own / total if total else 0.0)
        return shares

    @cached_property
    def _by_entry(self) -> list["_EntryRun"]:
        """The runs of each entry: those of a program that keeps its calls stay with it."""
        if self._counted:  # counts are those of all runs together
            return [_EntryRun(self.executions(self.entries), None, None)]
        alone = [(each, self.executions([each])) for each in self.entries]
        return [
            _EntryRun(own, self._ways([each], own), self._functions[each]) for each, own in alone
        ]

    def _ways(self, entries: Iterable[int], executions: Executions) -> dict[int, RunWay]:
        """The ways through the program that the functions lie on, of those that are reached."""
        ways = dict.fromkeys(entries, EVERY_RUN)
        chosen: dict[ChosenWay, RunWay] = {}
        entering: dict[int, list[_EnteringCall]] = {}
        for rank in sorted({self._ranks[member] for member in executions}):
            inside = self.callers_first[rank]
            # the ways of a library are as many as its entries: none may be searched for another
            way: RunWay | None = EVERY_RUN
            if not any(member in ways for member in inside):
                calls = [each.call for each in sorted(entering.get(rank, ()), key=_number_of)]
                way = way_on(calls_on(calls, ways, executions), calls, chosen) if calls else None
            if way is not None:
                ways.update(dict.fromkeys(inside, way))
                for each in self._entered_from[rank]:
                    entering.setdefault(each.rank, []).append(each)
        return ways

    @cached_property
    def _entered_from(self) -> list[list["_EnteringCall"]]:
        """The calls that each circle of calls makes to others, by its rank."""
        pointers = pointer_calls(call for own in self._calls for call in own)
        found: list[list[_EnteringCall]] = [[] for _ in self.callers_first]
        for rank, inside in enumerate(self.callers_first):
            calls = [
                call
                for member in sorted(inside)
                for call in self._callers[member]
                if call.caller not in inside
            ]
            for number, call in enumerate(chosen_calls(calls, pointers)):
                entering = _EnteringCall(rank=rank, number=number, call=call)
                found[self._ranks[call.caller]].append(entering)
        return found

    def _leaving_calls(self, member: int) -> list[ProgramCall]:
        """The calls of a function out of its component, but for those that a run has counted."""
        inside, known = self.callers_first[self._ranks[member]], self._counted
        return [
            call
            for call in self._calls[member]
            if call.callee not in inside and call.callee not in known
        ]

    def _components(self) -> list[frozenset[int]]:
        done: set[int] = set()
        found: list[frozenset[int]] = []
        callees = [sorted(each) for each in self._callees]
        for start in range(len(callees)):
            if start not in done:
                for component in components(start, callees.__getitem__, done):
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
        reached = set(_depths(entries, self._callees))
        for number in range(len(graph.functions)):
            if number not in reached:
                entries.append(number)
                reached.update(_depths([number], self._callees))
        return sorted(entries)

    def _run_recursion(self, inside: frozenset[int], executions: Executions) -> None:
        """Hands executions on along the shortest ways into the cycle, each function eight times."""
        begun = [member for member in sorted(inside) if executions.get(member, 0.0) > 0]
        within = {
            member: [call for call in self._calls[member] if call.callee in inside]
            for member in inside
        }
        depths = _depths(begun, _callees_of(within))
        for member in sorted(depths, key=lambda each: (depths[each], each)):
            deeper = [c for c in within[member] if depths[c.callee] > depths[member]]
            _hand_on(deeper, executions)
        for member in inside & executions.keys():
            executions[member] = min(_MOST, executions[member] * RECURSION_RUNS)


def _calls_of(graph: CallGraph) -> tuple[list[list[ProgramCall]], list[list[ProgramCall]]]:
    """The calls that each function makes, and those of it."""
    own: list[list[ProgramCall]] = [[] for _ in graph.functions]
    of_it: list[list[ProgramCall]] = [[] for _ in graph.functions]
    for call in graph.calls:
        own[call.caller].append(call)
        of_it[call.callee].append(call)
    return own, of_it


def _callees_of(calls: Mapping[int, Iterable[ProgramCall]]) -> dict[int, list[int]]:
    return {member: [call.callee for call in own] for member, own in calls.items()}


def _hand_on(calls: Iterable[ProgramCall], executions: Executions) -> None:
    for call in calls:
        count = executions[call.callee] + executions[call.caller] * call.frequency
        executions[call.callee] = min(_MOST, count)


def _depths(
    starts: Iterable[int], callees: Sequence[Sequence[int]] | Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Calls that lie between ``starts`` and each function that they reach."""
    depths = dict.fromkeys(starts, 0)
    waiting = deque(depths)
    while waiting:
        member = waiting.popleft()
        for callee in callees[member]:
            if callee not in depths:
                depths[callee] = depths[member] + 1
                waiting.append(callee)
    return depths
