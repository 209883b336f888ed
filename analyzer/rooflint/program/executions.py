"""Executions of functions: entries once, and what they call as often as the calls say."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import inf
from typing import Final

from rooflint.facts.kernels import RECURSION_RUNS
from rooflint.program.call_graph import CallGraph, ProgramCall, ProgramFunction
from rooflint.program.components import components
from rooflint.program.costs import whole_times
from rooflint.program.frequencies import SwitchWay
from rooflint.records import NamedTuple

_MOST: Final = 1e18
"""Executions beyond take more than a year: guesses that multiply."""

_NEARLY_ALL: Final = 0.999
"""Part of the runs that reach a caller from which on a function lies on the same way."""
_WAYS: Final = 6
"""Ways that a run takes or not: those of most time, whose combinations are 64 runs."""
_SHORTEST_RUN: Final = 0.01
"""Of the mean time: runs that are shorter end before they do any work (judged)."""
_NO_WORK: Final = 1e6
"""Operators or cycles: a run of more, about a millisecond, has done some work, be the guessed time
of a rare one a thousand times as long (judged)."""

NOTHING_COUNTED: Final[Mapping[int, float]] = {}

Executions = dict[int, float]
"""By function; one without an entry is not reached."""


class RunChoice(NamedTuple):
    """A choice of each run in a function: the ways of its switches, or one of the functions that
    the pointers in a ``loop`` lead to."""

    caller: int
    ways: tuple[SwitchWay, ...] = ()
    loop: int = -1
    callee: int = -1

    def excludes(self, other: "RunChoice") -> bool:
        """Whether no run chooses both."""
        if self.caller != other.caller:
            return False
        if self.callee >= 0 and other.callee >= 0:
            return self.loop == other.loop and self.callee != other.callee
        return any(
            own.switch == its.switch and own.label != its.label
            for own, its in product(self.ways, other.ways)
        )


class RunWay:
    """A way through a program that a ``part`` of its runs takes, of those on the way ``before``.

    A run that takes it takes no way whose ``choice`` its own excludes.
    """

    __slots__ = ("before", "choice", "part")

    def __init__(
        self, part: float, before: "RunWay | None" = None, choice: RunChoice | None = None
    ) -> None:
        self.part = part
        self.before = before
        self.choice = choice

    def excludes(self, other: "RunWay") -> bool:
        """Whether no run takes both."""
        if self.choice is None or other.choice is None:
            return False
        return self.choice.excludes(other.choice)

    def earlier(self) -> Iterator["RunWay"]:
        """The ways that lead to this one, but for the one of all runs."""
        way = self.before
        while way is not None and way.before is not None:
            yield way
            way = way.before


EVERY_RUN: Final = RunWay(1.0)


class _ChosenWay(NamedTuple):
    """A way that runs choose: the functions on it are called together."""

    before: RunWay
    choice: RunChoice
    part: float


def _way_on(
    calls: Mapping[RunWay, float],
    choices: Collection[RunChoice | None],
    chosen: dict[_ChosenWay, RunWay],
) -> RunWay:
    """The way of what runs on these ways call, as often as that in the mean of all runs.

    ``choices``: those that lead to the calls; ``chosen``: the ways of choices that there are.
    """
    parts = {way: min(way.part, count) for way, count in calls.items()}
    part = min(1.0, sum(parts.values()))
    way = max(parts, key=lambda each: parts[each])
    if part >= way.part * _NEARLY_ALL:
        return way
    choice = next(iter(choices)) if len(choices) == 1 else None
    if choice is None:
        return RunWay(part, way)
    return chosen.setdefault(
        _ChosenWay(before=way, choice=choice, part=part), RunWay(part, way, choice)
    )


def mean_times(spent: Mapping[int, float], ways: Mapping[int, RunWay]) -> dict[int, float]:
    """Times whose shares are the means over runs of what functions take of a run.

    ``spent``: mean times. One run in a hundred that is a thousand times as long as the others has
    nearly all of the mean time, and makes one percent of the mean share. The ways with most of the
    time are taken or not in each run, and what lies on others has its mean time in all of them;
    runs that end at once, such as those that print a help text, are none that anybody looks at.
    """
    times = _times_of_ways(spent, ways)
    everything = sum(times.values())
    chosen = _heaviest(times) if everything < inf else []
    if not chosen:
        return dict(spent)
    shortest = min(_NO_WORK, _SHORTEST_RUN * everything)
    runs = [run for run in _runs(chosen, times) if run.time >= shortest]
    scales = {way: _scale(runs, way) for way in chosen}
    others = sum([run.part / run.time for run in runs])
    return {
        each: time * scales.get(ways.get(each, EVERY_RUN), others) for each, time in spent.items()
    }


def _heaviest(times: Mapping[RunWay, float]) -> list[RunWay]:
    """The rare ways with most of the time, each behind those that lead to it."""
    rare = [way for way, time in times.items() if way is not EVERY_RUN and time > 0]
    heaviest = sorted(rare, key=lambda way: -times[way])[:_WAYS]
    return sorted(heaviest, key=lambda way: -way.part)


def _times_of_ways(spent: Mapping[int, float], ways: Mapping[int, RunWay]) -> dict[RunWay, float]:
    times: dict[RunWay, float] = {}
    for each, time in spent.items():
        way = ways.get(each, EVERY_RUN)
        times[way] = times.get(way, 0.0) + time
    return times


def _scale(runs: Iterable["_OneRun"], way: RunWay) -> float:
    """The part of a run, in the mean of these, that one unit of the way's mean time makes."""
    return sum([run.part / run.time for run in runs if way in run.taken]) / way.part


