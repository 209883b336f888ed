"""The same plot through matplotlib, for PNG and PDF: the extra ``rooflint[plot]``.

Nothing else imports this module, so nothing else pays for matplotlib.
"""

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rooflint.escaping import visible
from rooflint.plot.canvas import Canvas
from rooflint.plot.draw import FULL
from rooflint.plot.scene import Scene, ScenePoint, SceneRoof, best_words, power_text, short
from rooflint.plot.svg import LIGHT, REGIONS, SERIES
from rooflint.plugin_api.drawing import LinkRoof, RoofCeiling

FORMATS = ("png", "pdf")
STYLES = ("-", "--", ":", "-.", (0, (1, 3)))
MARKERS = "Ds^vhP"
KINDS = {"overlap": "-.", "stall": ":", "issue": "--", "throughput": (0, (1, 3))}
CURVE_STEPS = 64
NAMED_POINTS = 12
"""With more names than that, the legend would hide the kernels; it stands beside the plot."""
LISTED_ROWS = 28
"""Names of 7 points in a column, which fill the height of the picture."""
COLUMN_WIDTH = 200
"""Pixels for a column of names."""
DOTS_PER_INCH = 150
AT_ROOF = 0.995


def render(scene: Scene, file_format: str) -> bytes:
    """The picture as a file of one of FORMATS; the same scene gives the same bytes."""
    figure = Figure(figsize=(FULL.width / 100, FULL.height / 100), layout="constrained")
    _fill(figure.add_subplot(), scene)
    names = {point.name for point in scene.points}
    if len(names) > NAMED_POINTS:
        columns = 1 + len(names) // LISTED_ROWS
        figure.set_figwidth((FULL.width + columns * COLUMN_WIDTH) / 100)
        figure.legend(fontsize=7, loc="outside right upper", ncols=columns)
    file = io.BytesIO()
    stamp = {"Software": None} if file_format == "png" else {"CreationDate": None}
    figure.savefig(file, format=file_format, dpi=DOTS_PER_INCH, metadata=stamp)
    return file.getvalue()


def draw_scene(scene: Scene, axes: Axes | None = None) -> Axes:
    """The picture on ``axes``, or on those of a new figure that a notebook shows."""
    if axes is None:
        from matplotlib import pyplot  # noqa: PLC0415 - only notebooks and scripts keep figures

        size = (FULL.width / 100, FULL.height / 100)
        _, axes = pyplot.subplots(figsize=size, layout="constrained")
    _fill(axes, scene)
    return axes


def _fill(axes: Axes, scene: Scene) -> None:
    canvas = Canvas(scene, FULL)
    _scales(axes, canvas)
    axes.set_xlabel(_literal(f"{scene.axis} ({scene.work}/B)"))
    axes.set_ylabel(_literal(scene.unit))
    axes.set_title(_literal(scene.title), loc="left", fontsize=11, weight="bold")
    single = len(scene.roofs) == 1
    for place, roof in enumerate(scene.roofs):
        _roof(axes, canvas, place, roof, single=single)
    _curves(axes, scene, 2.0**canvas.x.first, 2.0**canvas.x.last)
    named: set[str] = set()
    for point in scene.points:
        _point(axes, canvas, point, single=single, named=point.name not in named)
        named.add(point.name)
    if len(named) <= NAMED_POINTS and (not single or len(scene.points) > 1):
        axes.legend(fontsize=8, loc="lower right")


def _scales(axes: Axes, canvas: Canvas) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis, limits, ticks in (
        (canvas.x, axes.set_xlim, axes.set_xticks),
        (canvas.y, axes.set_ylim, axes.set_yticks),
    ):
        limits(2.0**axis.first, 2.0**axis.last)
        exponents = list(axis.ticks(40))
        ticks([2.0**e for e in exponents], [power_text(e) for e in exponents])
    axes.minorticks_off()
    axes.grid(color=LIGHT["grid"], zorder=0)


def _literal(text: str) -> str:
    """``text`` for matplotlib, in which a dollar sign would start a formula."""
    return visible(text).replace("$", r"\$")


def _legend_entry(name: str) -> str:
    """The same for a legend, from which matplotlib leaves out what begins with an underscore."""
    return _literal(f" {name}" if name.startswith("_") else name)


