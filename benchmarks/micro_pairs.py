"""Does the edit pay? ``micro_pairs.py MACHINE.yaml`` on the machine that the file describes.

Each file in ``micro_pairs/`` holds a function before and after the change of one rule. Both are
compiled under five sets of flags and timed against each other, interleaved, the least of many
repetitions; beside the ratio stands what the rule says of the function before, from the same
source, flags and machine file. The file comes from ``rooflint machine probe``. One core.

    // rule: RL202 [words of the change that the pair makes]
    // call: A, B, h, n        arguments: arrays A to H, X of indices, h a number, one
    // size: cache n=2000      where the data is, and sizes; ``type:`` and ``flags:`` may follow
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias

from rooflint.analysis.bench import Bench
from rooflint.analysis.compilers import compiler_of
from rooflint.frontend.extract import extract
from rooflint.frontend.flag_reader import read_flags
from rooflint.frontend.request import Request
from rooflint.lint.files import lint_unit
from rooflint.lint.proposals import LintRule
from rooflint.lint_settings import LintSettings
from rooflint.machine import Machine, builtin_dir, load_machine
from rooflint.registry import load_registry, with_requested
from rooflint.rule import Match, UnitMatch
from rooflint.sizes import Given
from rooflint_plugins.rules import modules

HERE = Path(__file__).with_suffix("")
FLAGS = {
    "gcc -O2": ("gcc", "-O2"),
    "gcc -O3": ("gcc", "-O3", "-march=native"),
    "gcc -Ofast": ("gcc", "-Ofast", "-march=native"),
    "clang -O3": ("clang", "-O3", "-march=native"),
    "clang fast": ("clang", "-O3", "-march=native", "-ffast-math"),
}
CLANGS = ("clang", "clang-19", "clang-18", "clang-17", "clang-16")
PAYS = 1.1
WITHIN = 1.5
PLACED = ("-falign-functions=64", "-falign-loops=64", "-w")
"""Where code lies is not what a pair compares."""
HARNESS = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static __typeof__(before) *volatile one_way = before;
static __typeof__(after) *volatile other_way = after;
static double run(int which, int calls) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int k = 0; k < calls; k++) {
    if (which) other_way(CALL); else one_way(CALL);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / calls;
}
int main(int argc, char **argv) {
  n = atoi(argv[1]);
  size_t count = (size_t)(ELEMENTS) + 64;
  void **arrays[] = {&A, &B, &C, &D, &E, &F, &G, &H};
  for (int k = 0; k < ARRAYS; k++) {
    /* not at the same place in their pages, where stores look like the loads of other arrays */
    char *room = aligned_alloc(4096, (count * sizeof(REAL) + 4095) / 4096 * 4096 + 16384);
    REAL *p = *arrays[k] = (REAL *)(room + k * 1088);
    for (size_t i = 0; i < count; i++) p[i] = (REAL)(1 + (i * 7 % 11) / 16.0);
  }
  X = aligned_alloc(4096, (count * sizeof(int) + 4095) / 4096 * 4096);
  for (size_t i = 0; i < count; i++) X[i] = (int)((i * 7919u) % (unsigned)n);
  int calls = 1;
  while (run(0, calls) * calls < 3e4) calls *= 2;
  double least[2] = {1e30, 1e30}, spent = 0;
  for (int k = 0; k < 12 || (k < 3000 && spent < 0.2e9); k++) {
    for (int which = 0; which < 2; which++) {
      double ns = run(which, calls);
      spent += ns * calls;
      if (ns < least[which]) least[which] = ns;
    }
  }
  printf("%.9g %.9g\\n", least[0], least[1]);
}
"""
GLOBALS = "void *A, *B, *C, *D, *E, *F, *G, *H; int *X, n, one = 1; double h = 1.7;\n"


Measured: TypeAlias = dict[tuple[str, str, str], float]
Asked: TypeAlias = Callable[[object], Iterable[Match | UnitMatch]]


class Pair(NamedTuple):
    """One file: what stands in the comments of its head, and its text."""

    name: str
    text: str
    rule: str
    change: str
    call: str
    sizes: tuple[tuple[str, dict[str, int]], ...]
    types: tuple[str, ...]
    flags: tuple[str, ...]
    elements: str


class Row(NamedTuple):
    """One pair of one type and size under one set of flags.

    said    low and high of the predicted gain; None where the rule is silent
    guard   which of them keeps it silent
    """

    pair: str
    rule: str
    data: str
    flags: str
    measured: float
    said: tuple[float, float] | None
    guard: str

    @property
    def predicted(self) -> float:
        """The middle of what the models say, 1 where nothing is said."""
        return 1.0 if self.said is None else sqrt(self.said[0] * self.said[1])


