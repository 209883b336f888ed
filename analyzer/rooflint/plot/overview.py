"""All kernels of a report in one plot, under the roofs of its machines.

The roofs are those of the report's machines, for each number of cores that kernels run on: one line
for each link and one for each peak. Where kernels differ in their access patterns, each link's line
is that of the pattern with the highest rate, and says which it is.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from rooflint.memory.rates import COUNTED_AS, stream_of
from rooflint.plot.from_report import (
    AXES,
    Axis,
    ResultDrawing,
    kernels_of,
    machine_name,
    placed_drawing,
    unit_of,
)
from rooflint.plot.scene import Scene, ScenePeak, SceneRoof
from rooflint.plugin_api.drawing import LinkRoof
from rooflint.plugin_api.report import BandwidthRoof, MachineReport, MachineResult, Report
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.by_loop import by_loop
from rooflint.verdict.choose import NEGLIGIBLE


class PlottedKernel(NamedTuple):
    """A kernel on one machine: its name in the plot, the type of its elements, its place.

    ``streams`` are the links with the measured stream whose rate holds there. ``share`` is that of
    the run's time, 0 where it is unknown.
    """

    name: str
    element_type: str
    streams: frozenset[tuple[str, str]]
    drawn: ResultDrawing
    share: float = 0.0

    @property
    def roof_key(self) -> tuple[str, int]:
        """The machine and the cores that run the kernel."""
        return self.drawn.machine, self.drawn.busy


class MachineRoof(NamedTuple):
    """The roofs of some cores of a machine over what kernels count."""

    work: str
    machine: str
    cores: int
    roof: SceneRoof


def overview_scene(report: Report, axis: Axis = "operational") -> Scene | None:
    """All kernels under the roofs of the report's machines; what most of the time does is drawn."""
    return next(iter(overview_scenes(report, axis)), None)


def overview_scenes(report: Report, axis: Axis = "operational") -> list[Scene]:
    """The overviews, one for each thing that kernels count; that of most time comes first."""
    by_work = _plotted_by_work(report, axis)
    order = _work_order(by_work)
    everything = {kernel.name for kernels in by_work.values() for kernel in kernels}
    machines = {machine.name: machine for machine in report.machines}
    scenes = (_overview(work, by_work[work], everything, machines, axis) for work in order)
    return [scene for scene in scenes if scene is not None]


def machine_roofs(report: Report) -> list[MachineRoof]:
    """The roofs over all kernels of a report; those of what most of the time does come first."""
    by_work = _plotted_by_work(report, "operational")
    machines = {machine.name: machine for machine in report.machines}
    return [
        MachineRoof(work=work, machine=machine, cores=cores, roof=roof)
        for work in _work_order(by_work)
        for (machine, cores), roof in _machine_roofs(work, by_work[work], machines, "operational")
    ]


def _plotted_by_work(report: Report, axis: Axis) -> dict[str, list[PlottedKernel]]:
    by_work: dict[str, list[PlottedKernel]] = {}
    verdicts = by_loop(report.verdicts)
    for file, function, kernel in kernels_of(report):
        name = f"{file.path.rpartition('/')[2]}:{kernel.line} {function.name}"
        for result in kernel.results:
            drawn = placed_drawing(kernel, result, verdicts, axis)
            if drawn is not None:
                plotted = PlottedKernel(
                    name=name,
                    element_type=kernel.work.type,
                    streams=_streams(result),
                    drawn=drawn,
                    share=_share(verdicts.get((kernel.id, result.machine))),
                )
                by_work.setdefault(drawn.work, []).append(plotted)
    return by_work


def _share(verdict: Verdict | None) -> float:
    return (verdict.weight.share if verdict is not None else None) or 0.0


def _work_order(by_work: Mapping[str, Sequence[PlottedKernel]]) -> list[str]:
    """The work of most of the run's time first; where no share is known, that of most loops."""

    def place(work: str) -> tuple[float, int, bool]:
        kernels = by_work[work]
        return -sum([each.share for each in kernels]), -len(kernels), work != "flop"

    return sorted(by_work, key=place)


