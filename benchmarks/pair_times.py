"""Two functions timed against each other: interleaved, the 10th percentile of many repetitions.

The least would be a fault of the clock: the time that a virtual machine takes from a process is
subtracted from its CPU time in steps.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeAlias

FLAGS = {
    "gcc -O2": ("gcc", "-O2"),
    "gcc -O3": ("gcc", "-O3", "-march=native"),
    "gcc -Ofast": ("gcc", "-Ofast", "-march=native"),
    "clang -O3": ("clang", "-O3", "-march=native"),
    "clang fast": ("clang", "-O3", "-march=native", "-ffast-math"),
}
CLANGS = ("clang", "clang-19", "clang-18", "clang-17", "clang-16")
PLACED = ("-falign-functions=64", "-falign-loops=64", "-w")
"""Where code lies is not what a pair compares."""
TIMER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static __typeof__(before) *volatile one_way = before;
static __typeof__(after) *volatile other_way = after;
static double run(int which, int calls) {
  struct timespec start, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  for (int k = 0; k < calls; k++) {
    if (which) other_way(CALL); else one_way(CALL);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / calls;
}
static int rising(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}
int main(int argc, char **argv) {
  SIZE = atoi(argv[1]);
  SETUP
  int calls = 1;
  while (run(0, calls) * calls < 3e4) calls *= 2;
  static double all[2][3000];
  double spent = 0;
  int k = 0;
  for (; k < 12 || (k < 3000 && spent < 0.2e9); k++) {
    for (int which = 0; which < 2; which++) {
      all[which][k] = run(which, calls);
      spent += all[which][k] * calls;
    }
  }
  for (int which = 0; which < 2; which++) qsort(all[which], k, sizeof(double), rising);
  printf("%.9g %.9g\\n", all[0][k / 10], all[1][k / 10]);
}
"""
Measured: TypeAlias = dict[tuple[str, str, str], float]


class Question(NamedTuple):
    """What the lint is asked of: a rule, changes with some words in them, a source as compiled."""

    rule: str
    change: str
    path: str
    text: str
    command: tuple[str, ...]


class Job(NamedTuple):
    """A pair under one set of flags.

    sizes  what the table calls the data, and sizes by name, the one that is timed first
    build  makes the program in a folder
    """

    title: str
    label: str
    sizes: tuple[tuple[str, dict[str, int]], ...]
    question: Question
    build: Callable[[Path], Path]


def timer(call: str, size: str, setup: str) -> str:
    """The rest of a program that declares ``before`` and ``after``, and a global ``size``.

    setup  statements that make what the arguments in ``call`` name
    """
    return TIMER.replace("CALL", call).replace("SIZE", size).replace("SETUP", setup)


def compiled(command: Sequence[str], sources: Iterable[str | Path], program: Path) -> Path:
    """The program, each source by itself, by the compiler that the first word means here."""
    compiler = command[0]
    if compiler == "clang":
        compiler = next(each for each in CLANGS if shutil.which(each))
    words = [compiler, *command[1:], *PLACED, *map(str, sources), "-o", str(program), "-lm"]
    subprocess.run(words, check=True)
    return program


def timed(program: Path, sizes: Iterable[int], runs: int) -> tuple[float, float]:
    """Nanoseconds of a call before and after: the shortest of several runs."""
    shortest = [float("inf"), float("inf")]
    command = [str(program), *map(str, sizes)]
    for _ in range(runs):
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        shortest = [min(pair) for pair in zip(shortest, map(float, out.split()), strict=True)]
    return shortest[0], shortest[1]


def measured(jobs: Iterable[Job], runs: int) -> Measured:
    """Time before over time after, by title, data and flags."""
    found: Measured = {}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as workers:
        building = []
        for number, job in enumerate(jobs):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            building.append((job, workers.submit(job.build, folder)))
        programs = [(job, built.result()) for job, built in building]
        for job, program in programs:
            for data, sizes in job.sizes:
                before, after = timed(program, sizes.values(), runs)
                ratio = before / after
                found[job.title, data, job.label] = ratio
                print(f"{job.title:24} {data:16} {job.label:11} {ratio:.2f}", file=sys.stderr)
    return found
