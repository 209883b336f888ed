"""What the hybrid model costs: ``hybrid.py [--machine NAME]... [FILE.c]...``.

CPU time of one answer for a loop, the least of several repeats, and of the symbolic balance of
every procedure file in ``examples/procedures``. Exits with 1 when a target is missed.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from rooflint.errors import ConfigurationError
from rooflint.facts import facts_of
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline import Options
from rooflint.pipeline.front_end import unit_of
from rooflint.pipeline.on_machine import NestSubject, OnMachine
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.prediction import Prediction
from rooflint.registry import load_registry
from rooflint_plugins.models.hybrid.evaluate.balance_formula import balance_equation
from rooflint_plugins.models.hybrid.evaluate.evaluator import estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import system_of
from rooflint_plugins.models.hybrid.model import Hybrid
from rooflint_plugins.models.hybrid.procedure.load import load_procedures

LOOP_TARGET_S, BALANCE_TARGET_S = 0.01, 0.2
REPEATS = 5
MACHINES = ("titan-node", "vm7", "cell-spe", "mi300a", "gh200")
EXAMPLES = Path(__file__).parents[1] / "examples"


def least(measured: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        measured()
        times.append(time.process_time() - start)
    return min(times)


def loops(paths: list[str], machine: str) -> Iterator[tuple[str, float]]:
    """Every loop that the model answers, with the time of the answer."""
    options = Options(machines=(machine,), models=("hybrid",))
    benches = SetupResolver(options, load_registry(search_path=()))
    model = Hybrid()
    for path in paths:
        bench = benches.setup_for(path)
        for source in unit_of(path, options).functions:
            facts = facts_of(source.function)
            if not facts:
                continue
            on = OnMachine(NestSubject(source, facts, (), None), bench, bench.machines[0])
            for each in facts:
                context = on.context(each, on.sizes([each]))
                if isinstance(model.predict(each.kernel, context), Prediction):
                    name = f"{Path(path).name} {source.function.name}"
                    yield name, least(partial(model.predict, each.kernel, context))


def procedures() -> Iterator[ProcedureEstimate]:
    """The procedure files, each on the first machine that it is for."""
    systems = [system_of(find_machine(name, [builtin_dir()])) for name in MACHINES]
    for path in sorted((EXAMPLES / "procedures").glob("*.yaml")):
        for procedure in load_procedures(path):
            for system in systems if procedure.stages else ():
                with suppress(ConfigurationError):
                    yield estimate(procedure, system)
                    break


def main() -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--machine", action="append", dest="machines")
    given = parser.parse_args()
    paths = given.files or sorted(map(str, EXAMPLES.glob("*.c")))
    missed = False
    for machine in given.machines or MACHINES:
        for name, seconds in loops(paths, machine):
            missed |= seconds > LOOP_TARGET_S
            print(f"{machine:12s} {name:40s} {1e3 * seconds:8.2f} ms")
    for found in procedures():
        seconds = least(partial(balance_equation, found, "BW"))
        missed |= seconds > BALANCE_TARGET_S
        print(f"balance      {found.procedure.name:40s} {1e3 * seconds:8.2f} ms")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
