"""Other work on the computer during a probe: load, stolen time, wall time over CPU time."""

from collections.abc import Iterable

from rooflint.machine.probe.host_load import HostLoad
from rooflint.machine.probe.quality import RoundSample
from rooflint.records import NamedTuple


class Disturbance(NamedTuple):
    """Over a whole probe; ``wall_per_cpu`` is 1 where nothing else had the processors."""

    load: float
    steal_s: float
    wall_per_cpu: float

    @property
    def words(self) -> str:
        """For the head of the file."""
        return (
            f"Disturbance: load average up to {self.load:.1f}, {self.steal_s:.1f} s stolen by the"
            f" hypervisor, wall time {self.wall_per_cpu:.2f} x CPU time."
        )


def disturbance(before: HostLoad, after: HostLoad, samples: Iterable[RoundSample]) -> Disturbance:
    """From the state at both ends and everything measured between them."""
    measured = list(samples)
    cpu = sum(each.cpu_s for each in measured)
    wall = sum(each.wall_s for each in measured)
    return Disturbance(
        load=max(before.load, after.load),
        steal_s=after.steal_s - before.steal_s,
        wall_per_cpu=wall / cpu if cpu > 0 else 1.0,
    )
