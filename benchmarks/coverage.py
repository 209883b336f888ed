"""The share of kernels with a number and nothing left out: ``coverage.py FOLDER...``.

Analyses a sample of each project's files and prints two Markdown tables: by project, how many
kernels have a prediction that covers all of their code, and by cause, why the others have none.
The same seed draws the same files, so that two versions of the program can be compared. With
``--around``, further files are part of the program and are not counted: calls lead there. ``--list
FILE`` writes one line for each kernel: where it is, its cycles, and its causes.
"""

import argparse
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rooflint.compile_flags.source_files import source_files
from rooflint.ir import Reason
from rooflint.ir.reasons import CALLS
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import FileReport, GuessBasis, KernelReport
from rooflint.registry import load_registry
from rooflint.scenario.sensitivity import Stability
from rooflint.verdict.doubt import limiter_sensitivity
from rooflint.workers.limits import Limits

LOOP_WORD: Final = re.compile(rb"\b(?:for|while)\s*\(")
MEASURED_IN: Final = 3
"""Programs from which on the specification takes the range of a role for measured."""


@dataclass
class Coverage:
    """Sums over the files of one project.

    numbered   kernels that some model gives cycles for
    bounded    of those, with a number that is a lower bound only
    counted    with a number that has all of their code; places of accesses may be unknown, which
               the models take for the nearest ones and state the range
    covered    with a number, and nothing at all that is not covered
    sized      covered, and the source decides each size of its loops and accesses
    ranged     covered, and each other size has a range that was measured in MEASURED_IN programs
    steady     covered, and the source decides each size, or none of the others the limiter
    causes     kernels without a full number, each once under each of its causes
    """

    files: int = 0
    failed: int = 0
    loops: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    kernels: int = 0
    numbered: int = 0
    bounded: int = 0
    counted: int = 0
    covered: int = 0
    sized: int = 0
    ranged: int = 0
    steady: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    callees: Counter[str] = field(default_factory=Counter)


def sample(folder: str, size: int, seed: int) -> list[str]:
    """Files of a project that have the word of a loop, in an order drawn at random."""
    files = sorted(source_files([folder]).files)
    random.Random(f"{seed}{len(files)}").shuffle(files)
    drawn: list[str] = []
    for path in files:
        if len(drawn) == size:
            break
        if LOOP_WORD.search(Path(path).read_bytes()):
            drawn.append(path)
    return drawn


def covered(folder: str, size: int, around: int, seed: int) -> tuple[Coverage, list[str]]:
    """The counts of one project, and a line for each of its kernels."""
    options = Options(limits=Limits(), jobs=os.cpu_count() or 1, cache_dir="", limiters=True)
    drawn = sample(folder, size + around, seed)
    judged = frozenset(drawn[:size])
    sources = [Source(path) for path in sorted(drawn)]
    report = analyse(sources, options, load_registry())
    coverage = Coverage(loops=report.summary.loops)
    lines: list[str] = []
    for kind, count in report.summary.refused.items():
        coverage.refused[kind] += count
    for file in report.files:
        if file.path not in judged:
            continue
        coverage.files += 1
        coverage.failed += file.status == "failed"
        lines += add_file(file, coverage)
    return coverage, lines


def add_file(file: FileReport, coverage: Coverage) -> Iterator[str]:
    """Counts the kernels of a file; yields a line for each."""
    for kernel in file.kernels():
        cycles, bound = number_of(kernel)
        causes = sorted(set(causes_of(kernel, cycles is not None)))
        coverage.kernels += 1
        coverage.numbered += cycles is not None
        coverage.bounded += bound
        coverage.counted += cycles is not None and not bound
        if cycles is not None and not kernel.not_covered:
            coverage.covered += 1
            guesses = guesses_of(kernel)
            coverage.sized += not guesses
            coverage.ranged += all(each.programs >= MEASURED_IN for each in guesses)
            coverage.steady += not guesses or limiter_holds(kernel)
        else:
            coverage.causes.update(causes)
            coverage.callees.update(callees_of(kernel))
        place = f"{file.path}:{kernel.line}:{kernel.column}"
        yield f"{place}\t{kernel.id}\t{cycles}\t{causes}\t{callees_of(kernel)}"


