"""What the program around the loops costs: ``solving_cost.py FOLDER... [--rounds 3]``.

Analyses each folder in this process and its children, one at a time and with no results kept, and
adds up the CPU time of the steps that only the program needs: reading equations beside the loops,
linking and solving them, values for each file, weights, and the sizes to ask for. Prints the least
of several rounds: all CPU, that of each step, and what solving and all steps add to the CPU without
them.
"""

import argparse
import gc
import mmap
import os
import resource
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from rooflint.cli.main import YOUNG_OBJECTS
from rooflint.compile_flags.source_files import source_files
from rooflint.frontend.equations import extraction
from rooflint.frontend.equations.bodies import BodyReader
from rooflint.pipeline import Options, Source
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.weights.program_times import ProgramTimes
from rooflint.pipeline.weights.run_program import RunProgram
from rooflint.registry import load_registry
from rooflint.workers.limits import Limits

STEPS: Final = ("equations", "link", "values", "weights", "shares", "questions")
_SECONDS: Final = struct.Struct("d" * len(STEPS))


class StepClock:
    """CPU seconds of steps, in memory that forked children share; steps inside of others are
    their own time alone."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SECONDS.size)
        self._inside = 0.0

    def seconds(self) -> tuple[float, ...]:
        """Of each step so far."""
        return _SECONDS.unpack(self._memory[: _SECONDS.size])

    def clear(self) -> None:
        """Begins anew."""
        self._memory[: _SECONDS.size] = _SECONDS.pack(*[0.0] * len(STEPS))

    def wrap(self, owner: object, name: str, step: str) -> None:
        """Times a function of a module or class from now on."""
        original: Callable[..., object] = getattr(owner, name)

        def timed(*arguments: object, **named: object) -> object:
            outer, self._inside = self._inside, 0.0
            begin = time.process_time()
            try:
                return original(*arguments, **named)
            finally:
                spent = time.process_time() - begin
                self._add(step, spent - self._inside)
                self._inside = outer + spent

        setattr(owner, name, timed)

    def _add(self, step: str, seconds: float) -> None:
        values = [*self.seconds()]
        values[STEPS.index(step)] += seconds
        self._memory[: _SECONDS.size] = _SECONDS.pack(*values)


def cpu_seconds() -> float:
    """Of this process and its children, user and system."""
    whole = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        whole += usage.ru_utime + usage.ru_stime
    return whole


def measured(folder: str, clock: StepClock, rounds: int) -> tuple[float, tuple[float, ...]]:
    """The round of least CPU: all of it, and that of each step."""
    sources = [Source(path) for path in sorted(source_files([folder]).files)]
    options = Options(limits=Limits(), jobs=1, cache_dir="")
    found: list[tuple[float, tuple[float, ...]]] = []
    for _ in range(rounds):
        clock.clear()
        begin = cpu_seconds()
        analysis = Analysis(options, load_registry())
        for _ in analysis.files(sources):
            pass
        analysis.report()
        list(analysis.doubts())
        found.append((cpu_seconds() - begin, clock.seconds()))
    return min(found)


def rows(folders: list[str], rounds: int) -> Iterator[str]:
    """A line of the table for each folder."""
    clock = StepClock()
    clock.wrap(extraction, "equations_read", "equations")
    clock.wrap(BodyReader, "equations", "equations")
    clock.wrap(RunProgram, "add", "link")
    clock.wrap(RunProgram, "of_file", "values")
    clock.wrap(RunProgram, "weights", "weights")
    clock.wrap(ProgramTimes, "__init__", "shares")
    clock.wrap(RunProgram, "doubts", "questions")
    columns = " | ".join(f"{step} ms" for step in STEPS)
    yield f"| tree | CPU s | {columns} | solving adds | with equations |"
    yield f"| --- | --: | {' | '.join('--:' for _ in STEPS)} | --: | --: |"
    for folder in folders:
        whole, steps = measured(folder, clock, rounds)
        added = sum(steps)
        solving = added - steps[STEPS.index("equations")]
        name = os.path.basename(os.path.normpath(folder))
        parts = " | ".join(f"{1e3 * each:.0f}" for each in steps)
        shares = " | ".join(f"{100 * own / (whole - own):.1f} %" for own in (solving, added))
        yield f"| {name} | {whole:.2f} | {parts} | {shares} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    for folder in given.folders:
        if not Path(folder).exists():
            parser.error(f"{folder}: no such folder")
    gc.set_threshold(YOUNG_OBJECTS)  # as the command line does
    for line in rows(given.folders, given.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
