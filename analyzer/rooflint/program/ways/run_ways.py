"""Ways that runs of a program take: what rarely runs lies on one, with all that it calls."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Final

from rooflint.program.call_graph import ProgramCall
from rooflint.program.frequencies import SwitchWay
from rooflint.records import NamedTuple

_NEARLY_ALL: Final = 0.999
"""Part of the runs that reach a caller from which on a function lies on the same way."""


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


class ChosenWay(NamedTuple):
    """A way that runs choose: the functions on it are called together."""

    before: RunWay
    choice: RunChoice
    part: float


class ChosenCall(NamedTuple):
    """A call from outside of a circle of calls, as far as ways through the program rest on it.

    ``chosen``: the part of its caller's runs that may make it, by their ``choice``.
    """

    caller: int
    frequency: float
    chosen: float
    choice: RunChoice | None


def way_on(
    counts: Mapping[RunWay, float],
    calls: Iterable[ChosenCall],
    chosen: dict[ChosenWay, RunWay],
) -> RunWay:
    """The way of what runs on these ways call, as often as that in the mean of all runs.

    ``calls``: those of it; ``chosen``: the ways of choices that there are.
    """
    parts = {way: min(way.part, count) for way, count in counts.items()}
    part = min(1.0, sum(parts.values()))
    way = max(parts, key=parts.__getitem__)
    if part >= way.part * _NEARLY_ALL:
        return way
    choices = {call.choice for call in calls}
    choice = next(iter(choices)) if len(choices) == 1 else None
    if choice is None:
        return RunWay(part, way)
    return chosen.setdefault(
        ChosenWay(before=way, choice=choice, part=part), RunWay(part, way, choice)
    )


def calls_on(
    calls: Iterable[ChosenCall], ways: Mapping[int, RunWay], executions: Mapping[int, float]
) -> dict[RunWay, float]:
    """How often the ways of the callers make these calls."""
    counts: dict[RunWay, float] = {}
    for caller, frequency, chosen, _ in calls:
        way = ways[caller]
        count = min(executions.get(caller, 0.0) * frequency, way.part * chosen)
        counts[way] = counts.get(way, 0.0) + count
    return counts


def chosen_calls(
    calls: Iterable[ProgramCall], pointers: Mapping[tuple[int, int], float]
) -> list[ChosenCall]:
    """The calls; ``pointers``: how often those through pointers are made, by the function and its
    loop."""
    return [
        ChosenCall(
            caller=call.caller,
            frequency=call.frequency,
            chosen=_chosen(call, pointers),
            choice=_choice_of(call),
        )
        for call in calls
    ]


def pointer_calls(calls: Iterable[ProgramCall]) -> dict[tuple[int, int], float]:
    """How often calls through pointers are made, by the function and its loop."""
    pointers: dict[tuple[int, int], float] = {}
    for call in calls:
        if call.form == "indirect":
            place = call.caller, call.loop
            pointers[place] = pointers.get(place, 0.0) + call.frequency
    return pointers


def _chosen(call: ProgramCall, pointers: Mapping[tuple[int, int], float]) -> float:
    """The part of its caller's runs that may make a call: a ``switch`` mostly goes one way, and
    the pointers of a loop, once they are set, lead to the same function each time."""
    if call.form != "indirect":
        return call.choice.part
    others = pointers[call.caller, call.loop]
    return call.choice.part * call.frequency / others if call.frequency else 0.0


def _choice_of(call: ProgramCall) -> RunChoice | None:
    """The choice that decides on a call in the runs of its caller."""
    ways = call.choice.ways
    if call.form == "indirect":
        return RunChoice(caller=call.caller, ways=ways, loop=call.loop, callee=call.callee)
    return RunChoice(caller=call.caller, ways=ways) if ways else None
