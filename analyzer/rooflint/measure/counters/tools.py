"""Tools of the system that count events, and why there is none."""

import os
import tempfile
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import locate, run_program
from rooflint.errors import AnalysisError
from rooflint.measure.counters.events import CoreEvents, core_events
from rooflint.measure.counters.likwid import (
    MEMORY_GROUP,
    event_list,
    likwid_command,
    read_likwid,
)
from rooflint.measure.counters.perf_stat import perf_command, read_perf_stat
from rooflint.measure.counters.readings import CounterReading, CountState

PARANOID: Final = Path("/proc/sys/kernel/perf_event_paranoid")
OWN_PROCESSES: Final = 2
"""The highest level at which users may count in user mode of their own processes: the kernel's
manual, admin-guide/sysctl/kernel.rst. Debian's and Android's kernels have a level above it."""
EVENTS_AT_ONCE: Final = 4
"""Beside cycles and instructions: Intel's cores have four general counters a hardware thread, and
fixed ones for these two; AMD's have six."""
CYCLES: Final = "cycles:u"
INSTRUCTIONS: Final = "instructions:u"


class CounterTool(Enum):
    """A program that counts events of others."""

    PERF = "perf"
    LIKWID = "likwid-perfctr"


class AbsenceCause(Enum):
    """Why a tool counts nothing here."""

    NOT_INSTALLED = "not installed"
    NOT_SUPPORTED = "not supported"
    NOT_PERMITTED = "not permitted"
    NO_EVENTS = "no events known"
    FAILED = "failed"


class ToolAbsence(Struct, frozen=True, kw_only=True):
    """``detail``: the tool's words, the kernel's level of caution, or the name of the core."""

    tool: CounterTool
    cause: AbsenceCause
    detail: str = ""


class Tally(Struct, frozen=True, kw_only=True):
    """Events that one process is counted by; ``path`` of the tool's program."""

    tool: CounterTool
    path: str
    events: tuple[str, ...]

    def command(self, processor: int | None, output: str) -> tuple[str, ...]:
        """The command of the tool, in front of that of the process."""
        if self.tool is CounterTool.PERF:
            return perf_command(self.path, self.events, output)
        named = self.events[0] if self.is_of_memory else event_list(self.events)
        return likwid_command(self.path, named, processor, output)

    @property
    def is_of_memory(self) -> bool:
        """Whether it counts for a whole socket."""
        return self.events == (MEMORY_GROUP,)

    def read(self, text: str, path: str) -> tuple[CounterReading, ...]:
        """Raises AnalysisError where ``text`` is no output of the tool."""
        if self.tool is CounterTool.PERF:
            return read_perf_stat(text, path)
        return tuple([each for table in read_likwid(text, path) for each in table.readings])


class Counters(Struct, frozen=True, kw_only=True):
    """The tallies that this computer offers; ``core`` has the events of links, where known."""

    tallies: tuple[Tally, ...]
    core: CoreEvents | None

    @property
    def tool(self) -> CounterTool:
        """Of cycles, instructions and caches."""
        return self.tallies[0].tool


CounterAbsence: TypeAlias = tuple[ToolAbsence, ...]


def caution(file: Path = PARANOID) -> int | None:
    """The kernel's level of caution with counters; None where it does not say."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


class CounterSystem(Struct, frozen=True):
    """Where programs are found, and the kernel's level of caution."""

    find: Callable[[str], str | None] = locate
    caution: Callable[[], int | None] = caution


THIS_SYSTEM: Final = CounterSystem()


def find_counters(
    core: str | None, system: CounterSystem = THIS_SYSTEM
) -> Counters | CounterAbsence:
    """The counters of a core with this name of LLVM's, each tried on a short process; or why no
    tool counts."""
    events = core_events(core)
    with tempfile.TemporaryDirectory(prefix="rooflint-counters-") as folder:
        trial = _ToolTrial(system, folder)
        perf, likwid = trial.perf(), trial.likwid(events, core)
        if isinstance(perf, Tally):
            tallies = _perf_tallies(perf, events)
        elif isinstance(likwid, Tally):
            tallies = (likwid,)
        else:
            return perf, likwid
        return Counters(tallies=(*tallies, *trial.memory(likwid)), core=events)


def _perf_tallies(first: Tally, core: CoreEvents | None) -> tuple[Tally, ...]:
    """So few events each that counters need not take turns."""
    codes = [event.perf for event in core.lines] if core is not None else []
    parts = [codes[at : at + EVENTS_AT_ONCE] for at in range(0, len(codes), EVENTS_AT_ONCE)]
    return tuple(
        [
            Tally(tool=first.tool, path=first.path, events=(*first.events, *part))
            for part in parts or [[]]
        ]
    )


class _ToolTrial:
    """The tools, each tried on a process that does nothing."""

    def __init__(self, system: CounterSystem, folder: str) -> None:
        self.system = system
        self.folder = folder

    def perf(self) -> Tally | ToolAbsence:
        return self.tool(CounterTool.PERF, (CYCLES, INSTRUCTIONS))

    def likwid(self, core: CoreEvents | None, name: str | None) -> Tally | ToolAbsence:
        if core is not None:
            lines = [event.likwid for event in core.lines]
            return self.tool(CounterTool.LIKWID, (core.cycles, core.instructions, *lines))
        is_there = self.system.find(CounterTool.LIKWID.value) is not None
        cause = AbsenceCause.NO_EVENTS if is_there else AbsenceCause.NOT_INSTALLED
        detail = (name or "") if is_there else ""
        return ToolAbsence(tool=CounterTool.LIKWID, cause=cause, detail=detail)

    def memory(self, likwid: Tally | ToolAbsence) -> list[Tally]:
        """The tally of the memory, where likwid may read its counters."""
        if isinstance(likwid, ToolAbsence):
            return []
        found = self.tool(likwid.tool, (MEMORY_GROUP,))
        return [found] if isinstance(found, Tally) else []

    def tool(self, tool: CounterTool, events: tuple[str, ...]) -> Tally | ToolAbsence:
        """The tally where some of its events are counted."""
        path = self.system.find(tool.value)
        if path is None:
            return ToolAbsence(tool=tool, cause=AbsenceCause.NOT_INSTALLED)
        tally = Tally(tool=tool, path=path, events=events)
        readings = self.readings(tally)
        if isinstance(readings, ExternalFailure):
            return self.absence(tool, readings.reason)
        if any(each.state is CountState.COUNTED for each in readings):
            return tally
        return ToolAbsence(tool=tool, cause=AbsenceCause.NOT_SUPPORTED)

    def readings(self, tally: Tally) -> tuple[CounterReading, ...] | ExternalFailure:
        output = os.path.join(self.folder, f"{tally.tool.value}.txt")
        program = self.system.find("true") or "true"
        answer = run_program((*tally.command(None, output), program), folder=self.folder)
        if isinstance(answer, ExternalFailure):
            return answer
        try:
            with open(output, encoding="utf-8", errors="replace") as file:
                return tally.read(file.read(), output)
        except (OSError, AnalysisError) as error:
            return ExternalFailure(str(error))

    def absence(self, tool: CounterTool, reason: str) -> ToolAbsence:
        level = self.system.caution()
        if tool is CounterTool.PERF and level is not None and level > OWN_PROCESSES:
            cause, detail = AbsenceCause.NOT_PERMITTED, f"{PARANOID.name} {level}"
            return ToolAbsence(tool=tool, cause=cause, detail=detail)
        return ToolAbsence(tool=tool, cause=AbsenceCause.FAILED, detail=reason)
