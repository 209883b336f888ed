"""Passes that compilers run over loops, against those that plans state.

``compiler_passes.py FILE... [--vectors VECTORS] [--compiler PROGRAM] [--machine NAME] -- FLAGS``

Each C file, and each ``source`` in the JSON file VECTORS (``compiler_loops.py``), is compiled with
FLAGS. gcc's notes (``-fopt-info-loop-optimized`` and the dump of its vectorizer) and clang's
remarks say which loops were interchanged, vectorized along their outer loop, tested once before
they run, replaced by calls, or unrolled completely; plans say the same of the kernel at that line.
gcc unrolls what is left behind vectors as well: loops of a constant number of iterations are
scored, and what it says at the line of their function counts. clang says nothing about tests that
it moves out of loops.

Of each pass: how often both say so, only the compiler, and only the plan; right are those of both.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from compiler_loops import MACHINES
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.core import as_compiled
from rooflint.core.code import CorePlan
from rooflint.core.compiler import Compiler
from rooflint.core.plan import plan_of
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.ir import SourceFunction
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.workers.limits import Failure

PASSES: Final = (
    "interchange", "outer-vectorization", "unswitching", "library-call", "complete-unrolling",
)  # fmt: skip
GCC_NOTES: Final = {
    "interchange": r"loops interchanged in loop nest",
    "unswitching": r"[Uu]nswitching loop",
    "library-call": r"split to \d+ loops and [1-9]\d* library calls",
    "complete-unrolling": r"loop with (\d+) iterations completely unrolled|it never loops",
}
CLANG_REMARKS: Final = {
    "library-call": r"Formed a call to|Transformed loop-strided store",
    "complete-unrolling": r"completely unrolled loop with (\d+) iterations",
}
OUTER: Final = re.compile(r":(\d+):\d+: \w+:\s+OUTER LOOP VECTORIZED")
NOTE: Final = re.compile(r"^[^:]+:(\d+):\d+: (?:optimized|remark): (.*)")


class Nest(NamedTuple):
    """A kernel: lines of its function and its loops, outermost first, and the passes stated;
    ``widths`` are iterations of a vector, and of the vectors between two branches."""

    start: int
    lines: tuple[int, ...]
    trips: int | None
    widths: tuple[int, int]
    stated: frozenset[str]


class Note(NamedTuple):
    """A compiler's note; ``number`` is the one in it, 0 where it has none."""

    kind: str
    line: int
    number: int


def main() -> int:
    """Prints a table, and with --loops each loop about which the two differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--vectors", type=Path, help="JSON file with sources of loops")
    parser.add_argument("--compiler", default="gcc", help="gcc or clang")
    parser.add_argument("--machine", default=MACHINES["haswell"])
    parser.add_argument("--loops", action="store_true", help="print the loops that differ")
    own, _, flags = " ".join(sys.argv[1:]).partition(" -- ")
    given = parser.parse_args(own.split())
    machine = find_machine(given.machine, (builtin_dir(),))
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        files = [*given.files, *written(given.vectors, Path(folder))]
        compared = files_compared(files, given.compiler, flags.split(), machine)
        for place, kind, by in compared:
            counts[kind, by] += 1
            if given.loops and by != "both":
                print(f"{place} {kind}: {by}")
    print("\n".join(table(counts)))
    return 0


def table(counts: Counter[tuple[str, str]]) -> Iterator[str]:
    """A line for each pass, and one for all."""
    yield "| pass | both | compiler only | plan only | right |"
    yield "| --- | --: | --: | --: | --: |"
    total = [0, 0, 0]
    for kind in (*PASSES, "all"):
        found = [counts[kind, by] for by in ("both", "compiler", "plan")]
        found = total if kind == "all" else found
        total = [a + b for a, b in zip(total, found, strict=True)] if kind != "all" else total
        right = f"{found[0] / sum(found):.0%}" if sum(found) else "–"
        yield f"| {kind} | {' | '.join(map(str, found))} | {right} |"


def written(vectors: Path | None, folder: Path) -> Iterator[Path]:
    """The sources of VECTORS as files."""
    if vectors is None:
        return
    for case in json.loads(vectors.read_text())["cases"]:
        path = folder / f"{case['id']}.c"
        path.write_text(case["source"])
        yield path


def files_compared(
    files: list[Path], program: str, flags: list[str], machine: Machine
) -> Iterator[tuple[str, str, str]]:
    """Place, pass and who says so: ``both``, ``compiler`` or ``plan``."""
    includes = tuple(flag for flag in flags if flag.startswith(("-I", "-D", "-std")))
    finder = FlagFinder(None, includes)
    requests = [Request(str(path), finder.flags(str(path))) for path in files]
    compiler = compiler_of(read_flags((program, *flags, "a.c"), "/", "a.c").code)
    with Frontend() as frontend:
        units = [answer for _, answer in frontend.analyse_all(requests)]
    for path, unit in zip(files, units, strict=True):
        if isinstance(unit, Failure):
            print(f"{path}: {unit.reason}", file=sys.stderr)
            continue
        notes = notes_of(path, program, flags)
        if notes is None:
            continue
        nests = [nest for f in unit.functions for nest in nests_of(f, machine, compiler)]
        scored = PASSES if program.startswith("gcc") else tuple(CLANG_REMARKS)
        for kind in scored:
            for line, by in compared(nests, notes, kind):
                yield f"{path.name}:{line}", kind, by


def nests_of(source: SourceFunction, machine: Machine, compiler: Compiler) -> Iterator[Nest]:
    """The innermost kernels of a function as compiled."""
    before = facts_of(source.function)
    for old, facts in zip(before, as_compiled(source.function, before, compiler), strict=True):
        if old.kernel.innermost:
            plan = plan_of(source.function, facts, machine, compiler)
            lines = tuple([source.spans[loop.origin].line for loop in old.kernel.loops])
            vector = plan.code.vector
            widths = vector.width, vector.width * vector.unroll
            passes = stated(old, facts, plan)
            yield Nest(source.span.line, lines, trips_of(old), widths, passes)


def trips_of(facts: KernelFacts) -> int | None:
    """Iterations of the kernel's own loop, where they are a number."""
    return facts.kernel.loops[-1].trip_count.value


