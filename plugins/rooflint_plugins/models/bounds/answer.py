"""One kernel from its context to cycles: lowered, scheduled, counted."""

from rooflint.core import LazyPlan
from rooflint.core.code import Code, CorePlan, clock_of
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.lines import walks_of
from rooflint_plugins.models.bounds.lowering import BodyLowering, LoweredBody
from rooflint_plugins.models.bounds.metrics import Cycles
from rooflint_plugins.models.bounds.parts import ScheduledCore
from rooflint_plugins.models.bounds.periods import Period, Rounds, steady
from rooflint_plugins.models.bounds.prebounds import PreBound, prebounds
from rooflint_plugins.models.bounds.target import BoundsTarget

SHORT = 64
"""Loops that hold fewer nodes than so many reorder buffers are run with the loop around them: what
their ends cost, or gain where executions overlap, is more than a hundredth."""


class Group(NamedTuple):
    """Classes that count as one; ``kind`` is compute, memory or other."""

    name: str
    kind: str
    classes: tuple[int, ...]


class Problem(NamedTuple):
    """A loop body on a core; ``bodies`` of it in an execution of the loop, None: many."""

    core: ScheduledCore
    lowered: LoweredBody
    bodies: int | None


class BoundsAnswer(NamedTuple):
    """A kernel's schedule; ``scale`` bodies are one period, ``trips`` one execution."""

    problem: Problem
    plan: CorePlan
    code: Code
    period: Period
    scale: float
    trips: float
    cycles: Cycles
    groups: tuple[Group, ...]
    prebounds: tuple[PreBound, ...]
    notes: tuple[str, ...]

    @property
    def body_cy(self) -> float:
        """Cycles per body."""
        return self.period.cycles / self.scale

    @property
    def execution_cy(self) -> float | None:
        """Cycles of one execution of the loop, filling and draining included; None: no trips."""
        if self.trips <= 0:
            return None
        if self.problem.bodies is not None:
            return self.iteration_cy * self.trips
        bodies = self.trips / self.problem.lowered.width
        if bodies >= self.period.found_after:
            return self.period.whole_cycles(bodies)
        few = self.problem.lowered.stretch._replace(trips=max(1, round(bodies)))
        return Rounds(self.problem.core, [few]).whole().cycles

    @property
    def iteration_cy(self) -> float:
        """Cycles of one core per iteration of the source's loop."""
        return self.body_cy / self.problem.lowered.width


def answer_of(context: Context) -> BoundsAnswer | None:
    """The steady state of the kernel; None where nothing is left to execute."""
    lazy = context.core or LazyPlan(context.function, context.facts, context.machine)
    plan, trips = lazy.plan.at(context.sizes.values), context.traffic.space.trips[-1]
    code, notes = plan.code_for(trips)
    body = lazy.body(code)
    walks = walks_of(context, body.graph, context.sizes.values)
    target = BoundsTarget(context, clock_of(context.machine, code))
    loops = context.facts.kernel.loops
    lowered = BodyLowering(body, walks, target, loops[-2] if len(loops) > 1 else None).lowered()
    if not lowered.stretch.body:
        return None
    core = target.core()
    problem = Problem(
        core, lowered, _short_bodies(core, lowered, trips) if len(loops) > 1 else None
    )
    period = period_of(problem)
    groups = groups_of(core)
    cycles = Cycles(period.segments, [group.classes for group in groups])
    scale = scale_of(problem, period, trips)
    return BoundsAnswer(
        problem=problem,
        plan=plan,
        code=code,
        period=period,
        scale=scale,
        trips=trips,
        cycles=cycles,
        groups=groups,
        prebounds=() if context.brief else prebounds(core, lowered.stretch),
        notes=(*notes, *target.notes),
    )


def _short_bodies(core: ScheduledCore, lowered: LoweredBody, trips: float) -> int | None:
    bodies = max(1, round(trips / lowered.width)) if trips > 0 else None
    if bodies is None or bodies * len(lowered.stretch.body) >= SHORT * (core.rob or 0):
        return None
    return bodies


def scale_of(problem: Problem, period: Period, trips: float) -> float:
    """Bodies in a period; of a short loop also what is left over at its end counts."""
    short = problem.bodies is not None
    return period.iterations * (trips / problem.lowered.width if short else 1.0)


def period_of(problem: Problem) -> Period:
    """The period of a problem, in bodies of a long loop, else in executions of a short one."""
    stretch = problem.lowered.stretch
    if problem.bodies is None:
        return steady(problem.core, stretch)
    return Rounds(problem.core, [stretch._replace(trips=problem.bodies)]).steady()


def groups_of(core: ScheduledCore) -> tuple[Group, ...]:
    """Every class by itself, and all arithmetic together where that is more than one class."""
    found = [Group(r.name, r.group, (number,)) for number, r in enumerate(core.resources)]
    compute = tuple([number for number, r in enumerate(core.resources) if r.group == "compute"])
    if len(compute) > 1:
        found.append(Group("compute", "compute", compute))
    return tuple(found)


def arithmetic_of(answer: BoundsAnswer) -> list[int]:
    """The group of all arithmetic, or the one class of it that there is."""
    busy = [n for n in answer.cycles.busy if answer.groups[n].kind == "compute"]
    return busy[-1:]
