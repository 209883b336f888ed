"""Runs loops through the scheduler, but counts repetitions instead of running them.

After every line phase of a loop, the state of the machine relative to the fetch cycle is examined:
the entries of each buffer and their remaining time, the slots in use, the pending results. A state
that recurs, p iterations and D cycles later, recurs every p iterations and D cycles: whole periods
are counted, not run. The same applies to rounds of the enclosing loop.
"""

from collections.abc import Mapping, Sequence
from math import lcm
from typing import Final, TypeAlias

from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.parts import Form, OpStretch, ScheduledCore
from rooflint_plugins.models.bounds.schedule import CoreState, Scheduler, Segment

MAX_ITERATIONS: Final = 4096
MAX_NODES: Final = 12_000
"""How far a loop is run in search of a period."""
MAX_ROUNDS: Final = 64
MAX_ROUND_ITERATIONS: Final = 6000
NOTHING: Final[Mapping[int, int]] = {}
MAX_MARKED: Final = 1024
"""Cycles behind the fetch that are kept in bit sets at most."""


class Instance(NamedTuple):
    """A node of one phase: its place in the history, and its operands (place, iterations back).

    delay  cycles from its start to its result
    """

    place: int
    form: Form
    needs: tuple[tuple[int, int], ...]
    delay: int


Phases: TypeAlias = tuple[tuple[Instance, ...], ...]


class Period(NamedTuple):
    """``iterations`` of the loop (or rounds of the program) take ``cycles``, repeatedly.

    found_after   iterations that were run before
    repeats       False: nothing repeated within the limits; the figures are those of the last part
    lead_cycles   cycles of ``found_after``
    drain_cycles  from the last fetch to the last result
    ran           iterations of all loops that were run to find it
    """

    iterations: int
    cycles: int
    segments: tuple[Segment, ...]
    nodes: tuple[int, ...]
    found_after: int
    repeats: bool = True
    lead_cycles: int = 0
    drain_cycles: int = 0
    ran: int = 0

    def whole_cycles(self, iterations: float) -> float:
        """About what so many, at least ``found_after``, take from first fetch to last result."""
        after = (iterations - self.found_after) * self.cycles / self.iterations
        return self.lead_cycles + after + self.drain_cycles


class Whole(NamedTuple):
    """A program from its first fetch to its last result."""

    cycles: int
    segments: tuple[Segment, ...]
    nodes: tuple[int, ...]
    run_iterations: int


class StretchRun:
    """A stretch prepared for running: its instances by phase, and the history of its results."""

    def __init__(self, stretch: OpStretch) -> None:
        body = stretch.body
        lengths = [len(op.forms) for op in body]
        lengths += [len(need.distances) for op in body for need in op.needs]
        self.period = lcm(1, *lengths)
        farthest = max([d for op in body for n in op.needs for d in n.distances], default=0)
        self.size = 1 << farthest.bit_length()
        self.trips = stretch.trips
        self.enters = stretch.enters
        self.phases: Phases = tuple([self._phase(stretch, p) for p in range(self.period)])
        self.results = [0] * (self.size * len(body))
        self.live = self._live(stretch)
        self.resumes = stretch.resumes
        self.last = [0] * len(body)

    def _phase(self, stretch: OpStretch, phase: int) -> tuple[Instance, ...]:
        found = []
        for place, op in enumerate(stretch.body):
            form = op.forms[phase % len(op.forms)]
            if form is None:
                continue
            needs = []
            for need in op.needs:
                distance = need.distances[phase % len(need.distances)]
                if distance >= 0:
                    needs.append((need.op * self.size, distance))
            delay = 0 if form.role == "store" else form.latency
            found.append(Instance(place=place, form=form, needs=tuple(needs), delay=delay))
        return tuple(found)

    def _live(self, stretch: OpStretch) -> tuple[tuple[int, int], ...]:
        """Results that later iterations may wait for: (place in the history, iterations back)."""
        far: dict[int, int] = {}
        for op in stretch.body:
            for need in op.needs:
                far[need.op] = max(far.get(need.op, 0), *need.distances)
        return tuple(
            [(op * self.size, back) for op, most in far.items() for back in range(1, most + 1)]
        )

    def start(self) -> None:
        """Forgets the results of an earlier execution of the loop, but for those that go on."""
        for place in range(len(self.last)):
            first = place * self.size
            if place in self.resumes:
                self._turn(first, self.trips)
            else:
                self.results[first : first + self.size] = [0] * self.size

    def move(self, iterations: int) -> None:
        """Goes on so many iterations later with the same results."""
        for first in range(0, len(self.results), self.size):
            self._turn(first, -iterations)

    def _turn(self, first: int, iterations: int) -> None:
        """The result of an iteration becomes that of one so many before."""
        shift = iterations & (self.size - 1)
        if shift:
            ring = self.results[first : first + self.size]
            self.results[first : first + self.size] = ring[shift:] + ring[:shift]

    def handed_on(self, fetch: int) -> tuple[int, ...]:
        """Results for the next execution that are still under way."""
        mask = self.size - 1
        places = [
            (p + ((self.trips - b) & mask)) for p, b in self.live if p // self.size in self.resumes
        ]
        return tuple([max(0, self.results[place] - fetch) for place in places])

    def leave(self, iteration: int) -> None:
        """Keeps the results of the last iteration for the stretches that wait for them."""
        at = iteration & (self.size - 1)
        self.last = [self.results[place * self.size + at] for place in range(len(self.last))]

    def state(self, iteration: int, fetch: int) -> tuple[int, ...]:
        """Results that are still under way, relative to ``fetch``, before ``iteration``."""
        mask, results = self.size - 1, self.results
        return tuple([
            late if (late := results[place + ((iteration - back) & mask)] - fetch) > 0 else 0
            for place, back in self.live
        ])  # fmt: skip