def stated(old: KernelFacts, facts: KernelFacts, plan: CorePlan) -> frozenset[str]:
    """The passes that a plan has, and whether the loops are in another order."""
    order = [[loop.index for loop in each.kernel.loops] for each in (old, facts)]
    swapped = ("interchange",) if order[0] != order[1] else ()
    return frozenset([*swapped, *[each.kind for each in plan.passes]])


def notes_of(path: Path, program: str, flags: list[str]) -> list[Note] | None:
    """What the compiler says about the loops of a file; None where it does not compile."""
    notes = []
    gcc = program.startswith("gcc")
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder, "vect")
        options = ["-fopt-info-loop-optimized", f"-fdump-tree-vect-details={dump}"]
        if not gcc:
            options = ["-Rpass=loop-idiom|loop-unroll"]
        command = [program, *flags, "-fno-inline", "-c", str(path), "-o", "/dev/null", *options]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            print(f"{path} does not compile", file=sys.stderr)
            return None
        for line in made.stderr.splitlines():
            found = NOTE.match(line)
            for kind, pattern in (GCC_NOTES if gcc else CLANG_REMARKS).items():
                said = re.search(pattern, found[2]) if found else None
                if found and said:
                    number = int(said[1] or 0) + gcc if said.groups() else 0
                    notes.append(Note(kind, int(found[1]), number))
        if dump.exists():
            lines = {int(found[1]) for found in OUTER.finditer(dump.read_text())}
            notes += [Note("outer-vectorization", line, 0) for line in sorted(lines)]
    return notes


def compared(nests: list[Nest], notes: list[Note], kind: str) -> Iterator[tuple[int, str]]:
    """Lines of kernels of which the compiler or the plan states a pass, and who does."""
    for nest in nests:
        if kind == "complete-unrolling" and nest.trips is None:
            continue
        said = any(note.kind == kind and is_about(note, nest) for note in notes)
        planned = kind in nest.stated
        if said or planned:
            yield nest.lines[-1], "both" if said and planned else "compiler" if said else "plan"


def is_about(note: Note, nest: Nest) -> bool:
    """Whether a note is about a kernel's own loop, or the one around it for passes of nests."""
    near = nest.lines[-1] <= note.line <= nest.lines[-1] + 1
    if note.kind in ("interchange", "outer-vectorization", "library-call"):
        return note.line in range(nest.lines[-2 if len(nest.lines) > 1 else -1], nest.lines[-1] + 2)
    if note.kind == "complete-unrolling" and nest.trips is not None:
        here = near or note.line == nest.start
        return here and note.number in bodies_of(nest.trips, nest.widths)
    return near


def bodies_of(trips: int, widths: tuple[int, int]) -> Iterable[int]:
    """Passes over the body of a loop that is gone: scalar ones, and those of vectors."""
    return {trips, *[trips // width for width in widths], ceil(trips / widths[0])}


if __name__ == "__main__":
    sys.exit(main())