def number_of(kernel: KernelReport) -> tuple[float | None, bool]:
    """Cycles of the first model that has some, and whether they are a lower bound."""
    for result in kernel.results:
        for prediction in result.predictions:
            if prediction.cycles_per_iteration is not None:
                bound = prediction.lower_bound
                return prediction.cycles_per_iteration, bound
    return None, False


def guesses_of(kernel: KernelReport) -> list[GuessBasis]:
    """What the sizes rest on that the source does not decide."""
    sizes = [size for result in kernel.results for size in result.sizes.values()]
    return [size.guess for size in sizes if size.guess is not None]


def limiter_holds(kernel: KernelReport) -> bool:
    """Whether the limiter is the same between the quartiles of all guesses, on each machine."""
    limiters = [limiter_sensitivity(result) for result in kernel.results]
    holding = (Stability.EVERYWHERE, Stability.WITHIN_QUARTILES)
    return all(each is not None and each.stability in holding for each in limiters)


def callees_of(kernel: KernelReport) -> list[str]:
    """The functions that its numbers leave out."""
    return sorted({g.reason.subject for g in kernel.not_covered if g.reason.kind in CALLS})


def causes_of(kernel: KernelReport, numbered: bool) -> Iterator[str]:
    """Why a kernel has no number that covers all of it, without names of one program."""
    for gap in kernel.not_covered:
        yield cause_of(gap.reason)
    if not numbered and not kernel.not_covered:
        for result in kernel.results:
            for model in result.skipped:
                head = model.reason.partition(":")[0]
                yield f"no number: {head}"


def cause_of(reason: Reason) -> str:
    """The kind of a reason, with the kind of the reason behind it."""
    return f"{reason.kind}: {reason.cause.kind}" if reason.cause is not None else reason.kind


def percent(part: int, whole: int) -> str:
    """A share as the tables show it."""
    return f"{100 * part / max(1, whole):.0f} %"


def table(rows: list[tuple[str, Coverage]]) -> str:
    """One row for each project."""
    head = ("project", "files", "failed", "loops", "refused", "kernels", "number", ">= only",
            "all code", "all covered", "source decides sizes", "or measured ranges",
            "or limiter holds")  # fmt: skip
    lines = [head, ("---", *["--:"] * (len(head) - 1))]
    for name, c in rows:
        refused = sum(c.refused.values())
        lines.append((name, *map(str, (c.files, c.failed, c.loops, refused, c.kernels)),
                      *[percent(part, c.kernels) for part in (c.numbered, c.bounded, c.counted,
                                                              c.covered, c.sized, c.ranged,
                                                              c.steady)]))  # fmt: skip
    shares = [c.covered / max(1, c.kernels) for _, c in rows]
    mean = f"mean over the projects: {100 * sum(shares) / max(1, len(shares)):.0f} %"
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{mean}"


def total(rows: list[tuple[str, Coverage]]) -> Coverage:
    """The sum of all projects."""
    whole = Coverage()
    for _, each in rows:
        for name in whole.__dataclass_fields__:
            mine, other = getattr(whole, name), getattr(each, name)
            setattr(whole, name, mine + other)
    return whole


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--files", type=int, default=60, help="files of each project")
    parser.add_argument("--around", type=int, default=0, help="files of each that are not counted")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--list", metavar="FILE", help="where a line for each kernel goes")
    given = parser.parse_args()
    rows: list[tuple[str, Coverage]] = []
    lines: list[str] = []
    for folder in given.folders:
        coverage, listed = covered(folder, given.files, given.around, given.seed)
        rows.append((os.path.basename(os.path.normpath(folder)), coverage))
        lines += listed
    whole = total(rows)
    print(table([*rows, ("all", whole)]))
    for title, counter in (("causes", whole.causes), ("callees", whole.callees),
                           ("loops refused", whole.refused)):  # fmt: skip
        print(f"\n{title}\n")
        for name, count in counter.most_common(30):
            print(f"- {count}: {name}")
    if given.list:
        Path(given.list).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
