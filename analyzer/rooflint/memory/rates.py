"""Peaks and bandwidths of one machine with a number of active cores."""

from collections.abc import Mapping

from rooflint.machine import Bandwidth, ComputePeak, Machine, Pattern
from rooflint.memory.hierarchy import links_of
from rooflint.memory.memo import memoized_method

COUNTED_AS = {"c64": "f32", "c128": "f64", "c160": "f80", "ptr": "i64"}
"""Work on complex numbers is counted in operations on their parts."""


def level_bytes(machine: Machine, cores: int) -> tuple[int, ...]:
    """Capacity of each level above memory for ``cores`` cores together, nearest first."""
    if machine.local_store is not None:
        return (int(machine.local_store.size_kib * 1024) * cores,)
    return tuple(
        int(cache.size_kib * 1024) * -(-cores // cache.shared_by_cores) for cache in machine.caches
    )


class Rates:
    """Rates of ``machine`` with ``cores``; one object per run, shared by all kernels and models."""

    def __init__(self, machine: Machine, cores: int) -> None:
        self.machine = machine
        self.cores = cores
        self.links = machine.links
        self.hierarchy = links_of(machine, cores)
        self.held_bytes = level_bytes(machine, cores)
        self.write_allocate = machine.write_allocates(cores)

    def peak(self, element_type: str, operation: str = "flop") -> ComputePeak | None:
        """The compute roof in 1e9 ``operation`` a second; None when the machine does not say."""
        return self._peak(element_type, operation)

    @memoized_method
    def _peak(self, element_type: str, operation: str) -> ComputePeak | None:
        counted = COUNTED_AS.get(element_type, element_type)
        return self.machine.peak_gops(counted, self.cores, operation)

    @memoized_method
    def bandwidths(self, pattern: Pattern) -> Mapping[str, Bandwidth]:
        """By link, nearest first, the rates that the machine gives."""
        rates = {
            link: self.machine.bandwidth_gb_s(link, pattern, self.cores) for link in self.links
        }
        return {link: rate for link, rate in rates.items() if rate is not None}
