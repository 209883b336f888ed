"""Processes of a benchmark: started confined, watched, and read."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rooflint.measure.contents import ResultRun, read_results
from rooflint.measure.program import MeasureMode, Program, RunSettings, process_arguments
from rooflint.measure.records import ProcessEnd, ProcessRun, read_run
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.syscall_names import call_name
from rooflint.records import NamedTuple

_MOST_BYTES: Final = 4 << 20
"""Of a report: 2000 batches of 250 bytes are an eighth of it."""
_SHORTEST_PASS_S: Final = 1e-6
"""Of a nest between marks, which take 25 to 28 ns together."""
_REST_S: Final = 0.2
"""From the last record of a process to its end."""
_TOOL_S: Final = 5.0
"""The same with a tool around it, which still has to write what it counted."""
_GROUP: Final = hasattr(os, "killpg")


class TeamSeat(Struct, frozen=True, kw_only=True):
    """The place of a process among those that run at once; ``descriptor`` of their memory."""

    descriptor: int
    size: int
    rank: int

    @property
    def argument(self) -> str:
        """For the harness."""
        return f"team={self.descriptor}:{self.size}:{self.rank}"


class _Ended(NamedTuple):
    """A process that is over: its report, whether it closed that in time, and its exit code."""

    report: bytes
    in_time: bool
    code: int


def run_program(
    program: Program,
    settings: RunSettings,
    seconds: float,
    seat: TeamSeat | None = None,
    wrapper: tuple[str, ...] = (),
) -> ProcessRun:
    """One process, ended after ``seconds`` of wall time at the latest; ``wrapper`` is the command
    of a tool that starts it."""
    ended = _process(program, settings, seconds, _MOST_BYTES, seat, wrapper)
    try:
        return _with_end(read_run(ended.report), ended, seconds)
    except msgspec.DecodeError:
        return ProcessRun(end="garbled", seconds=seconds)


def run_results(program: Program, settings: RunSettings, seconds: float) -> ResultRun:
    """One process that calls the function once on fresh data and reports what that leaves."""
    ended = _process(program, settings, seconds, _MOST_BYTES + 2 * settings.results)
    try:
        found = read_results(ended.report)
    except msgspec.DecodeError:
        return ResultRun(run=ProcessRun(end="garbled", seconds=seconds))
    return replace(found, run=_with_end(found.run, ended, seconds))


def _process(
    program: Program,
    settings: RunSettings,
    seconds: float,
    most: int,
    seat: TeamSeat | None = None,
    wrapper: tuple[str, ...] = (),
) -> _Ended:
    reading, writing = os.pipe()
    shared = () if seat is None else (seat.descriptor,)
    try:
        command = (
            *wrapper,
            program.executable_at(settings.code_place),
            *process_arguments(program, settings),
            f"processor={(int(seconds) + 1) * max(1, len(settings.threads))}",
            f"result={writing}",
            *(() if seat is None else (seat.argument,)),
        )
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, cwd=os.path.dirname(program.executable),
            env=_environment(settings.threads), pass_fds=(writing, *shared), start_new_session=True,
        )  # fmt: skip
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    try:
        report, in_time = _report(reading, time.monotonic() + seconds, most)
    finally:
        os.close(reading)
        _end(process, _TOOL_S if wrapper else _REST_S)
    return _Ended(report, in_time, process.returncode)


def _environment(processors: Sequence[int]) -> dict[str, str]:
    """Nothing of the user's but what finds libraries; OpenMP has a thread on each of
    ``processors``, one where there are none."""
    kept = ("PATH", "LD_LIBRARY_PATH")
    own = {"LC_ALL": "C", "OMP_NUM_THREADS": str(max(1, len(processors))), "OMP_DYNAMIC": "false"}
    if processors:
        own["OMP_PLACES"] = ",".join([f"{{{number}}}" for number in processors])
        own["OMP_PROC_BIND"] = "true"
        own["OMP_WAIT_POLICY"] = "active"
    return {key: value for key, value in os.environ.items() if key in kept} | own


def _report(descriptor: int, deadline: float, most: int) -> tuple[bytes, bool]:
    """Bytes that the process writes until it closes its end, and whether it did so in time."""
    parts: list[bytes] = []
    length = 0
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while length < most:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return b"".join(parts), False
            part = os.read(descriptor, 1 << 16)
            if not part:
                return b"".join(parts), True
            parts.append(part)
            length += len(part)
    return b"".join(parts), False


def _end(process: subprocess.Popen[bytes], patience_s: float) -> None:
    """Waits a moment for a process that has reported all, then ends it and whatever it started."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience_s)
    with contextlib.suppress(OSError):
        if _GROUP:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _with_end(run: ProcessRun, ended: _Ended, seconds: float) -> ProcessRun:
    return replace(run, end=_how(run, ended), signal=max(0, -ended.code), seconds=seconds)


def _how(run: ProcessRun, ended: _Ended) -> ProcessEnd:
    if run.completion is not None:
        return "returned"
    if not ended.in_time or ended.code == -getattr(signal, "SIGXCPU", 24):
        return "late"
    return "killed" if ended.code < 0 else "exited"


def refusal_of(program: Program, settings: RunSettings, run: ProcessRun) -> MeasureRefusal | None:
    """Why a process gave no measurement; None where it ran to its end."""
    name = program.function
    if run.stop is not None:
        detail = run.stop.detail
        refusals = {
            "fault": _refusal(RefusalCode.FAULT, name, f"{detail:#x}"),
            "division": _refusal(RefusalCode.DIVISION, name),
            "call": _refusal(RefusalCode.SYSTEM_CALL, name, call_name(detail)),
            "memory": _refusal(RefusalCode.OVER_MEMORY, name, str(settings.max_bytes)),
            "abort": _refusal(RefusalCode.ABORT, name, _signal_name(detail)),
            "setup": _refusal(RefusalCode.SETUP, str(detail)),
            "results": _refusal(
                RefusalCode.LARGE_RESULTS, name, str(detail), str(settings.results)
            ),
        }
        return refusals[run.stop.why]
    if run.end == "returned":
        return _too_short(program, run)
    if run.end == "exited":
        return _refusal(RefusalCode.ENDED_PROGRAM, name)
    if run.end == "late":
        return _refusal(RefusalCode.NO_RETURN, name, f"{run.seconds:g}")
    if run.end == "killed":
        return _refusal(RefusalCode.KILLED, name, _signal_name(run.signal))
    return _refusal(RefusalCode.GARBLED, name)


def _too_short(program: Program, run: ProcessRun) -> MeasureRefusal | None:
    """Marks take a good part of a short nest's time; of one that was not reached nobody knows."""
    passes = sum(batch.mark_passes for batch in run.batches)
    if program.mode is not MeasureMode.MARKS or not passes:
        return None
    shares = [batch.processor_s * batch.mark_ticks / batch.ticks for batch in run.batches]
    pass_s = sum(shares) / passes
    if pass_s >= _SHORTEST_PASS_S:
        return None
    return _refusal(RefusalCode.NEST_TOO_SHORT, f"{pass_s * 1e9:.0f}")


def _refusal(code: RefusalCode, *arguments: str) -> MeasureRefusal:
    return MeasureRefusal(code=code, arguments=arguments)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