def _curves(axes: Axes, scene: Scene, low: float, high: float) -> None:
    steps = [low * (high / low) ** (step / CURVE_STEPS) for step in range(CURVE_STEPS + 1)]
    for place, curve in enumerate(scene.curves):
        steps_here = sorted([*steps, curve.ridge_per_byte or low])
        roof = place == 0 and not curve.name
        axes.plot(
            steps_here,
            [curve.at(step) for step in steps_here],
            color=LIGHT["ink"] if roof else LIGHT[SERIES[curve.series % len(SERIES)]],
            linestyle=KINDS.get(curve.kind, "-"),
            linewidth=2 if roof else 1.2,
            label=_legend_entry(curve.name) if curve.name else None,
            zorder=3,
        )


def _roof(axes: Axes, canvas: Canvas, place: int, roof: SceneRoof, *, single: bool) -> None:
    colour = LIGHT["ink"] if single else LIGHT[SERIES[place % len(SERIES)]]
    low, high = 2.0**canvas.x.first, 2.0**canvas.x.last
    ridge = roof.ridge_per_byte
    corners = [low, high]
    if ridge is not None and low < ridge < high:
        corners.insert(1, ridge)
    heights = [roof.at(corner) for corner in corners]
    style = STYLES[place % len(STYLES)]
    name = _legend_entry(roof.name)
    axes.plot(corners, heights, color=colour, linestyle=style, linewidth=2, label=name, zorder=3)
    _name_ridge(axes, place, roof)
    _thin_roofs(axes, canvas, roof, LIGHT["dim"] if single else colour)
    if single or roof.levels:
        _roof_names(axes, canvas, roof, colour)
    if single:
        _regions(axes, roof, high)
        for line in roof.lines:
            _ceiling(axes, canvas, line, roof)


def _name_ridge(axes: Axes, place: int, roof: SceneRoof) -> None:
    ridge = roof.ridge_per_byte
    if ridge is not None:
        up = (0, 4 + 9 * (place % 2))  # neighbours' ridges may lie close together
        text, spot = f"ridge {short(ridge)}", (ridge, roof.at(ridge))
        axes.annotate(text, spot, up, textcoords="offset points", ha="center", fontsize=8)


def _thin_roofs(axes: Axes, canvas: Canvas, roof: SceneRoof, colour: str) -> None:
    low, high = 2.0**canvas.x.first, 2.0**canvas.x.last
    for level in roof.levels:
        _link(axes, canvas, level, roof, colour)
    for peak in roof.peaks[1:]:
        axes.plot([low, high], [peak.g_per_s] * 2, color=colour, linewidth=0.8, zorder=2)
        _level(axes, f"{peak.types} peak {short(peak.g_per_s)}", high, peak.g_per_s, colour)


def _roof_names(axes: Axes, canvas: Canvas, roof: SceneRoof, colour: str) -> None:
    if roof.peak_g_per_s is not None:
        kind = f"{roof.peaks[0].types} " if roof.peaks else ""
        text = f"{kind}peak {short(roof.peak_g_per_s)} {canvas.scene.unit}"
        _level(axes, text, 2.0**canvas.x.last, roof.peak_g_per_s, colour)
    if roof.bandwidth_gb_s is not None:
        text = f"{short(roof.bandwidth_gb_s)} GB/s {roof.link}".strip()
        text += f" ({roof.pattern})" if roof.pattern else ""
        _slanted(axes, canvas, text, roof.bandwidth_gb_s, colour)


def _link(axes: Axes, canvas: Canvas, level: LinkRoof, roof: SceneRoof, colour: str) -> None:
    low, high = 2.0**canvas.x.first, 2.0**canvas.x.last
    stop = min(high, roof.peak_g_per_s / level.gb_s) if roof.peak_g_per_s else high
    axes.plot([low, stop], [level.gb_s * low, level.gb_s * stop], color=colour, linewidth=0.8,
              zorder=2)  # fmt: skip
    text = f"{level.link} {short(level.gb_s)}" + (f" ({level.pattern})" if level.pattern else "")
    _slanted(axes, canvas, text, level.gb_s, colour)
    points = canvas.scene.points
    if level.intensity_per_byte is None or len(points) != 1:
        return
    x, y = canvas.x.inside(level.intensity_per_byte), canvas.y.inside(points[0].g_per_s)
    axes.plot([x], [y], "o", color=LIGHT["d"], markerfacecolor="white", markersize=5, zorder=4)
    axes.annotate(_literal(level.link), (x, y), (0, -12), textcoords="offset points",
                  fontsize=7, ha="center", color=LIGHT["dim"])  # fmt: skip


