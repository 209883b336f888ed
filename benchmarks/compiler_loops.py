"""Small loops as compilers made them: ``compiler_loops.py VECTORS [--config TEXT] [--loops]``.

``--reference FILE`` has other cycles for some of them, as ``mended_reference.py`` writes them.

VECTORS is a JSON file with ``cases``: each has a ``source``, the ``line`` of its loop, and under
``compiled``, by compiler and flags, the compiler's remark (``vectorised``, ``vf``,
``interleave``) and the cycles an iteration of the compiled block (``fused_cy``, else ``mca_cy``;
comparable where it is ``straight``). No compiler runs here.

A verdict is right where plan and remark both have vectors or both none; a loop that the compiler
removed is not scored. Cycles are compared where the verdicts are equal.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from incore import vectorises
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.core import as_compiled
from rooflint.core.plan import CorePlan, plan_of
from rooflint.facts import KernelFacts, facts_of
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.ir import SourceFunction
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.pipeline.setup.compilers import compiler_of
from rooflint.workers.limits import Failure

MACHINES = {
    "haswell": "haswell-ep-e5-2695v3",
    "skylake-avx512": "skylake-sp-6148",
    "znver3": "zen3-7763",
    "znver4": "zen4-9654",
}
WITHOUT_MARCH = "skylake-avx512"
HEAD = (
    "| compiler, flags | loops | right verdict | right width too | false vector | false scalar"
    " | missing | compared | median error | within 25 % | over 2× |"
)


SET_ASIDE: Final = {
    "xorshift_u32": "llvm-mca takes a cycle for moves between registers, which cost none",
    "horner_i64": "a chain of 64-bit products and sums takes 5 or 6 cycles, 4 in a core",
    "nounroll_hint": "the block is that of 4 vectors, and counted as one (``#pragma GCC unroll``)",
    "distrib_memset": "the block lacks the call that one of the stores has become",
}
"""Loops whose cycles are not compared, and what is wrong with the reference."""


class Case(NamedTuple):
    """One loop of the vectors, and its functions as analysed."""

    name: str
    kind: str
    line: int
    path: str
    functions: tuple[SourceFunction, ...]
    compiled: dict[str, Any]


class Row(NamedTuple):
    """One loop under one set of flags; ``plan`` is None where no kernel was found."""

    case: Case
    answer: dict[str, Any]
    plan: CorePlan | None
    plan_s: float

    @property
    def vector(self) -> bool:
        """Whether the compiler has vectors."""
        return bool(self.answer["vectorised"])

    @property
    def right(self) -> bool:
        """Whether both have vectors, or neither."""
        return self.plan is not None and self.vector == vectorises(self.plan)

    @property
    def right_width(self) -> bool:
        """Whether the vectors cover as many iterations as well."""
        if not self.right or self.plan is None:
            return False
        return not self.vector or self.plan.code.vector.width == self.answer.get("vf")

    @property
    def cycles(self) -> float | None:
        """The compiled block's, where they compare with the plan's."""
        if not self.right or not self.answer.get("straight") or self.case.name in SET_ASIDE:
            return None
        found = self.answer.get("mended_cy", self.answer.get("fused_cy", self.answer.get("mca_cy")))
        return float(found) if found else None

    @property
    def error(self) -> float:
        """How far the plan is from the block, of the latter."""
        assert self.plan is not None and self.cycles
        return self.plan.code.t_core_cy / self.cycles - 1


def main() -> int:
    """Prints a table, and with --loops every loop that is wrong or off by more than a quarter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--config", default="", help="only compilers and flags with this text")
    parser.add_argument("--loops", action="store_true", help="print the loops that are wrong")
    parser.add_argument("--reference", type=Path, help="cycles by mended_reference.py")
    given = parser.parse_args()
    data = json.loads(given.vectors.read_text())
    if given.reference:
        mend(data["cases"], json.loads(given.reference.read_text()))
    configs = [c for c in data["cases"][0]["compiled"] if given.config in c]
    tables = []
    took: list[float] = []
    print("\n".join([HEAD, "| --- |" + " --: |" * 10]))
    with tempfile.TemporaryDirectory() as folder:
        cases = list(analysed(data["cases"], Path(folder)))
        for config in configs:
            rows = list(planned(cases, config))
            print(summed_up(config, rows), flush=True)
            tables.append(table(config, rows))
            took += [row.plan_s for row in rows if row.plan is not None]
    print(f"\nplanning a kernel: median {statistics.median(took) * 1e3:.2f} ms of CPU")
    if given.loops:
        print("\n".join(["", *tables]))
    return 0


