"""A picture of an estimate as SVG: one iteration of the main stage, PERF over K and over BW."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import log10
from typing import NamedTuple

from rooflint.hybrid.balance import Balance
from rooflint.hybrid.estimate import PLAIN, Options, estimate
from rooflint.hybrid.results import Estimate, StageTime
from rooflint.hybrid.words import rate, seconds, sentence

WIDTH, LEFT, RIGHT = 760, 130, 20
ROW, CURVE = 26, 170
COLOURS = {"kernel": "#4477aa", "load": "#ee6677", "store": "#ccbb44", "host": "#228833"}
POINTS = 41


class Bar(NamedTuple):
    """An interval of a row of the time line."""

    row: str
    kind: str
    start_s: float
    length_s: float


def bars_of(stage: StageTime) -> list[Bar]:
    """One iteration: what overlaps side by side, then what does not."""
    found = []
    if stage.t_cp_s:
        found.append(Bar("coprocessors", "kernel", 0.0, stage.t_cp_s))
    for name, times in stage.channels.items():
        together = times.busy_s < times.load_s + times.store_s
        found.append(Bar(f"channel {name}", "load", 0.0, times.load_s))
        start = 0.0 if together else times.load_s
        row = f"channel {name}" + (" back" if together else "")
        found.append(Bar(row, "store", start, times.store_s))
    if stage.t_host_s:
        found.append(Bar("host", "host", 0.0, stage.t_host_s))
    if stage.t_serial_s:
        longest = max(stage.t_cp_s, stage.t_tr_s, stage.t_host_s)
        found.append(Bar("not overlapped", "kernel", longest, stage.t_serial_s))
    return [bar for bar in found if bar.length_s > 0]


def picture(
    found: Estimate,
    balanced: Balance,
    values: Mapping[str, float] | None = None,
    options: Options = PLAIN,
) -> str:
    """The whole picture; the same estimate gives the same bytes."""
    given = dict(values or {})
    parts = [_text(LEFT, 22, f"{found.procedure.name} on {found.system.name}", 15)]
    parts.append(_text(LEFT, 40, sentence(found), 11))
    top = 64.0
    lines, top = _time_line(found.main, top)
    parts += lines

    def at(symbol: str) -> Callable[[float], float]:
        def perf(value: float) -> float:
            changed = given | {symbol: value}
            return estimate(found.procedure, found.system, changed, options).perf_op_s

        return perf

    counts = [float(k) for k in range(1, max(9, round(4 * found.system.coprocessors) + 1))]
    parts += _curve("K", counts, at("K"), found.system.coprocessors, balanced.coprocessors, top)
    now = found.system.bandwidth_b_s
    span = 1.0 if balanced.bandwidth_b_s is None else abs(log10(balanced.bandwidth_b_s / now)) + 0.3
    steps = [now * 10 ** (span * (2 * i / (POINTS - 1) - 1)) for i in range(POINTS)]
    top += CURVE + 60
    parts += _curve("BW in GB/s", steps, at("BW"), now, balanced.bandwidth_b_s, top, 1e9)
    height = top + CURVE + 50
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}"'
        f' viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif">'
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="white"/>'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def _time_line(stage: StageTime, top: float) -> tuple[list[str], float]:
    scale = (WIDTH - LEFT - RIGHT) / stage.iteration_s if stage.iteration_s else 0.0
    title = f"one of {stage.iterations:.4g} iterations of stage {stage.name}"
    parts = [_text(LEFT, top, f"{title}: {seconds(stage.iteration_s)}", 12)]
    bars = bars_of(stage)
    rows = list(dict.fromkeys(bar.row for bar in bars))
    for bar in bars:
        y = top + 10 + ROW * rows.index(bar.row)
        x, width = LEFT + bar.start_s * scale, max(1.0, bar.length_s * scale)
        words = f"{bar.kind}: {seconds(bar.length_s)}"
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{ROW - 6}"'
            f' fill="{COLOURS[bar.kind]}"><title>{escape(words)}</title></rect>'
        )
        if width > 7 * len(words):
            parts.append(_text(x + 4, y + 14, words, 11, "white"))
    for number, row in enumerate(rows):
        parts.append(_text(LEFT - 8, top + 24 + ROW * number, row, 11, anchor="end"))
    return parts, top + 10 + ROW * len(rows) + 40


def _curve(
    label: str,
    steps: Sequence[float],
    perf: Callable[[float], float],
    now: float,
    balanced: float | None,
    top: float,
    unit: float = 1.0,
) -> list[str]:
    heights = [perf(step) for step in steps]
    highest = max(heights)
    low, high = log10(steps[0]), log10(steps[-1])

    def place(value: float, height: float) -> tuple[float, float]:
        x = LEFT + (log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)
        return x, top + CURVE * (1 - height / highest / 1.05)

    points = " ".join(
        f"{x:.1f},{y:.1f}" for x, y in (place(s, h) for s, h in zip(steps, heights, strict=True))
    )
    base = top + CURVE
    parts = [
        f'<path d="M{LEFT} {top:.1f}V{base:.1f}H{WIDTH - RIGHT}" fill="none" stroke="#555"/>',
        f'<polyline points="{points}" fill="none" stroke="#4477aa" stroke-width="2"/>',
        _text(LEFT - 8, top + 12, rate(highest), 11, anchor="end"),
        _text(LEFT - 8, base, "0", 11, anchor="end"),
        _text(WIDTH - RIGHT, base + 32, f"performance over {label}", 11, anchor="end"),
    ]
    for value in (steps[0], steps[-1]):
        x, _ = place(value, 0.0)
        parts.append(_text(x, base + 16, f"{value / unit:.4g}", 11, anchor="middle"))
    marks = [(now, "now", "#222222")]
    if balanced is not None and steps[0] <= balanced <= steps[-1]:
        marks.append((balanced, "balanced", "#aa3377"))
    for value, word, colour in marks:
        x, y = place(value, perf(value))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        parts.append(_text(x + 6, y + 16, f"{word}: {value / unit:.4g}", 11, colour))
    return parts


def _text(
    x: float, y: float, words: str, size: int, colour: str = "#222222", anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}"'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )
