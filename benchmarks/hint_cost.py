"""What the traffic behind a hint costs a loop: ``hint_cost.py FILES... --flags="FLAGS"``.

CPU time from the facts of a function on, a fresh analysis each time, with caches as calls leave
them and cold: the footprints, a replay within the budget of hints or the closed form, and
intervals. The better of two runs, divided by the loops of the function; one process.
"""

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.memory import Rates
from rooflint.memory.engine import HINT_BUDGET
from rooflint.memory.line_counts import CountedLines
from rooflint.pipeline.setup.caches import no_caches
from rooflint.scenario import CacheEntry, EntryOrigin, EntryState
from rooflint.scenario.resolution import resolve

STEADY = CacheEntry(EntryState.STEADY, EntryOrigin.COMMAND_LINE)
TARGET_MS = 5.0
RUNS = 2
SHOWN = 5


class Cost(NamedTuple):
    """Milliseconds a loop of one function, and how its lines were counted."""

    name: str
    milliseconds: float
    loops: int
    methods: str
    intervals: int
    links: int


def counted(
    function: Function, facts: Sequence[KernelFacts], machine: Machine, budget: int
) -> CountedLines:
    """The lines in both states on entry; those of the steady one."""
    sizes = resolve(facts, function, ())
    movement = no_caches().movement(function, facts, sizes, machine.line_bytes, STEADY, budget)
    rates = Rates(machine, 1)
    movement.with_entry(STEADY.opposite).counted(rates)
    return movement.counted(rates)


def cost(function: Function, facts: Sequence[KernelFacts], machine: Machine, budget: int) -> Cost:
    """The best of the runs."""
    spent: list[float] = []
    for _ in range(RUNS):
        gc.collect()
        gc.disable()  # as where files are analysed
        begin = time.process_time()
        found = counted(function, facts, machine, budget)
        spent.append(time.process_time() - begin)
        gc.enable()
    kernels = [each for link in found.links for each in link]
    methods = sorted({(each.method or found.method).value for each in kernels})
    return Cost(
        name=function.name,
        milliseconds=1000 * min(spent) / len(facts),
        loops=len(facts),
        methods="/".join(methods),
        intervals=sum(each.interval is not None for each in kernels),
        links=len(kernels),
    )


def costs_of(
    files: Sequence[Path], flags: Sequence[str], machine: Machine, budget: int
) -> Iterator[Cost]:
    """Of all functions with loops."""
    finder = FlagFinder(extra=["gcc", *flags])
    for file in files:
        for source in extract(Request(str(file), finder.flags(str(file)))).functions:
            facts = facts_of(source.function)
            if facts:
                yield cost(source.function, facts, machine, budget)


def main() -> int:
    """Prints the figures and the dearest functions; 1 when a function exceeds the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--flags", default="", help="of the compiler")
    parser.add_argument("--machine", default="generic-avx2")
    parser.add_argument("--budget", type=int, default=HINT_BUDGET, help="of a loop")
    options = parser.parse_args()
    machine = find_machine(options.machine, (builtin_dir(),))
    found = list(costs_of(options.files, options.flags.split(), machine, options.budget))
    spent = sorted(each.milliseconds for each in found)
    print(
        f"{len(found)} functions, {sum(each.loops for each in found)} loops: "
        f"{statistics.median(spent):.2f} ms a loop in the median, "
        f"{spent[min(len(spent) - 1, int(0.9 * len(spent)))]:.2f} at p90, {spent[-1]:.2f} at most; "
        f"{sum(each.intervals for each in found)} of {sum(each.links for each in found)} "
        "lines over links have an interval"
    )
    for each in sorted(found, key=lambda one: -one.milliseconds)[:SHOWN]:
        print(f"  {each.milliseconds:6.2f} ms, {each.loops} loops, {each.name}: {each.methods}")
    return int(spent[-1] > TARGET_MS)


if __name__ == "__main__":
    sys.exit(main())
