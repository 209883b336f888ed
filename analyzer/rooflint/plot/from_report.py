"""What of a report is drawn, and the plots of each kernel with all its machines.

No model is known by name. A prediction is drawn when its data has these keys (1e9 work/s, GB/s,
work per byte), whoever made it:

    attainable_g_per_s, intensity_per_byte, peak_g_per_s, bandwidth_gb_s        a roof and a point
    ceilings, base_g_per_s, intensity_per_byte, path         ceilings under it, and the way up
    levels                                                   roofs over nearer links
    compulsory_intensity_per_byte, raised                    where compulsory misses alone put it
    core_intensity_per_byte, levels                          the same on the cache-aware axis
    curves                                                   pictures of their own, see ``bounded``
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from rooflint.plot.bounded import bounded
from rooflint.plot.fields import items, number
from rooflint.plot.scene import Climbed, Level, Line, Point, Roof, Scene, Spot, short
from rooflint.prediction import Json
from rooflint.report import FileReport, FunctionReport, KernelReport, MachineResult, Report

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
    roof: Roof
    point: Point

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
        scene = kernel_scene(file.path, function.name, kernel, axis)
        scenes = [] if scene is None else [("", scene)]
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


def kernel_scene(
    path: str, function: str, kernel: KernelReport, axis: Axis = "operational"
) -> Scene | None:
    """One kernel on its machines; those that count something else than the first are left out."""
    found = [drawn for result in kernel.results if (drawn := drawn_of(result, axis)) is not None]
    found = [drawn for drawn in found if drawn.work == found[0].work]
    if not found:
        return None
    several = len(found) > 1
    points = [
        drawn.point._replace(roof=place, name=drawn.name if several else drawn.point.name)
        for place, drawn in enumerate(found)
    ]
    roofs = [drawn.roof._replace(name=drawn.name) for drawn in found]
    if several:
        # each kernel's place on each machine's links would hide the rest
        roofs = [roof._replace(levels=()) for roof in roofs]
    work = found[0].work
    return Scene(
        kernel_title(path, function, kernel),
        work,
        UNITS.get(work, f"G{work}/s"),
        tuple(roofs),
        tuple(points),
        "" if several else _subtitle(found[0]),
        AXES[axis],
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


def drawn_of(result: MachineResult, axis: Axis = "operational") -> Drawn | None:
    """What the predictions of one result draw; None when none of them has a place on the plot."""
    roofs = [p.data for p in result.predictions if number(p.data, "attainable_g_per_s")]
    climbs = [p.data for p in result.predictions if isinstance(p.data.get("ceilings"), list)]
    if axis == "carm":
        return _cache_aware(result, roofs, climbs)
    for data in climbs:
        drawn = _with_ceilings(data, result)
        if drawn is not None:
            return drawn
    for data in roofs:
        intensity, rate = number(data, "intensity_per_byte"), number(data, "attainable_g_per_s")
        if intensity and rate:
            peak, fast = number(data, "peak_g_per_s"), number(data, "bandwidth_gb_s")
            link = str(data.get("link") or "")
            levels = tuple(_levels(data, link))
            name = machine_name(result.machine, result.cores)
            roof = Roof(name, peak, fast, link, levels=levels)
            return _drawn(data, result, result.cores, roof, Point("", intensity, rate, link=link))
    return None


def _cache_aware(
    result: MachineResult,
    roofs: Iterable[Mapping[str, Json]],
    climbs: Iterable[Mapping[str, Json]],
) -> Drawn | None:
    """One place under the roofs of all links; the nearest one's is the roof."""
    attained = [rate for data in climbs if (rate := number(data, "base_g_per_s"))]
    for data in roofs:
        intensity = number(data, "core_intensity_per_byte")
        rate = min([number(data, "attainable_g_per_s") or 0.0, *attained])
        levels = list(_levels(data, ""))
        if intensity and rate and levels:
            highest = max(levels, key=lambda level: level.gb_s)
            others = tuple(
                level._replace(intensity_per_byte=None) for level in levels if level != highest
            )
            name, peak = machine_name(result.machine, result.cores), number(data, "peak_g_per_s")
            roof = Roof(name, peak, highest.gb_s, highest.link, levels=others)
            point = Point("", intensity, rate, link=highest.link)
            return _drawn(data, result, result.cores, roof, point)
    return None


def _drawn(
    data: Mapping[str, Json], result: MachineResult, cores: int, roof: Roof, point: Point
) -> Drawn:
    work = str(data.get("metric", "flop"))
    return Drawn(work, result.machine, cores, result.cores, roof, point)


def _levels(data: Mapping[str, Json], but: str) -> Iterator[Level]:
    """The links of a prediction other than ``but``, nearest first."""
    for item in items(data, "levels"):
        link, rate = str(item.get("link") or ""), number(item, "bandwidth_gb_s")
        if rate and link != but:
            yield Level(link, rate, number(item, "intensity_per_byte"))


def machine_name(machine: str, cores: int) -> str:
    """``zen3-7763, 64 cores``."""
    return f"{machine}, {cores} core{'s' if cores != 1 else ''}"


def _with_ceilings(data: Mapping[str, Json], result: MachineResult) -> Drawn | None:
    intensity, base = number(data, "intensity_per_byte"), number(data, "base_g_per_s")
    if not intensity or not base:
        return None
    lines = [line for line in map(_line, items(data, "ceilings"), _repeat(intensity)) if line]
    highest: dict[str, float] = {}
    for line in lines:
        highest[line.side] = max(highest.get(line.side, 0.0), line.value)
    link, limit = str(data.get("link") or ""), str(data.get("limit") or "")
    rates = {level.link: level.gb_s for level in _levels(data, "")}
    slow = number(data, "memory_g_per_s")
    cores = int(number(data, "cores") or result.cores)
    roof = Roof(
        machine_name(result.machine, cores),
        highest.get("compute"),
        rates.get(link, highest.get("memory")),
        link,
        tuple(lines),
        number(data, "compute_g_per_s"),
        slow / intensity if slow else None,
        tuple(_levels(data, link)),
    )
    if roof.peak_g_per_s is None and roof.bandwidth_gb_s is None:
        return None
    steps = tuple(
        Climbed(str(step.get("name")), rate, factor)
        for step in items(data, "path")
        if (rate := number(step, "g_per_s")) and (factor := number(step, "factor"))
    )
    end = steps[-1].g_per_s if steps else base
    held = limit if end < roof.at(intensity) * (1 - SAME) else ""
    point = Point("", intensity, base, 0, steps, held, _compulsory(data), link)
    return _drawn(data, result, cores, roof, point)


def _compulsory(data: Mapping[str, Json]) -> Spot | None:
    """Where compulsory misses alone would put the kernel; None where it is there."""
    raised, intensity = data.get("raised"), number(data, "compulsory_intensity_per_byte")
    rate = number(raised, "base_g_per_s") if isinstance(raised, dict) else None
    return Spot(intensity, rate) if intensity and rate else None


def _line(item: Mapping[str, Json], intensity: float) -> Line | None:
    """A ceiling; one of memory is kept as its data rate, for it slants over all intensities."""
    rate = number(item, "g_per_s")
    if rate is None:
        return None
    memory = item.get("family") == "memory"
    value = rate / intensity if memory else rate
    side = "memory" if memory else "compute"
    return Line(str(item.get("name")), side, value, bool(item.get("broken")))  # type: ignore[arg-type]


def _repeat(value: float) -> Iterator[float]:
    while True:
        yield value


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
