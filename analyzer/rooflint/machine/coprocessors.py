"""Coprocessors behind a channel, and the host that feeds them, as a machine file states them.

Symbols of the hybrid estimator (Sudareva, candidate thesis, NIISI RAN 2018, section 1.3) in
brackets; plain units are in the names, ``None`` means the file does not say.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rooflint.machine.parts import Duplex
from rooflint.records import NamedTuple

if TYPE_CHECKING:
    from rooflint.machine.section import Section


class TransferRate(NamedTuple):
    """Measured rate of transfers in runs of ``run_bytes`` that start ``stride_bytes`` apart.

    ``get`` is towards the coprocessor, ``put`` back to system memory.
    """

    run_bytes: float
    stride_bytes: float
    get_gb_s: float
    put_gb_s: float


class Channel(NamedTuple):
    """A data path between system memory and coprocessors, or between coprocessors.

    ``shared``: all coprocessors together have ``bandwidth_gb_s`` (BW), else each has it for itself.
    With ``duplex`` full, loads and stores run at once. Runs are moved in multiples of
    ``align_bytes``. ``latency_us`` is paid by each transfer where small effects count. Coprocessors
    that can fetch single elements over it move ``gather_bytes`` for each; 0 where they cannot.
    """

    bandwidth_gb_s: float
    shared: bool = True
    duplex: Duplex = "half"
    align_bytes: int = 1
    latency_us: float = 0.0
    gather_bytes: int = 0
    rates: tuple[TransferRate, ...] = ()


class Coprocessors(NamedTuple):
    """``number`` (K) equal coprocessors; the other figures are those of one of them.

    memory_bytes     private memory (DMEM); a page may use ``memory_bytes / banks``
    peak_gop_s       peak performance (DPEAK)
    bandwidth_gb_s   access to its own memory (bw_CP)
    channels         by name; ``main`` joins system memory and coprocessors
    peer             the channel over which coprocessors exchange data directly
    issue            commands a cycle by pipeline, for issue bounds
    """

    number: int
    memory_bytes: float
    peak_gop_s: float
    bandwidth_gb_s: float
    channels: Mapping[str, Channel]
    clock_ghz: float | None = None
    banks: int = 1
    peer: str | None = None
    issue: Mapping[str, float] = {}


class HostSystem(NamedTuple):
    """System memory (HMEM) and the peak of the host's processors (HPEAK)."""

    memory_bytes: float
    peak_gop_s: float | None = None


def read_coprocessors(top: "Section") -> Coprocessors | None:
    """The section ``coprocessors``; raises ConfigurationError."""
    return top.read("coprocessors", _coprocessors)


def _coprocessors(section: "Section") -> Coprocessors:
    section.required("channels")
    channels = section.table("channels", lambda part, name: part.inner(name).whole(_channel))
    if "main" not in channels:
        raise section.error("channels", "expected a channel named main")
    peer = section.text("peer") if "peer" in section else None
    if peer is not None and peer not in channels:
        expected = ", ".join(channels)
        raise section.error("peer", f"expected one of the channels {expected}, got '{peer}'")
    return section.record(
        Coprocessors,
        number=section.count("count"),
        channels=channels,
        peer=peer,
        issue=section.table("issue", type(section).number),
    )


def _channel(section: "Section") -> Channel:
    bandwidth = section.number("bandwidth_gb_s")
    return section.record(
        Channel, rates=tuple([_rate(item, bandwidth) for item in section.sections("rates")])
    )


def _rate(section: "Section", bandwidth_gb_s: float) -> TransferRate:
    rate = section.record(TransferRate)
    if rate.run_bytes > rate.stride_bytes:
        message = f"runs of {rate.run_bytes:g} B do not fit a stride of {rate.stride_bytes:g} B"
        raise section.error("run_bytes", message)
    for key, gb_s in (("get_gb_s", rate.get_gb_s), ("put_gb_s", rate.put_gb_s)):
        if gb_s > bandwidth_gb_s:
            above = f"{gb_s:g} GB/s is above the channel's {bandwidth_gb_s:g}"
            raise section.error(key, above)
    section.done()
    return rate


def read_host(top: "Section") -> HostSystem | None:
    """The section ``host``; raises ConfigurationError."""
    return top.read_record("host", HostSystem)
