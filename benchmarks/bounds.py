"""The bounds model over PolyBench: ``bounds.py POLYBENCH [--machine NAME] [--mca llvm-mca]``.

For every kernel of the ``kernel_*`` functions, LARGE_DATASET: the time the model takes (median and
most), whether a period was found, and how far fast-forward is from running 3000 passes over the
compiled body without it: in the cycles of all of them, and in the rate over whole periods.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from polybench import kernel_files
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.core import Compiler, LazyPlan
from rooflint.facts import facts_of
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import Prediction
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import SizeLayer
from rooflint.workers.limits import Failure
from rooflint_plugins.models.bounds.answer import BoundsAnswer, answer_of
from rooflint_plugins.models.bounds.model import Bounds
from rooflint_plugins.models.bounds.periods import Rounds, StretchRun

PASSES = 3000
MACHINES = ("haswell-ep-e5-2695v3", "skylake-sp-6148")
MEDIAN_MS, WORST = 50.0, 0.01


class Row(NamedTuple):
    """One kernel; ``whole`` and ``rate`` are fast-forward over brute force."""

    name: str
    model_ms: float
    answer: BoundsAnswer
    whole: float
    rate: float

    @property
    def error(self) -> float:
        """How far fast-forward is from brute force."""
        return max(abs(self.whole - 1), abs(self.rate - 1))


def main() -> int:
    """Measures and prints tables; exit code 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="POLYBENCH", help="PolyBench/C 4.2.1")
    parser.add_argument("--machine", action="append", metavar="NAME")
    parser.add_argument("--loops", action="store_true", help="print every loop")
    parser.add_argument("--no-brute", action="store_true", help="time only")
    given = parser.parse_args()
    missed = False
    print("| machine | kernels | no period | ms median | ms most | furthest from brute force |")
    print("| --- | --: | --: | --: | --: | --: |")
    tables = []
    for name in given.machine or MACHINES:
        machine = find_machine(name, (builtin_dir(),))
        rows = [measured(*each, not given.no_brute) for each in contexts(given.folder, machine)]
        periodic = [row for row in rows if row.answer.period.repeats]
        worst = max([row.error for row in periodic])
        median = statistics.median([row.model_ms for row in rows])
        missed = missed or worst > WORST or median > MEDIAN_MS
        most = max([row.model_ms for row in rows])
        print(
            f"| {machine.name} | {len(rows)} | {len(rows) - len(periodic)} | {median:.1f} |"
            f" {most:.0f} | {worst:.2%} |"
        )
        tables.append(table(machine, rows))
    if given.loops:
        print("\n".join(["", *tables]))
    return int(missed)


def table(machine: Machine, rows: list[Row]) -> str:
    """One line a kernel."""
    lines = [
        f"### {machine.name}",
        "",
        "| kernel | width | nodes | cy/iteration | core plan | closed form | period | after | ms |"
        " whole | rate |",
        "| --- | --: | --: | --: | --: | --- | --: | --: | --: | --: | --: |",
    ]
    for row in rows:
        answer = row.answer
        width, first = answer.problem.lowered.width, answer.prebounds[0]
        period = str(answer.period.iterations) if answer.period.repeats else "none"
        if answer.problem.bodies is not None:
            period += f" x {answer.problem.bodies} passes"
        lines.append(
            f"| {row.name} | {width} | {len(answer.problem.lowered.stretch.body)} |"
            f" {answer.iteration_cy:.2f} | {answer.code.t_core_cy:.2f} |"
            f" {first.cycles / width:.2f} {first.kind} {first.name} | {period} |"
            f" {answer.period.found_after} | {row.model_ms:.1f} |"
            f" {row.whole:.4f} | {row.rate:.4f} |"
        )
    return "\n".join([*lines, ""])


def measured(name: str, context: Context, brute: bool) -> Row:
    """The model's time, and the loop by brute force."""
    lazy = context.core
    assert lazy is not None and lazy.plan
    begin = time.process_time()
    said = Bounds().predict(context.facts.kernel, context)
    spent_ms = 1000 * (time.process_time() - begin)
    assert isinstance(said, Prediction), said
    answer = answer_of(context)
    assert answer is not None
    return Row(name, spent_ms, answer, *(by_force(answer) if brute else (1.0, 1.0)))


def by_force(answer: BoundsAnswer) -> tuple[float, float]:
    """3000 passes, or so many executions of a short loop as have them, from first to last cycle.

    Fast-forward over brute force, and the period's rate over that of brute force in whole periods.
    """
    problem, period = answer.problem, answer.period
    rounds = 1 if problem.bodies is None else max(3, PASSES // problem.bodies)
    stretch = problem.lowered.stretch._replace(trips=problem.bodies or PASSES)
    slow = Rounds(problem.core, [stretch], forward=False).whole(rounds)
    quick = Rounds(problem.core, [stretch]).whole(rounds)
    if not period.repeats:
        return quick.cycles / slow.cycles, 1.0
    periods = max(1, PASSES // (period.iterations * (problem.bodies or 1)))
    return quick.cycles / slow.cycles, answer.body_cy / rate_of(answer, periods)


def rate_of(answer: BoundsAnswer, periods: int) -> float:
    """Cycles a body over so many periods, after the iterations or rounds that lead to the first."""
    problem, period = answer.problem, answer.period
    stretch = problem.lowered.stretch._replace(trips=problem.bodies or 1)
    program = Rounds(problem.core, [stretch], forward=False)
    runner, loop = program.runner, StretchRun(stretch)
    before, last = 0, period.found_after + periods * period.iterations
    for number in range(last):
        if number == period.found_after:
            before = runner.scheduler.fetch
        if problem.bodies is None:
            runner.iterate(loop, number)
        else:
            program.round()
    spent = runner.scheduler.fetch - before
    return spent * period.iterations / ((last - period.found_after) * answer.scale)


def contexts(folder: str, machine: Machine) -> Iterator[tuple[str, Context]]:
    """What the model is asked for every kernel."""
    flags = ("-I" + str(Path(folder, "utilities")), "-DLARGE_DATASET")
    finder = FlagFinder(None, flags)
    files = list(kernel_files(folder))
    requests = [Request(str(path), finder.flags(str(path))) for _, path in files]
    with Frontend() as frontend:
        units = [answer for _, answer in frontend.analyse_all(requests)]
    rates = Rates(machine, 1)
    compiler = Compiler(assumed=False)
    for (name, path), unit in zip(files, units, strict=True):
        if isinstance(unit, Failure):
            raise SystemExit(f"{path}: {unit.reason}")
        for source in unit.functions:
            function = source.function
            if not function.name.startswith("kernel_"):
                continue
            facts = facts_of(function)
            arrays = {array.name: array for array in function.arrays}
            steps = SizeLayer("command line", {"tsteps": 500})
            sizes = resolve(facts, function, (steps,))
            movement = FunctionTraffic(facts, arrays, sizes, machine.line_bytes)
            for position, own in enumerate(facts):
                traffic = movement.traffic(position, rates)
                lazy = LazyPlan(function, own, machine, compiler)
                shown = f"{name}:{source.spans[own.kernel.origin].line}"
                yield (
                    shown,
                    Context(function, own, traffic, machine, 1, sizes, rates, {}, lazy),
                )


if __name__ == "__main__":
    sys.exit(main())
