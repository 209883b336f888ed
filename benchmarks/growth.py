"""How the cost of one function grows with its loops: ``growth.py [--most 80]``, Markdown on stdout.

CPU time of ``analyze`` and ``lint`` of generated files, less that of a file without loops; each has
one function with so many nests one behind the other. The exponent is that of the time in the nests
over the last doubling. Exits with 1 where one is above the target.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Final

TARGET: Final = 1.3
REPEATS: Final = 2
HEAD: Final = "void f(int n, int m, int k, const int *row, const int *col, double *restrict y)\n"


def streams(number: int) -> str:
    """A sum of two arrays of its own."""
    array = f"a{number % 6}"
    return f"  for (int i = 0; i < n; i++) {array}[i] = {array}[i] * 2.5 + b{number % 3}[i];\n"


def stencils(number: int) -> str:
    """Two loops over arrays that the nests before left in a cache."""
    one, other = f"g{number % 4}", f"g{(number + 1) % 4}"
    return (
        f"  for (int i = 1; i < 999; i++)\n    for (int j = 1; j < 999; j++)\n"
        f"      {one}[i][j] = 0.25 * ({other}[i][j - 1] + {other}[i - 1][j]) + {number}.5;\n"
    )


def guesses(number: int) -> str:
    """Rows of run-time length, and sizes that nobody tells."""
    return (
        f"  for (int i = 0; i < n; i++)\n    for (int j = row[i]; j < row[i + 1]; j++)\n"
        f"      y[i] += a{number % 6}[j] * b{number % 3}[col[j]];\n"
    )


def branches(number: int) -> str:
    """A loop whose data decide between two sides."""
    return (
        f"  for (int i = 0; i < m; i++) {{\n    if (a{number % 6}[i] > {number}.5)\n"
        f"      y[i] = a{number % 6}[i];\n    else\n      b{number % 3}[i] = 0.5 * y[i];\n  }}\n"
    )


KINDS: Final[tuple[Callable[[int], str], ...]] = (streams, stencils, guesses, branches)


def source(kind: Callable[[int], str], nests: int) -> str:
    """A file whose one function has so many nests."""
    plain = "".join([f"double a{n}[4000], b{n}[4000];\n" for n in range(6)])
    grids = "".join([f"double g{n}[1000][1000];\n" for n in range(4)])
    return f"{plain}{grids}{HEAD}{{\n{''.join(map(kind, range(nests)))}}}\n"


def cpu_seconds(command: str, path: str) -> float:
    """Of a command and its children; no results kept."""
    program = "from rooflint.cli.main import main; main()"
    words = [sys.executable, "-P", "-c", program, command, path, "--no-cache", "--jobs", "1"]
    best = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=False, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        best = min(best, cpu_s)
    return best


def main() -> int:
    """The table; 1 when an exponent is above the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=80, help="nests of the largest function")
    given = parser.parse_args()
    counts = [given.most // 4, given.most // 2, given.most]
    worst = 0.0
    print(f"| command | nests | {' | '.join([f'{n}, s' for n in counts])} | exponent |")
    print(f"|---|---|{'--:|' * (len(counts) + 1)}")
    with tempfile.TemporaryDirectory() as folder:
        for command in ("analyze", "lint"):
            for kind in KINDS:
                seconds = []
                for nests in (0, *counts):
                    path = os.path.join(folder, f"{kind.__name__}{nests}.c")
                    Path(path).write_text(source(kind, nests), encoding="ascii")
                    seconds.append(cpu_seconds(command, path))
                own = [each - seconds[0] for each in seconds[1:]]
                exponent = log2(own[-1] / own[-2])
                worst = max(worst, exponent)
                cells = " | ".join([f"{each:.2f}" for each in own])
                print(f"| {command} | {kind.__name__} | {cells} | {exponent:.2f} |", flush=True)
    print(f"\nthe worst exponent is {worst:.2f}, the target {TARGET}")
    return int(worst > TARGET)


if __name__ == "__main__":
    sys.exit(main())
