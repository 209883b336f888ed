"""The bounds scheduler against llvm-mca: ``bounds_mca.py POLYBENCH [--machine NAME]``.

Every innermost loop of PolyBench's ``kernel_*`` functions is compiled (clang -O3 -march= the
machine). The instructions of its block, with the micro-operations, latencies and ports that
llvm-mca tells of them and without any dependence, go through the scheduler, data in L1. No schedule
may be more than 5 % faster than llvm-mca's throughput bound of the block, which has no dependences.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polybench import kernel_files
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.core.external.build import CompilationUnit, compile_unit
from rooflint.core.external.choice import SourceLoop, choose_loop
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.listing import innermost_loops
from rooflint.facts import facts_of
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.incremental.result_store import ResultStore
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.workers.limits import Failure
from rooflint_plugins.models.bounds.parts import (
    Form,
    Hold,
    Op,
    OpStretch,
    Resource,
    Role,
    ScheduledCore,
)
from rooflint_plugins.models.bounds.periods import steady

MACHINES = ("sandybridge-ep-e5-2680", "haswell-ep-e5-2695v3", "skylake-sp-6148")
FASTER = 0.95


def main() -> int:
    """Prints a table; exit code 1 where a schedule is too fast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="POLYBENCH", help="PolyBench/C 4.2.1")
    parser.add_argument("--machine", action="append", metavar="NAME")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--loops", action="store_true", help="print every loop")
    given = parser.parse_args()
    print("| machine | loops | least ratio | median | too fast |")
    print("| --- | --: | --: | --: | --: |")
    bad = 0
    for name in given.machine or MACHINES:
        machine = find_machine(name, (builtin_dir(),))
        rows = sorted(
            [
                (ours / bound, loop)
                for loop, text in blocks(given.folder, machine, given.clang)
                for ours, bound in [both(text, machine, given.mca)]
                if bound
            ]
        )
        fast = sum(1 for ratio, _ in rows if ratio < FASTER)
        bad += fast
        least, median = rows[0][0], rows[len(rows) // 2][0]
        print(f"| {machine.name} | {len(rows)} | {least:.3f} | {median:.3f} | {fast} |")
        for ratio, loop in rows if given.loops else []:
            print(f"    {ratio:.3f} {loop}")
    return int(bad > 0)


def both(text: str, machine: Machine, mca: str) -> tuple[float, float]:
    """Cycles a pass: the scheduler's, and llvm-mca's throughput bound."""
    assert machine.tools is not None and machine.tools.cpu is not None
    command = [mca, f"-mcpu={machine.tools.cpu}", "-iterations=100", "--json"]
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    report = json.JSONDecoder().raw_decode(ran.stdout.lstrip())[0]
    region = report["CodeRegions"][0]
    names = [str(name) for name in report["TargetInfo"]["Resources"]]
    core, body = lowered(region, names, machine)
    period = steady(core, OpStretch(body))
    return period.cycles / period.iterations, float(region["SummaryView"]["BlockRThroughput"])


def lowered(
    region: dict[str, Any], names: list[str], machine: Machine
) -> tuple[ScheduledCore, tuple[Op, ...]]:
    """The block's instructions as nodes that wait for nothing."""
    assert machine.core is not None
    held: dict[int, dict[int, float]] = {}
    for use in region["ResourcePressureView"]["ResourcePressureInfo"]:
        at = held.setdefault(use["InstructionIndex"], {})
        at[use["ResourceIndex"]] = at.get(use["ResourceIndex"], 0.0) + use["ResourceUsage"]
    ports = machine.core.ports
    moving = {*ports.get("load", ()), *ports.get("store_address", ())}
    data = {number for number, name in enumerate(names) if moving & ports_of(name)}
    body = []
    for each in region["InstructionInfoView"]["InstructionList"]:
        number = each["Instruction"]
        role: Role = "load" if each["mayLoad"] else "store" if each["mayStore"] else "compute"
        holds = tuple(holds_of(held.get(number, {}), data))
        latency = max([each["Latency"], 1, *[hold.cycles for hold in holds]])
        body.append(Op((Form(0, latency, 1, holds, role, False, each["NumMicroOpcodes"]),)))
    buffers = machine.core.buffers
    width = region["SummaryView"]["DispatchWidth"]
    core = ScheduledCore(
        (Resource("any"),),
        tuple(names),
        width,
        buffers.rob,
        buffers.rs,
        buffers.load,
        buffers.store,
    )
    return core, tuple(body)


def holds_of(used: dict[int, float], data: set[int]) -> Iterator[Hold]:
    """Ports that an instruction holds: whole cycles each by itself, what is shared by group."""
    shared: dict[bool, dict[int, float]] = {True: {}, False: {}}
    for port, cycles in used.items():
        whole = round(cycles)
        if whole and abs(cycles - whole) < 0.02:
            yield Hold((port,), whole)
        elif cycles > 0.001:
            shared[port in data][port] = cycles
    for group in shared.values():
        for _ in range(round(sum(group.values()))):
            yield Hold(tuple(group))


def ports_of(name: str) -> set[str]:
    """4 of ``SKXPort4``, 2 and 3 of ``SBPort23.0``."""
    found = re.search(r"Port(\d+)", name)
    return {found[1], *found[1]} if found else set()


def blocks(folder: str, machine: Machine, clang: str) -> Iterator[tuple[str, str]]:
    """The assembly of every innermost loop that is one block."""
    assert machine.tools is not None and machine.tools.cpu is not None
    flags = ("-I" + str(Path(folder, "utilities")), "-DLARGE_DATASET")
    code = ("-O3", "-fno-inline", f"-march={machine.tools.cpu}")
    finder = FlagFinder(None, flags)
    files = list(kernel_files(folder))
    requests = [Request(str(path), finder.flags(str(path))) for _, path in files]
    with Frontend() as frontend:
        units = [answer for _, answer in frontend.analyse_all(requests)]
    for (name, path), unit in zip(files, units, strict=True):
        if isinstance(unit, Failure):
            raise SystemExit(f"{path}: {unit.reason}")
        made = compile_unit(CompilationUnit(str(path), (*flags, *code), clang), ResultStore())
        if isinstance(made, ExternalFailure):
            raise SystemExit(f"{path}: {made.reason}")
        loops = innermost_loops(made.text)
        for source in unit.functions:
            if not source.function.name.startswith("kernel_"):
                continue
            for facts in facts_of(source.function):
                if not facts.kernel.innermost:
                    continue
                span = source.spans[facts.kernel.origin]
                remark = (made.remarks or {}).get(span.line)
                strides = [stream.strides[-1] for stream in facts.streams]
                constant = [s.value for s in strides if s is not None and s.value is not None]
                wanted = SourceLoop(
                    str(path),
                    source.function.name,
                    span.line,
                    span.end_line,
                    tuple(int(stride) for stride in constant),
                    remark.width * remark.interleaved if remark else 1,
                )
                found = choose_loop(loops, wanted)
                if not isinstance(found, ExternalFailure):
                    yield f"{name}:{span.line}", found.loop.text


if __name__ == "__main__":
    sys.exit(main())
