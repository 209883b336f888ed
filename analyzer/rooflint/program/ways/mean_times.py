"""Times whose shares are means over the runs of a program, of which few take a rare way."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Final

from rooflint.program.ways.run_ways import EVERY_RUN, RunWay
from rooflint.records import NamedTuple

_WAYS: Final = 6
"""Ways that a run takes or not: those of most time, whose combinations are 64 runs."""
_SHORTEST_RUN: Final = 0.01
"""Of the mean time: runs that are shorter end before they do any work (judged)."""
_NO_WORK: Final = 1e6
"""Operators or cycles: a run of more, about a millisecond, has done some work, be the guessed time
of a rare one a thousand times as long (judged)."""


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
