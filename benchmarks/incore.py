"""The core model against clang and llvm-mca: ``incore.py POLYBENCH [--machine NAME]...``.

Each PolyBench file is compiled with ``clang -O3 -march=`` the machine, without inlining. For every
innermost loop of the ``kernel_*`` functions the verdict of clang's vectoriser (its remark) is
compared with the core plan's, and where both agree, llvm-mca's cycles per iteration of the loop's
block with the plan's. Scalar loops are compiled a second time without unrolling, so that a block is
one iteration. llvm-mca takes different pointers for different memory, so a value that goes from one
iteration to the next through memory that may overlap costs nothing there.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from polybench import kernel_files
from rooflint.core import Compiler
from rooflint.core.plan import plan_of
from rooflint.facts import Kernel, facts_of
from rooflint.frontend.find_flags import FlagFinder
from rooflint.frontend.request import Failure, Request
from rooflint.frontend.worker import Frontend
from rooflint.machine import Machine, builtin_dir, find_machine

ITERATIONS = 200
MOST_UNROLLED = 8
REMARK = re.compile(
    r":(\d+):\d+: remark: vectorized loop \(vectorization width: (?:vscale x )?(\d+),"
    r" interleaved count: (\d+)\)"
)
VECTOR = re.compile(r"%[xyz]mm\d+|\b[zv]\d+\.")
MACHINES = ("skylake-sp-6148", "haswell-ep-e5-2695v3", "sandybridge-ep-e5-2680", "zen2-7452")


class Block(NamedTuple):
    """An innermost loop of the assembly: instructions, and the source lines they come from."""

    function: str
    label: str
    code: list[str]
    lines: list[int]


class Row(NamedTuple):
    """One loop; ``mca_cy`` is None where the verdicts differ or no block was found."""

    name: str
    ours: bool
    clangs: bool
    reason: str
    plan_cy: float
    mca_cy: float | None


def main() -> int:
    """Measures and prints a table; exit code 1 if a bar of the issue is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="POLYBENCH", help="PolyBench/C 4.2.1")
    parser.add_argument("--machine", action="append", metavar="NAME")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--loops", action="store_true", help="print every loop")
    given = parser.parse_args()
    print("| machine | loops | verdicts equal | cycles compared | median | 90th percentile |")
    print("| --- | --: | --: | --: | --: | --: |")
    missed = False
    for name in given.machine or MACHINES:
        machine = find_machine(name, (builtin_dir(),))
        rows = list(measured(given.folder, machine, given.clang, given.mca))
        equal = sum(row.ours == row.clangs for row in rows)
        errors = sorted(abs(row.plan_cy / row.mca_cy - 1) for row in rows if row.mca_cy)
        median, high = statistics.median(errors), errors[int(0.9 * len(errors))]
        share = equal / len(rows)
        print(
            f"| {machine.name} | {len(rows)} | {equal} ({share:.0%}) | {len(errors)} |"
            f" {median:.1%} | {high:.0%} |"
        )
        missed = missed or share < 0.9 or median > 0.15 or high > 0.4
        if given.loops:
            print("\n".join(loop_text(row) for row in rows), file=sys.stderr)
    return int(missed)


def loop_text(row: Row) -> str:
    """One loop in a line."""
    verdict = "same verdict" if row.ours == row.clangs else f"clang: {row.clangs}"
    mca = "no block" if row.mca_cy is None else f"llvm-mca {row.mca_cy:.2f}"
    return f"{row.name}: {verdict}, plan {row.plan_cy:.2f} cy, {mca} {row.reason}"


