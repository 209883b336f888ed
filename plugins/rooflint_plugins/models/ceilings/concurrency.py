"""Little's law: how many lines must be under way for a bandwidth, and how many a core can have.

    lines in flight = latency * bandwidth / line

S. Williams, A. Waterman, D. Patterson: Roofline. UCB/EECS-2008-134, appendix A.2.2.
"""

from rooflint.machine import Pattern
from rooflint.memory import LinkStream, Rates
from rooflint.records import NamedTuple


class Concurrency(NamedTuple):
    """Lines in flight that the memory bandwidth of ``cores`` takes, and their fill buffers.

    ``demand_gb_s`` is what misses alone draw with these buffers, before anything prefetches.
    """

    cores: int
    gb_s: float
    latency_ns: float
    needed_lines: float
    fill_buffers: int
    demand_gb_s: float

    @property
    def words(self) -> str:
        """The figures in a sentence."""
        has = "core has" if self.cores == 1 else "cores have"
        text = (
            f"Little's law: {self.gb_s:.3g} GB/s at {self.latency_ns:g} ns need"
            f" {self.needed_lines:.3g} lines in flight; {self.cores} {has}"
            f" {self.fill_buffers} fill buffers"
        )
        if self.fill_buffers < self.needed_lines:
            return f"{text}, {self.demand_gb_s:.3g} GB/s without prefetching"
        return text


def concurrency_of(rates: Rates, pattern: Pattern) -> Concurrency | None:
    """None without latency, buffers or bandwidth, and on a local store, which software fills."""
    machine, cores = rates.machine, rates.cores
    roof = rates.of_stream(LinkStream(machine.links[-1], pattern))
    buffers = machine.core.buffers.line_fill if machine.core else None
    latency = machine.memory.latency_ns
    if machine.local_store is not None or roof is None or not buffers or not latency:
        return None
    line, held = machine.line_bytes, cores * buffers
    needed = latency * roof.gb_s / line
    return Concurrency(
        cores=cores,
        gb_s=roof.gb_s,
        latency_ns=latency,
        needed_lines=needed,
        fill_buffers=held,
        demand_gb_s=held * line / latency,
    )
