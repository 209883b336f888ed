"""Counts of one call: two processes that differ in their calls alone, under a tool that counts.

The tool opens its counters before the process starts, so nothing of the sandbox has to give way.
It counts all that the process does; start, data, references and chains are the same in both
processes, and the difference is that of the calls.
"""

import os
from collections.abc import Mapping, Sequence
from enum import Enum
from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rooflint.errors import AnalysisError
from rooflint.measure.counters.events import MEMORY_EVENTS, LineFlow, lines_by_flow
from rooflint.measure.counters.readings import CounterReading, CountState
from rooflint.measure.counters.tools import (
    CYCLES,
    INSTRUCTIONS,
    Counters,
    CounterTool,
    Tally,
)
from rooflint.measure.process import run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.records import ProcessRun

DIFFERENCE_S: Final = 0.05
"""Of processor time, between the two processes: what varies in the rest of them, a page fault or an
interrupt of some thousand cycles, is then below 1/1000 of a hundred million cycles."""
MORE_CALLS: Final = 3
"""Times the calls a batch, in the second process."""
FEWEST_BATCHES: Final = 2
MOST_BATCHES: Final = 200
"""Where calls fill batches of 0.175 ms, 0.05 s are some 140 of them."""
FULL_SHARE: Final = 0.99
"""Of the time that a counter was at its event: below it, counts are scaled up from a part."""


class CountObstacle(Enum):
    """Why a point has no counts although the computer has counters."""

    MARKS = "passes of a nest between marks cannot be told apart from the rest of a call"
    COLD = "caches are emptied between calls, which is counted too"
    SEVERAL_CORES = "several processes run at once"
    ENDED = "a process under the tool did not end as without it"
    UNREADABLE = "the tool printed what it does not document"


class LinkCount(Struct, frozen=True, kw_only=True):
    """Lines of a call over a link; None where no event of the core counts them.

    ``of_socket``: everything that the socket moved meanwhile.
    """

    link: str
    load: float | None
    evict: float | None
    of_socket: bool = False


class CallCounts(Struct, frozen=True, kw_only=True):
    """Counts of one call. ``share`` of the time that the least counted event was counted in."""

    tool: CounterTool
    cycles: float | None
    instructions: float | None
    links: tuple[LinkCount, ...]
    share: float = 1.0

    @property
    def is_scaled(self) -> bool:
        """Whether counters took turns, so that counts are estimates."""
        return self.share < FULL_SHARE


def count_call(
    program: Program,
    counters: Counters,
    settings: RunSettings,
    call_s: float,
    limit_s: float,
    memory_link: str,
) -> CallCounts | CountObstacle:
    """The counts of a call of ``call_s`` seconds; each process is ended after ``limit_s``."""
    counts: dict[str, float | None] = {}
    shares = [1.0]
    for tally in counters.tallies:
        rates = event_rates(program, tally, settings, call_s, limit_s)
        if isinstance(rates, CountObstacle):
            return rates
        shares.append(rates.share)
        counts = {**rates.per_call, **counts}
    return _call_counts(counters, counts, min(shares), memory_link)


class EventRates(Struct, frozen=True, kw_only=True):
    """Counts a call by the tool's name of the event, None where it was not counted."""

    per_call: Mapping[str, float | None]
    share: float


def event_rates(
    program: Program, tally: Tally, settings: RunSettings, call_s: float, limit_s: float
) -> EventRates | CountObstacle:
    """The difference of two processes over the difference of their calls."""
    few, many = settings_of_two(settings, call_s)
    first = _counted(program, tally, few, limit_s)
    second = _counted(program, tally, many, limit_s)
    if isinstance(first, CountObstacle):
        return first
    if isinstance(second, CountObstacle):
        return second
    calls = second.calls - first.calls
    if calls <= 0:
        return CountObstacle.ENDED
    before = _by_event(first.readings)
    per_call = {
        event: _difference(before.get(event), count, calls)
        for event, count in _by_event(second.readings).items()
    }
    counted = [r for r in second.readings if r.state is CountState.COUNTED]
    return EventRates(per_call=per_call, share=min([r.share for r in counted], default=1.0))


