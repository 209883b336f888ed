"""The core model against clang and llvm-mca: ``incore.py POLYBENCH [--machine NAME]...``.

Each PolyBench file is compiled with ``clang -O3 -march=`` the machine, without inlining, and once
more with ``-ffast-math``. For every innermost loop of the ``kernel_*`` functions the verdict of
clang's vectoriser (its remark) is compared with the core plan's, and llvm-mca's cycles per
iteration of the source's loop with the plan's, for all loops that are one block of the assembly,
equal verdict or not. How many iterations a pass over the block covers is read from how far its
addresses move.

llvm-mca takes every load and store for a different place: a value that goes from one iteration to
the next through memory costs nothing there. For such loops the table has llvm-mca's other extreme
as well, where each load waits for the stores before it.

The summary has errors against llvm-mca as it is, and against what is left once these two faults of
its are mended: any figure between the extremes is right for a loop through memory, and none is
below what the load/store unit allows by the vendor's guide (``load_store.py``).
"""

import argparse
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from load_store import least_cy
from polybench import kernel_files
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.core import Compiler
from rooflint.core.external.build import Assembly, CompilationUnit, VectorRemark, compile_unit
from rooflint.core.external.choice import ChosenLoop, SourceLoop, choose_loop
from rooflint.core.external.figures import ExternalFailure, PassFigures
from rooflint.core.external.listing import innermost_loops
from rooflint.core.external.mca import simulate
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.parse.shims import SHIM_ROOT, shim_files
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.incremental.result_store import ResultStore
from rooflint.ir import SourceFunction
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.workers.limits import Failure

MACHINES = (
    "sandybridge-ep-e5-2680", "haswell-ep-e5-2695v3", "broadwell-ep-e5-2630v4", "skylake-sp-6148",
    "cascadelake-sp-6248", "icelake-sp-8360y", "zen2-7452", "zen3-7763", "zen4-9654",
)  # fmt: skip
MEDIAN, HIGH, VERDICTS = 0.15, 0.40, 0.90
WORST = 8
HEAD = (
    "| machine | flags | loops | verdicts equal | compared | median | 90th percentile"
    " | median, mended | 90th, mended |"
)
FAST = ("-ffast-math",)


class Row(NamedTuple):
    """One loop; ``mca_cy`` is None where no block was found, which ``note`` then explains.

    ordered_cy   llvm-mca with each load after the stores before it
    least_cy     what the loads and stores of the block take at least
    """

    name: str
    remark: VectorRemark | None
    plan: CorePlan
    mca_cy: float | None
    ordered_cy: float | None
    note: str
    least_cy: float = 0.0

    @property
    def agree(self) -> bool:
        """Both vectorise the loop, or neither."""
        return (self.remark is not None) == vectorises(self.plan)

    @property
    def error(self) -> float:
        """How far the plan is from llvm-mca, of the latter."""
        assert self.mca_cy
        return abs(self.plan.code.t_core_cy / self.mca_cy - 1)

    @property
    def mended_error(self) -> float:
        """How far the plan is from what llvm-mca says without its two known faults."""
        assert self.mca_cy
        low = max(self.mca_cy, self.least_cy)
        high = max(low, self.ordered_cy or 0.0)
        nearest = min(max(self.plan.code.t_core_cy, low), high)
        return abs(self.plan.code.t_core_cy / nearest - 1)


def vectorises(plan: CorePlan) -> bool:
    """Whether the plan has the compiler's vectoriser at work."""
    return plan.code.vector.width > 1 and not plan.code.vector.library


