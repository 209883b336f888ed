"""A picture of an estimate as SVG: one iteration of the main loop, PERF over K and over BW.

Performance has logarithmic axes, so that a bound by the channel is a slope and one by kernels is
flat, as in a Roofline plot.
"""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from rooflint.hybrid.balance import Balance
from rooflint.hybrid.estimate import PLAIN, Options, estimate
from rooflint.hybrid.results import Estimate, StageTime
from rooflint.hybrid.words import rate, seconds, sentence

WIDTH, LEFT, RIGHT = 860, 120, 24
ROW, PANEL, GAP = 26, 210, 96
LETTER = 6.3
"""Width of a letter of the labels, about."""
KINDS = {
    "kernel": ("#0072b2", "#ffffff"),
    "load": ("#e69f00", "#000000"),
    "store": ("#56b4e9", "#000000"),
    "host": ("#009e73", "#000000"),
    "alone": ("#cc79a7", "#000000"),
}
NOW, BALANCED = "#d55e00", "#008060"
POINTS = 41
RESIDENT = ("C1", "C2", "C3", "C7")


class Bar(NamedTuple):
    """An interval of a row of the time line, with what happens in it."""

    row: str
    kind: str
    words: str
    start_s: float
    length_s: float


class Mark(NamedTuple):
    """A point of a curve: today's machine, or the balanced one."""

    value: float
    words: str
    colour: str


class Axis(NamedTuple):
    """What performance is drawn over: ``unit`` of a tick in the values' own unit."""

    label: str
    steps: tuple[float, ...]
    ticks: tuple[float, ...]
    unit: float


def picture(
    found: Estimate,
    balanced: Balance,
    values: Mapping[str, float] | None = None,
    options: Options = PLAIN,
    perf_at: Callable[[float], float] | None = None,
    *,
    alone: bool = True,
) -> str:
    """The whole picture; the same estimate gives the same bytes.

    ``perf_at`` gives PERF of other numbers of coprocessors, where they make another procedure.
    ``alone``: as a file of its own, with a title and a white ground.
    """
    parts: list[str] = []
    top = 16.0
    if alone:
        parts.append(_text(16, 24, f"{found.procedure.name} on {found.system.name}", 15))
        parts.append(_text(16, 44, sentence(found), 11))
        top = 72.0
    lines, top = _time_line(found, top)
    parts += lines
    given = dict(values or {})

    def at(symbol: str) -> Callable[[float], float]:
        def perf(value: float) -> float:
            changed = given | {symbol: value}
            return estimate(found.procedure, found.system, changed, options).perf_op_s

        return perf

    now, count = found.system.bandwidth_b_s, found.system.coprocessors
    width = (WIDTH - LEFT - RIGHT - GAP) / 2
    parts += _panel(
        _counts(count, balanced.coprocessors),
        perf_at or at("K"),
        _marks(count, balanced.coprocessors, "K = ", 1.0, ""),
        (LEFT, top, width),
    )
    parts += _panel(
        _rates(now, balanced.bandwidth_b_s),
        at("BW"),
        _marks(now, balanced.bandwidth_b_s, "", 1e9, " GB/s"),
        (LEFT + width + GAP, top, width),
    )
    height = top + PANEL + 72
    ground = f'<rect width="{WIDTH}" height="{height:.0f}" fill="#fff"/>' if alone else ""
    ink = ' color="#222"' if alone else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}"{ink}'
        f' viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif" fill="currentColor"'
        f' role="img" aria-label="{escape(sentence(found), quote=True)}">{ground}'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def bars_of(stage: StageTime, *, pages: bool = True) -> list[Bar]:
    """One iteration: what overlaps side by side, then what does not.

    ``pages``: different pages are loaded, computed and stored at the same time.
    """
    found = []
    now, after, before = (" page q", " page q+1", " page q-1") if pages else ("", "", "")
    if stage.t_cp_s:
        found.append(Bar("coprocessors", "kernel", f"computes{now}", 0.0, stage.t_cp_s))
    for name, times in stage.channels.items():
        together = times.busy_s < times.load_s + times.store_s
        row = f"channel {name}"
        found.append(Bar(row, "load", f"loads{after}", 0.0, times.load_s))
        start = 0.0 if together else times.load_s
        back = f"{row} back" if together else row
        found.append(Bar(back, "store", f"stores{before}", start, times.store_s))
    if stage.t_host_s:
        found.append(Bar("host", "host", "host", 0.0, stage.t_host_s))
    if stage.t_serial_s:
        longest = max(stage.t_cp_s, stage.t_tr_s, stage.t_host_s)
        words = "waits for nothing else"
        found.append(Bar("not overlapped", "alone", words, longest, stage.t_serial_s))
    return [bar for bar in found if bar.length_s > 0]


