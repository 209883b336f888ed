"""The parameters that the generalized roofline was published with: Sandy Bridge, scalar doubles.

Sandy Bridge column of the authors' tool (ERM 4.0.1): latency, occupancy and parallel issue of every
class; 4 nodes a cycle, ROB 168, RS 54, load 64, store 36 and 10 line-fill entries, 2 address units.
A line of a level behind L1 takes line / throughput cycles of its channel, loads and stores alike.
"""

from fractions import Fraction
from typing import Final

from rooflint_plugins.models.bounds.parts import (
    Form,
    Hold,
    Need,
    Op,
    Ordering,
    Resource,
    ScheduledCore,
)

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
ADD: Final = Form(resource=0, latency=3, occupancy=1, holds=(Hold(_P1),))
MUL: Final = Form(resource=1, latency=5, occupancy=1, holds=(Hold(_P0),))
DIV: Final = Form(resource=2, latency=22, occupancy=22, holds=(Hold(_P0),))
LOADS: Final = {
    "L1": Form(resource=3, latency=4, occupancy=1, holds=(Hold(_LOAD),), role="load"),
    "L2": Form(resource=5, latency=12, occupancy=2, holds=(Hold(_LOAD),), role="load", beyond=True),
    "L3": Form(resource=6, latency=30, occupancy=2, holds=(Hold(_LOAD),), role="load", beyond=True),
    "MEM": Form(7, latency=100, occupancy=8, holds=(Hold(_LOAD),), role="load", beyond=True),
}
STORES: Final = {
    "L1": Form(resource=4, latency=4, occupancy=1, holds=(Hold(_STORE),), role="store"),
    "L2": Form(5, latency=12, occupancy=2, holds=(Hold(_STORE),), role="store", beyond=True),
    "L3": Form(6, latency=30, occupancy=2, holds=(Hold(_STORE),), role="store", beyond=True),
    "MEM": Form(7, latency=100, occupancy=8, holds=(Hold(_STORE),), role="store", beyond=True),
}


def sandy_bridge(ordering: Ordering = "none") -> ScheduledCore:
    """The core; ``ordering`` x86 is the tool's memory model."""
    return ScheduledCore(
        resources=RESOURCES,
        ports=PORTS,
        fetch_width=4,
        rob=168,
        rs=54,
        load_buffer=64,
        store_buffer=36,
        line_fill=10,
        address_units=2,
        ordering=ordering,
    )


def walking(
    position: int, far: Form, near: Form, iterations: int, needs: tuple[Need, ...] = ()
) -> Op:
    """An access that walks through lines: the first of ``iterations`` brings a line from afar.

    The others find it in the nearest level, and wait until it is there. ``position`` is where the
    node stands in its body.
    """
    waits = Need(position, (-1, *range(1, iterations)))
    return Op((far, *[near] * (iterations - 1)), (*needs, waits))


def overlap_curve(
    intensity: Fraction,
    compute: tuple[Fraction, Fraction],
    memory: tuple[Fraction, Fraction],
    alpha: Fraction,
) -> Fraction:
    """Performance under the overlap of a compute and a memory class, at any intensity.

    compute  (share of the flops, flops per cycle while the class is busy);  memory  (share of the
    bytes, bytes per cycle). At the program's intensity it is W / |S_x u S_y|, for high intensities
    the latency bound of the compute class, for low ones the slope of the memory class.
    """
    time_compute = intensity * compute[0] / compute[1]
    time_memory = memory[0] / memory[1]
    return intensity / (time_compute + time_memory - alpha * min(time_compute, time_memory))