def main() -> int:
    """Measures and prints tables; exit code 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="POLYBENCH", help="PolyBench/C 4.2.1")
    parser.add_argument("--machine", action="append", metavar="NAME")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--loops", action="store_true", help="print every loop")
    given = parser.parse_args()
    summary, tables = [HEAD, "| --- | --- |" + " --: |" * 7], []
    every: dict[bool, list[Row]] = {False: [], True: []}
    missed = False
    for name in given.machine or MACHINES:
        machine = find_machine(name, (builtin_dir(),))
        for fast in (False, True):
            with tempfile.TemporaryDirectory() as headers:
                code = ("-O3", "-fno-inline", *target(machine, Path(headers)), *FAST[:fast])
                rows = list(measured(given.folder, machine, code, given.clang, given.mca))
            line, bad = summed_up(machine.name, fast, rows)
            summary.append(line)
            missed = missed or bad
            every[fast] += rows
            tables.append(table(machine, fast, rows if given.loops else worst(rows)))
    summary += [summed_up("all", fast, rows)[0] for fast, rows in every.items()]
    print("\n".join([*summary, "", *tables]))
    return int(missed)


def summed_up(name: str, fast: bool, rows: list[Row]) -> tuple[str, bool]:
    """A line of the summary, and whether a bar is missed."""
    found = [row for row in rows if row.mca_cy]
    equal = sum(row.agree for row in rows) / len(rows)
    median, high = middle_and_high([row.error for row in found])
    mended = middle_and_high([row.mended_error for row in found])
    bad = median > MEDIAN or high > HIGH or equal < VERDICTS
    return (
        f"| {name} | {flag_text(fast)} | {len(rows)} |"
        f" {sum(row.agree for row in rows)} ({equal:.0%}) |"
        f" {len(found)} | {median:.1%} | {high:.0%} | {mended[0]:.1%} | {mended[1]:.0%} |"
    ), bad


def middle_and_high(errors: list[float]) -> tuple[float, float]:
    """The median and the 90th percentile."""
    return statistics.median(errors), statistics.quantiles(errors, n=10)[8]


def worst(rows: list[Row]) -> list[Row]:
    """Loops to look at: other verdict, and the largest errors."""
    far = sorted([row for row in rows if row.mca_cy], key=lambda row: -row.mended_error)[:WORST]
    return [row for row in rows if row in far or not row.agree]


def table(machine: Machine, fast: bool, rows: list[Row]) -> str:
    """One line a loop."""
    lines = [
        f"### {machine.name} {flag_text(fast)}",
        "",
        "| loop | clang | plan | llvm-mca cy/it | plan cy/it | ratio | bound by, note |",
        "| --- | --: | --: | --: | --: | --: | --- |",
    ]
    for row in rows:
        vector, code = row.plan.code.vector, row.plan.code
        clang = f"{row.remark.width}×{row.remark.interleaved}" if row.remark else "1"
        own = f"{vector.width}×{vector.unroll}" if vector.width > 1 else "1"
        mca = f"{row.mca_cy:.2f}" if row.mca_cy else "–"
        if row.least_cy > (row.mca_cy or 0.0):
            mca += f" (≥ {row.least_cy:.2f})"
        if row.ordered_cy:
            mca += f" – {row.ordered_cy:.2f}"
        ratio = f"{code.t_core_cy / row.mca_cy:.2f}" if row.mca_cy else "–"
        words = "; ".join(str(word) for word in (code.limit, vector.reason, row.note) if word)
        lines.append(
            f"| {row.name} | {clang} | {own} | {mca} | {code.t_core_cy:.2f} | {ratio} | {words} |"
        )
    return "\n".join([*lines, ""])


def flag_text(fast: bool) -> str:
    """The flags of a column."""
    return "-O3 -ffast-math" if fast else "-O3"


def target(machine: Machine, headers: Path) -> tuple[str, ...]:
    """Flags for the machine; another architecture is compiled with the front end's own headers."""
    assert machine.tools is not None and machine.tools.cpu is not None
    triple, cpu = machine.tools.triple or "", machine.tools.cpu
    if triple.partition("-")[0] == platform.machine():
        return (f"-march={cpu}",)
    for name, text in shim_files("c"):
        path = headers / name.removeprefix(f"{SHIM_ROOT}/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace(SHIM_ROOT.encode(), str(headers).encode()))
    return (f"--target={triple}", f"-mcpu={cpu}", "-nostdinc", "-isystem", str(headers / "c"))


def measured(
    folder: str, machine: Machine, code: tuple[str, ...], clang: str, mca: str
) -> Iterator[Row]:
    """Every innermost loop of every kernel, compiled with the flags ``code``."""
    flags = ("-I" + str(Path(folder, "utilities")), "-DLARGE_DATASET")
    finder = FlagFinder(None, flags)
    files = list(kernel_files(folder))
    requests = [Request(str(path), finder.flags(str(path))) for _, path in files]
    compiler = Compiler(assumed=False)
    compiler = compiler.fast if FAST[0] in code else compiler
    with Frontend() as frontend:
        units = [answer for _, answer in frontend.analyse_all(requests)]
    for (name, path), unit in zip(files, units, strict=True):
        if isinstance(unit, Failure):
            raise SystemExit(f"{path}: {unit.reason}")
        made = compile_unit(CompilationUnit(str(path), (*flags, *code), clang), ResultStore())
        if isinstance(made, ExternalFailure):
            raise SystemExit(f"{path}: {made.reason}")
        for source in unit.functions:
            if source.function.name.startswith("kernel_"):
                for facts in facts_of(source.function):
                    if facts.kernel.innermost:
                        plan = plan_of(source.function, facts, machine, compiler)
                        yield compared(name, str(path), source, facts, plan, made, machine, mca)


def compared(
    name: str,
    path: str,
    source: SourceFunction,
    facts: KernelFacts,
    plan: CorePlan,
    made: Assembly,
    machine: Machine,
    mca: str,
) -> Row:
    """One loop, through the compiler's eyes and the plan's."""
    span = source.spans[facts.kernel.origin]
    remark = (made.remarks or {}).get(span.line)
    strides = [stream.strides[-1] for stream in facts.streams]
    constant = [s.value for s in strides if s is not None and s.value is not None]
    wanted = SourceLoop(
        path,
        source.function.name,
        span.line,
        span.end_line,
        tuple(int(stride) for stride in constant),
        remark.width * remark.interleaved if remark else 1,
    )
    row = Row(f"{name}:{span.line}", remark, plan, None, None, "")
    found = choose_loop(innermost_loops(made.text), wanted)
    if isinstance(found, ExternalFailure):
        return row._replace(note=found.reason)
    figures = passes(found, machine, mca, False)
    through_memory = plan.code.recurrence_cy > 1.1 * figures.cycles / found.iterations
    ordered = None
    if through_memory:
        ordered = passes(found, machine, mca, True).cycles / found.iterations
    note = "a value goes through memory" if through_memory else ""
    assert machine.tools is not None
    least = least_cy([i.text for i in found.loop.code], machine.tools.cpu or "")
    return row._replace(
        mca_cy=figures.cycles / found.iterations,
        ordered_cy=ordered,
        note=note,
        least_cy=least / found.iterations,
    )


def passes(found: ChosenLoop, machine: Machine, mca: str, ordered: bool) -> PassFigures:
    """llvm-mca's figures of a loop."""
    assert machine.tools is not None and machine.tools.cpu is not None
    figures = simulate(found.loop, mca, machine.tools.cpu, machine.tools.triple, ordered=ordered)
    if isinstance(figures, ExternalFailure):
        raise SystemExit(f"{mca}: {figures.reason}\n{found.loop.text}")
    return figures


if __name__ == "__main__":
    sys.exit(main())