def _time_line(found: Estimate, top: float) -> tuple[list[str], float]:
    stage = found.main
    width = WIDTH - LEFT - RIGHT
    scale = width / stage.iteration_s if stage.iteration_s else 0.0
    title = f"One of {stage.iterations:.4g} iterations of stage {stage.name}: "
    title += seconds(stage.iteration_s)
    once = stage.prologue_s + stage.epilogue_s
    if once:
        title += f"; before and after all of them {seconds(once)}"
    parts = [_text(16, top, title, 12, bold=True)]
    bars = bars_of(stage, pages=found.procedure.shape not in RESIDENT)
    rows = list(dict.fromkeys(bar.row for bar in bars))
    for bar in bars:
        y = top + 12 + ROW * rows.index(bar.row)
        parts += _bar(bar, LEFT + bar.start_s * scale, y, max(1.5, bar.length_s * scale))
    for number, row in enumerate(rows):
        parts.append(_text(LEFT - 8, top + 26 + ROW * number, row, 11, anchor="end"))
    base = top + 12 + ROW * len(rows)
    for tick in _linear_ticks(stage.iteration_s):
        x = LEFT + tick * scale
        parts.append(_line(x, top + 12, x, base + 2, "0.15"))
        parts.append(_text(x, base + 15, seconds(tick), 10, anchor="middle"))
    return parts, base + 58


def _bar(bar: Bar, x: float, y: float, width: float) -> list[str]:
    fill, ink = KINDS[bar.kind]
    words = f"{bar.words}: {seconds(bar.length_s)}"
    rect = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{ROW - 6}" fill="{fill}">'
        f"<title>{escape(words)}</title></rect>"
    )
    room = len(words) * LETTER + 10
    if width > room:
        return [rect, _text(x + 5, y + 14, words, 11, ink)]
    if x + width + room < WIDTH:
        return [rect, _text(x + width + 5, y + 14, words, 11)]
    return [rect]


def _linear_ticks(length: float) -> list[float]:
    """Round times from 0 to ``length``, four to eight of them."""
    if length <= 0:
        return []
    step = 10 ** floor(log10(length))
    step *= next(part for part in (1.0, 0.5, 0.2, 0.1) if length / (step * part) >= 4)
    return [step * number for number in range(floor(length / step * (1 + 1e-9)) + 1)]


def _counts(count: float, balanced: float | None) -> Axis:
    """Whole numbers of coprocessors up to four times as many, and what would balance."""
    most = max(8, round(4 * count))
    steps = {float(number) for number in range(1, most + 1)}
    if balanced is not None and 1 < balanced < most:
        steps.add(balanced)
    ticks = [float(1 << power) for power in range(most.bit_length())]
    return Axis("coprocessors K", tuple(sorted(steps)), tuple(ticks), 1.0)