class _OneRun(NamedTuple):
    """A ``part`` of all runs, its time, and the rare ways that it takes."""

    part: float
    time: float
    taken: frozenset[RunWay]

    def runs_by_way(
        self, way: RunWay, before: RunWay, likely: float, time: float
    ) -> "list[_OneRun]":
        """Those of these runs that do not take a way on from ``before``, and those that do."""
        open_here = before is EVERY_RUN or before in self.taken
        if not open_here or any(map(way.excludes, self.taken)):
            return [self]
        on = _OneRun(part=self.part * likely, time=self.time + time, taken=self.taken | {way})
        return [self._replace(part=self.part * (1 - likely)), on]


def _runs(chosen: Sequence[RunWay], times: Mapping[RunWay, float]) -> list[_OneRun]:
    """The runs that take some of the ``chosen`` ways and no others; ``times``: mean ones."""
    base = sum(times.values()) - sum([times[way] for way in chosen])
    runs = [_OneRun(part=1.0, time=max(0.0, base), taken=frozenset())]
    for number, way in enumerate(chosen):
        before = next((each for each in way.earlier() if each in chosen), EVERY_RUN)
        others = [each.part for each in chosen[:number] if each.excludes(way)]
        likely = min(1.0, way.part / max(way.part, before.part - sum(others)))
        time = times[way] / way.part
        runs = [each for run in runs for each in run.runs_by_way(way, before, likely, time)]
    return runs


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
        chosen: dict[_ChosenWay, RunWay] = {}
        for rank in sorted({self._ranks[member] for member in executions}):
            inside = self.callers_first[rank]
            if not inside.isdisjoint(ways):
                ways.update(dict.fromkeys(inside, EVERY_RUN))
                continue
            calls = [call for member in sorted(inside) for call in self._callers[member]]
            calls = [call for call in calls if call.caller in ways]
            if calls:
                way = _way_on(
                    self._calls_on(calls, ways, executions), set(map(_choice_of, calls)), chosen
                )
                ways.update(dict.fromkeys(inside, way))
        return ways

    def _calls_on(
        self, calls: Iterable[ProgramCall], ways: Mapping[int, RunWay], executions: Executions
    ) -> dict[RunWay, float]:
        """How often the ways of the callers make these calls."""
        counts: dict[RunWay, float] = {}
        for call in calls:
            way = ways[call.caller]
            count = executions.get(call.caller, 0.0) * call.frequency
            most = way.part * self._chosen(call)
            counts[way] = counts.get(way, 0.0) + min(count, most)
        return counts

    def _chosen(self, call: ProgramCall) -> float:
        """The part of its caller's runs that may make a call: a ``switch`` mostly goes one way, and
        the pointers of a loop, once they are set, lead to the same function each time."""
        if call.form != "indirect":
            return call.choice.part
        others = [
            each.frequency
            for each in self._calls[call.caller]
            if each.form == "indirect" and each.loop == call.loop
        ]
        return call.choice.part * call.frequency / sum(others) if call.frequency else 0.0

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


def _choice_of(call: ProgramCall) -> RunChoice | None:
    """The choice that decides on a call in the runs of its caller."""
    ways = call.choice.ways
    if call.form == "indirect":
        return RunChoice(caller=call.caller, ways=ways, loop=call.loop, callee=call.callee)
    return RunChoice(caller=call.caller, ways=ways) if ways else None


def _calls_of(graph: CallGraph) -> tuple[list[list[ProgramCall]], list[list[ProgramCall]]]:
    """The calls that each function makes, and those of it."""
    own: list[list[ProgramCall]] = [[] for _ in graph.functions]
    of_it: list[list[ProgramCall]] = [[] for _ in graph.functions]
    for call in graph.calls:
        own[call.caller].append(call)
        of_it[call.callee].append(call)
    return own, of_it


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
