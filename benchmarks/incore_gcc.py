"""The core model for gcc: ``incore_gcc.py POLYBENCH [--tsvc TSVC_2/src/tsvc.c] [--machine NAME]``.

As ``incore.py`` for clang: verdicts of gcc's vectoriser (``-fopt-info-vec``) on the innermost loops
against the core plan's, and llvm-mca's cycles of the compiled loop against the plan's. Each file is
compiled with every set of flags that gcc vectorises by rules of its own.
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

from incore import VERDICTS, passes, vectorises
from polybench import kernel_files
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.core.external.build import CompilationUnit, compile_unit
from rooflint.core.external.choice import SourceLoop, choose_loop
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.listing import innermost_loops
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import facts_of
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.incremental.result_store import ResultStore
from rooflint.ir import SourceFunction
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.workers.limits import Failure

MACHINES = ("skylake-sp-6148", "haswell-ep-e5-2695v3", "sandybridge-ep-e5-2680", "zen2-7452")
SETS = (("-O3",), ("-O3", "-ffast-math"), ("-O2",), ("-O3", "-ffast-math", "-funroll-loops"))
REMARK = re.compile(r":(\d+):\d+: optimized: loop vectorized using (\d+) byte vectors")
HEAD = "| machine | flags | loops | verdicts equal | compared | median | 90th percentile |"


class Row(NamedTuple):
    """One loop.

    vector_bytes  of gcc's vectors; 0 for scalar code
    mca_cy        llvm-mca's cycles an iteration; None where no block was found, as ``note`` says
    """

    name: str
    vector_bytes: int
    plan: CorePlan
    mca_cy: float | None
    note: str

    @property
    def agree(self) -> bool:
        """Both vectorise the loop, or neither."""
        return (self.vector_bytes > 0) == vectorises(self.plan)

    @property
    def error(self) -> float:
        """How far the plan is from llvm-mca, of the latter."""
        assert self.mca_cy
        return abs(self.plan.code.t_core_cy / self.mca_cy - 1)


class File(NamedTuple):
    """A source file, its flags, and how the names of its functions begin."""

    name: str
    path: Path
    flags: tuple[str, ...]
    begins: str


def main() -> int:
    """Measures and prints tables; exit code 1 if fewer verdicts agree than should."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="POLYBENCH", help="PolyBench/C 4.2.1")
    parser.add_argument("--tsvc", type=Path, help="tsvc.c of TSVC_2: verdicts only")
    parser.add_argument("--machine", action="append", metavar="NAME")
    parser.add_argument("--gcc", default="gcc-12")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--loops", action="store_true", help="print every loop")
    given = parser.parse_args()
    include = ("-I" + str(Path(given.folder, "utilities")), "-DLARGE_DATASET")
    files = [File(n, Path(p), include, "kernel_") for n, p in kernel_files(given.folder)]
    print("\n".join([HEAD, "| --- | --- | --: | --: | --: | --: | --: |"]), flush=True)
    tables, missed = [], False
    for name in given.machine or MACHINES:
        machine = find_machine(name, (builtin_dir(),))
        for flags in SETS:
            rows = list(measured(files, machine, flags, given.gcc, given.mca))
            missed = missed or sum(row.agree for row in rows) < VERDICTS * len(rows)
            print(summed_up(machine, " ".join(flags), rows), flush=True)
            title = f"### {machine.name} {' '.join(flags)}"
            tables.append(table(title, rows if given.loops else differing(rows)))
            if given.tsvc:
                tsvc = [File("tsvc", given.tsvc, (), "s")]
                rows = list(measured(tsvc, machine, flags, given.gcc, ""))
                print(summed_up(machine, " ".join(flags) + ", TSVC", rows), flush=True)
                tables.append(table(title + ", TSVC", rows if given.loops else differing(rows)))
    print("\n".join(["", *tables]))
    return int(missed)


def differing(rows: list[Row]) -> list[Row]:
    """Loops to look at: other verdict, or far from llvm-mca."""
    return [row for row in rows if not row.agree or (row.mca_cy and row.error > 0.3)]


