"""The plots of each kernel with all its machines, from what predictions say is to be drawn.

No model is known by name, and no model's data is read: ``Prediction.plot`` has it, whoever made it.
A point is where the verdict has the loop; where there is none, where the model has it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from rooflint.plot.bounds_scenes import bounds_scenes
from rooflint.plot.scene import Scene, ScenePoint, SceneRoof, short
from rooflint.plot.verdict_points import REACHED, at_verdict, work_of
from rooflint.plugin_api.drawing import RoofPlot
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
    Report,
)
from rooflint.records import NamedTuple
from rooflint.verdict.by_loop import NO_VERDICTS, VerdictsByLoop, by_loop

Axis: TypeAlias = Literal["operational", "carm"]
"""What lies across: work per byte over the farthest link, or per byte that the core asks for."""
AXES: dict[Axis, str] = {"operational": "intensity", "carm": "cache-aware intensity"}
UNITS = {"flop": "GFLOP/s", "iop": "GIOP/s", "byte": "GB/s"}


class ResultDrawing(NamedTuple):
    """The contribution of one machine's result: a roof, a point under it, what is counted.

    The roof is that of ``cores``; ``busy`` of them run the loop. ``plot`` is what a model gave.
    """

    work: str
    machine: str
    cores: int
    busy: int
    roof: SceneRoof
    point: ScenePoint
    plot: RoofPlot

    @property
    def name(self) -> str:
        """The roof with the cores that stand under it."""
        if self.busy == self.cores:
            return machine_name(self.machine, self.cores)
        return f"{self.machine}, {self.busy} of {self.cores} cores"


class KernelPlot(NamedTuple):
    """A kernel's scene; ``name`` is made for a file name, ``id`` is the report's."""

    id: str
    name: str
    scene: Scene


def kernel_plots(
    report: Report, reserved: Iterable[str] = (), axis: Axis = "operational"
) -> Iterator[KernelPlot]:
    """The plots of each kernel: its place under a roof, and under what bounds it, where known.

    Names differ in more than case, as some file systems need, and from those ``reserved``.
    """
    used = set(reserved)
    verdicts = by_loop(report.verdicts)
    for file, function, kernel in kernels_of(report):
        scenes = list(kernel_scenes(file.path, function.name, kernel, axis, verdicts))
        for each in bounds_scenes(kernel_title(file.path, function.name, kernel), kernel):
            own = f"-{each.machine}-{each.model}" if each.machine else f"-{each.model}"
            scenes += [(own, each.merged), (f"{own}-levels", each.levels)]
        for suffix, drawn in scenes:
            name = unique = file_name(f"{kernel.id}{suffix}")
            again = 1
            while unique.lower() in used:
                again += 1
                unique = f"{name}-{again}"
            used.add(unique.lower())
            yield KernelPlot(kernel.id, unique, drawn)


def kernel_scenes(
    path: str,
    function: str,
    kernel: KernelReport,
    axis: Axis = "operational",
    verdicts: VerdictsByLoop = NO_VERDICTS,
) -> Iterator[tuple[str, Scene]]:
    """One kernel under the roofs of its models, each thing that is counted in a scene of its own.

    With each a suffix for a name: the first scene has none.
    """
    first = kernel_scene(path, function, kernel, axis, verdicts)
    if first is None:
        return
    yield "", first
    plots = [plot for result in kernel.results for plot in _roof_plots(result)]
    for metric in dict.fromkeys(plot.metric for plot in plots):
        if metric != first.work:
            scene = kernel_scene(path, function, kernel, axis, verdicts, metric)
            if scene is not None:
                yield f"-{metric}", scene


def kernel_scene(
    path: str,
    function: str,
    kernel: KernelReport,
    axis: Axis = "operational",
    verdicts: VerdictsByLoop = NO_VERDICTS,
    metric: str | None = None,
) -> Scene | None:
    """One kernel on its machines; what is counted is ``metric``, else what the first draws."""
    drawn = list(_drawings(kernel, axis, verdicts, metric))
    if not drawn:
        return None
    work = drawn[0].work
    roofs = [each.roof._replace(name=each.name) for each in drawn]
    points = [each.point for each in drawn]
    if len(drawn) > 1:
        # each kernel's place on each machine's links would hide the rest
        roofs = [roof._replace(levels=()) for roof in roofs]
        points = [each.point._replace(roof=n, name=each.name) for n, each in enumerate(drawn)]
    return Scene(
        title=kernel_title(path, function, kernel),
        work=work,
        unit=unit_of(work),
        roofs=tuple(roofs),
        points=tuple(points),
        subtitle="" if len(drawn) > 1 else _subtitle(drawn[0]),
        axis=AXES[axis],
    )


def _drawings(
    kernel: KernelReport, axis: Axis, verdicts: VerdictsByLoop, metric: str | None
) -> Iterator[ResultDrawing]:
    work = metric
    for result in kernel.results:
        drawing = placed_drawing(kernel, result, verdicts, axis, metric)
        if drawing is not None and work in (None, drawing.work):
            work = drawing.work
            yield drawing


def kernels_of(report: Report) -> Iterator[tuple[FileReport, FunctionReport, KernelReport]]:
    """All kernels with where they are."""
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    yield file, function, kernel


def kernel_title(path: str, function: str, kernel: KernelReport) -> str:
    """Which loop it is."""
    nest = ", ".join([loop.index for loop in kernel.loops])
    return f"{path}:{kernel.line} {function}, for {nest}"


def placed_drawing(
    kernel: KernelReport,
    result: MachineResult,
    verdicts: VerdictsByLoop,
    axis: Axis = "operational",
    metric: str | None = None,
) -> ResultDrawing | None:
    """The drawing of one result with its point where the verdict has the loop."""
    drawn = drawing_of(result, axis, metric)
    verdict = verdicts.get((kernel.id, result.machine))
    if drawn is None or verdict is None:
        return drawn
    work = work_of(kernel, result, drawn.plot)
    return drawn._replace(point=at_verdict(drawn.point, drawn.roof, verdict, work))


def drawing_of(
    result: MachineResult, axis: Axis = "operational", metric: str | None = None
) -> ResultDrawing | None:
    """The drawing of one result's predictions; None when none of them has a place on the plot.

    A plot with a way up to its roof goes before a bare roof of the same metric. Without ``metric``
    it is that of the first prediction that draws something.
    """
    plots = _roof_plots(result)
    if metric is None:
        metric = next((plot.metric for plot in plots if _is_placed(plot, axis)), None)
    draw = _cache_aware if axis == "carm" else _operational
    return draw(result, [plot for plot in plots if plot.metric == metric])


def _roof_plots(result: MachineResult) -> list[RoofPlot]:
    plots = [p.plot.roof for p in result.predictions if p.plot is not None]
    return [plot for plot in plots if plot is not None]


def _is_placed(plot: RoofPlot, axis: Axis) -> bool:
    if axis == "carm":
        return bool(plot.core_intensity_per_byte and plot.levels)
    has_roof = not plot.limit or plot.peak_g_per_s or plot.bandwidth_gb_s
    return bool(plot.intensity_per_byte and has_roof)


def _operational(result: MachineResult, plots: Sequence[RoofPlot]) -> ResultDrawing | None:
    judged_first = sorted(plots, key=lambda plot: not plot.limit)
    plot = next((plot for plot in judged_first if _is_placed(plot, "operational")), None)
    if plot is None or not plot.intensity_per_byte:
        return None
    intensity, cores = plot.intensity_per_byte, plot.cores or result.cores
    levels = [level for level in plot.levels if level.link != plot.link]
    roof = SceneRoof(
        name=machine_name(result.machine, cores),
        peak_g_per_s=plot.peak_g_per_s,
        bandwidth_gb_s=plot.bandwidth_gb_s,
        link=plot.link,
        lines=plot.lines,
        compute_now=plot.compute_now_g_per_s,
        memory_now=plot.memory_now_gb_s,
        levels=tuple(levels),
    )
    end = plot.steps[-1].g_per_s if plot.steps else plot.g_per_s
    is_held = end < roof.at(intensity) * REACHED
    point = ScenePoint(
        name="", intensity_per_byte=intensity, g_per_s=plot.g_per_s, steps=plot.steps,
        limit=plot.limit if is_held else "", compulsory=plot.compulsory, link=plot.link,
    )  # fmt: skip
    return _drawing(result, plot, cores, roof, point)


def _drawing(
    result: MachineResult, plot: RoofPlot, cores: int, roof: SceneRoof, point: ScenePoint
) -> ResultDrawing:
    return ResultDrawing(
        work=plot.metric, machine=result.machine, cores=cores, busy=result.cores, roof=roof,
        point=point, plot=plot,
    )  # fmt: skip


def _cache_aware(result: MachineResult, plots: Sequence[RoofPlot]) -> ResultDrawing | None:
    attained = [plot.g_per_s for plot in plots if plot.limit]
    for plot in plots:
        intensity = plot.core_intensity_per_byte
        if intensity and plot.levels:
            rate = min([plot.g_per_s, *attained])
            highest = max(plot.levels, key=lambda level: level.gb_s)
            others = tuple(
                level._replace(intensity_per_byte=None) for level in plot.levels if level != highest
            )
            roof = SceneRoof(
                name=machine_name(result.machine, result.cores), peak_g_per_s=plot.peak_g_per_s,
                bandwidth_gb_s=highest.gb_s, link=highest.link, levels=others,
            )  # fmt: skip
            point = ScenePoint("", intensity, rate, link=highest.link)
            return _drawing(result, plot, result.cores, roof, point)
    return None


def unit_of(work: str) -> str:
    """The unit of a rate of ``work``."""
    return UNITS.get(work, f"G{work}/s")


def machine_name(machine: str, cores: int) -> str:
    """``zen3-7763, 64 cores``."""
    return f"{machine}, {cores} core{'s' if cores != 1 else ''}"


def _subtitle(drawn: ResultDrawing) -> str:
    point = drawn.point
    text = f"{drawn.name}: {short(point.intensity_per_byte)} {drawn.work}/B"
    if not point.steps:
        return text
    gain = point.steps[-1].g_per_s / point.g_per_s
    return f"{text}; ×{short(gain)} to the roof: {', '.join([s.name for s in point.steps])}"


def file_name(kernel_id: str) -> str:
    """A kernel's id as a file name that every system takes, without its suffix."""
    kept = "".join([c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in kernel_id])
    return kept.lstrip("._")[-120:] or "kernel"