def pairs(names: Iterable[str]) -> Iterator[Pair]:
    """The files, or those of them with such names."""
    wanted = set(names)
    for path in sorted(HERE.glob("*.c")):
        if wanted and path.stem not in wanted:
            continue
        text = path.read_text(encoding="utf-8")
        found: dict[str, list[str]] = {}
        for line in text.splitlines():
            if line.startswith("// ") and ": " in line:
                key, _, value = line[3:].partition(": ")
                found.setdefault(key, []).append(value)
        rule, _, change = found["rule"][0].partition(" ")
        sizes = []
        for size in found["size"]:
            place, *values = size.split()
            split = [value.split("=") for value in values]
            sizes.append((place, {name: int(number) for name, number in split}))
        yield Pair(
            path.stem,
            text,
            rule,
            change,
            found["call"][0],
            tuple(sizes),
            tuple(found.get("type", ["double"])),
            tuple(found.get("flags", [""])[0].split()),
            found.get("elements", ["n"])[0],
        )


class Only:
    """A rule with those of its changes that have some words in them."""

    def __init__(self, rule: LintRule, words: str) -> None:
        self._rule, self._words = rule, words

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self._rule, name)
        return partial(self._chosen, found) if name in ("match", "match_unit") else found

    def _chosen(self, ask: Asked, context: object) -> Iterator[Match | UnitMatch]:
        for found in ask(context):
            match = found if isinstance(found, Match) else found.match
            changes = tuple([c for c in match.changes if self._words in c.words])
            less = match._replace(changes=changes)
            if not match.changes or changes:
                yield less if isinstance(found, Match) else found._replace(match=less)


