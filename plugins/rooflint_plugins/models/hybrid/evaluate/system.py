"""The hybrid machine in SI units: what the symbols of a procedure stand for."""

from bisect import bisect_right
from collections.abc import Mapping
from math import log

from rooflint.errors import ConfigurationError
from rooflint.machine import Channel, Machine
from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.procedure.records import Kind

GIGA = 1e9


class System(NamedTuple):
    """K coprocessors and their host; B, B/s and op/s. Host figures are 0 where unknown.

    ``bandwidth_b_s`` is BW, that of the channel ``main``; the other channels keep their own.
    """

    name: str
    coprocessors: float
    memory_bytes: float
    peak_op_s: float
    device_b_s: float
    bandwidth_b_s: float
    host_bytes: float
    host_op_s: float
    clock_hz: float
    banks: int
    channels: Mapping[str, Channel]
    peer: str | None
    issue: Mapping[str, float]

    @property
    def symbols(self) -> dict[str, float]:
        """By the names of the thesis, section 1.3; what the file leaves out is not there."""
        found = {
            "K": self.coprocessors,
            "DMEM": self.memory_bytes,
            "DPEAK": self.peak_op_s,
            "bw_cp": self.device_b_s,
            "BW": self.bandwidth_b_s,
            "HMEM": self.host_bytes,
            "HPEAK": self.host_op_s,
            "F": self.clock_hz,
            "banks": float(self.banks),
        }
        return {name: value for name, value in found.items() if value}

    def rate_b_s(self, channel: str) -> float:
        """Peak rate of a channel."""
        return (
            self.bandwidth_b_s
            if channel == "main"
            else self.channels[channel].bandwidth_gb_s * GIGA
        )

    def pattern_rate_b_s(self, channel: str, kind: Kind, run: float, stride: float) -> float:
        """Measured rate for runs of ``run`` bytes ``stride`` apart; the peak where none is known.

        Of the strides measured the nearest; between measured runs log-interpolated; a run shorter
        than all of them has the rate of the shortest, which bounds from above.
        """
        peak, rates = self.rate_b_s(channel), self.channels[channel].rates
        if not rates:
            return peak
        wanted = max(stride, 1.0)
        nearest = min({r.stride_bytes for r in rates}, key=lambda s: abs(log(s / wanted)))
        points = sorted(
            (r.run_bytes, (r.put_gb_s if kind == "store" else r.get_gb_s) * GIGA)
            for r in rates
            if r.stride_bytes == nearest
        )
        above = bisect_right([point[0] for point in points], run)
        if above == 0:
            found = points[0][1]
        elif above == len(points):
            found = points[-1][1]
        else:
            (low, slow), (high, fast) = points[above - 1], points[above]
            found = slow + (fast - slow) * log(run / low) / log(high / low)
        return min(peak, found)


def system_of(machine: Machine) -> System:
    """The system that a machine file describes; ConfigurationError without ``coprocessors``."""
    found, host = machine.coprocessors, machine.host
    if found is None:
        message = f"machine {machine.name} has no section 'coprocessors'"
        raise ConfigurationError(f"{message}; 'rooflint machine list' names those that have")
    return System(
        name=machine.name,
        coprocessors=float(found.number),
        memory_bytes=found.memory_bytes,
        peak_op_s=found.peak_gop_s * GIGA,
        device_b_s=found.bandwidth_gb_s * GIGA,
        bandwidth_b_s=found.channels["main"].bandwidth_gb_s * GIGA,
        host_bytes=host.memory_bytes if host else 0.0,
        host_op_s=(host.peak_gop_s or 0.0) * GIGA if host else 0.0,
        clock_hz=(found.clock_ghz or 0.0) * GIGA,
        banks=found.banks,
        channels=found.channels,
        peer=found.peer,
        issue=found.issue,
    )
