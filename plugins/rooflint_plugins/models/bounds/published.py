"""The parameters that the generalized roofline was published with: Sandy Bridge, scalar doubles.

Sandy Bridge column of the authors' tool (ERM 4.0.1): latency, occupancy and parallel issue of every
class; 4 nodes a cycle, ROB 168, RS 54, load 64, store 36 and 10 line-fill entries, 2 address units.
A line of a level behind L1 takes line / throughput cycles of its channel, loads and stores alike.
"""

from typing import Final

from rooflint_plugins.models.bounds.parts import Form, Hold, Ordering, Resource, ScheduledCore

PORTS: Final = ("0", "1", "2", "3", "4", "5")
_P0, _P1, _LOAD, _STORE = (0,), (1,), (2, 3), (4,)
RESOURCES: Final = (
    Resource("add", 1, "compute"),
    Resource("mul", 1, "compute"),
    Resource("div", 1, "compute"),
    Resource("L1 load", 2, "memory"),
    Resource("L1 store", 1, "memory"),
    Resource("L2", 1, "memory"),
    Resource("L3", 1, "memory"),
    Resource("MEM", 1, "memory"),
)
ADD: Final = Form(0, 3, 1, (Hold(_P1),))
MUL: Final = Form(1, 5, 1, (Hold(_P0),))
DIV: Final = Form(2, 22, 22, (Hold(_P0),))
LOADS: Final = {
    "L1": Form(3, 4, 1, (Hold(_LOAD),), "load"),
    "L2": Form(5, 12, 2, (Hold(_LOAD),), "load", beyond=True),
    "L3": Form(6, 30, 2, (Hold(_LOAD),), "load", beyond=True),
    "MEM": Form(7, 100, 8, (Hold(_LOAD),), "load", beyond=True),
}
STORES: Final = {
    "L1": Form(4, 4, 1, (Hold(_STORE),), "store"),
    "L2": Form(5, 12, 2, (Hold(_STORE),), "store", beyond=True),
    "L3": Form(6, 30, 2, (Hold(_STORE),), "store", beyond=True),
    "MEM": Form(7, 100, 8, (Hold(_STORE),), "store", beyond=True),
}


def sandy_bridge(ordering: Ordering = "none") -> ScheduledCore:
    """The core; ``ordering`` x86 is the tool's memory model."""
    return ScheduledCore(RESOURCES, PORTS, 4, 168, 54, 64, 36, 10, 2, ordering)
