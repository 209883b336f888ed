"""What the ECM model costs: ``ecm_cost.py POLYBENCH``.

CPU time of the model on every kernel of the ``kernel_*`` functions, LARGE_DATASET, with the core
plan made anew each time; facts and traffic, which all models share, are there. The least of several
repeats.
"""

import argparse
import statistics
import sys
import time

from bounds import contexts
from rooflint.core import LazyPlan
from rooflint.machine import builtin_dir, find_machine
from rooflint.plugin_api.hookspecs import Context
from rooflint_plugins.models.ecm.model import Ecm

MACHINES = ("sandybridge-ep-e5-2680", "skylake-sp-6148", "zen4-9654", "graviton4-c8g")
REPEATS = 7
TARGET_MS = 5.0
HEAVY = frozenset(("sympy", "numpy"))


def cost_ms(context: Context) -> float:
    """Of one kernel."""
    core = context.core
    assert core is not None
    found = float("inf")
    for _ in range(REPEATS):
        fresh = LazyPlan(context.function, context.facts, context.machine, core.compiler)
        begin = time.process_time()
        Ecm().predict(context.facts.kernel, context._replace(core=fresh))
        found = min(found, time.process_time() - begin)
    return 1000 * found


def main() -> int:
    """Prints the table; 1 when a kernel takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="POLYBENCH", help="PolyBench/C 4.2.1")
    folder = parser.parse_args().folder
    print("| machine | kernels | ms median | ms most | which |\n| --- | --: | --: | --: | --- |")
    missed = False
    for name in MACHINES:
        machine = find_machine(name, (builtin_dir(),))
        rows = [(cost_ms(context), shown) for shown, context in contexts(folder, machine)]
        most, which = max(rows)
        median = statistics.median([each for each, _ in rows])
        print(f"| {name} | {len(rows)} | {median:.2f} | {most:.2f} | {which} |")
        missed = missed or most > TARGET_MS
    print(f"\nimported: {', '.join(sorted(HEAVY & set(sys.modules))) or 'neither sympy nor numpy'}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