def settings_of_two(settings: RunSettings, call_s: float) -> tuple[RunSettings, RunSettings]:
    """The settings of the two processes: as many batches, and more calls in each."""
    calls = max(1, round(settings.batch_s / call_s)) if call_s > 0 else 1
    more_s = (MORE_CALLS - 1) * calls * call_s
    wanted = ceil(DIFFERENCE_S / more_s) if more_s > 0 else MOST_BATCHES
    batches = min(MOST_BATCHES, max(FEWEST_BATCHES, wanted))
    few = replace(settings, calls=calls, batches=batches, budget_s=1e9, fence=False, stream=False)
    return few, replace(few, calls=MORE_CALLS * calls)


class _CountedProcess(Struct, frozen=True, kw_only=True):
    calls: int
    readings: tuple[CounterReading, ...]


def _counted(
    program: Program, tally: Tally, settings: RunSettings, limit_s: float
) -> _CountedProcess | CountObstacle:
    output = os.path.join(os.path.dirname(program.executable), "counters.txt")
    command = tally.command(settings.core, output)
    run: ProcessRun = run_program(program, settings, limit_s, wrapper=command)
    if run.completion is None:
        return CountObstacle.ENDED
    try:
        with open(output, encoding="utf-8", errors="replace") as file:
            readings = tally.read(file.read(), output)
    except (OSError, AnalysisError):
        return CountObstacle.UNREADABLE
    return _CountedProcess(calls=sum([b.calls for b in run.batches]), readings=readings)


def _by_event(readings: Sequence[CounterReading]) -> dict[str, float | None]:
    """The counts of units that bear one name add up: channels of a memory, for instance."""
    counts: dict[str, float | None] = {}
    for each in readings:
        count = each.count if each.state is CountState.COUNTED else None
        before = counts.get(each.event)
        counts[each.event] = before if count is None else count + (before or 0.0)
    return counts


def _difference(before: float | None, after: float | None, calls: int) -> float | None:
    if before is None or after is None:
        return None
    return max(0.0, after - before) / calls


def _call_counts(
    counters: Counters, counts: Mapping[str, float | None], share: float, memory_link: str
) -> CallCounts:
    cycles, instructions = _work_names(counters)
    links = _core_links(counters, counts)
    memory = _memory_lines(counts, memory_link)
    return CallCounts(
        tool=counters.tool,
        cycles=counts.get(cycles),
        instructions=counts.get(instructions),
        links=(*links, *([] if memory is None else [memory])),
        share=share,
    )


def _work_names(counters: Counters) -> tuple[str, str]:
    """The tool's names of cycles and instructions."""
    core = counters.core
    if core is None or counters.tool is CounterTool.PERF:
        return CYCLES, INSTRUCTIONS
    return core.cycles.partition(":")[0], core.instructions.partition(":")[0]


def _core_links(counters: Counters, counts: Mapping[str, float | None]) -> list[LinkCount]:
    lines = counters.core.lines if counters.core is not None else ()
    is_perf = counters.tool is CounterTool.PERF
    flows = lines_by_flow(
        lines, [counts.get(event.perf if is_perf else event.likwid) for event in lines]
    )
    return [
        LinkCount(
            link=link,
            load=flows.get((link, LineFlow.LOAD)),
            evict=flows.get((link, LineFlow.EVICT)),
        )
        for link in dict.fromkeys(event.link for event in lines)
    ]


def _memory_lines(counts: Mapping[str, float | None], link: str) -> LinkCount | None:
    flows: dict[LineFlow, float] = {}
    for event, flow in MEMORY_EVENTS.items():
        count = counts.get(event)
        if count is not None:
            flows[flow] = flows.get(flow, 0.0) + count
    if not flows:
        return None
    load, evict = flows.get(LineFlow.LOAD), flows.get(LineFlow.EVICT)
    return LinkCount(link=link, load=load, evict=evict, of_socket=True)
