"""Changed kernels of PolyBench/C against the originals: ``transformed_polybench.py POLYBENCH``.

Each change that a rule proposes, alone and in chains of two, is written as C from the transformed
nest, compiled with gcc, run at MINI sizes, and what it prints compared: the same bits, or, for
changes that say so, the same within rounding. With ``--all`` every change of every loop
that its test of legality allows, whether it pays or not. As a control the nest is also written
unchanged.
"""

import argparse
import math
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from changed_code import Made, Refusal, Variant, legal, parsed, proposed, variants
from rooflint.ir import Unit

EXACT_PRINT = """#include <stdarg.h>
#include <stdio.h>
#include <string.h>
int __wrap_fprintf(FILE *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (strncmp(format, "%0.2", 4) == 0)
    format = "%a ";
  int written = vfprintf(to, format, list);
  va_end(list);
  return written;
}
"""
"""PolyBench prints two digits; all bits are compared."""
FLAGS = ("-O2", "-ffp-contract=off", "-fno-builtin-fprintf", "-w")
THREADED = ("-O3", "-march=native", "-ffp-contract=off", "-fno-builtin-fprintf", "-w", "-fopenmp",
            "-foffload=disable")  # fmt: skip
CHECKED = ("-O1", "-g", *FLAGS[1:], "-fopenmp", "-foffload=disable",
           "-fsanitize=address,undefined", "-fno-sanitize-recover=all")  # fmt: skip
NUMBER = re.compile(rb"-?(?:0x[0-9a-f.]+p[+-]?\d+|inf|nan|\d+(?:\.\d+)?(?=\s))")
SIZES = {"gramschmidt": ("-DM=40", "-DN=30")}
DATA = {"gramschmidt": (")*100) + 10;", ")*100) + 10 + 500 * (i == j);")}
"""Its columns depend on each other, so the last results are rounding alone: here they do not."""
ROUNDING = 1e-8
FLOAT_ROUNDING = 2e-4


class Output(NamedTuple):
    """What a program prints, and why it does not."""

    text: bytes
    problem: str = ""


class Bench:
    """Compiles and runs variants of one kernel."""

    def __init__(self, root: str, kernel: str, folder: str, gcc: str) -> None:
        self.root, self.kernel, self.folder, self.gcc = root, kernel, folder, gcc
        self.number = 0

    def printed(self, text: str, flags: Sequence[str]) -> Output:
        """What the program made of a kernel's text prints."""
        self.number += 1
        stem = os.path.join(self.folder, f"{Path(self.kernel).stem}_{self.number}")
        name = Path(self.kernel).stem
        text = text.replace(*DATA.get(name, ("", "")))
        Path(f"{stem}.c").write_text(text, encoding="utf-8", errors="surrogateescape")
        includes = [f"-I{self.root}/utilities", f"-I{os.path.dirname(self.kernel)}"]
        defines = [*SIZES.get(name, ("-DMINI_DATASET",)), "-DPOLYBENCH_DUMP_ARRAYS"]
        helpers = [f"{self.root}/utilities/polybench.c", f"{self.folder}/exact.c"]
        command = [self.gcc, *flags, *defines, *includes, f"{stem}.c", *helpers,
                   "-Wl,--wrap=fprintf", "-lm", "-o", stem]  # fmt: skip
        done = subprocess.run(command, check=False, capture_output=True)
        if done.returncode:
            first = next((x for x in done.stderr.decode().splitlines() if "error" in x), "?")
            return Output(b"", f"does not compile: {first.rpartition('error: ')[2]}")
        environment = {**os.environ, "OMP_NUM_THREADS": "3", "ASAN_OPTIONS": "detect_leaks=0"}
        try:
            run = subprocess.run(
                [stem], check=False, capture_output=True, timeout=60, env=environment
            )
        except subprocess.TimeoutExpired:
            return Output(b"", "does not end")
        finally:
            os.unlink(stem)
        if run.returncode:
            words = run.stderr[-2000:].decode("utf-8", "replace").splitlines()
            said = next((x for x in words if "runtime error" in x or "ERROR" in x), words[-1:])
            return Output(b"", f"fails with {run.returncode}: {said}")
        return Output(run.stderr)


def difference(before: bytes, after: bytes) -> float:
    """The largest relative difference of two dumps; infinite where their shapes differ."""
    if before == after:
        return 0.0
    left, right = NUMBER.findall(before), NUMBER.findall(after)
    if len(left) != len(right) or NUMBER.sub(b"", before) != NUMBER.sub(b"", after):
        return math.inf
    values = [(float.fromhex(a.decode()), float.fromhex(b.decode())) for a, b in zip(left, right)]  # noqa: B905
    scale = max((abs(a) for a, _ in values if math.isfinite(a)), default=1.0) or 1.0
    worst = 0.0
    for a, b in values:
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        gap = abs(a - b) / max(abs(a), abs(b), 1e-3 * scale)
        worst = max(worst, gap if math.isfinite(gap) else math.inf)
    return worst


