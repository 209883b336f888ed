"""Roofs of the machines of a run: the one source that plots and reports draw them from."""

from collections.abc import Iterable, Sequence

from rooflint.machine import Machine, Pattern
from rooflint.memory import Rates
from rooflint.memory.rates import COUNTED_AS
from rooflint.plugin_api.report import BandwidthRoof, ComputeRoof, FileReport, MachineReport
from rooflint.records import NamedTuple

METRICS = ("flop", "iop")
"""Counted on every machine; others where its file states a peak for them."""


class RoofRequest(NamedTuple):
    """The machine, cores and types that a kernel's result needs roofs for."""

    cores: int
    pattern: Pattern
    element_type: str


def with_roofs(
    reports: Iterable[MachineReport], machines: Sequence[Machine], files: Iterable[FileReport]
) -> tuple[MachineReport, ...]:
    """The machines with the roofs that the results of ``files`` lie under."""
    requests = _requests(files)
    by_name = {machine.name: machine for machine in machines}
    return tuple([
        report._replace(
            bandwidths=_bandwidths(by_name[report.name], requests.get(report.name, set())),
            peaks=_peaks(by_name[report.name], requests.get(report.name, set())),
        )
        for report in reports
    ])  # fmt: skip


def _requests(files: Iterable[FileReport]) -> dict[str, set[RoofRequest]]:
    requests: dict[str, set[RoofRequest]] = {}
    for file in files:
        for kernel in file.kernels():
            for result in kernel.results:
                if result.pattern is not None:
                    request = RoofRequest(result.cores, result.pattern, kernel.work.type)
                    requests.setdefault(result.machine, set()).add(request)
    return requests


def _bandwidths(machine: Machine, requests: set[RoofRequest]) -> tuple[BandwidthRoof, ...]:
    roofs: list[BandwidthRoof] = []
    for cores, pattern in sorted({(request.cores, request.pattern) for request in requests}):
        rates = Rates(machine, cores).bandwidths(pattern)
        roofs += [
            BandwidthRoof(cores=cores, link=link, pattern=pattern, gb_s=b.gb_s, origin=b.origin)
            for link, b in rates.items()
        ]
    return tuple(roofs)


def _peaks(machine: Machine, requests: set[RoofRequest]) -> tuple[ComputeRoof, ...]:
    types = {(r.cores, COUNTED_AS.get(r.element_type, r.element_type)) for r in requests}
    stated = sorted({key.partition(".")[0] for key in machine.peak_gop_s} - {*METRICS})
    roofs: list[ComputeRoof] = []
    for cores, element_type in sorted(types):
        rates = Rates(machine, cores)
        for metric in (*METRICS, *stated):
            peak = rates.peak(element_type, metric)
            if peak is not None:
                roofs.append(
                    ComputeRoof(
                        cores=cores,
                        type=element_type,
                        metric=metric,
                        g_per_s=peak.value_g_per_s,
                        origin=peak.origin,
                    )
                )
    return tuple(roofs)
