"""Input of the scheduler: forms of nodes, the parameters of a core, and loop bodies.

Cycles are whole numbers: a form that holds a port for a fraction of a cycle is rounded up.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from rooflint.machine.parts import MemoryOrder
from rooflint.records import NamedTuple

Role: TypeAlias = Literal["compute", "load", "store", "none"]
Ordering: TypeAlias = MemoryOrder
PortKind: TypeAlias = Literal["unit", "link", "page walks", "calls"]
"""What stands in line at a port: instructions at an execution unit, lines on a link, walks of the
page table, or calls of library functions."""

BUFFERS: Final = ("RS", "ROB", "LB", "SB", "LFB")
"""Reservation station, reorder, load, store and line-fill buffers, in the order of stall masks."""


class Hold(NamedTuple):
    """One of ``ports`` (positions), held for ``cycles``: the first of them that is free."""

    ports: tuple[int, ...]
    cycles: int = 1


class Form(NamedTuple):
    """How one kind of node executes.

    resource   position of its class among the core's
    latency    cycles until the result can be used
    occupancy  cycles for which it keeps a slot of its class
    holds      one port of each group
    role       loads and stores take entries of their buffers; ``none`` takes nothing at all, like
               a value in a register
    beyond     a load or store of a level behind the nearest one: takes a line-fill buffer
    slots      what it counts against the fetch width
    bytes      that a load or store moves: of its own, or of the lines that it brings
    """

    resource: int
    latency: int
    occupancy: int = 1
    holds: tuple[Hold, ...] = ()
    role: Role = "compute"
    beyond: bool = False
    slots: int = 1
    bytes: int = 0


class Resource(NamedTuple):
    """A class of nodes.

    parallel   nodes of the class that may run side by side; None: any number (ports decide)
    group      ``compute``, ``memory`` or ``other`` (neither computes nor moves data)
    """

    name: str
    parallel: int | None = None
    group: Literal["compute", "memory", "other"] = "compute"


class ScheduledCore(NamedTuple):
    """The parameters of a core; None stands for no limit.

    kinds        of ports that are no execution units, by name
    fetch_width  nodes that enter a cycle
    address_units  loads and stores that may start in a cycle
    ordering     x86: loads in order, a store after the loads and stores before it; arm: loads after
                 the loads and stores before them, a store after the loads before it
    """

    resources: tuple[Resource, ...]
    ports: tuple[str, ...] = ()
    fetch_width: int | None = None
    rob: int | None = None
    rs: int | None = None
    load_buffer: int | None = None
    store_buffer: int | None = None
    line_fill: int | None = None
    address_units: int | None = None
    ordering: Ordering = "none"
    in_order: bool = False
    kinds: Mapping[str, PortKind] = {}

    def kind(self, port: str) -> PortKind:
        """The kind of a port: an execution unit unless the core says otherwise."""
        return self.kinds.get(port, "unit")


class Need(NamedTuple):
    """A node waits for the result of node ``op``, ``distances`` iterations earlier.

    By iteration, repeating; -1: not in this iteration. The result of a store is there when the
    store starts, so that a load of the stored place takes its own latency only.
    """

    op: int
    distances: tuple[int, ...] = (0,)


class Op(NamedTuple):
    """A node of a loop body: its ``forms`` by iteration, repeating; None: not in this iteration."""

    forms: tuple[Form | None, ...]
    needs: tuple[Need, ...] = ()


class OpStretch(NamedTuple):
    """``trips`` iterations of a body.

    ``resumes`` are nodes whose results the next execution of the loop waits for as if it went on.
    ``enters`` are nodes of other stretches that node ``op`` of this one waits for: all iterations
    in a body of one trip, the first iteration else (op, stretch, op there).
    """

    body: tuple[Op, ...]
    trips: int = 1
    enters: tuple[tuple[int, int, int], ...] = ()
    resumes: frozenset[int] = frozenset()


def walking(
    position: int, far: Form, near: Form, iterations: int, needs: tuple[Need, ...] = ()
) -> Op:
    """An access that walks through lines: the first of ``iterations`` brings a line from afar.

    The others find it in the nearest level, and wait until it is there. ``position`` is where the
    node stands in its body.
    """
    waits = Need(position, (-1, *range(1, iterations)))
    return Op((far, *[near] * (iterations - 1)), (*needs, waits))