def summed_up(machine: Machine, flags: str, rows: list[Row]) -> str:
    """A line of the summary."""
    errors = sorted([row.error for row in rows if row.mca_cy])
    equal = sum(row.agree for row in rows)
    line = f"| {machine.name} | {flags} | {len(rows)} | {equal} ({equal / len(rows):.0%}) |"
    if len(errors) < 2:
        return f"{line} 0 | – | – |"
    median, high = statistics.median(errors), statistics.quantiles(errors, n=10)[8]
    return f"{line} {len(errors)} | {median:.1%} | {high:.0%} |"


def table(title: str, rows: list[Row]) -> str:
    """One line a loop."""
    lines = [title, "", "| loop | gcc | plan | llvm-mca cy/it | plan cy/it | ratio | note |"]
    lines.append("| --- | --: | --: | --: | --: | --: | --- |")
    for row in rows:
        vector, code = row.plan.code.vector, row.plan.code
        gcc = f"{row.vector_bytes} B" if row.vector_bytes else "1"
        own = f"{vector.register_bytes} B × {vector.unroll}" if vector.width > 1 else "1"
        mca = f"{row.mca_cy:.2f}" if row.mca_cy else "–"
        ratio = f"{code.t_core_cy / row.mca_cy:.2f}" if row.mca_cy else "–"
        words = "; ".join(str(word) for word in (code.limit, vector.reason, row.note) if word)
        lines.append(
            f"| {row.name} | {gcc} | {own} | {mca} | {code.t_core_cy:.2f} | {ratio} | {words} |"
        )
    return "\n".join([*lines, ""])


def measured(
    files: Iterable[File], machine: Machine, code: tuple[str, ...], gcc: str, mca: str
) -> Iterator[Row]:
    """Every innermost loop of the files' functions; without ``mca`` verdicts alone."""
    assert machine.tools is not None and machine.tools.cpu is not None
    flags = (*code, *(("-fno-inline",) if mca else ()), f"-march={machine.tools.cpu}")
    files = list(files)
    requests = [Request(str(f.path), FlagFinder(None, f.flags).flags(str(f.path))) for f in files]
    with Frontend() as frontend:
        units = [answer for _, answer in frontend.analyse_all(requests)]
    for file, unit in zip(files, units, strict=True):
        if isinstance(unit, Failure):
            raise SystemExit(f"{file.path}: {unit.reason}")
        yield from of_file(file, unit.functions, (*file.flags, *flags), machine, gcc, mca)


def of_file(
    file: File,
    functions: tuple[SourceFunction, ...],
    flags: tuple[str, ...],
    machine: Machine,
    gcc: str,
    mca: str,
) -> Iterator[Row]:
    """The loops of one file."""
    path = str(file.path)
    compiler = compiler_of(read_flags((gcc, *flags, path), "/", path).code)
    remarks = vectorised(gcc, flags, path)
    made = (
        compile_unit(CompilationUnit(path, flags, gcc), ResultStore())
        if mca
        else ExternalFailure("")
    )
    for source in functions:
        if not source.function.name.startswith(file.begins):
            continue
        for facts in facts_of(source.function):
            if not facts.kernel.innermost:
                continue
            span = source.spans[facts.kernel.origin]
            size = max([remarks.get(n, 0) for n in range(span.line, span.end_line + 1)])
            plan = plan_of(source.function, facts, machine, compiler)
            row = Row(f"{file.name}:{span.line}", size, plan, None, "")
            if isinstance(made, ExternalFailure):
                yield row
                continue
            strides = [stream.strides[-1] for stream in facts.streams]
            constant = [s.value for s in strides if s is not None and s.value is not None]
            wanted = SourceLoop(
                path,
                source.function.name,
                span.line,
                span.end_line,
                tuple(int(stride) for stride in constant),
            )
            found = choose_loop(innermost_loops(made.text), wanted)
            if isinstance(found, ExternalFailure):
                yield row._replace(note=found.reason)
                continue
            figures = passes(found, machine, mca, False)
            yield row._replace(mca_cy=figures.cycles / found.iterations)


def vectorised(gcc: str, flags: tuple[str, ...], path: str) -> dict[int, int]:
    """By line, bytes of the widest vectors that gcc used there."""
    with tempfile.TemporaryDirectory() as folder:
        command = [gcc, *flags, "-w", "-fopt-info-vec", "-c", path, "-o", str(Path(folder, "o"))]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found: dict[int, int] = {}
    for line, size in REMARK.findall(said):
        found[int(line)] = max(found.get(int(line), 0), int(size))
    return found


if __name__ == "__main__":
    sys.exit(main())
