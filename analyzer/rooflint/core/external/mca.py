"""llvm-mca: throughput and port pressure of straight code, from LLVM's own machine models.

It takes every load and store for a different place, so a value that goes from one iteration to the
next through memory costs it nothing (``ordered`` gives the other extreme: each load waits for all
stores before it). It knows no front end, no caches and no fused micro-operations.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from rooflint.core.external.figures import ExternalFailure, PassFigures, busiest_cy
from rooflint.core.external.listing import AsmLoop
from rooflint.core.external.tools import run_program, version_of

PASSES: Final = 500
LIMIT_S: Final = 20.0


def simulate(
    loop: AsmLoop,
    path: str,
    cpu: str,
    triple: str | None = None,
    load_ports: Iterable[str] = (),
    ordered: bool = False,
) -> PassFigures | ExternalFailure:
    """Figures of one pass; ``load_ports`` as the machine file names them."""
    command = [path, f"-mcpu={cpu}", f"-iterations={PASSES}", "--json"]
    command += [f"-mtriple={triple}"] if triple else []
    command += ["-noalias=false"] if ordered else []
    answer = run_program(command, loop.text, limit_s=LIMIT_S)
    if isinstance(answer, ExternalFailure):
        return answer
    return parse_report(answer.out, version_of(path), load_ports)


def parse_report(
    text: str, version: str, load_ports: Iterable[str] = ()
) -> PassFigures | ExternalFailure:
    """Figures from llvm-mca's JSON."""
    try:
        # releases before 15 print a table after the JSON of a region
        report: dict[str, Any] = json.JSONDecoder().raw_decode(text.lstrip())[0]
        region = report["CodeRegions"][0]
        names = [_readable(str(name)) for name in report["TargetInfo"]["Resources"]]
        return _figures(region, names, version, set(load_ports))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return ExternalFailure(
            f"llvm-mca's output is not understood ({type(error).__name__}: {error})"
        )


def _figures(
    region: dict[str, Any], names: list[str], version: str, load_ports: set[str]
) -> PassFigures:
    summary = region["SummaryView"]
    instructions = region["InstructionInfoView"]["InstructionList"]
    loading = {i["Instruction"] for i in instructions if i["mayLoad"]}
    data = {number for number, name in enumerate(names) if _ports_of(name) & load_ports}
    ports: dict[str, float] = {}
    loads: dict[str, float] = {}
    for use in region["ResourcePressureView"]["ResourcePressureInfo"]:
        number, at = use["ResourceIndex"], use["InstructionIndex"]
        if at < len(instructions):  # else the sum over the block
            _add(ports, names[number], use)
            if number in data and at in loading:
                _add(loads, names[number], use)
    other = {name: cycles - loads.get(name, 0.0) for name, cycles in ports.items()}
    uops = summary["TotaluOps"] / summary["Iterations"]
    return PassFigures(
        analyser="llvm-mca",
        version=version,
        cycles=summary["TotalCycles"] / summary["Iterations"],
        throughput_cy=float(summary["BlockRThroughput"]),
        load_cy=busiest_cy(loads) if data else None,
        other_cy=max(busiest_cy(other), uops / summary["DispatchWidth"]),
        latency_cy=None,
        uops=uops,
        ports={name: round(cycles, 4) for name, cycles in ports.items()},
    )


def _add(pressure: dict[str, float], name: str, use: dict[str, Any]) -> None:
    pressure[name] = pressure.get(name, 0.0) + float(use["ResourceUsage"])


def _readable(name: str) -> str:
    """Units of a group are told apart by a byte with their number."""
    return "".join([c if c.isprintable() else str(ord(c)) for c in name])


def _ports_of(name: str) -> set[str]:
    """Ports as a machine file names them: ``SBPort23.0`` is one of 2 and 3."""
    found = re.search(r"Port(\d+)(?:\.\d+)?$", name)
    return set(found[1]) | {found[1]} if found else set()
