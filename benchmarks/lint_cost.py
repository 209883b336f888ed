"""CPU time of the lint on PolyBench/C 4.2.1: ``lint_cost.py POLYBENCH [--rounds 5]``.

User and system time of the whole command and its children, least of several rounds, no results
kept, bytecode compiled before. Prints each kernel by itself less an empty file, the costliest
first, and five files at a time in one run: the aim is less than a second.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

FIVES = (
    "gemm jacobi-2d atax mvt heat-3d",
    "correlation covariance gemm gemver 2mm",
)


def cpu_seconds(files: Sequence[str], root: str, rounds: int) -> float:
    """Of ``rooflint lint`` on some files."""
    command = [sys.executable, "-m", "rooflint", "lint", "--no-cache", *files, "--",
               "-O3", "-march=native", f"-I{root}/utilities", "-DLARGE_DATASET"]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    found = []
    for _ in range(rounds + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=False, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(found[1:])


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    listed = Path(given.root, "utilities", "benchmark_list").read_text(encoding="utf-8").split()
    files = {Path(name).stem: os.path.join(given.root, name) for name in listed}
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.c")
        empty.write_text("int nothing;\n", encoding="utf-8")
        start_s = cpu_seconds([str(empty)], given.root, given.rounds)
    own = {n: cpu_seconds([f], given.root, given.rounds) - start_s for n, f in files.items()}
    costly = sorted(own, key=lambda name: -own[name])
    print(f"an empty file: {start_s * 1e3:.0f} ms; beyond that, parse included:")
    for name in costly:
        print(f"| {name} | {own[name] * 1e3:.0f} |")
    for five in (*FIVES, " ".join(costly[:5])):
        seconds = cpu_seconds([files[name] for name in five.split()], given.root, given.rounds)
        print(f"| {five.replace(' ', ', ')} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
