"""OSACA, where the user has installed it: a program of its own, never imported, never required.

Unlike llvm-mca it follows loop-carried dependences through memory places that it sees are equal.
J. Laukemann et al., Automatic throughput and critical path analysis of x86 and ARM assembly
kernels, PMBS 2019.
"""

import os
import re
import tempfile
from collections.abc import Iterable
from typing import Final

from rooflint.core.external.figures import PassFigures, Refusal, busiest_cy
from rooflint.core.external.listing import AsmLoop
from rooflint.core.external.tools import ran, version_of

LIMIT_S: Final = 60.0
TIMEOUT_S: Final = 10
"""For its search of loop-carried paths."""
HEAD: Final = re.compile(r"^\s*\|.*\|\|\s*CP\s*\|\s*LCD\s*\|")
UNKNOWN: Final = re.compile(r"^\s*\d+\s*\|.*\|\|.*\|\s*X\s+(?!j|b)(\w+)")
"""A line of the table for an instruction that the data base lacks; jumps cost nothing anyway."""


def analysed(
    loop: AsmLoop, path: str, architecture: str, load_ports: Iterable[str] = ()
) -> PassFigures | Refusal:
    """Figures of one pass; ``architecture`` by OSACA's name (``SKX``)."""
    with tempfile.TemporaryDirectory(prefix="rooflint-") as folder:
        file = os.path.join(folder, "loop.s")
        with open(file, "w", encoding="utf-8") as out:
            out.write(loop.text)
        command = [path, "--arch", architecture, "--lcd-timeout", str(TIMEOUT_S)]
        command += ["--syntax", "ATT"] if "%" in loop.text else []
        answer = ran([*command, "--ignore-unknown", file], folder=folder, limit_s=LIMIT_S)
    if isinstance(answer, Refusal):
        return answer
    return parsed(answer.out, version_of(path), load_ports)


def parsed(text: str, version: str, load_ports: Iterable[str] = ()) -> PassFigures | Refusal:
    """Figures from the table that OSACA prints."""
    lines = text.splitlines()
    at = next((n for n, line in enumerate(lines) if HEAD.match(line)), None)
    if at is None:
        return Refusal("OSACA's output is not understood: no table of port pressure")
    rows = [line for line in lines[at + 2 :] if line.strip()]
    unknown = next((m[1] for m in map(UNKNOWN.match, rows) if m), None)
    if unknown:
        return Refusal(f"OSACA does not know the instruction {unknown}")
    total = next((line for line in rows if "|" not in line), "")
    ports = _sums(lines[at], total)
    latencies = [float(number) for number in total[lines[at].index("||") :].split()]
    if ports is None or len(latencies) != 2:
        return Refusal("OSACA's output is not understood: its sums do not fit its ports")
    carried = latencies[1]
    pipes = set(load_ports)
    data = {name: cycles for name, cycles in ports.items() if name in {f"{p}D" for p in pipes}}
    if not data:
        data = {name: cycles for name, cycles in ports.items() if name in pipes}
    other = {name: cycles for name, cycles in ports.items() if name not in data}
    throughput = busiest_cy(ports)
    return PassFigures(
        "osaca",
        version,
        max(throughput, carried),
        throughput,
        busiest_cy(data) if data else None,
        busiest_cy(other),
        carried,
        float(sum("||" in line for line in rows)),
        ports,
    )


def _sums(header: str, total: str) -> dict[str, float] | None:
    """Cycles by port, an empty place meaning none. A column holds one port, or one and its pipeline
    beside it (``0 - 0DV``)."""
    ports: dict[str, float] = {}
    start = header.index("|")
    for cell in header[start + 1 : header.index("||")].split("|"):
        names = [name.strip() for name in cell.split("-")]
        share = (len(cell) + 1) // len(names)
        for number, name in enumerate(names):
            first = start + 1 + number * share
            text = total[first : first + share].strip()
            try:
                ports[name] = float(text) if text else 0.0
            except ValueError:
                return None
        start += len(cell) + 1
    return ports
