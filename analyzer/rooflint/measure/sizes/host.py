"""The computer that measures: its caches and memory, and how busy it is."""

import os

from msgspec import Struct

from rooflint.machine.probe.topology import Topology, read_topology


class HostCache(Struct, frozen=True, kw_only=True):
    """A cache as one core sees it; ``cores`` fill it, this one among them."""

    level: str
    capacity_bytes: int
    cores: int = 1

    @property
    def is_shared(self) -> bool:
        """Whether other cores fill it too."""
        return self.cores > 1


class Host(Struct, frozen=True, kw_only=True):
    """``core`` is LLVM's name for it where it is known; ``processors`` are those allowed, and
    ``cores`` one of each core, in the order in which cores are filled.

    ``adds_per_cy``: independent additions that a core of its own has been seen to do at least;
    None where that is unknown.
    """

    cpu: str
    core: str | None
    caches: tuple[HostCache, ...]
    memory_bytes: int
    processors: tuple[int, ...]
    cores: tuple[int, ...] = ()
    adds_per_cy: float | None = None

    def residency(self, data_bytes: int, cores: int = 1) -> str:
        """The nearest level that holds so much of each of so many cores, ``MEM`` where no cache
        does."""
        fitting = (
            each.level
            for each in self.caches
            if data_bytes * min(cores, each.cores) <= each.capacity_bytes
        )
        return next(fitting, MEMORY)

    def is_private(self, level: str) -> bool:
        """Whether no other core fills the level."""
        return any(each.level == level and not each.is_shared for each in self.caches)

    @property
    def levels(self) -> tuple[str, ...]:
        """Nearest first, memory last."""
        return (*[each.level for each in self.caches], MEMORY)


MEMORY = "MEM"
QUIET_ADDS = {"x86_64": 3.45, "amd64": 3.45}
"""Additions a cycle, by architecture: x86 cores since 2013 have four units for them or more. Seen
on cores without a busy neighbour: 3.47 on Emerald Rapids, 3.75 on Zen 4."""


def host_of(topology: Topology, processors: tuple[int, ...], architecture: str = "") -> Host:
    """The computer of a topology, on which the process may use ``processors``."""
    return Host(
        cpu=topology.model_name,
        core=topology.core,
        caches=tuple(
            [
                HostCache(
                    level=f"L{cache.level}",
                    capacity_bytes=cache.size_bytes,
                    cores=cache.cores,
                )
                for cache in topology.caches
            ]
        ),
        memory_bytes=topology.memory_bytes,
        processors=processors,
        cores=tuple([cpu for cpu in topology.cpus if cpu in processors]),
        adds_per_cy=QUIET_ADDS.get(architecture.lower()),
    )


def this_host() -> Host:
    """This computer; raises UsageError where the kernel is not Linux."""
    return host_of(read_topology(), tuple(sorted(os.sched_getaffinity(0))), os.uname().machine)
