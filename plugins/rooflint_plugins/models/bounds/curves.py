"""The generalized roofline as lines of a plot: every bound over the intensity, all levels at once.

With Q_x bytes that class x moves, Q their sum and I = W / Q, a memory roof P <= beta_x I_x becomes
P <= beta_x I Q / Q_x, and with beta_x = Q_x / T_x it is I Q / T_x: a slope that needs times only.
A compute class lies flat at W / T_x. The overlap of both takes

    T = T_x + T_y - alpha min(T_x, T_y)      P(I) = 1 / (1/flat + 1/(slope I) - alpha min(...))

At I = W / Q every line has the height W / T whatever is counted as bytes, so the order of the lines
above the loop is that of its bounds. Lines that another one all but hides are left out.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from rooflint.core.issue.ports import busiest
from rooflint.plugin_api.drawing import BoundLevel, BoundLine, BoundsPlot
from rooflint.plugin_api.prediction import Json

from rooflint_plugins.models.bounds.answer import BoundsAnswer, arithmetic_of
from rooflint_plugins.models.bounds.parts import BUFFERS, Form

APART: Final = 0.95
"""A line is drawn where it is lower than the one it refines by this factor."""
MOST_OVERLAPS: Final = 2
"""Of arithmetic with a level, and of two levels."""


def bounds_plot(answer: BoundsAnswer, work: float, metric: str) -> BoundsPlot | None:
    """The plot, in ``metric`` per cycle and bytes per cycle; None where no bytes move."""
    moved = bytes_moved(answer)
    total = sum(moved.values())
    if not total:
        return None
    memory = [group for group in moved if moved[group]]
    levels = [BoundLevel(answer.groups[group].name, work / moved[group]) for group in memory]
    return BoundsPlot(
        metric=metric,
        unit=f"{metric}/cy",
        intensity_per_byte=work / total,
        rate=work / answer.cycles.total,
        lines=tuple(lines_of(answer, work, total, memory)),
        levels=tuple(levels),
    )


def curves_data(plot: BoundsPlot) -> dict[str, Json]:
    """The same as part of the model's data."""
    lines: list[Json] = [
        {key: value for key, value in line._asdict().items() if value is not None}
        for line in plot.lines
    ]
    levels: list[Json] = [level._asdict() for level in plot.levels]
    return {
        "metric": plot.metric,
        "unit": plot.unit,
        "intensity_per_byte": plot.intensity_per_byte,
        "rate": plot.rate,
        "lines": lines,
        "levels": levels,
    }


def bytes_moved(answer: BoundsAnswer) -> dict[int, float]:
    """Bytes in a period by memory class; a line counts at the level that it comes from only."""
    found = {}
    for number in answer.cycles.busy:
        group = answer.groups[number]
        if group.kind == "memory":
            moved = sum([form.bytes * share for form, share in forms_of(answer, group.classes)])
            found[number] = moved * answer.scale
    return found


def forms_of(answer: BoundsAnswer, classes: tuple[int, ...]) -> list[tuple[Form, float]]:
    """Forms of some classes, with how many of each a pass has."""
    return [
        (form, 1 / len(op.forms))
        for op in answer.problem.lowered.stretch.body
        for form in op.forms
        if form is not None and form.resource in classes
    ]


def least_cycles(answer: BoundsAnswer, number: int) -> float:
    """Cycles of a period in which ports and links could do all of a class.

    Not above the cycles in which it starts nodes: of a gather, whose loads go on after its start,
    those are fewer.
    """
    work: dict[tuple[str, ...], float] = {}
    for form, share in forms_of(answer, answer.groups[number].classes):
        for hold in form.holds:
            ports = tuple([answer.problem.core.ports[port] for port in hold.ports])
            work[ports] = work.get(ports, 0.0) + hold.cycles * share
    issue = answer.cycles.issue(number)
    return min(busiest(work).cycles * answer.scale, issue) if work else issue


def lines_of(
    answer: BoundsAnswer, work: float, total: float, memory: list[int]
) -> Iterator[BoundLine]:
    """Roofs, issue and latency of every class; stalls of arithmetic; overlaps that cost."""
    cycles, groups = answer.cycles, answer.groups
    compute = arithmetic_of(answer)
    for number in (*compute, *memory):
        amount, flat = (work, True) if number in compute else (total, False)
        name, issue = groups[number].name, cycles.issue(number)
        known = 0.0
        for kind, busy in (
            ("throughput", least_cycles(answer, number)),
            ("latency", cycles.span(number)),
            ("issue", issue),
        ):
            between = kind == "issue" and busy > APART * cycles.span(number)
            if busy * APART > known and not between:
                yield _straight(f"{name} {kind}", kind, name, amount / busy, flat=flat)
            known = busy if kind == "throughput" else known
        if flat:
            yield from _stalls(answer, work, number)
    yield from overlaps(answer, work, total, compute, memory)


def _stalls(answer: BoundsAnswer, work: float, number: int) -> Iterator[BoundLine]:
    name, issue = answer.groups[number].name, answer.cycles.issue(number)
    for buffer, short in enumerate(BUFFERS):
        both = answer.cycles.issue_and_stall(number, buffer)
        if issue < APART * both:
            yield _straight(f"{name} stalled by {short}", "stall", name, work / both, flat=True)


def overlaps(
    answer: BoundsAnswer, work: float, total: float, compute: list[int], memory: list[int]
) -> Iterator[BoundLine]:
    """The pairs that are lowest above the loop, where they are lower than every class by itself."""
    cycles, groups = answer.cycles, answer.groups
    alone = max([cycles.span(number) for number in (*compute, *memory)])
    found: list[tuple[int, BoundLine]] = []
    for one, other in product((*compute, *memory), memory):
        both = cycles.span(one, other)
        if (one in memory and one <= other) or alone > APART * both:
            continue
        name = f"{groups[one].name} and {groups[other].name}"
        curve = _straight(name, "overlap", "", total / both, flat=False)
        if one in compute:
            curve = curve._replace(
                flat=work / cycles.span(one),
                slope=total / cycles.span(other),
                alpha=float(cycles.overlap(one, other)),
            )
        found.append((both, curve))
    found.sort(key=lambda each: -each[0])
    for curved in (True, False):
        kind = [curve for _, curve in found if (curve.flat is not None) == curved]
        yield from kind[:MOST_OVERLAPS]


def _straight(name: str, kind: str, of: str, value: float, *, flat: bool) -> BoundLine:
    return BoundLine(name, kind, of=of, flat=value if flat else None, slope=None if flat else value)
