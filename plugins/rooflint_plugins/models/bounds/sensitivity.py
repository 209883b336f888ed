"""Gain of one step of each parameter of the core: each tried by itself, scheduled anew.

Steps: one instruction a cycle more, one port more, a cycle less of latency, a quarter more entries,
a link that takes a quarter less time. Only parameters that the schedule shows at work are tried.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.answer import BoundsAnswer, Problem, period_of, scale_of
from rooflint_plugins.models.bounds.parts import BUFFERS, Form, Hold, Op, PortKind, ScheduledCore
from rooflint_plugins.models.bounds.words import BUFFER_NAMES, SIZE_OF, chained_classes

Change: TypeAlias = Callable[[Form], Form]
NODES: Final = 3000
"""Nodes to schedule for all steps together, so that a kernel takes few milliseconds."""
AT_WORK: Final = 0.8
"""A closed-form bound that is so near the time is worth a step."""
STALLED: Final = 0.1
UNGROWN: Final[tuple[PortKind, ...]] = ("calls", "page walks")
"""Of these nobody can have one more like it."""
NOTABLE: Final = 0.03
"""Greedy schedules change by so much for no reason; smaller gains are not told."""


class GrowthStep(NamedTuple):
    """A parameter, the step in words, and the time without over the time with it."""

    parameter: str
    step: str
    gain: float


def sensitivity(answer: BoundsAnswer) -> tuple[GrowthStep, ...]:
    """The steps that gain something, most first; empty where trying them would take too long."""
    body = len(answer.problem.lowered.stretch.body)
    period = answer.period
    cost = body * period.ran
    found = []
    spent = 0
    for parameter, step, problem in _steps(answer):
        spent += cost
        if spent > NODES or not period.repeats:
            break
        other = period_of(problem)
        gain = answer.body_cy * scale_of(problem, other, answer.trips) / other.cycles
        if gain > 1 + NOTABLE:
            found.append(GrowthStep(parameter, step, gain))
    return tuple(sorted(found, key=lambda step: -step.gain))


def _steps(answer: BoundsAnswer) -> Iterator[tuple[str, str, Problem]]:
    problem = answer.problem
    core = problem.core
    for bound in answer.prebounds:
        if bound.cycles < AT_WORK * answer.body_cy:
            break
        if bound.kind == "fetch" and core.fetch_width:
            wider = core.fetch_width + 1
            step = f"{core.fetch_width} -> {wider}"
            yield "issue width", step, problem._replace(core=core._replace(fetch_width=wider))
        elif bound.kind == "ports":
            yield from _ports(problem, bound.ports)
        elif bound.kind == "chain":
            yield from _latencies(answer)
    yield from _entries(answer)


def _entries(answer: BoundsAnswer) -> Iterator[tuple[str, str, Problem]]:
    problem, total = answer.problem, answer.cycles.total
    core = problem.core
    for number, name in enumerate(BUFFERS):
        size = getattr(core, SIZE_OF[name])
        busy = answer.cycles.stall(number) > STALLED * total
        near = any(b.name == name and b.cycles > AT_WORK * answer.body_cy for b in answer.prebounds)
        if size and (busy or near):
            grown = size + max(1, size // 4)
            more = core._replace(**{SIZE_OF[name]: grown})
            yield BUFFER_NAMES[name], f"{size} -> {grown} entries", problem._replace(core=more)


def _ports(problem: Problem, names: Sequence[str]) -> Iterator[tuple[str, str, Problem]]:
    core = problem.core
    ports = {core.ports.index(name) for name in names if name in core.ports}
    if not ports or any(core.kind(name) in UNGROWN for name in names):
        return
    links = [name for name in names if core.kind(name) == "link"]
    if links:

        def faster(form: Form) -> Form:
            holds = tuple([
                Hold(h.ports, max(1, h.cycles * 3 // 4)) if ports.issuperset(h.ports) else h
                for h in form.holds
            ])  # fmt: skip
            return form._replace(holds=holds)

        yield links[0], "a quarter less time per line", _changed(problem, core, faster)
        return
    extra = core._replace(ports=(*core.ports, "one more"))

    def wider(form: Form) -> Form:
        holds = tuple([
            Hold((*h.ports, len(core.ports)), h.cycles) if ports.intersection(h.ports) else h
            for h in form.holds
        ])  # fmt: skip
        return form._replace(holds=holds)

    word = "ports" if len(ports) > 1 else "port"
    yield f"{word} {', '.join(names)}", "one more like it", _changed(problem, extra, wider)


def _latencies(answer: BoundsAnswer) -> Iterator[tuple[str, str, Problem]]:
    core = answer.problem.core
    forms = {f for op in answer.problem.lowered.stretch.body for f in op.forms if f is not None}
    singles = [(n, g.classes[0]) for n, g in enumerate(answer.groups) if len(g.classes) == 1]
    spans = {resource: answer.cycles.span(n) for n, resource in singles}
    chain = chained_classes(answer)
    slow = [f for f in forms if f.resource in chain and f.latency > f.occupancy]
    for resource in sorted({f.resource for f in slow}, key=lambda r: (-spans[r], r))[:2]:
        latency = max([f.latency for f in slow if f.resource == resource])

        def quicker(form: Form, resource: int = resource) -> Form:
            less = form.resource == resource and form.latency > form.occupancy
            return form._replace(latency=form.latency - 1) if less else form

        name = core.resources[resource].name
        step = f"{latency} -> {latency - 1} cycles"
        yield f"latency of {name}", step, _changed(answer.problem, core, quicker)


def _changed(problem: Problem, core: ScheduledCore, change: Change) -> Problem:
    stretch = problem.lowered.stretch
    body = tuple([
        Op(tuple([None if form is None else change(form) for form in op.forms]), op.needs)
        for op in stretch.body
    ])  # fmt: skip
    lowered = problem.lowered._replace(stretch=stretch._replace(body=body))
    return problem._replace(core=core, lowered=lowered)