def measured(folder: str, machine: Machine, clang: str, mca: str) -> Iterator[Row]:
    """Every innermost loop of every kernel."""
    assert machine.tools is not None
    cpu = machine.tools.cpu
    flags = ("-I" + str(Path(folder, "utilities")), "-DLARGE_DATASET")
    finder = FlagFinder(None, flags)
    files = list(kernel_files(folder))
    requests = [Request(path, finder.flags(path)) for _, path in files]
    with Frontend() as frontend, tempfile.TemporaryDirectory() as scratch:
        units = [answer for _, answer in frontend.analyse_all(requests)]
        for (name, path), unit in zip(files, units, strict=True):
            if isinstance(unit, Failure):
                raise SystemExit(f"{path}: {unit.reason}")
            assembly = Path(scratch, "kernel.s")
            command = [clang, "-O3", f"-march={cpu}", "-fno-inline", "-gline-tables-only", "-S"]
            command += ["-o", str(assembly), *flags, path, "-Rpass=loop-vectorize"]
            remarks = remarks_of(command)
            unrolled = list(blocks(assembly))
            remarks_of([*command, "-fno-unroll-loops"])
            rolled = list(blocks(assembly))
            for source in unit.functions:
                if not source.function.name.startswith("kernel_"):
                    continue
                for facts in facts_of(source.function):
                    if not facts.kernel.innermost:
                        continue
                    span = source.spans[facts.kernel.origin]
                    found = remarks.get(span.line)
                    compiler = Compiler(unroll=None if found else False)
                    code = plan_of(source.function, facts, machine, compiler).code
                    cycles = None
                    if bool(found) == (code.vector.width > 1):
                        near = unrolled if found else rolled
                        lines = set(range(span.line, span.end_line + 1))
                        block = chosen(near, lines, bool(found))
                        if block is not None:
                            per_block = elements(block, facts.kernel, found)
                            cycles = simulated(block, mca, cpu or "") / per_block
                    vector = code.vector
                    yield Row(
                        f"{name}:{span.line}", vector.width > 1, bool(found), vector.reason,
                        code.t_core_cy, cycles,
                    )  # fmt: skip


def remarks_of(command: list[str]) -> dict[int, tuple[int, int]]:
    """By line, the width and interleave count of the loops that clang vectorised."""
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return {int(m[1]): (int(m[2]), int(m[3])) for m in REMARK.finditer(run.stderr)}


def blocks(assembly: Path) -> Iterator[Block]:
    """The innermost loops that are one block: from a label to the jump back to it."""
    function, label, code, lines, inner = "", "", list[str](), list[int](), False
    for text in assembly.read_text(encoding="utf-8").splitlines():
        if named := re.match(r"^([A-Za-z_]\w*):", text):
            function = named[1]
        elif labelled := re.match(r"^(\.LBB\w+):", text):
            label, code, lines, inner = labelled[1], [], [], False
        inner = inner or "Inner Loop Header" in text
        line = re.match(r"\s+\.loc\s+\d+\s+(\d+)", text)
        if line:
            lines.append(int(line[1]))
        instruction = re.match(r"\s+([a-z][^#]*)", text)
        if instruction:
            code.append(instruction[1].strip())
            if inner and re.match(rf"j\w+\s+{re.escape(label)}$", code[-1]):
                yield Block(function, label, code, lines)
                code, lines, inner = [], [], False


def chosen(found: Iterable[Block], lines: set[int], vector: bool) -> Block | None:
    """The block of the loop on ``lines``: the longest with vectors, the shortest scalar one."""
    near = [
        block
        for block in found
        if block.function.startswith("kernel_")
        and block.lines
        and sum(line in lines for line in block.lines) >= len(block.lines) / 2
    ]
    if vector:
        packed = [b for b in near if any(re.match(r"v\w+p[sd]\s", c) for c in b.code)]
        near = packed or near
        return max(near, key=lambda block: len(block.code), default=None)
    return min(near, key=lambda block: len(block.code), default=None)


def elements(block: Block, kernel: Kernel, vectorised: tuple[int, int] | None) -> float:
    """Iterations of the source's loop in one pass over the block, from the step of its counter."""
    if vectorised is None:
        return 1.0
    least = vectorised[0] * vectorised[1]
    flags = [c for c in block.code[:-1] if re.match(r"(cmp|add|sub|inc|dec|test)", c)]
    register = re.findall(r"%\w+", flags[-1])[-1] if flags else ""
    step = 0
    for text in block.code:
        if moved := re.match(rf"(add|sub)q\s+\$(-?\w+), {register}$", text):
            step += int(moved[2], 0) * (1 if moved[1] == "add" else -1)
    scales = {int(s or 1) for c in block.code for s in re.findall(rf",{register},?(\d)?\)", c)}
    size = next((a.bytes for s in kernel.statements for a in s.accesses), 8)
    covered = abs(step) * (max(scales) / size if scales else 1.0)
    likely = least <= covered <= MOST_UNROLLED * least and covered % least == 0
    return covered if likely else float(least)


def simulated(block: Block, mca: str, cpu: str) -> float:
    """llvm-mca's cycles of one pass over the block, many passes after one another."""
    run = subprocess.run(
        [mca, f"-mcpu={cpu}", f"-iterations={ITERATIONS}"],
        input="\n".join(block.code) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    cycles = re.search(r"Total Cycles:\s+(\d+)", run.stdout)
    assert cycles is not None
    return int(cycles[1]) / ITERATIONS


if __name__ == "__main__":
    sys.exit(main())