def mend(cases: Iterable[dict[str, Any]], reference: dict[str, dict[str, float | None]]) -> None:
    """Sets the cycles of blocks that the reference has; None: they are not compared."""
    for case in cases:
        for config, found in reference.items():
            if case["id"] in found and case["compiled"].get(config):
                case["compiled"][config]["mended_cy"] = found[case["id"]]


def analysed(cases: Iterable[dict[str, Any]], folder: Path) -> Iterator[Case]:
    """The cases, each in a file of its own."""
    cases = list(cases)
    paths = []
    for case in cases:
        file = folder / f"{case['id']}.c"
        file.write_text(case["source"])
        paths.append(str(file))
    finder = FlagFinder(None, ())
    requests = [Request(path, finder.flags(path)) for path in paths]
    with Frontend() as frontend:
        units = [answer for _, answer in frontend.analyse_all(requests)]
    for case, path, unit in zip(cases, paths, units, strict=True):
        if isinstance(unit, Failure):
            raise SystemExit(f"{path}: {unit.reason}")
        yield Case(
            name=case["id"],
            kind=case["cls"],
            line=case["line"],
            path=path,
            functions=unit.functions,
            compiled=case["compiled"],
        )


def planned(cases: Iterable[Case], config: str) -> Iterator[Row]:
    """The loops that the compiler leaves."""
    driver, *flags = config.split()
    machine = machine_of(config)
    for case in cases:
        answer = case.compiled.get(config)
        if answer is None or answer.get("no_loop_left"):
            continue
        compiler = compiler_of(read_flags((driver, *flags, case.path), "/", case.path).code)
        begin = time.process_time()
        found = kernel_of(case)
        plan = None
        if found:
            function = found[0].function
            (facts,) = as_compiled(function, (found[1],), compiler)
            plan = plan_of(function, facts, machine, compiler)
        yield Row(case, answer, plan, time.process_time() - begin)


def machine_of(config: str) -> Machine:
    """The machine that the flags name; without -march the one that the cycles are for."""
    architecture = next(
        (word.partition("=")[2] for word in config.split() if word.startswith("-march=")),
        WITHOUT_MARCH,
    )
    return find_machine(MACHINES[architecture], (builtin_dir(),))


def kernel_of(case: Case) -> tuple[SourceFunction, KernelFacts] | None:
    """The innermost kernel at the line, else the last one around or after it."""
    found = [
        (source, facts, source.spans[facts.kernel.origin])
        for source in case.functions
        for facts in facts_of(source.function)
    ]
    exact = [each for each in found if each[2].line == case.line]
    around = [each for each in found if each[2].line <= case.line <= each[2].end_line]
    chosen = exact or around
    return chosen[-1][:2] if chosen else None


def summed_up(config: str, rows: list[Row]) -> str:
    """A line of the summary."""
    right = sum(row.right for row in rows)
    wide = sum(row.right_width for row in rows)
    missing = sum(row.plan is None for row in rows)
    wrong = [row for row in rows if row.plan is not None and not row.right]
    false_vector = sum(not row.vector for row in wrong)
    errors = [row.error for row in rows if row.cycles]
    middle = statistics.median(map(abs, errors)) if errors else 0.0
    near = sum(abs(error) <= 0.25 for error in errors) / max(1, len(errors))
    far = sum(error > 1 or error < -0.5 for error in errors)
    return (
        f"| {config} | {len(rows)} | {right} ({right / len(rows):.0%}) |"
        f" {wide} ({wide / len(rows):.0%}) | {false_vector} | {len(wrong) - false_vector} |"
        f" {missing} | {len(errors)} | {middle:.0%} | {near:.0%} | {far} |"
    )


def table(config: str, rows: list[Row]) -> str:
    """One line for each loop with another verdict, another width, or cycles that are far off."""
    lines = [f"### {config}", "", "| loop | class | compiler | plan | cycles | plan | reason |"]
    lines.append("| --- | --- | --: | --: | --: | --: | --- |")
    for row in rows:
        if row.right_width and not (row.cycles and abs(row.error) > 0.25):
            continue
        made = f"{row.answer.get('vf')}×{row.answer.get('interleave', 1)}" if row.vector else "1"
        cycles = f"{row.cycles:.2f}" if row.cycles else "–"
        if row.plan is None:
            lines.append(f"| {row.case.name} | {row.case.kind} | {made} | none | {cycles} | – | |")
            continue
        vector = row.plan.code.vector
        own = f"{vector.width}×{vector.unroll}" if vectorises(row.plan) else vector.library or "1"
        reason = f"{vector.reason or ''} {row.plan.code.limit}"
        lines.append(
            f"| {row.case.name} | {row.case.kind} | {made} | {own} | {cycles} |"
            f" {row.plan.code.t_core_cy:.2f} | {reason} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
