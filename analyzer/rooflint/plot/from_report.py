"""Plots of a report: one of each kernel with all its machines, one of all kernels together.

No model is known by name. A prediction is drawn when its data has these keys (1e9 work/s, GB/s,
work per byte), whoever made it:

    attainable_g_per_s, intensity_per_byte, peak_g_per_s, bandwidth_gb_s        a roof and a point
    ceilings, base_g_per_s, intensity_per_byte, path         ceilings under it, and the way up
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rooflint.plot.scene import Climbed, Line, Point, Roof, Scene, short
from rooflint.prediction import Json
from rooflint.report import FileReport, FunctionReport, KernelReport, MachineResult, Report

UNITS = {"flop": "GFLOP/s", "iop": "GIOP/s", "byte": "GB/s"}
SAME = 0.01
"""A way up that ends lower than that below the roof needs a word on why."""


class Drawn(NamedTuple):
    """What one machine's result contributes: a roof, a point under it, what is counted."""

    work: str
    roof: Roof
    point: Point


class KernelPlot(NamedTuple):
    """A kernel's scene; ``name`` is made for a file name, ``id`` is the report's."""

    id: str
    name: str
    scene: Scene


def kernel_plots(report: Report, reserved: Iterable[str] = ()) -> Iterator[KernelPlot]:
    """A plot of each kernel that some prediction gives a place under a roof.

    Names differ in more than case, as some file systems need, and from those ``reserved``.
    """
    used = set(reserved)
    for file, function, kernel in _kernels(report):
        scene = kernel_scene(file.path, function.name, kernel)
        if scene is None:
            continue
        name = unique = file_name(kernel.id)
        number = 1
        while unique.lower() in used:
            number += 1
            unique = f"{name}-{number}"
        used.add(unique.lower())
        yield KernelPlot(kernel.id, unique, scene)


def kernel_scene(path: str, function: str, kernel: KernelReport) -> Scene | None:
    """One kernel on its machines; those that count something else than the first are left out."""
    found = [drawn for result in kernel.results if (drawn := drawn_of(result)) is not None]
    found = [drawn for drawn in found if drawn.work == found[0].work]
    if not found:
        return None
    several = len(found) > 1
    points = [
        drawn.point._replace(roof=place, name=drawn.roof.name if several else drawn.point.name)
        for place, drawn in enumerate(found)
    ]
    work = found[0].work
    nest = ", ".join([loop.index for loop in kernel.loops])
    return Scene(
        f"{path}:{kernel.line} {function}, for {nest}",
        work,
        UNITS.get(work, f"G{work}/s"),
        tuple(drawn.roof for drawn in found),
        tuple(points),
        "" if several else _subtitle(found[0]),
    )


def overview_scene(report: Report) -> Scene | None:
    """All kernels under the roofs of the report's machines; what is counted most is drawn."""
    found: list[tuple[str, Drawn]] = []
    for file, function, kernel in _kernels(report):
        name = f"{file.path.rpartition('/')[2]}:{kernel.line} {function.name}"
        for result in kernel.results:
            drawn = drawn_of(result)
            if drawn is not None:
                found.append((name, drawn))
    if not found:
        return None
    counted: dict[str, int] = {}
    for _, drawn in found:
        counted[drawn.work] = counted.get(drawn.work, 0) + 1
    work = max(counted, key=lambda word: (counted[word], word == "flop"))
    roofs: list[Roof] = []
    points: list[Point] = []
    for name, drawn in found:
        if drawn.work == work:
            place = _place(roofs, drawn.roof)
            points.append(drawn.point._replace(name=name, roof=place, steps=()))
    kernels = len({point.name for point in points})
    left = len({name for name, drawn in found if drawn.work != work})
    title = f"{kernels} kernel{'s' if kernels != 1 else ''}"
    note = f"; {left} that count{'s' if left == 1 else ''} no {work} not shown" if left else ""
    machines = ", ".join(dict.fromkeys(roof.name for roof in roofs))
    unit = UNITS.get(work, f"G{work}/s")
    return Scene(title, work, unit, tuple(roofs), tuple(points), f"{machines}{note}")


