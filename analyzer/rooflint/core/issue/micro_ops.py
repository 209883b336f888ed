"""Records of a loop body: selected instructions, and micro-operations summed up by kind."""

from collections.abc import Container, Iterable, Sequence
from typing import Final, Literal, TypeAlias

from rooflint.core.issue.ports import Ports
from rooflint.machine import CoreOperation, PortUse
from rooflint.records import NamedTuple

Role: TypeAlias = Literal["arithmetic", "load", "store", "address", "shuffle", "overhead", "call"]


ADDRESS: Final = " address"
"""Added to a port's name: the unit behind it that computes addresses, one a cycle."""
TAKEN: Final = "taken branch"
"""Instructions are fetched from one new place a cycle, whatever the ports: the tightest loops wait
for that (Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs)."""
OVERHEAD: Final = -1
"""Stands for the value of instructions that make none: counters and branches of the loop."""


class MicroOp(NamedTuple):
    """Instructions of one kind in a body.

    kind    class and type: ``add.f64``
    times   how many a body has; the loop's own overhead is shared by the bodies of an unrolled loop
    uops    what each counts against the issue width
    cycles  of calls: how long each takes, on no port in particular
    """

    kind: str
    role: Role
    times: float
    uses: tuple[PortUse, ...]
    uops: float = 1.0
    cycles: float = 0.0


class BodyInstruction(NamedTuple):
    """``times`` instructions of class ``name`` on ``kind`` in a body.

    part    of others, which issue them: an operand in memory
    also    address units that it takes besides
    cycles  of a call: how long it takes
    """

    name: str
    kind: str
    role: Role
    times: float
    operation: CoreOperation
    part: bool = False
    also: tuple[PortUse, ...] = ()
    cycles: float = 0.0


def port_work(ops: Iterable[MicroOp]) -> dict[Ports, float]:
    """Cycles by the set of ports any of which can do them."""
    work: dict[Ports, float] = {}
    for op in ops:
        for ports, cycles in op.uses:
            work[ports] = work.get(ports, 0.0) + op.times * cycles
    return work


def split_work(
    ops: Iterable[MicroOp], apart: Container[str], load_ports: Iterable[str]
) -> tuple[dict[Ports, float], dict[Ports, float]]:
    """Work that overlaps with transfers, and work of the classes ``apart`` that do not; of a
    gather, what it does on the ports of loads."""
    ports_of_loads = set(load_ports)
    other: dict[Ports, float] = {}
    serial: dict[Ports, float] = {}
    for op in ops:
        plain = op.kind.partition(".")[0] in apart
        gathers = op.role == "load" and "load" in apart
        for ports, cycles in op.uses:
            loads = plain or (gathers and ports_of_loads.issuperset(ports))
            work = serial if loads else other
            work[ports] = work.get(ports, 0.0) + op.times * cycles
    return other, serial


class SchedulerUse(NamedTuple):
    """Entries of the schedulers that instructions hold while they wait.

    held      of the entries, the share that one iteration's instructions hold which wait for a
              value of an earlier iteration
    least_cy  an iteration's cycles at least, since entries are held until operands are there
    """

    held: float = 0.0
    least_cy: float = 0.0


def mean_use(uses: Sequence[SchedulerUse], shares: Sequence[float]) -> SchedulerUse:
    """Of an iteration, ``shares`` of which run the codes with these uses."""
    return SchedulerUse(
        held=sum([use.held * share for use, share in zip(uses, shares, strict=True)]),
        least_cy=sum([use.least_cy * share for use, share in zip(uses, shares, strict=True)]),
    )
