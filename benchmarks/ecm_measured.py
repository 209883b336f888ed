"""ECM against time: ``ecm_measured.py MACHINE.yaml``, on the machine that the file describes.

The file comes from ``rooflint machine probe``. Streaming kernels are compiled with the host's
compiler and timed with data in L1, in L2 and in memory (the best of several samples); beside it
what the ECM model predicts for data there from the same source, file and flags. One core.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from rooflint.machine import builtin_dir, load_machine

FLAGS = ("-O3", "-march=native", "-ffast-math", "-fno-tree-loop-distribute-patterns")
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
DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
  double *x = aligned_alloc(4096, (3 * (size_t)n * 8 + 3 * 8192 + 4095) / 4096 * 4096);
  double *a = x, *b = x + n + 512, *c = b + n + 512, best = 1e30, sum = 0;
  for (size_t i = 0; i < 3 * (size_t)n + 1024; i++) x[i] = 1.0;
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


class Row(NamedTuple):
    """Cycles per line of work: measured, predicted."""

    kernel: str
    level: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """Relative to what was measured."""
        return (self.predicted - self.measured) / self.measured


def source_of(name: str) -> str:
    """The kernel as a function."""
    body, _ = KERNELS[name]
    return (
        f"double run({ARRAYS}) {{\n  double t = 0;\n"
        f"  for (int i = 0; i < n; i++)\n    {body}\n  return t;\n}}\n"
    )


def predicted(program: str, file: Path, machine: Path) -> dict[str, float]:
    """T_ECM by level."""
    command = [program, str(file), "--machine", str(machine), "--model", "ecm", "--format", "json"]
    done = subprocess.run([*command, "--", *FLAGS], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    [nest] = report["files"][0]["functions"][0]["nests"]
    [prediction] = nest["kernels"][0]["results"][0]["predictions"]
    levels: dict[str, float] = prediction["data"]["T_ECM"]
    return levels


def main() -> int:
    """Measures, predicts, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", type=Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--samples", type=int, default=15)
    options = parser.parse_args()
    analyze = str(Path(sys.executable).with_name("analyze"))
    if shutil.which(options.cc) is None:
        print(f"needs a C compiler ({options.cc})", file=sys.stderr)
        return 2
    machine = load_machine(options.machine, (builtin_dir(),))
    sizes = {cache.level: cache.size_bytes for cache in machine.caches}
    last = max(sizes.values())
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        driver = folder / "driver.c"
        driver.write_text(DRIVER.replace("KERNEL_PARAMETERS", ARRAYS), encoding="utf-8")
        for kernel, (_, arrays) in KERNELS.items():
            file, binary = folder / f"{kernel}.c", folder / kernel
            file.write_text(source_of(kernel), encoding="utf-8")
            command = [options.cc, *FLAGS, str(file), str(driver), "-o", str(binary)]
            subprocess.run(command, check=True)
            levels = predicted(analyze, file, options.machine)
            for level, bytes_ in (
                ("L1", sizes["L1"] // 2), ("L2", sizes["L2"] // 2), ("MEM", 4 * last)
            ):  # fmt: skip
                n = bytes_ // (8 * arrays) // 64 * 64
                repeats = max(1, 4_000_000 // n)
                words = [str(binary), str(n), str(repeats), str(options.samples)]
                out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
                measured = float(out.split()[0]) * machine.clock_ghz * 1e9 * 8
                rows.append(Row(kernel, level, measured, levels[level]))
    print("| kernel | data in | measured cy/CL | ECM cy/CL | error |")
    print("| --- | --- | --: | --: | --: |")
    for row in rows:
        print(
            f"| {row.kernel} | {row.level} | {row.measured:.2f} | {row.predicted:.2f} "
            f"| {100 * row.error:+.0f} % |"
        )
    errors = [abs(row.error) for row in rows]
    print(f"\nmedian error {100 * statistics.median(errors):.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
