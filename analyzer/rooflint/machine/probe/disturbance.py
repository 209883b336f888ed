"""Other work on the computer during a probe: load, stolen time, wall time over CPU time."""

from collections.abc import Iterable
from pathlib import Path

from rooflint.machine.probe.quality import RoundSample
from rooflint.records import NamedTuple

JIFFIES_PER_S = 100
"""Of ``/proc/stat``: USER_HZ is 100 on every architecture that Linux still supports."""
STEAL_FIELD = 8
"""Of the ``cpu`` line, proc(5); the first is the word ``cpu``."""


class HostLoad(NamedTuple):
    """The load average of the last minute, and seconds that the hypervisor took since boot."""

    average: float
    steal_s: float


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


def host_load(root: Path = Path("/")) -> HostLoad:
    """As Linux says; zeros where it does not."""
    average = _words(root / "proc/loadavg")
    total = _words(root / "proc/stat")
    steal = float(total[STEAL_FIELD]) if len(total) > STEAL_FIELD else 0.0
    return HostLoad(float(average[0]) if average else 0.0, steal / JIFFIES_PER_S)


def disturbance(before: HostLoad, after: HostLoad, samples: Iterable[RoundSample]) -> Disturbance:
    """From the state at both ends and everything measured between them."""
    measured = list(samples)
    cpu = sum(each.cpu_s for each in measured)
    wall = sum(each.wall_s for each in measured)
    return Disturbance(
        load=max(before.average, after.average),
        steal_s=after.steal_s - before.steal_s,
        wall_per_cpu=wall / cpu if cpu > 0 else 1.0,
    )


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0].split()
    except OSError:
        return []
