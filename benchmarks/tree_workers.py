"""How busy many workers are in a run over a tree: a simulation with measured service times.

One run with one job measures the processor time of each file in its child, of the program's process
and of the run itself, stage by stage. The simulation hands the same work to more workers: the run
serves one file at a time, the program is solved by one process, and the last stage waits for the
shares of all files.
"""

import argparse
import heapq
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from rooflint.cli.main import run
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.stages import first_stage
from rooflint.pipeline.stages.program_process import ProgramProcess
from rooflint.workers import pool
from rooflint.workers.child_process import ChildProcess

NUMBERS = (1, 2, 4, 8, 16, 32, 64)


class Stage(NamedTuple):
    """Seconds of processor time: of each file in its child, and of all files in two processes that
    serve one file at a time."""

    files: tuple[float, ...]
    parent: float
    program: float = 0.0


class RunTimes(NamedTuple):
    """The stages of a run, and what lies between and behind them, which nothing runs beside.

    solving   until the first file has its values
    weighing  until it is known which loops get advice
    rest      start, verdicts, and output
    """

    reading: Stage
    solving: float
    analysis: Stage
    weighing: float
    advice: Stage
    rest: float

    @property
    def in_files(self) -> float:
        """The processor time of all files in their children."""
        return sum(sum(each.files) for each in (self.reading, self.analysis, self.advice))


class Meter:
    """Measures one run by hooks around the places where its processes meet."""

    def __init__(self) -> None:
        self.files: list[list[float]] = [[], [], []]
        self.marks: list[tuple[float, float]] = []
        self.stage = 0
        self.values: list[float] = []
        self._program: list[ProgramProcess] = []
        self._children: dict[ChildProcess, float] = {}

    def program(self) -> float:
        """Processor time of the program's process so far."""
        children = [child for each in self._program for child in each._workers._idle]
        return sum(child.cpu_seconds() or 0.0 for child in children)

    def mark(self) -> None:
        """A stage ends here."""
        self.marks.append((time.process_time(), self.program()))

    def finished(self, own: Callable[..., None]) -> Callable[..., None]:
        """A pool's ``_finish``, which takes an answer from a child."""

        def finish(workers: Any, running: Any, answer: object) -> None:  # noqa: ANN401 - any types
            if not any(workers is each._workers for each in self._program):
                child = running.worker
                before = self._children.get(child, 0.0)
                self._children[child] = child.cpu_seconds() or before
                self.files[self.stage].append(self._children[child] - before)
            own(workers, running, answer)

        return finish

    def started(self, own: Callable[..., None]) -> Callable[..., None]:
        """A process of a program begins."""

        def start(process: ProgramProcess, *given: Any) -> None:  # noqa: ANN401 - any types
            own(process, *given)
            self._program.append(process)

        return start

    def after(self, own: Callable[..., Any], stage: int) -> Callable[..., Any]:
        """A function behind which another stage begins."""

        def call(*given: Any) -> Any:  # noqa: ANN401 - any types
            found = own(*given)
            self.mark()
            self.stage = stage
            return found

        return call

    def valued(self, own: Callable[..., Any]) -> Callable[..., Any]:
        """A process is asked for the values of a file."""

        def scenario(process: ProgramProcess, *given: Any) -> Any:  # noqa: ANN401 - any types
            found = own(process, *given)
            self.values.append(self.program())
            return found

        return scenario

    def before(self, own: Callable[..., Any], stage: int) -> Callable[..., Any]:
        """A function in front of which another stage ends."""

        def call(*given: Any) -> Any:  # noqa: ANN401 - any types
            self.mark()
            self.stage = stage
            return own(*given)

        return call

    @contextmanager
    def hooks(self) -> Iterator[None]:
        """The hooks, for one run."""
        wrapped = [
            (pool.Workers, "_finish", self.finished),
            (ProgramProcess, "__init__", self.started),
            (ProgramProcess, "scenario", self.valued),
            (first_stage.FirstStage, "read", lambda own: self.after(own, 1)),
            (Analysis, "_advise", lambda own: self.after(self.before(own, 2), 2)),
        ]
        before = [(owner, name, getattr(owner, name)) for owner, name, _ in wrapped]
        for owner, name, wrap in wrapped:
            setattr(owner, name, wrap(getattr(owner, name)))
        try:
            yield
        finally:
            for owner, name, own in before:
                setattr(owner, name, own)

    def times(self, whole: float) -> RunTimes:
        """The stages of the run, once it is over; ``whole``: the processor time of its process."""
        read, analysed, advised = self.marks
        first = self.values[0] if self.values else 0.0
        return RunTimes(
            reading=Stage(tuple(self.files[0]), read[0]),
            solving=first,
            analysis=Stage(tuple(self.files[1]), analysed[0] - read[0], analysed[1] - first),
            weighing=advised[1] - analysed[1],
            advice=Stage(tuple(self.files[2]), advised[0] - analysed[0]),
            rest=whole - advised[0],
        )


def makespan(stage: Stage, workers: int) -> float:
    """Seconds of a stage: each file passes the run's process and the program's, one at a time, and
    then the worker that is free first."""
    count = max(1, len(stage.files))
    served = (stage.parent + stage.program) / count
    free = [0.0] * workers
    ready = 0.0
    for seconds in stage.files:
        ready += served
        heapq.heappush(free, max(ready, heapq.heappop(free)) + seconds)
    return max(ready, stage.parent + stage.program, *free)


def whole_seconds(times: RunTimes, workers: int) -> float:
    """Seconds of a run with so many workers, each on a core of its own."""
    stages = (times.reading, times.analysis, times.advice)
    between = times.solving + times.weighing + times.rest
    return sum(makespan(stage, workers) for stage in stages) + between


def measured(arguments: Sequence[str]) -> tuple[RunTimes, float]:
    """The times of one cold run with one job, and the processor time of its own process."""
    meter = Meter()
    with tempfile.TemporaryDirectory() as folder, meter.hooks():
        os.environ["XDG_CACHE_HOME"] = folder
        run(["analyze", "--jobs", "1", "-o", os.path.join(folder, "report"), *arguments])
        own = resource.getrusage(resource.RUSAGE_SELF)
    whole = own.ru_utime + own.ru_stime
    return meter.times(whole), whole


def main() -> None:
    """Prints what was measured, and a line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="those of analyze")
    times, own = measured(parser.parse_args().arguments)
    program = times.solving + times.analysis.program + times.weighing
    print(f"files {times.in_files:.2f} s, program {program:.2f} s, run's own process {own:.2f} s")
    print(f"own ÷ (files + program) {own / (times.in_files + program):.3f}")
    for number in NUMBERS:
        seconds = whole_seconds(times, number)
        busy = times.in_files / number / seconds
        print(f"{number:3} workers: {seconds:7.2f} s, busy {busy:5.0%}")


if __name__ == "__main__":
    main()