class PeriodPoint(NamedTuple):
    """A point of a run: the fetch cycle with all counted before, segments and nodes so far."""

    step: int
    cycle: int
    segment: int
    nodes: tuple[int, ...]


class PassedStates:
    """The states of a run, each with the point at which it first occurred.

    Most states differ from all others in their outlines; only those that do not are made relative.
    """

    def __init__(self) -> None:
        self._alone: dict[object, tuple[CoreState, PeriodPoint] | None] = {}
        self._alike: dict[object, PeriodPoint] = {}

    def first(self, state: CoreState, now: PeriodPoint) -> PeriodPoint:
        """The point of the same state; ``now`` where there is none before."""
        alone = self._alone.setdefault(state.outline, (state, now))
        if alone is not None:
            known, before = alone
            if known is state:
                return now
            self._alike[known.relative()] = before
            self._alone[state.outline] = None
        return self._alike.setdefault(state.relative(), now)


class Runner:
    """Runs stretches on one core; ``elapsed`` are cycles that were counted but not run.

    ``forward`` False runs everything (for comparisons).
    """

    def __init__(self, core: ScheduledCore, forward: bool = True) -> None:
        self.scheduler = Scheduler(core)
        self.forward = forward
        self.segments: list[Segment] = []
        self.elapsed = 0
        self.ran = 0

    def point(self, step: int) -> PeriodPoint:
        """Now, with a segment closed at the fetch cycle."""
        scheduler = self.scheduler
        if scheduler.fetch > scheduler.origin:
            self.segments.append(scheduler.cut(scheduler.fetch))
        nodes = tuple(scheduler.nodes)
        return PeriodPoint(step, scheduler.fetch + self.elapsed, len(self.segments), nodes=nodes)

    def iterate(
        self, loop: StretchRun, iteration: int, entered: Mapping[int, int] = NOTHING
    ) -> None:
        """One iteration; ``entered`` are results from outside, by the place that waits for them."""
        scheduler = self.scheduler
        if scheduler.fetch - scheduler.origin > MAX_MARKED:
            self.point(0)
        place_node = scheduler.place
        size = loop.size
        mask, results = size - 1, loop.results
        now = iteration & mask
        for place, form, needs, delay in loop.phases[iteration % loop.period]:
            ready = entered.get(place, 0) if entered else 0
            for producer, back in needs:
                when = results[producer + ((iteration - back) & mask)]
                ready = when if when > ready else ready
            results[place * size + now] = place_node(form, ready) + delay
        self.ran += 1

    def loop(self, loop: StretchRun, entered: Mapping[int, int] = NOTHING) -> None:
        """All trips of a loop; periods that repeat are counted."""
        loop.start()
        passed = PassedStates()
        searching = self.forward and loop.trips > 2 * loop.period
        iteration = 0
        while iteration < loop.trips:
            if searching and iteration % loop.period == 0:
                now = self.point(iteration)
                state = self.scheduler.state(loop.state(iteration, self.scheduler.fetch))
                before = passed.first(state, now)
                if before is not now:
                    period = iteration - before.step
                    times = (loop.trips - iteration) // period
                    self.repeat(before, now, times)
                    loop.move(times * period)
                    iteration += times * period
                    searching = False
                    continue
                searching = iteration < MAX_ITERATIONS
            self.iterate(loop, iteration, entered if iteration == 0 else NOTHING)
            iteration += 1
        loop.leave(iteration - 1)

    def repeat(self, before: PeriodPoint, now: PeriodPoint, times: int) -> None:
        """Counts what happened between two points so many times more."""
        if not times:
            return
        self.elapsed += times * (now.cycle - before.cycle)
        for position in range(before.segment, now.segment):
            known = self.segments[position]
            self.segments[position] = known._replace(times=known.times * (1 + times))
        counts = self.scheduler.nodes
        for resource, (old, new) in enumerate(zip(before.nodes, now.nodes, strict=True)):
            counts[resource] += times * (new - old)

    def between(self, before: PeriodPoint, now: PeriodPoint, repeats: bool) -> Period:
        """The period between two points."""
        nodes = [new - old for old, new in zip(before.nodes, now.nodes, strict=True)]
        return Period(
            iterations=now.step - before.step,
            cycles=now.cycle - before.cycle,
            segments=tuple(self.segments[before.segment : now.segment]),
            nodes=tuple(nodes),
            found_after=before.step,
            repeats=repeats,
            lead_cycles=before.cycle,
            drain_cycles=max(0, self.scheduler.end - self.scheduler.fetch),
            ran=self.ran,
        )