def _rates(now: float, balanced: float | None) -> Axis:
    """A decade around what there is, and what would balance it if that is within five."""
    ends = [now]
    if balanced is not None and abs(log10(balanced / now)) < 5:
        ends.append(balanced)
    low, high = log10(min(ends)) - 0.6, log10(max(ends)) + 0.6
    steps = [10 ** (low + (high - low) * n / (POINTS - 1)) for n in range(POINTS)]
    ticks = [10.0**power for power in range(ceil(low), floor(high) + 1)]
    if len(ticks) < 3:
        ticks += [part * 10.0**power for power in range(floor(low), ceil(high)) for part in (2, 5)]
    inside = [tick for tick in sorted(ticks) if steps[0] <= tick <= steps[-1]]
    return Axis("channel BW, GB/s", tuple(sorted({*steps, *ends})), tuple(inside), 1e9)


def _marks(now: float, balanced: float | None, before: str, unit: float, after: str) -> list[Mark]:
    marks = [Mark(now, f"now: {before}{now / unit:.4g}{after}", NOW)]
    if balanced is not None:
        marks.append(Mark(balanced, f"balanced: {before}{balanced / unit:.4g}{after}", BALANCED))
    return marks


def _panel(
    axis: Axis,
    perf: Callable[[float], float],
    marks: Sequence[Mark],
    place: tuple[float, float, float],
) -> list[str]:
    """One curve in a frame, at (left, top, width)."""
    left, top, width = place
    base = top + PANEL
    heights = [perf(step) for step in axis.steps]
    low, high = log10(axis.steps[0]), log10(axis.steps[-1])
    least, most = log10(min(heights)) - 0.15, log10(max(heights)) + 0.2
    if most - least < 1:
        least = most - 1

    def across(value: float) -> float:
        return left + (log10(value) - low) / (high - low) * width

    def up(height: float) -> float:
        return base - (log10(height) - least) / (most - least) * PANEL

    parts = [_text(left, top - 8, f"Performance over {axis.label}", 12, bold=True)]
    for tick in axis.ticks:
        parts.append(_line(across(tick), top, across(tick), base, "0.15"))
        parts.append(_text(across(tick), base + 16, f"{tick / axis.unit:.4g}", 10, anchor="middle"))
    for height in _log_ticks(least, most):
        parts.append(_line(left, up(height), left + width, up(height), "0.15"))
        parts.append(_text(left - 6, up(height) + 4, rate(height), 10, anchor="end"))
    frame = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{PANEL}"'
    parts.append(f'<rect {frame} fill="none" stroke="currentColor" stroke-opacity="0.5"/>')
    points = [f"{across(s):.1f},{up(h):.1f}" for s, h in zip(axis.steps, heights, strict=True)]
    parts.append(
        f'<polyline points="{" ".join(points)}" fill="none" stroke="#0072b2" stroke-width="2.5"/>'
    )
    for number, mark in enumerate(marks):
        label = base + 36 + 16 * number
        if axis.steps[0] <= mark.value <= axis.steps[-1]:
            x, y = across(mark.value), up(perf(mark.value))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{mark.colour}"/>')
            words = f"{mark.words}, {rate(perf(mark.value))}"
        else:
            words = f"{mark.words}, outside the picture"
        parts.append(f'<circle cx="{left + 5:.1f}" cy="{label - 4}" r="5" fill="{mark.colour}"/>')
        parts.append(_text(left + 15, label, words, 11))
    return parts


def _log_ticks(least: float, most: float) -> list[float]:
    """Decades between the exponents; with fewer than two of them also twice and five times."""
    decades = range(ceil(least), floor(most) + 1)
    if len(decades) >= 2:
        return [10.0**power for power in decades]
    found = [part * 10.0**p for p in range(floor(least), ceil(most) + 1) for part in (1, 2, 5)]
    return [height for height in found if least <= log10(height) <= most]


def _line(x: float, y: float, end_x: float, end_y: float, opacity: str) -> str:
    return (
        f'<path d="M{x:.1f} {y:.1f}L{end_x:.1f} {end_y:.1f}" stroke="currentColor"'
        f' stroke-opacity="{opacity}"/>'
    )


def _text(
    x: float,
    y: float,
    words: str,
    size: int,
    colour: str = "currentColor",
    anchor: str = "start",
    *,
    bold: bool = False,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"{weight}'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )
