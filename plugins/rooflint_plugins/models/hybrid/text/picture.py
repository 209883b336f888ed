"""A picture of an estimate in numbers: one iteration of its main stage, PERF over K and over BW."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, floor, log10

from rooflint.machine.quantities import format_duration
from rooflint.plugin_api import estimator

from rooflint_plugins.models.hybrid.answers import ProcedureAnswer
from rooflint_plugins.models.hybrid.evaluate.evaluator import estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate, StageTime
from rooflint_plugins.models.hybrid.evaluate.system import GIGA
from rooflint_plugins.models.hybrid.text.text_estimate import sentence

POINTS = 41
"""Points of the curve over BW: enough for a smooth line of 300 px."""
DECADES = 5
"""A balance further away than this many decades is not drawn."""
RESIDENT = ("C1", "C2", "C3", "C7")


def picture_of(answer: ProcedureAnswer) -> estimator.EstimatePicture:
    """The picture of one answer."""
    found, balanced = answer.estimate, answer.balanced
    count, rate = found.system.coprocessors, found.system.bandwidth_b_s
    most = max(8, round(4 * count))
    over_count = answer.perf_at or _perf_over("K", answer)
    over_rate = _perf_over("BW", answer)
    rates = _rates(rate, balanced.bandwidth_b_s)
    return estimator.EstimatePicture(
        title=f"{found.procedure.name} on {found.system.name}",
        sentence=sentence(found),
        timeline=_timeline(found),
        curves=(
            _curve(
                "coprocessors K",
                _counts(most, balanced.coprocessors),
                [float(1 << power) for power in range(most.bit_length())],
                over_count,
                _marked(count, balanced.coprocessors, lambda value: f"K = {value:.4g}"),
            ),
            _curve(
                "channel BW, GB/s",
                rates,
                _rate_ticks(rates[0], rates[-1]),
                over_rate,
                _marked(rate, balanced.bandwidth_b_s, lambda value: f"{value / GIGA:.4g} GB/s"),
                unit=GIGA,
            ),
        ),
    )


def _perf_over(symbol: str, answer: ProcedureAnswer) -> Callable[[float], float]:
    def perf(value: float) -> float:
        changed = {**answer.values, symbol: value}
        found = answer.estimate
        return estimate(found.procedure, found.system, changed, answer.options).perf_op_s

    return perf


def _timeline(found: ProcedureEstimate) -> estimator.IterationTimeline:
    stage = found.main
    title = f"One of {stage.iterations:.4g} iterations of stage {stage.name}: "
    title += format_duration(stage.iteration_s)
    once = stage.prologue_s + stage.epilogue_s
    if once:
        title += f"; before and after all of them {format_duration(once)}"
    in_pages = found.procedure.shape not in RESIDENT
    bars = tuple([bar for bar in _bars(stage, in_pages=in_pages) if bar.length_s > 0])
    return estimator.IterationTimeline(title, bars, stage.iteration_s)


def _bars(stage: StageTime, *, in_pages: bool) -> Iterator[estimator.TimeBar]:
    """One iteration: what overlaps side by side, then what does not.

    ``in_pages``: different pages are loaded, computed and stored at the same time.
    """
    now, after, before = (" page q", " page q+1", " page q-1") if in_pages else ("", "", "")
    yield estimator.TimeBar(
        "coprocessors", "kernel", f"computes{now}", start_s=0.0, length_s=stage.t_cp_s
    )
    for name, times in stage.channels.items():
        together = times.busy_s < times.load_s + times.store_s
        row = f"channel {name}"
        back = f"{row} back" if together else row
        start = 0.0 if together else times.load_s
        yield estimator.TimeBar(row, "load", f"loads{after}", start_s=0.0, length_s=times.load_s)
        yield estimator.TimeBar(
            back, "store", f"stores{before}", start_s=start, length_s=times.store_s
        )
    yield estimator.TimeBar("host", "host", "host", start_s=0.0, length_s=stage.t_host_s)
    longest = max(stage.t_cp_s, stage.t_tr_s, stage.t_host_s)
    label = "waits for nothing else"
    yield estimator.TimeBar(
        "not overlapped", "alone", label, start_s=longest, length_s=stage.t_serial_s
    )


def _counts(most: int, balanced: float | None) -> list[float]:
    counts = {float(number) for number in range(1, most + 1)}
    if balanced is not None and 1 < balanced < most:
        counts.add(balanced)
    return sorted(counts)


def _rates(now: float, balanced: float | None) -> list[float]:
    """A decade around what there is, and what would balance it unless that is too far away."""
    ends = [now]
    if balanced is not None and abs(log10(balanced / now)) < DECADES:
        ends.append(balanced)
    low, high = log10(min(ends)) - 0.6, log10(max(ends)) + 0.6
    return sorted({*[10 ** (low + (high - low) * n / (POINTS - 1)) for n in range(POINTS)], *ends})


def _rate_ticks(first: float, last: float) -> list[float]:
    low, high = log10(first), log10(last)
    ticks = [10.0**power for power in range(ceil(low), floor(high) + 1)]
    if len(ticks) < 3:
        ticks += [part * 10.0**power for power in range(floor(low), ceil(high)) for part in (2, 5)]
    return [tick for tick in sorted(ticks) if first <= tick <= last]


def _marked(
    now: float, balanced: float | None, label: Callable[[float], str]
) -> list[tuple[str, float, bool]]:
    marks = [(f"now: {label(now)}", now, False)]
    if balanced is not None:
        marks.append((f"balanced: {label(balanced)}", balanced, True))
    return marks


def _curve(
    label: str,
    values: Sequence[float],
    ticks: Sequence[float],
    perf: Callable[[float], float],
    marks: Sequence[tuple[str, float, bool]],
    unit: float = 1.0,
) -> estimator.PerformanceCurve:
    return estimator.PerformanceCurve(
        label=label,
        points=tuple([(value, perf(value)) for value in values]),
        ticks=tuple(ticks),
        unit=unit,
        marks=tuple([
            estimator.CurveMark(
                label=words,
                value=value,
                op_s=perf(value) if values[0] <= value <= values[-1] else None,
                is_balanced=is_balanced,
            )
            for words, value, is_balanced in marks
        ]),
    )  # fmt: skip