def _overview(
    work: str,
    kernels: Sequence[PlottedKernel],
    everything: set[str],
    machines: dict[str, MachineReport],
    axis: Axis,
) -> Scene | None:
    roofs = dict(_machine_roofs(work, kernels, machines, axis))
    shown = [kernel for kernel in kernels if kernel.roof_key in roofs]
    if not shown:
        return None
    order = list(roofs)
    names = _names(shown, roofs)
    is_weighed = any(kernel.share >= NEGLIGIBLE for kernel in shown)
    points = [
        kernel.drawn.point._replace(
            name=names[kernel.name],
            roof=order.index(kernel.roof_key),
            steps=(),
            limit="",
            compulsory=None,
            is_minor=is_weighed and kernel.share < NEGLIGIBLE,
        )
        for kernel in shown
    ]
    note = "; ".join([roof.name for roof in roofs.values()]) + _omissions(work, shown, everything)
    return Scene(
        title=f"{len(names)} kernel{'s' if len(names) != 1 else ''}",
        work=work,
        unit=unit_of(work),
        roofs=tuple(roofs.values()),
        points=tuple(points),
        subtitle=note,
        axis=AXES[axis],
    )


def _machine_roofs(
    work: str, kernels: Sequence[PlottedKernel], machines: Mapping[str, MachineReport], axis: Axis
) -> Iterator[tuple[tuple[str, int], SceneRoof]]:
    for key in dict.fromkeys(kernel.roof_key for kernel in kernels):
        name, cores = key
        under = [kernel for kernel in kernels if kernel.roof_key == key]
        roof = _machine_roof(machines[name], cores, work, under, axis) if name in machines else None
        if roof is not None:
            yield key, roof


def _omissions(work: str, shown: Iterable[PlottedKernel], everything: set[str]) -> str:
    left = len(everything - {kernel.name for kernel in shown})
    return f"; {left} that count{'s' if left == 1 else ''} no {work} not shown" if left else ""


def _names(
    shown: Iterable[PlottedKernel], roofs: dict[tuple[str, int], SceneRoof]
) -> dict[str, str]:
    """By name, the same with the links that the kernel's intensity is over where it is another
    than the roof's: there it may lie above the roof, under the line of its link."""
    links: dict[str, dict[str, None]] = {}
    for kernel in shown:
        named = links.setdefault(kernel.name, {})
        link = kernel.drawn.point.link
        if link and link != roofs[kernel.roof_key].link:
            named[link] = None
    return {
        name: f"{name} ({', '.join(others)})" if others else name for name, others in links.items()
    }


def _machine_roof(
    machine: MachineReport, cores: int, work: str, kernels: Iterable[PlottedKernel], axis: Axis
) -> SceneRoof | None:
    levels = _levels(machine, cores, frozenset().union(*[kernel.streams for kernel in kernels]))
    types = {COUNTED_AS.get(kernel.element_type, kernel.element_type) for kernel in kernels}
    peaks = _peaks(machine, cores, work, types)
    if not peaks and not levels:
        return None
    top = peaks[0].g_per_s if peaks else None
    several = peaks if len(peaks) > 1 else ()
    roof = SceneRoof(machine_name(machine.name, cores), top, None, peaks=several)
    if not levels:
        return roof
    # the farthest link, or on the cache-aware axis the nearest, is the roof
    main = levels.pop(0 if axis == "carm" else -1)
    return roof._replace(
        bandwidth_gb_s=main.gb_s, link=main.link, pattern=main.pattern, levels=tuple(levels)
    )


def _peaks(
    machine: MachineReport, cores: int, work: str, wanted: Container[str]
) -> tuple[ScenePeak, ...]:
    types: dict[float, list[str]] = {}
    for peak in machine.peaks:
        if peak.cores == cores and peak.metric == work and peak.type in wanted:
            types.setdefault(peak.g_per_s, []).append(peak.type)
    return tuple([ScenePeak(", ".join(types[rate]), rate) for rate in sorted(types, reverse=True)])


def _streams(result: MachineResult) -> frozenset[tuple[str, str]]:
    if result.pattern is None:
        return frozenset()
    return frozenset([(moved.link, stream_of(moved, result.pattern)) for moved in result.traffic])


def _levels(
    machine: MachineReport, cores: int, streams: Container[tuple[str, str]]
) -> list[LinkRoof]:
    by_link: dict[str, list[BandwidthRoof]] = {}
    for roof in machine.bandwidths:
        if roof.cores == cores and (roof.link, roof.pattern) in streams:
            by_link.setdefault(roof.link, []).append(roof)
    levels = []
    for link, roofs in by_link.items():
        best = max(roofs, key=lambda roof: roof.gb_s)
        differ = any(roof.gb_s != best.gb_s for roof in roofs)
        levels.append(LinkRoof(link, best.gb_s, pattern=best.pattern if differ else ""))
    return levels
