"""Figures of an assembly analyser for one pass over a loop."""

import json
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from rooflint.records import NamedTuple

Analyser: TypeAlias = Literal["llvm-mca", "osaca"]


class PassFigures(NamedTuple):
    """Cycles and port pressure of one pass over the loop, many passes after one another.

    cycles         until the next pass can start: ports, issue width and loop-carried latency
    throughput_cy  the same with no dependence at all
    load_cy        the busiest port for loaded data, by loads alone; None: not told apart
    other_cy       the busiest of the ports, loads left out where they are told apart
    latency_cy     of the longest loop-carried path; None: the analyser does not tell
    uops           micro-operations
    ports          cycles that each port is busy
    """

    analyser: Analyser
    version: str
    cycles: float
    throughput_cy: float
    load_cy: float | None
    other_cy: float
    latency_cy: float | None
    uops: float
    ports: dict[str, float]


class ExternalFailure(NamedTuple):
    """Why there are no figures, in a line."""

    reason: str


def busiest_cy(pressure: Mapping[str, float], left_out: Iterable[str] = ()) -> float:
    """The most cycles on one port."""
    gone = set(left_out)
    return max([cycles for port, cycles in pressure.items() if port not in gone], default=0.0)


def as_text(figures: PassFigures) -> str:
    """For a store of results."""
    return json.dumps(figures._asdict())


def as_figures(text: str) -> PassFigures | None:
    """The reverse; None for what this version does not read."""
    try:
        figures = PassFigures(**json.loads(text))
        return figures if isinstance(figures.ports, dict) and figures.cycles > 0 else None
    except (ValueError, TypeError):
        return None