class Verdict(NamedTuple):
    """What became of a change; ``kind`` is what is counted."""

    kind: str
    title: str
    detail: str = ""
    text: str = ""


def judged(bench: Bench, variant: Variant, checks: bool) -> Verdict:
    """A variant against its control, which has to print what the original prints."""
    sets = [THREADED] if variant.threads else [FLAGS]
    sets += [CHECKED] if checks else []
    worst = 0.0
    for flags in sets:
        before = cached(bench, variant.control, flags)
        if before.problem:
            return Verdict("the original fails", variant.title, before.problem)
        for _ in range(2 if variant.threads else 1):
            after = bench.printed(variant.text, flags)
            if after.problem:
                return Verdict("DISAGREES", variant.title, after.problem, variant.text)
            worst = max(worst, difference(before.text, after.text))
    if worst == 0:
        return Verdict("same bits", variant.title)
    allowed = FLOAT_ROUNDING if "deriche" in bench.kernel else ROUNDING
    if not variant.exact and worst < allowed:
        return Verdict("same within rounding, as it says", variant.title, f"{worst:.0e}")
    return Verdict("DISAGREES", variant.title, f"by {worst:.1e}", variant.text)


OUTPUTS: dict[tuple[str, Sequence[str]], Output] = {}


def cached(bench: Bench, text: str, flags: Sequence[str]) -> Output:
    """What a text prints, run once."""
    key = (text, tuple(flags))
    if key not in OUTPUTS:
        OUTPUTS[key] = bench.printed(text, flags)
    return OUTPUTS[key]


def changes(path: str, unit: Unit, flags: Sequence[str], everything: bool) -> Iterator[Made]:
    """What is to be checked of a kernel's file."""
    if everything:
        kernels = [s for s in unit.functions if s.function.name.startswith("kernel_")]
        yield from chain.from_iterable(map(legal, kernels))
    else:
        for made in proposed(path, unit, flags):
            if made.function.startswith("kernel_"):
                yield made


def kernel(
    path: str, given: argparse.Namespace, folder: str, pool: ThreadPoolExecutor
) -> Iterable[Verdict]:
    """All verdicts on one kernel."""
    bench = Bench(given.root, path, folder, given.gcc)
    found: list[Variant] = []
    verdicts: list[Verdict] = []
    for size in ("MINI", "LARGE"):
        flags = [f"-I{given.root}/utilities", "-O3", f"-D{size}_DATASET"]
        unit = parsed(path, flags)
        for each in variants(unit, changes(path, unit, flags, given.all)):
            if isinstance(each, Refusal):
                verdicts.append(Verdict(f"not written: {each.reason}", each.title))
            elif each.text not in {known.text for known in found}:
                found.append(each)
        if given.all:
            break
    original = bench.printed(Path(path).read_text(encoding="utf-8"), FLAGS)
    for control in sorted({each.control for each in found}):
        same = cached(bench, control, FLAGS)
        kind = "control: same bits" if same == original else "CONTROL DIFFERS"
        verdicts.append(Verdict(kind, "unchanged", same.problem, control))
    verdicts += pool.map(lambda each: judged(bench, each, given.checks), found)
    return verdicts


def main() -> None:
    """Prints what differs, and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--gcc", default="gcc")
    parser.add_argument("--all", action="store_true", help="every legal change of every loop")
    parser.add_argument("--checks", action="store_true", help="with sanitizers too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a kernel")
    parser.add_argument("--show", action="store_true", help="the text of what differs")
    given = parser.parse_args()
    listed = Path(given.root, "utilities", "benchmark_list").read_text(encoding="utf-8").split()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.jobs) as pool:
        Path(folder, "exact.c").write_text(EXACT_PRINT, encoding="utf-8")
        for name in listed:
            if given.only not in name:
                continue
            for verdict in kernel(os.path.join(given.root, name), given, folder, pool):
                counts[verdict.kind] += 1
                if verdict.kind.isupper() or verdict.kind == "the original fails":
                    print(f"{Path(name).stem}: {verdict.kind}: {verdict.title}: {verdict.detail}")
                    if given.show:
                        print(verdict.text)
    for kind, count in sorted(counts.items()):
        print(f"{count:5} {kind}")


if __name__ == "__main__":
    main()