def drawn_of(result: MachineResult) -> Drawn | None:
    """What the predictions of one result draw; None when none of them has a place on the plot."""
    roofs = [p.data for p in result.predictions if _number(p.data, "attainable_g_per_s")]
    climbs = [p.data for p in result.predictions if isinstance(p.data.get("ceilings"), list)]
    name = _roof_name(result.machine, result.cores)
    for data in climbs:
        cores = _number(data, "cores")
        drawn = _with_ceilings(data, _roof_name(result.machine, int(cores)) if cores else name)
        if drawn is not None:
            return drawn
    for data in roofs:
        intensity, rate = _number(data, "intensity_per_byte"), _number(data, "attainable_g_per_s")
        if intensity and rate:
            peak, fast = _number(data, "peak_g_per_s"), _number(data, "bandwidth_gb_s")
            roof = Roof(name, peak, fast, str(data.get("link") or ""))
            return Drawn(str(data.get("metric", "flop")), roof, Point("", intensity, rate))
    return None


def _roof_name(machine: str, cores: int) -> str:
    return f"{machine}, {cores} core{'s' if cores != 1 else ''}"


def _with_ceilings(data: Mapping[str, Json], name: str) -> Drawn | None:
    intensity, base = _number(data, "intensity_per_byte"), _number(data, "base_g_per_s")
    if not intensity or not base:
        return None
    lines = [line for line in map(_line, _items(data, "ceilings"), _repeat(intensity)) if line]
    highest: dict[str, float] = {}
    for line in lines:
        highest[line.side] = max(highest.get(line.side, 0.0), line.value)
    link, limit = str(data.get("link") or ""), str(data.get("limit") or "")
    top = _number(data, "roof_g_per_s")
    fast = highest.get("memory")
    if fast is None and top and limit == link:
        fast = top / intensity
    slow = _number(data, "memory_g_per_s")
    roof = Roof(
        name,
        highest.get("compute"),
        fast,
        link,
        tuple(lines),
        _number(data, "compute_g_per_s"),
        slow / intensity if slow else None,
    )
    if roof.peak_g_per_s is None and roof.bandwidth_gb_s is None:
        return None
    steps = tuple(
        Climbed(str(step.get("name")), rate, factor)
        for step in _items(data, "path")
        if (rate := _number(step, "g_per_s")) and (factor := _number(step, "factor"))
    )
    end = steps[-1].g_per_s if steps else base
    held = limit if end < roof.at(intensity) * (1 - SAME) else ""
    point = Point("", intensity, base, 0, steps, held)
    return Drawn(str(data.get("metric", "flop")), roof, point)


def _line(item: Mapping[str, Json], intensity: float) -> Line | None:
    """A ceiling; one of memory is kept as its data rate, for it slants over all intensities."""
    rate = _number(item, "g_per_s")
    if rate is None:
        return None
    memory = item.get("family") == "memory"
    value = rate / intensity if memory else rate
    side = "memory" if memory else "compute"
    return Line(str(item.get("name")), side, value, bool(item.get("broken")))  # type: ignore[arg-type]


def _repeat(value: float) -> Iterator[float]:
    while True:
        yield value


def _items(data: Mapping[str, Json], key: str) -> list[dict[str, Json]]:
    listed = data.get(key)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _number(data: Mapping[str, Json], key: str) -> float | None:
    value = data.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _subtitle(drawn: Drawn) -> str:
    point, roof = drawn.point, drawn.roof
    text = f"{roof.name}: {short(point.intensity_per_byte)} {drawn.work}/B"
    if not point.steps:
        return text
    gain = point.steps[-1].g_per_s / point.g_per_s
    return f"{text}; ×{short(gain)} to the roof: {', '.join([s.name for s in point.steps])}"


def _place(roofs: list[Roof], roof: Roof) -> int:
    """The place of the machine's roof among those drawn, which grows to the highest of its sides.

    Bandwidth differs with a loop's loads and stores: the overview shows the best of them.
    """
    plain = Roof(roof.name, roof.peak_g_per_s, roof.bandwidth_gb_s, roof.link)
    for place, known in enumerate(roofs):
        if known.name == plain.name:
            peak = max(known.peak_g_per_s or 0.0, plain.peak_g_per_s or 0.0) or None
            fast = max(known.bandwidth_gb_s or 0.0, plain.bandwidth_gb_s or 0.0) or None
            roofs[place] = known._replace(peak_g_per_s=peak, bandwidth_gb_s=fast)
            return place
    roofs.append(plain)
    return len(roofs) - 1


def file_name(kernel_id: str) -> str:
    """A kernel's id as a file name that every system takes, without its suffix."""
    kept = "".join([c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in kernel_id])
    return kept.lstrip("._")[-120:] or "kernel"


def _kernels(
    report: Report,
) -> Iterable[tuple[FileReport, FunctionReport, KernelReport]]:
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    yield file, function, kernel