def steady(core: ScheduledCore, body: OpStretch) -> Period:
    """The period of a loop that runs for long; the trips of ``body`` are not looked at."""
    runner, loop = Runner(core), StretchRun(body)
    passed = PassedStates()
    points: list[PeriodPoint] = []
    most = min(MAX_ITERATIONS, max(4 * loop.period, MAX_NODES // max(1, len(body.body))))
    for iteration in range(most + 1):
        if iteration % loop.period == 0:
            now = runner.point(iteration)
            state = runner.scheduler.state(loop.state(iteration, runner.scheduler.fetch))
            before = passed.first(state, now)
            if before is not now:
                return runner.between(before, now, True)
            points.append(now)
        runner.iterate(loop, iteration)
    return runner.between(points[len(points) // 2], points[-1], False)


class Rounds:
    """A program of several stretches that runs repeatedly."""

    def __init__(
        self, core: ScheduledCore, program: Sequence[OpStretch], forward: bool = True
    ) -> None:
        self.runner = Runner(core, forward)
        self.parts = [StretchRun(stretch) for stretch in program]

    def round(self) -> None:
        """Every stretch once."""
        for part in self.parts:
            entered = {op: self.parts[other].last[place] for op, other, place in part.enters}
            self.runner.loop(part, entered)

    def state(self) -> CoreState:
        """The state that determines the next round."""
        scheduler = self.runner.scheduler
        fetch = scheduler.fetch
        asked = {(other, place) for part in self.parts for _, other, place in part.enters}
        late = [max(0, self.parts[o].last[place] - fetch) for o, place in sorted(asked)]
        return scheduler.state((tuple(late), *[part.handed_on(fetch) for part in self.parts]))

    def steady(self, most: int = MAX_ROUNDS) -> Period:
        """The period in rounds."""
        runner = self.runner
        passed = PassedStates()
        points: list[PeriodPoint] = []
        for step in range(most + 1):
            now = runner.point(step)
            before = passed.first(self.state(), now)
            if before is not now:
                return runner.between(before, now, True)
            points.append(now)
            if runner.ran > MAX_ROUND_ITERATIONS and step > 2:
                break
            self.round()
        return runner.between(points[len(points) // 2], points[-1], False)

    def whole(self, rounds: int = 1) -> Whole:
        """So many rounds from the first fetch to the last result."""
        runner = self.runner
        passed = PassedStates()
        step = 0
        while step < rounds:
            if runner.forward and rounds > 1:
                now = runner.point(step)
                before = passed.first(self.state(), now)
                if before is not now:
                    times = (rounds - step) // (step - before.step)
                    runner.repeat(before, now, times)
                    step += times * (step - before.step)
                    passed = PassedStates()
                    if step >= rounds:
                        break
            self.round()
            step += 1
        scheduler = runner.scheduler
        if scheduler.end > scheduler.origin:
            runner.segments.append(scheduler.cut(scheduler.end))
        cycles = scheduler.end + runner.elapsed
        return Whole(
            cycles=cycles,
            segments=tuple(runner.segments),
            nodes=tuple(scheduler.nodes),
            run_iterations=runner.ran,
        )
