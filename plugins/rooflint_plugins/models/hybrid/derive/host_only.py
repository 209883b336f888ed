"""The host alone: the time of a nest by the Roofline of all its cores."""

from collections.abc import Mapping, Sequence

from rooflint.facts import KernelFacts
from rooflint.ir import Array
from rooflint.machine import Machine
from rooflint.memory import FunctionTraffic, Rates, Traffic
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import Sizes

from rooflint_plugins.models.hybrid.evaluate.system import GIGA


class HostTime(NamedTuple):
    """The nest on the host: time of all iterations with ``cores``, and what it comes from.

    limit       the resource that decides: ``peak``, ``memory`` or a link; ``by`` has it in words
    at_best_s   as long as code takes whose arrays cross memory once in each repetition, by blocking
    """

    seconds: float
    cores: int
    by: str
    limit: str
    at_best_s: float


class HostLink(NamedTuple):
    """A link of the host's memory: bytes over it for a flop, its rate, what is held before it."""

    name: str
    bytes_per_flop: float
    rate_b_s: float
    held_bytes: float


class HostRoofline(NamedTuple):
    """The host by its Roofline, with all of its cores: coprocessors serve the whole node.

    ``peak_op_s`` is None and ``links`` empty where the machine does not say.
    """

    cores: int
    peak_op_s: float | None
    links: tuple[HostLink, ...]

    def time(self, flops: float, footprint_bytes: float, repeat: float = 1.0) -> HostTime | None:
        """Time of ``flops``; what fits a cache crosses the links below it once only.

        ``repeat``: so often all of the footprint is used one after the other.
        """
        times = [] if self.peak_op_s is None else [(flops / self.peak_op_s, "by its peak", "peak")]
        least = [seconds for seconds, _, _ in times]
        for link in self.links:
            moved = link.bytes_per_flop * flops
            once = footprint_bytes
            if footprint_bytes > link.held_bytes:
                once *= repeat
            else:
                moved = min(moved, footprint_bytes)
            last = link is self.links[-1]
            which = "memory" if last else link.name
            times.append((moved / link.rate_b_s, f"by its {which} bandwidth", which))
            if last:
                least.append(min(moved, once) / link.rate_b_s)
        if not times:
            return None
        seconds, by, limit = max(times)
        return HostTime(seconds=seconds, cores=self.cores, by=by, limit=limit, at_best_s=max(least))


def host_of(machine: Machine, kernels: Sequence[tuple[KernelFacts, Traffic]]) -> HostRoofline:
    """The host for kernels whose traffic is known; the one with most operations names the rates."""
    rates = Rates(machine, machine.cores_total)
    executions = [max(1.0, float(traffic.space.executions)) for _, traffic in kernels]
    work = [f.work.flops * n for (f, _), n in zip(kernels, executions, strict=True)]
    heaviest, traffic = kernels[work.index(max(work))]
    known = rates.bandwidths(traffic.pattern)
    held = dict(zip(rates.links[1:], rates.held_bytes, strict=False))
    moved: dict[str, float] = {}
    for (_, each), n in zip(kernels, executions, strict=True):
        for link in each.links:
            moved[link.link] = moved.get(link.link, 0.0) + n * link.total_bytes
    flops = max(1.0, sum(work))
    links = [
        HostLink(link, volume / flops, known[link].gb_s * GIGA, held_bytes=float(held.get(link, 0)))
        for link, volume in moved.items()
        if link in known
    ]
    return HostRoofline(rates.cores, _peak(rates, heaviest), tuple(links))


def host_alone(
    machine: Machine, facts: Sequence[KernelFacts], arrays: Mapping[str, Array], sizes: Sizes
) -> HostRoofline:
    """The host for kernels that run one after the other."""
    movement = FunctionTraffic(facts, arrays, sizes, machine.line_bytes)
    rates = Rates(machine, machine.cores_total)
    return host_of(machine, [(f, movement.traffic(n, rates)) for n, f in enumerate(facts)])


def _peak(rates: Rates, facts: KernelFacts) -> float | None:
    found = rates.peak(facts.work.type or "f64")
    if found is not None:
        return found.value_g_per_s * GIGA
    host = rates.machine.host
    return None if host is None or not host.peak_gop_s else host.peak_gop_s * GIGA
