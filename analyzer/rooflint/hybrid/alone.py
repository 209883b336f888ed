"""The host alone: the time of a nest by the Roofline of all its cores."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rooflint.facts import KernelFacts
from rooflint.hybrid.system import GIGA
from rooflint.ir import Array
from rooflint.machine import Machine
from rooflint.memory import Movement, Rates, Traffic
from rooflint.sizes import Sizes


class HostTime(NamedTuple):
    """The nest on the host: time of all iterations with ``cores``, and what it comes from."""

    seconds: float
    cores: int
    by: str


class HostLink(NamedTuple):
    """A link of the host's memory: bytes over it for a flop, its rate, what is held before it."""

    name: str
    bytes_per_flop: float
    rate_b_s: float
    held_bytes: float


class Host(NamedTuple):
    """The host by its Roofline, with all of its cores: coprocessors serve the whole node.

    ``peak_op_s`` is None and ``links`` empty where the machine does not say.
    """

    cores: int
    peak_op_s: float | None
    links: tuple[HostLink, ...]

    def time(self, flops: float, footprint_bytes: float) -> HostTime | None:
        """Time of ``flops``; what fits a cache crosses the links below it once only."""
        times = [] if self.peak_op_s is None else [(flops / self.peak_op_s, "by its peak")]
        for link in self.links:
            moved = link.bytes_per_flop * flops
            if footprint_bytes <= link.held_bytes:
                moved = min(moved, footprint_bytes)
            which = "memory" if link is self.links[-1] else link.name
            times.append((moved / link.rate_b_s, f"by its {which} bandwidth"))
        if not times:
            return None
        seconds, by = max(times)
        return HostTime(seconds, self.cores, by)


def host_of(machine: Machine, facts: KernelFacts, traffic: Traffic) -> Host:
    """The host for a kernel whose traffic is known."""
    rates = Rates(machine, machine.cores_total)
    known = rates.bandwidths(traffic.pattern)
    held = dict(zip(rates.links[1:], rates.held_bytes, strict=False))
    flops = max(1, facts.work.flops)
    links = [
        HostLink(
            moved.link,
            moved.total_bytes / flops,
            known[moved.link].gb_s * GIGA,
            float(held.get(moved.link, 0)),
        )
        for moved in traffic.links
        if moved.link in known
    ]
    return Host(rates.cores, _peak(rates, facts), tuple(links))


def _peak(rates: Rates, facts: KernelFacts) -> float | None:
    """Op/s of the host's cores, as its file states or implies it."""
    found = rates.peak(facts.work.type or "f64")
    if found is not None:
        return found.value_g_per_s * GIGA
    host = rates.machine.host
    return None if host is None or not host.peak_gop_s else host.peak_gop_s * GIGA


def host_alone(
    machine: Machine, nest: Sequence[KernelFacts], arrays: Mapping[str, Array], sizes: Sizes
) -> Host:
    """The host for a nest, by the traffic of its kernel with most operations."""
    movement = Movement(nest, arrays, sizes, machine.line_bytes)
    executions = [float(space.executions) for space in movement.spaces()]
    work = [f.work.flops * max(1.0, n) for f, n in zip(nest, executions, strict=True)]
    heaviest = work.index(max(work))
    traffic = movement.traffic(heaviest, Rates(machine, machine.cores_total))
    return host_of(machine, nest[heaviest], traffic)
