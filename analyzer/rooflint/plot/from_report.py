"""The plots of each kernel with all its machines, from what predictions say is to be drawn.

No model is known by name, and no model's data is read: ``Prediction.plot`` has it, whoever made it.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from rooflint.plot.bounded import bounded
from rooflint.plot.scene import Scene, ScenePoint, SceneRoof, short
from rooflint.plugin_api.drawing import RoofPlot
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
    Report,
)

Axis: TypeAlias = Literal["operational", "carm"]
"""What lies across: work per byte over the farthest link, or per byte that the core asks for."""
AXES: dict[Axis, str] = {"operational": "intensity", "carm": "cache-aware intensity"}
UNITS = {"flop": "GFLOP/s", "iop": "GIOP/s", "byte": "GB/s"}
SAME = 0.01
"""A way up that ends lower than that below the roof needs a word on why."""


class Drawn(NamedTuple):
    """What one machine's result contributes: a roof, a point under it, what is counted.

    The roof is that of ``cores``; ``busy`` of them run the loop.
    """

    work: str
    machine: str
    cores: int
    busy: int
    roof: SceneRoof
    point: ScenePoint

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
    for file, function, kernel in kernels_of(report):
        scenes = list(kernel_scenes(file.path, function.name, kernel, axis))
        for each in bounded(kernel_title(file.path, function.name, kernel), kernel):
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
    path: str, function: str, kernel: KernelReport, axis: Axis = "operational"
) -> Iterator[tuple[str, Scene]]:
    """One kernel under the roofs of its models, each thing that is counted in a scene of its own.

    With each a suffix for a name: the first scene has none.
    """
    first = kernel_scene(path, function, kernel, axis)
    if first is None:
        return
    yield "", first
    plots = [plot for result in kernel.results for plot in _roof_plots(result)]
    for metric in dict.fromkeys(plot.metric for plot in plots):
        if metric != first.work:
            scene = kernel_scene(path, function, kernel, axis, metric)
            if scene is not None:
                yield f"-{metric}", scene


def kernel_scene(
    path: str,
    function: str,
    kernel: KernelReport,
    axis: Axis = "operational",
    metric: str | None = None,
) -> Scene | None:
    """One kernel on its machines; what is counted is ``metric``, else what the first draws."""
    drawings = [drawn_of(result, axis, metric) for result in kernel.results]
    drawn = [each for each in drawings if each is not None]
    if not drawn:
        return None
    work = drawn[0].work
    drawn = [each for each in drawn if each.work == work]
    if len(drawn) > 1:
        # each kernel's place on each machine's links would hide the rest
        roofs = [each.roof._replace(name=each.name, levels=()) for each in drawn]
        points = [each.point._replace(roof=n, name=each.name) for n, each in enumerate(drawn)]
    else:
        roofs = [drawn[0].roof._replace(name=drawn[0].name)]
        points = [drawn[0].point._replace(roof=0)]
    return Scene(
        title=kernel_title(path, function, kernel),
        work=work,
        unit=UNITS.get(work, f"G{work}/s"),
        roofs=tuple(roofs),
        points=tuple(points),
        subtitle="" if len(drawn) > 1 else _subtitle(drawn[0]),
        axis=AXES[axis],
    )


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


def drawn_of(
    result: MachineResult, axis: Axis = "operational", metric: str | None = None
) -> Drawn | None:
    """What the predictions of one result draw; None when none of them has a place on the plot.

    A plot with a way up to its roof goes before a bare roof of the same metric. Without ``metric``
    it is that of the first prediction that draws something.
    """
    plots = _roof_plots(result)
    placed = [plot for plot in plots if _is_placed(plot, axis)]
    counted = metric or (placed[0].metric if placed else None)
    plots = [plot for plot in plots if plot.metric == counted]
    if axis == "carm":
        return _cache_aware(result, plots)
    for plot in sorted(plots, key=lambda plot: not plot.limit):
        if plot.intensity_per_byte and _is_placed(plot, axis):
            return _operational(result, plot, plot.intensity_per_byte)
    return None


def _roof_plots(result: MachineResult) -> list[RoofPlot]:
    plots = [p.plot.roof for p in result.predictions if p.plot is not None]
    return [plot for plot in plots if plot is not None]


def _is_placed(plot: RoofPlot, axis: Axis) -> bool:
    if axis == "carm":
        return bool(plot.core_intensity_per_byte and plot.levels)
    has_roof = not plot.limit or plot.peak_g_per_s or plot.bandwidth_gb_s
    return bool(plot.intensity_per_byte and has_roof)


def _operational(result: MachineResult, plot: RoofPlot, intensity: float) -> Drawn:
    cores = plot.cores or result.cores
    roof = SceneRoof(
        name=machine_name(result.machine, cores),
        peak_g_per_s=plot.peak_g_per_s,
        bandwidth_gb_s=plot.bandwidth_gb_s,
        link=plot.link,
        lines=plot.lines,
        compute_now=plot.compute_now_g_per_s,
        memory_now=plot.memory_now_gb_s,
        levels=tuple([level for level in plot.levels if level.link != plot.link]),
    )
    end = plot.steps[-1].g_per_s if plot.steps else plot.g_per_s
    is_held = bool(plot.limit) and end < roof.at(intensity) * (1 - SAME)
    point = ScenePoint(
        name="", intensity_per_byte=intensity, g_per_s=plot.g_per_s, roof=0, steps=plot.steps, limit=plot.limit if is_held else "",
        compulsory=plot.compulsory, link=plot.link,
    )  # fmt: skip
    return Drawn(
        work=plot.metric,
        machine=result.machine,
        cores=cores,
        busy=result.cores,
        roof=roof,
        point=point,
    )


def _cache_aware(result: MachineResult, plots: Iterable[RoofPlot]) -> Drawn | None:
    plots = list(plots)
    attained = [plot.g_per_s for plot in plots if plot.limit]
    for plot in plots:
        intensity = plot.core_intensity_per_byte
        if intensity and plot.levels:
            rate = min([plot.g_per_s, *attained])
            highest = max(plot.levels, key=lambda level: level.gb_s)
            others = tuple(
                level._replace(intensity_per_byte=None) for level in plot.levels if level != highest
            )
            name, peak = machine_name(result.machine, result.cores), plot.peak_g_per_s
            roof = SceneRoof(
                name=name,
                peak_g_per_s=peak,
                bandwidth_gb_s=highest.gb_s,
                link=highest.link,
                levels=others,
            )
            point = ScenePoint("", intensity, rate, link=highest.link)
            return Drawn(
                work=plot.metric,
                machine=result.machine,
                cores=result.cores,
                busy=result.cores,
                roof=roof,
                point=point,
            )
    return None


def machine_name(machine: str, cores: int) -> str:
    """``zen3-7763, 64 cores``."""
    return f"{machine}, {cores} core{'s' if cores != 1 else ''}"


def _subtitle(drawn: Drawn) -> str:
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
