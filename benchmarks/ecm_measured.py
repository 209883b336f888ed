"""ECM against time: ``ecm_measured.py MACHINE.yaml``, on the machine that the file describes.

The file comes from ``rooflint machine probe``. Streaming kernels are compiled with each compiler
and timed with data in L1, in L2 and in memory; beside it what the ECM model predicts for data there
from the same source, file, flags and compiler. One core; large pages, as the probe has them. All is
timed over and over, and the best counts: other work on the machine comes and goes.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rooflint.machine import builtin_dir
from rooflint.machine.load import load_machine

FLAGS = ("-O3", "-march=native", "-ffast-math")
NO_CALLS = {"gcc": "-fno-tree-loop-distribute-patterns", "clang": "-fno-builtin"}
"""So that a copy stays a loop."""
ARRAYS = "int n, double *restrict a, const double *restrict b, const double *restrict c, double s"
KERNELS = {  # body, arrays in use
    "copy": ("a[i] = b[i];", 2),
    "scale": ("a[i] = s * b[i];", 2),
    "add": ("a[i] = b[i] + c[i];", 3),
    "triad": ("a[i] = b[i] + s * c[i];", 3),
    "daxpy": ("a[i] = a[i] + s * b[i];", 2),
    "update": ("a[i] = s * a[i];", 1),
    "sum": ("t += b[i];", 1),
    "dot": ("t += b[i] * c[i];", 2),
}
PER_LINE = 8
ELEMENTS, SAMPLES = 2_000_000, 9
DRIVER = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
double run(KERNEL_PARAMETERS);
static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int count, char **words)
{
  int n = atoi(words[1]), repeats = atoi(words[2]), samples = atoi(words[3]);
  size_t all = 3 * (size_t)n + 3 * 1024, large = 1 << 21;
  double *x = aligned_alloc(large, (all * 8 + large - 1) / large * large);
  madvise(x, all * 8, MADV_HUGEPAGE);
  /* the arrays start at different places of a page */
  double *a = x, *b = x + n + 512 + 64, *c = b + n + 512 + 64, best = 1e30, sum = 0;
  for (size_t i = 0; i < all; i++) x[i] = 1.0;
  for (int k = 0; k < samples; k++) {
    double begin = now();
    for (int r = 0; r < repeats; r++) sum += run(n, a, b, c, 1.0);
    double spent = (now() - begin) / repeats / n;
    if (spent < best) best = spent;
  }
  printf("%.6e %g\\n", best, sum);
  return count > 9;
}
"""


class Timed(NamedTuple):
    """A kernel with data in one place: how to run it, and what a line of work should take."""

    compiler: str
    kernel: str
    level: str
    command: tuple[str, ...]
    predicted: float


def source_of(name: str) -> str:
    """The kernel as a function."""
    body, _ = KERNELS[name]
    return (
        f"double run({ARRAYS}) {{\n  double t = 0;\n"
        f"  for (int i = 0; i < n; i++)\n    {body}\n  return t;\n}}\n"
    )


def predicted(file: Path, machine: Path, compiler: str) -> dict[str, float]:
    """T_ECM by level."""
    program = str(Path(sys.executable).with_name("analyze"))
    command = [program, str(file), "--machine", str(machine), "--model", "ecm", "--format", "json"]
    command += ["--compiler", compiler]
    done = subprocess.run([*command, "--", *FLAGS], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    [nest] = report["files"][0]["functions"][0]["nests"]
    [prediction] = nest["kernels"][0]["results"][0]["predictions"]
    levels: dict[str, float] = prediction["data"]["T_ECM"]
    return levels


def prepared(folder: Path, compiler: str, machine: Path) -> Iterator[Timed]:
    """Every kernel in every place, compiled."""
    loaded = load_machine(machine, (builtin_dir(),))
    sizes = {cache.level: cache.size_bytes for cache in loaded.caches}
    places = {"L1": sizes["L1"] // 2, "L2": sizes["L2"] // 2, "MEM": 4 * max(sizes.values())}
    driver = folder / "driver.c"
    driver.write_text(DRIVER.replace("KERNEL_PARAMETERS", ARRAYS), encoding="utf-8")
    for kernel, (_, arrays) in KERNELS.items():
        file, binary = folder / f"{kernel}.c", folder / f"{kernel}-{Path(compiler).name}"
        file.write_text(source_of(kernel), encoding="utf-8")
        calls = NO_CALLS["clang" if "clang" in compiler else "gcc"]
        command = [compiler, *FLAGS, calls, str(file), str(driver), "-o", str(binary)]
        subprocess.run(command, check=True)
        levels = predicted(file, machine, compiler)
        for level, size in places.items():
            n = size // (8 * arrays) // 64 * 64
            words = (str(binary), str(n), str(max(1, ELEMENTS // n)), str(SAMPLES))
            yield Timed(compiler, kernel, level, words, levels[level])


def measured(timed: list[Timed], rounds: int, clock_ghz: float) -> list[float]:
    """Cycles per line of work, the least of all rounds."""
    best = [float("inf")] * len(timed)
    for _ in range(rounds):
        for number, one in enumerate(timed):
            done = subprocess.run(one.command, capture_output=True, text=True, check=True)
            cycles = float(done.stdout.split()[0]) * clock_ghz * 1e9 * PER_LINE
            best[number] = min(best[number], cycles)
    return best


def main() -> int:
    """Measures, predicts, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", type=Path)
    parser.add_argument("--cc", action="append", help="gcc and clang-19 unless given")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    compilers = options.cc or ["gcc", "clang-19"]
    for name in compilers:
        if shutil.which(name) is None:
            print(f"needs a C compiler ({name})", file=sys.stderr)
            return 2
    clock_ghz = load_machine(options.machine, (builtin_dir(),)).clock_ghz
    with tempfile.TemporaryDirectory() as name:
        timed = [one for cc in compilers for one in prepared(Path(name), cc, options.machine)]
        cycles = dict(zip(timed, measured(timed, options.rounds, clock_ghz), strict=True))
    heads = " | ".join([f"{cc} measured | ECM | error" for cc in compilers])
    print(f"| kernel | data in | {heads} |")
    print("| --- | --- |" + " --: |" * (3 * len(compilers)))
    errors: dict[str, list[float]] = {cc: [] for cc in compilers}
    for first in timed[: len(timed) // len(compilers)]:
        cells = [first.kernel, first.level]
        for one in timed:
            if (one.kernel, one.level) == (first.kernel, first.level):
                error = one.predicted / cycles[one] - 1
                errors[one.compiler].append(abs(error))
                cells += [f"{cycles[one]:.2f}", f"{one.predicted:.2f}", f"{100 * error:+.0f} %"]
        print(f"| {' | '.join(cells)} |")
    for cc, found in errors.items():
        print(f"\n{cc}: median error {100 * statistics.median(found):.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
