"""What the traffic of one kernel costs: ``kernel_traffic.py KERNCRAFT/examples/kernels``.

For each of kerncraft's example kernels: CPU time of the traffic on every link of Sandy Bridge, the
same with every size a thousand times as large, and of its regimes and blocks; the best of several
repeats, in one process, from facts on. With ``--kerncraft PROGRAM MACHINE.yml`` the CPU time of its
layer-condition analysis (``-p LC``) beside it, a process of its own, as it is used.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rooflint.compile_flags.flags import Flags
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.scenario.sizes import Size, Sizes

DIMENSIONS = {1: 1_000_000, 2: 1000, 3: 200}
"""Sizes by the number of loops."""
TIMES_LARGER = 1000
TARGET_MS, REGIMES_TARGET_MS = 5.0, 100.0


class Cost(NamedTuple):
    """Milliseconds of CPU; ``kerncraft_ms`` None where it was not asked or refused."""

    name: str
    traffic_ms: float
    larger_ms: float
    regimes_ms: float
    kerncraft_ms: float | None


def function_of(kernel: Path, folder: Path) -> Function:
    """The kernel, a fragment without a function, as the body of one with its sizes."""
    text = kernel.read_text(encoding="utf-8")
    file = folder / f"{kernel.stem}.c"
    file.write_text(f"void kernel(int L, int M, int N)\n{{\n{text}\n}}\n", encoding="utf-8")
    [source] = extract(Request(str(file), Flags("c", None, ()))).functions
    return source.function


def movement(function: Function, facts: tuple[KernelFacts, ...], size: int) -> FunctionTraffic:
    """A fresh analysis at one size for every name."""
    values = dict.fromkeys(sorted({name for each in facts for name in each.names}), size)
    by_name = {name: Size(value, "command line") for name, value in values.items()}
    arrays = {array.name: array for array in function.arrays}
    return FunctionTraffic(facts, arrays, Sizes(by_name, values), 64)


def best_ms(work: Callable[[], object], repeats: int) -> float:
    """The shortest CPU time."""
    found = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        found = min(found, time.process_time() - begin)
    return 1000 * found


def kerncraft_ms(program: str, machine: str, kernel: Path, size: int) -> float | None:
    """CPU of one call; None when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    sizes = [word for name in "LMN" for word in ("-D", name, str(size))]
    command = [program, "-p", "LC", "-m", machine, *sizes, str(kernel)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / kernel.name
        copy.write_bytes(kernel.read_bytes())
        command[-1] = str(copy)
        failed = subprocess.run(command, capture_output=True, check=False).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return None if failed else 1000 * spent


def cost(kernel: Path, options: argparse.Namespace, folder: Path) -> Cost:
    """All of one kernel."""
    function = function_of(kernel, folder)
    facts = facts_of(function)
    rates = Rates(find_machine("sandybridge-ep-e5-2680", (builtin_dir(),)), 1)
    depth = max(len(each.kernel.loops) for each in facts)
    size = DIMENSIONS[min(depth, max(DIMENSIONS))]

    def traffic(size: int) -> Callable[[], object]:
        def work() -> None:
            fresh = movement(function, facts, size)
            for position in range(len(facts)):
                fresh.traffic(position, rates)

        return work

    fresh = movement(function, facts, size)
    last = len(facts) - 1
    theirs = None
    if options.kerncraft:
        program, machine = options.kerncraft
        theirs = kerncraft_ms(program, machine, kernel, size)
    return Cost(
        kernel.stem,
        best_ms(traffic(size), options.repeats),
        best_ms(traffic(size * TIMES_LARGER), options.repeats),
        best_ms(lambda: fresh.regimes(last, rates), options.repeats),
        theirs,
    )


def main() -> int:
    """Prints the table; 1 when a kernel exceeds a target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernels", type=Path, metavar="DIR")
    parser.add_argument("--kerncraft", nargs=2, metavar=("PROGRAM", "MACHINE"))
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print("| kernel | traffic ms | sizes x 1000 | regimes ms | kerncraft -p LC ms |")
    print("| --- | --: | --: | --: | --: |")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for kernel in sorted(options.kernels.glob("*.c")):
            try:
                found = cost(kernel, options, Path(folder))
            except ValueError as error:
                print(f"{kernel.name}: {error}", file=sys.stderr)
                continue
            theirs = "" if found.kerncraft_ms is None else f"{found.kerncraft_ms:.0f}"
            if options.kerncraft and not theirs:
                theirs = "refused"
            print(
                f"| {found.name} | {found.traffic_ms:.2f} | {found.larger_ms:.2f} "
                f"| {found.regimes_ms:.2f} | {theirs} |"
            )
            missed = missed or max(found.traffic_ms, found.larger_ms) > TARGET_MS
            missed = missed or found.regimes_ms > REGIMES_TARGET_MS
    print(f"\ntargets: {TARGET_MS:g} ms traffic, {REGIMES_TARGET_MS:g} ms regimes")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