class Advisor:
    """What the lint says of a function."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.models = with_requested(load_registry(), ("ecm", "bounds", "roofline")).models
        self.rules = {p.rpartition(".")[2][:5].upper(): import_module(p).RULE for p in modules()}

    def asked(
        self, pair: Pair, kind: str, sizes: dict[str, int], command: tuple[str, ...]
    ) -> tuple[tuple[float, float] | None, str]:
        """The gain, or the guard that keeps the rule silent."""
        rule = self.rules.get(pair.rule)
        if rule is None:
            return None, "no rule"
        flags = read_flags((*command, *pair.flags, f"-DREAL={kind}"), "/", "/pair.c")
        text = pair.text.partition("void after(")[0]
        unit = extract(Request("/pair.c", flags, text.encode()))._replace(text=text)
        code = frozenset((pair.rule,))
        bench = Bench(
            machines=(self.machine,),
            models=self.models,
            shown=frozenset(model.name for model in self.models),
            sizes=Given("command line", sizes),
            configured=Given("configuration", {}),
            cores="1",
            configured_cores=None,
            rates={},
            compiler=compiler_of(flags.code),
            rules=(Only(rule, pair.change),),  # type: ignore[arg-type]
            lint=LintSettings(code, min_time_s=0.0),
        )
        result = lint_unit("/pair.c", unit, bench)
        if result.internal:
            raise SystemExit(f"{pair.name}: {result.internal[0]}")
        gains = [finding.gain for finding in result.report.findings if finding.gain]
        if gains:
            best = max(gains)
            return (best.low, best.high), ""
        notes = "note" if result.report.findings else "no match"
        return None, next((each.guard for each in result.report.silent), notes)


def compiled(pair: Pair, kind: str, command: tuple[str, ...], folder: Path, name: str) -> Path:
    """The program that times a pair."""
    compiler = command[0]
    if compiler == "clang":
        compiler = next(each for each in CLANGS if shutil.which(each))
    arrays = sum(letter in pair.call.replace(" ", "").split(",") for letter in "ABCDEFGH")
    source = folder / f"{name}.c"
    source.write_text(GLOBALS + pair.text + HARNESS, encoding="utf-8")
    defines = {"REAL": kind, "CALL": pair.call, "ELEMENTS": pair.elements, "ARRAYS": arrays}
    options = [f"-D{key}={value}" for key, value in defines.items()]
    program = folder / name
    subprocess.run(
        [compiler, *command[1:], *pair.flags, *options, *PLACED, source, "-o", program, "-lm"],
        check=True,
    )
    return program


def timed(program: Path, n: int, runs: int) -> float:
    """Time before over time after: of several runs the one with the shortest times."""
    shortest = [float("inf"), float("inf")]
    for _ in range(runs):
        out = subprocess.run([program, str(n)], check=True, capture_output=True, text=True).stdout
        shortest = [min(pair) for pair in zip(shortest, map(float, out.split()), strict=True)]
    return shortest[0] / shortest[1]


class Job(NamedTuple):
    """A pair of one type under one set of flags."""

    pair: Pair
    kind: str
    label: str

    @property
    def title(self) -> str:
        """The name in the table."""
        return self.pair.name if len(self.pair.types) == 1 else f"{self.pair.name} {self.kind}"


def measured(jobs: Iterable[Job], runs: int) -> Measured:
    """Time before over time after, by title, data and flags."""
    found: Measured = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as workers:
        building = []
        for job in jobs:
            name = f"{job.pair.name}-{job.kind}-{job.label.replace(' ', '')}"
            command = FLAGS[job.label]
            built = workers.submit(compiled, job.pair, job.kind, command, Path(folder), name)
            building.append((job, built))
        programs = [(job, built.result()) for job, built in building]
        for job, program in programs:
            for place, sizes in job.pair.sizes:
                data = f"{place} {sizes['n']}"
                ratio = timed(program, sizes["n"], runs)
                found[job.title, data, job.label] = ratio
                print(f"{job.title:24} {data:16} {job.label:11} {ratio:.2f}", file=sys.stderr)
    return found


def rows(machine: Machine, jobs: Iterable[Job], known: Measured) -> Iterator[Row]:
    """What was measured, with what is predicted."""
    advisor = Advisor(machine)
    for job in jobs:
        for place, sizes in job.pair.sizes:
            data = f"{place} {sizes['n']}"
            ratio = known.get((job.title, data, job.label))
            if ratio is not None:
                said, guard = advisor.asked(job.pair, job.kind, sizes, FLAGS[job.label])
                yield Row(job.title, job.pair.rule, data, job.label, ratio, said, guard)


def _said(row: Row) -> str:
    if row.said is None:
        return f"– ({row.guard})"
    low, high = row.said
    return f"{low:.1f}" if high < 1.1 * low else f"{low:.1f}–{high:.1f}"


def table(found: list[Row]) -> Iterator[str]:
    """Rows of pairs and data, columns of flags: measured / predicted."""
    yield "| pair | rule | data | " + " | ".join(FLAGS) + " |"
    yield "| --- | --- | --- |" + " --: |" * len(FLAGS)
    keys = dict.fromkeys([(row.pair, row.rule, row.data) for row in found])
    for key in keys:
        cells = {row.flags: row for row in found if (row.pair, row.rule, row.data) == key}
        texts = []
        for label in FLAGS:
            row = cells.get(label)
            said = "–" if row is None or row.said is None else _said(row)
            texts.append(f"{row.measured:.2f} / {said}" if row else "")
        yield f"| {' | '.join(key)} | {' | '.join(texts)} |"


def summary(found: list[Row]) -> Iterator[str]:
    """The figures that count, and the rows that are off."""
    rated = [row for row in found if row.rule != "none"]
    wrong = [r for r in rated if r.said and r.data.startswith("cache") and r.measured <= PAYS]
    yield f"findings where a change in cache gains at most {PAYS}x: {len(wrong)}"
    yield from map(_line, wrong)
    for place, near in (("in cache", True), ("in memory", False)):
        some = [row for row in rated if row.data.startswith("memory") != near]
        said = [row for row in some if row.said is not None]
        off = [r for r in said if not 1 / WITHIN <= r.predicted / r.measured <= WITHIN]
        same = [
            r.measured for r in found if r.rule == "none" and r.data.startswith("memory") != near
        ]
        if same:
            yield f"{place}, the same code twice: {min(same):.2f} to {max(same):.2f}"
        if said:
            share = 100 * (len(said) - len(off)) / len(said)
            yield (
                f"{place}, predicted / measured within {WITHIN}x: {len(said) - len(off)} of"
                f" {len(said)} findings ({share:.0f} %)"
            )
            yield from map(_line, off)
        if len(said) > 2:
            order = f"findings {_ranked(said):.2f}, all {_ranked(some):.2f}"
            yield f"{place}, rank correlation: {order}"
    said = [row for row in rated if row.said is not None]
    yield f"everywhere, rank correlation: findings {_ranked(said):.2f}, all {_ranked(rated):.2f}"


def _line(row: Row) -> str:
    return f"  {row.pair}, {row.data}, {row.flags}: {row.measured:.2f}, said {_said(row)}"


def _ranked(found: list[Row]) -> float:
    """Spearman's rank correlation of measured and predicted gains; 0 for fewer than three."""
    if len(found) < 3:
        return 0.0

    def ranks(values: list[float]) -> list[float]:
        ordered = sorted(values)
        return [statistics.mean(k for k, v in enumerate(ordered) if v == value) for value in values]

    return statistics.correlation(
        ranks([r.measured for r in found]), ranks([r.predicted for r in found])
    )


def main() -> None:
    """Runs everything and prints the table and the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", type=Path, help="from 'rooflint machine probe -o MACHINE.yaml'")
    parser.add_argument("pairs", nargs="*", help="names of files without .c; all unless given")
    parser.add_argument("--runs", type=int, default=4, help="of each program (4)")
    parser.add_argument("--json", type=Path, help="write the rows there too")
    parser.add_argument("--measured", type=Path, help="rows of an earlier run: nothing is timed")
    arguments = parser.parse_args()
    machine = load_machine(arguments.machine, [builtin_dir()])
    jobs = [
        Job(pair, kind, label)
        for pair in pairs(arguments.pairs)
        for kind in pair.types
        for label in FLAGS
    ]
    if arguments.measured:
        earlier = json.loads(arguments.measured.read_text())
        known = {(r["pair"], r["data"], r["flags"]): float(r["measured"]) for r in earlier}
    else:
        known = measured(jobs, arguments.runs)
    found = list(rows(machine, jobs, known))
    if arguments.json:
        arguments.json.write_text(json.dumps([row._asdict() for row in found], indent=1))
    print("\n".join([*table(found), "", *summary(found)]))


if __name__ == "__main__":
    main()
