"""Misses that valgrind's cachegrind counts in a compiled program, per function."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

COMPILER_FLAGS = ("-O1", "-fno-inline", "-g0", "-no-pie")


class Misses(NamedTuple):
    """Data misses of one function: lines into the first level and into the last."""

    d1_loads: int
    d1_stores: int
    ll_loads: int
    ll_stores: int

    @property
    def d1(self) -> int:
        return self.d1_loads + self.d1_stores

    @property
    def ll(self) -> int:
        return self.ll_loads + self.ll_stores


class Shape(NamedTuple):
    """A cache as cachegrind's options describe it."""

    size_bytes: int
    ways: int
    line_bytes: int = 64

    def __str__(self) -> str:
        return f"{self.size_bytes},{self.ways},{self.line_bytes}"


def missing_tools() -> str:
    """The programs that this needs and the machine lacks; empty when all are there."""
    return " and ".join(name for name in ("gcc", "valgrind") if shutil.which(name) is None)


def compile_c(sources: Sequence[Path], program: Path, flags: Iterable[str] = ()) -> None:
    """``gcc`` at -O1 without inlining. Raises CalledProcessError, its output in ``stderr``."""
    command = ["gcc", *COMPILER_FLAGS, *flags, *map(str, sources), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)


def run(
    program: Path, first: Shape, last: Shape, seconds: float = 600
) -> tuple[dict[str, Misses], str]:
    """Misses by function name, and what the program printed to stderr.

    Raises CalledProcessError or TimeoutExpired.
    """
    out = program.with_suffix(".cachegrind")
    command = [
        "valgrind",
        "-q",
        "--tool=cachegrind",
        "--cache-sim=yes",
        f"--cachegrind-out-file={out}",
        "--I1=32768,8,64",
        f"--D1={first}",
        f"--LL={last}",
        str(program),
    ]
    done = subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=seconds,
        env={**os.environ, "LC_ALL": "C"},
    )
    return read_misses(out.read_text(encoding="utf-8", errors="replace")), done.stderr


def read_misses(text: str) -> dict[str, Misses]:
    """The sums per function of a cachegrind output file; suffixes of clones are dropped."""
    columns: list[int] = []
    sums: dict[str, list[int]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("events:"):
            names = line.split()[1:]
            columns = [names.index(event) for event in ("D1mr", "D1mw", "DLmr", "DLmw")]
        elif line.startswith("fn="):
            name = line[3:].partition(".")[0]
        elif line[:1].isdigit():
            counts = line.split()[1:]
            total = sums.setdefault(name, [0, 0, 0, 0])
            for position, column in enumerate(columns):
                total[position] += int(counts[column]) if column < len(counts) else 0
    return {name: Misses(*total) for name, total in sums.items()}
