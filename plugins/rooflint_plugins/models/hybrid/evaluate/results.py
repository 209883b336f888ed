"""Results of an evaluation. Times in seconds, volumes in bytes, rates in op/s."""

from collections.abc import Mapping
from enum import Enum
from typing import Literal, TypeAlias

from rooflint.machine.quantities import format_volume
from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.evaluate.system import System
from rooflint_plugins.models.hybrid.procedure.records import Procedure

Bound: TypeAlias = Literal["kernel", "channel", "host", "serial"]


class RateSource(Enum):
    """Source of a kernel's performance; the value is its origin in reports."""

    COMMAND_LINE = "stated", "command line"
    STATED = "stated", ""
    MEASURED = "measured", ""
    ISSUE = "isa", "{} commands decide"
    PEAK = "roofline", "DPEAK"
    MEMORY = "roofline", "bw_cp x ops / dev_bytes"
    MOVING = "roofline", "dev_bytes / bw_cp"

    def __init__(self, origin: str, how: str) -> None:
        self.origin = origin
        self.how = how


class KernelRate(NamedTuple):
    """A kernel's ``ops`` per coprocessor and call, and how fast one coprocessor runs it.

    One that only moves data has no performance; its call takes ``moving_s``.

    detail  the expression that states the performance, or the pipeline that decides it
    """

    name: str
    ops: float
    perf_op_s: float
    source: RateSource
    detail: str = ""
    moving_s: float = 0.0

    @property
    def how(self) -> str:
        """The source in words."""
        return self.source.how.format(self.detail) or self.detail

    @property
    def seconds(self) -> float:
        """Time of one call."""
        return self.ops / self.perf_op_s if self.ops else self.moving_s


class ChannelTime(NamedTuple):
    """Time that a channel spends on the overlapped loads and stores of one iteration."""

    load_s: float
    store_s: float
    busy_s: float


class StageTime(NamedTuple):
    """One stage. ``t_cp_s``, ``t_tr_s``, ``t_host_s`` overlap; ``t_serial_s`` adds; per iteration.

    channel_bytes   moved by the overlapped transfers of one iteration, of all coprocessors
    kernel_s        time of all kernel calls of an iteration, overlapped or not
    transfer_s      time of all transfers of an iteration, overlapped or not
    """

    name: str
    iterations: float
    t_cp_s: float
    t_tr_s: float
    t_host_s: float
    t_serial_s: float
    prologue_s: float
    epilogue_s: float
    channels: Mapping[str, ChannelTime]
    channel_bytes: float
    kernel_s: float
    transfer_s: float

    @property
    def iteration_s(self) -> float:
        """Time of one iteration: the largest of what overlaps, and what does not."""
        return max(self.t_cp_s, self.t_tr_s, self.t_host_s) + self.t_serial_s

    @property
    def total_s(self) -> float:
        """Time of the stage."""
        return self.iterations * self.iteration_s + self.prologue_s + self.epilogue_s

    @property
    def beta(self) -> float | None:
        """T_C / T_tr; None when nothing is transferred."""
        return self.t_cp_s / self.t_tr_s if self.t_tr_s else None

    @property
    def bound(self) -> Bound:
        """The resource that decides; ``serial`` where most of the time overlaps with nothing."""
        overlapped = max(self.t_cp_s, self.t_tr_s, self.t_host_s)
        alone = self.iterations * self.t_serial_s + self.prologue_s + self.epilogue_s
        if alone > self.iterations * overlapped:
            return "serial"
        if self.t_host_s == overlapped and overlapped > max(self.t_cp_s, self.t_tr_s):
            return "host"
        return "kernel" if self.t_cp_s >= self.t_tr_s else "channel"


class FitCheck(NamedTuple):
    """A capacity condition with numbers."""

    why: str
    bytes: float
    le: float

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return self.bytes <= self.le

    @property
    def over_bytes(self) -> float:
        """By how much it does not hold."""
        return max(0.0, self.bytes - self.le)

    @property
    def shortage(self) -> str:
        """Need and lack of a condition that does not hold, as a clause."""
        times = f", {self.bytes / self.le:.3g} times the room" if self.le > 0 else ""
        needed, room = format_volume(self.bytes), format_volume(self.le)
        return (
            f"{self.why} needs {needed}, {format_volume(self.over_bytes)} more than the"
            f" {room} available{times}"
        )


class ProcedureEstimate(NamedTuple):
    """A procedure on a system. An upper bound of performance, not a forecast."""

    procedure: Procedure
    system: System
    symbols: Mapping[str, float]
    kernels: Mapping[str, KernelRate]
    stages: tuple[StageTime, ...]
    fits: tuple[FitCheck, ...]
    ops: float
    repeat: float
    refined: bool

    @property
    def seconds(self) -> float:
        """T, of all stages and repetitions."""
        return self.repeat * sum([stage.total_s for stage in self.stages])

    @property
    def perf_op_s(self) -> float:
        """PERF: nominal operations over T."""
        return self.ops * self.repeat / self.seconds

    @property
    def feasible(self) -> bool:
        """Whether all capacity conditions hold."""
        return all(fit.ok for fit in self.fits)

    @property
    def main(self) -> StageTime:
        """The stage whose iterations take longest; the first of equal ones."""
        return max(self.stages, key=lambda stage: stage.iterations * stage.iteration_s)

    @property
    def beta(self) -> float | None:
        """β of the main stage."""
        return self.main.beta

    @property
    def limited_by(self) -> Literal["kernel", "channel", "host"]:
        """The resource with most of the time that is not hidden behind another."""
        times = {"kernel": 0.0, "channel": 0.0, "host": 0.0}
        for s in self.stages:
            longest = max(s.t_cp_s, s.t_tr_s, s.t_host_s)
            key = "kernel" if longest == s.t_cp_s else "channel" if longest == s.t_tr_s else "host"
            times[key] += s.iterations * longest
            times["kernel"] += s.iterations * (s.kernel_s - s.t_cp_s)
            hidden = sum([c.load_s + c.store_s for c in s.channels.values()])
            times["channel"] += s.iterations * (s.transfer_s - hidden)
            times["channel"] += s.prologue_s + s.epilogue_s
        return max(("kernel", "channel", "host"), key=lambda name: times[name])

    @property
    def bounds_op_s(self) -> dict[str, float]:
        """PERF without transfers, PERF without computing, and the peak K·DPEAK."""
        kernel = sum([s.iterations * s.kernel_s for s in self.stages])
        transfer = sum([s.iterations * s.transfer_s for s in self.stages])
        found = {"K*Perf_kern": self.ops / kernel} if kernel else {}
        if transfer:
            found["I*BW"] = self.ops / transfer
        return found | {"K*DPEAK": self.system.coprocessors * self.system.peak_op_s}