def _ceiling(axes: Axes, canvas: Canvas, line: RoofCeiling, roof: SceneRoof) -> None:
    low, high = 2.0**canvas.x.first, 2.0**canvas.x.last
    top = roof.peak_g_per_s if line.side == "compute" else roof.bandwidth_gb_s
    if top is not None and line.value >= top * AT_ROOF:
        return
    text = f"{line.name} {short(line.value)}"
    faint = {"alpha": 0.45, "linestyle": ":"} if line.broken else {}
    if line.side == "compute":
        start = max(low, line.value / roof.bandwidth_gb_s) if roof.bandwidth_gb_s else low
        look = {"color": LIGHT["a"], "linestyle": "--", "linewidth": 1.2} | faint
        axes.plot([start, high], [line.value] * 2, zorder=2, **look)
        _level(axes, text, high, line.value, LIGHT["a"])
        return
    stop = min(high, roof.peak_g_per_s / line.value) if roof.peak_g_per_s else high
    look = {"color": LIGHT["b"], "linestyle": "-.", "linewidth": 1.2} | faint
    axes.plot([low, stop], [line.value * low, line.value * stop], zorder=2, **look)
    _slanted(axes, canvas, text, line.value, LIGHT["b"])


def _level(axes: Axes, text: str, x: float, y: float, colour: str) -> None:
    axes.annotate(_literal(text), (x, y), (-3, 2), textcoords="offset points", ha="right",
                  fontsize=8, color=colour)  # fmt: skip


def _slanted(axes: Axes, canvas: Canvas, text: str, gb_s: float, colour: str) -> None:
    x = max(2.0**canvas.x.first, 2.0**canvas.y.first / gb_s) * 1.08
    axes.annotate(_literal(text), (x, gb_s * x), (0, 3), textcoords="offset points", fontsize=8,
                  rotation=-canvas.slope, rotation_mode="anchor", color=colour)  # fmt: skip


def _regions(axes: Axes, roof: SceneRoof, high: float) -> None:
    peak, fast = roof.peak_g_per_s, roof.bandwidth_gb_s
    low, slow = roof.compute_now, roof.memory_now
    if not (peak and fast and low and slow) or slow >= fast or low >= peak:
        return
    tiny = low / 1024
    shapes = {
        "memory": [(tiny / fast, tiny), (low / fast, low), (low / slow, low), (tiny / slow, tiny)],
        "both": [(low / fast, low), (peak / fast, peak), (peak / slow, peak), (low / slow, low)],
        "compute": [(low / slow, low), (peak / slow, peak), (high, peak), (high, low)],
    }
    for name, corners in shapes.items():
        across, up = zip(*corners, strict=True)
        axes.fill(across, up, color=REGIONS[name], alpha=0.18, zorder=1, linewidth=0)


def _point(axes: Axes, canvas: Canvas, point: ScenePoint, *, single: bool, named: bool) -> None:
    colour = LIGHT["d"] if single else LIGHT[SERIES[point.roof % len(SERIES)]]
    number = canvas.numbers[point.name]
    x = canvas.x.inside(point.intensity_per_byte)
    y = canvas.y.inside(point.g_per_s)
    many = len(canvas.scene.points) > 1
    label = _legend_entry(point.name) if many and named else None
    axes.plot([x], [y], MARKERS[number % len(MARKERS)], color=colour, label=label, zorder=5)
    if many:
        return
    if point.compulsory is not None:
        _raised(axes, canvas, point, (x, y), colour)
    if point.steps:
        axes.plot([x, x], [y, point.steps[-1].g_per_s], color=colour, linewidth=1.2, zorder=4)
    for step in point.steps:
        axes.plot([x], [step.g_per_s], "_", color=colour, zorder=4)
        text = f"×{short(step.factor)} {step.name}"
        axes.annotate(_literal(text), (x, step.g_per_s), (6, -9), textcoords="offset points",
                      fontsize=8, color=colour)  # fmt: skip


def _raised(
    axes: Axes, canvas: Canvas, point: ScenePoint, here: tuple[float, float], colour: str
) -> None:
    spot = point.compulsory
    assert spot is not None
    there = canvas.x.inside(spot.intensity_per_byte), canvas.y.inside(spot.g_per_s)
    axes.annotate("", there, here, arrowprops={"arrowstyle": "->", "color": colour}, zorder=4)
    text = best_words(point, canvas.scene.work)
    axes.annotate(_literal(text), there, (0, 6), textcoords="offset points", ha="right",
                  fontsize=8, color=colour)  # fmt: skip
