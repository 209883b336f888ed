"""OSACA, where the user has installed it: a program of its own, never imported, never required.

Unlike llvm-mca it follows loop-carried dependences through memory places that it sees are equal.
J. Laukemann et al., Automatic throughput and critical path analysis of x86 and ARM assembly
kernels, PMBS 2019.
"""

import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Final

from rooflint.core.external.figures import ExternalFailure, PassFigures, busiest_cy
from rooflint.core.external.listing import AsmLoop
from rooflint.core.external.tools import run_program, version_of
from rooflint.startup.late_pattern import late_pattern

LIMIT_S: Final = 60.0
TIMEOUT_S: Final = 10
"""For its search of loop-carried paths."""
HEAD: Final = late_pattern(r"^\s*\|.*\|\|\s*CP\s*\|\s*LCD\s*\|")
UNKNOWN: Final = late_pattern(r"^\s*\d+\s*\|.*\|\|.*\|\s*X\s+(?!j|b)(\w+)")
"""A line of the table for an instruction that the data base lacks; jumps cost nothing anyway."""


def analyse(
    loop: AsmLoop, path: str, architecture: str, load_ports: Iterable[str] = ()
) -> PassFigures | ExternalFailure:
    """Figures of one pass; ``architecture`` by OSACA's name (``SKX``)."""
    with tempfile.TemporaryDirectory(prefix="rooflint-") as folder:
        file = os.path.join(folder, "loop.s")
        with open(file, "w", encoding="utf-8") as out:
            out.write(loop.text)
        command = [path, "--arch", architecture, "--lcd-timeout", str(TIMEOUT_S)]
        command += ["--syntax", "ATT"] if "%" in loop.text else []
        answer = run_program([*command, "--ignore-unknown", file], folder=folder, limit_s=LIMIT_S)
    if isinstance(answer, ExternalFailure):
        return answer
    return parse_table(answer.out, version_of(path), load_ports)


def parse_table(
    text: str, version: str, load_ports: Iterable[str] = ()
) -> PassFigures | ExternalFailure:
    """Figures from the table that OSACA prints."""
    lines = text.splitlines()
    at = next((n for n, line in enumerate(lines) if HEAD.match(line)), None)
    if at is None:
        return ExternalFailure("OSACA's output is not understood: no table of port pressure")
    rows = [line for line in lines[at + 2 :] if line.strip()]
    return _parse_rows(lines[at], rows, version, load_ports)


def _parse_rows(
    header: str, rows: list[str], version: str, load_ports: Iterable[str]
) -> PassFigures | ExternalFailure:
    unknown = next((m[1] for m in map(UNKNOWN.match, rows) if m), None)
    if unknown is not None:
        return ExternalFailure(f"OSACA does not know the instruction {unknown}")
    total = next((line for line in rows if "|" not in line), "")
    ports = _sums(header, total)
    latencies = [float(number) for number in total[header.index("||") :].split()]
    if ports is None or len(latencies) != 2:
        return ExternalFailure("OSACA's output is not understood: its sums do not fit its ports")
    uops = sum("||" in line for line in rows)
    return _figures(ports, latencies[1], uops, version, set(load_ports))


def _figures(
    ports: dict[str, float], carried_cy: float, uops: int, version: str, load_ports: set[str]
) -> PassFigures:
    throughput = busiest_cy(ports)
    data = _load_pipes(ports, load_ports)
    return PassFigures(
        analyser="osaca",
        version=version,
        cycles=max(throughput, carried_cy),
        throughput_cy=throughput,
        load_cy=busiest_cy({name: ports[name] for name in data}) if data else None,
        other_cy=busiest_cy(ports, data),
        latency_cy=carried_cy,
        uops=float(uops),
        ports=ports,
    )


def _load_pipes(ports: Mapping[str, float], load_ports: set[str]) -> set[str]:
    """Columns of loaded data: ``2D`` beside ``2``, else the load ports themselves."""
    return ports.keys() & {f"{port}D" for port in load_ports} or ports.keys() & load_ports


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
