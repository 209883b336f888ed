"""What holds for every program on every core: random nodes, needs, buffers, orderings."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint_plugins.models.bounds.metrics import Cycles, smallest_cover
from rooflint_plugins.models.bounds.parts import Form, Need, Op, OpStretch, ScheduledCore
from rooflint_plugins.models.bounds.periods import PassedStates, PeriodPoint, Rounds, steady
from rooflint_plugins.models.bounds.prebounds import prebounds
from rooflint_plugins.models.bounds.schedule import CoreState, Scheduler, Segment

from tests.sandy_bridge import (
    ADD,
    DIV,
    LOADS,
    MUL,
    RESOURCES,
    STORES,
    overlap_curve,
    sandy_bridge,
)

pytestmark = pytest.mark.long

FORMS = (ADD, MUL, DIV, *LOADS.values(), *STORES.values())
GROUPS = [(r,) for r in range(len(RESOURCES))]
CLASSES = range(len(RESOURCES))
PROGRAMS = 400


class Node(NamedTuple):
    form: Form
    needs: tuple[int, ...]


class Ran(NamedTuple):
    cycles: Cycles
    segments: tuple[Segment, ...]
    starts: tuple[int, ...]
    ready: tuple[int, ...]
    nodes: tuple[int, ...]
    end: int


@st.composite
def programs(draw: st.DrawFn) -> list[Node]:
    count = draw(st.integers(1, 40))
    found = []
    for number in range(count):
        form = draw(st.sampled_from(FORMS))
        earlier = st.integers(0, number - 1) if number else st.nothing()
        needs = draw(st.lists(earlier, max_size=2)) if number else []
        found.append(Node(form, tuple(needs)))
    return found


def sizes(most: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(1, most)


@st.composite
def cores(draw: st.DrawFn) -> ScheduledCore:
    return ScheduledCore(
        RESOURCES,
        sandy_bridge().ports,
        draw(st.none() | st.integers(1, 4)),
        draw(sizes(32)),
        draw(sizes(16)),
        draw(sizes(8)),
        draw(sizes(8)),
        draw(sizes(4)),
        draw(st.none() | st.integers(1, 2)),
        draw(st.sampled_from(("none", "x86", "arm"))),
        draw(st.booleans()),
    )


def run(program: list[Node], core: ScheduledCore) -> Ran:
    scheduler = Scheduler(core)
    segments: list[Segment] = []
    ready: list[int] = []
    starts: list[int] = []
    for form, needs in program:
        # cut where the fetch is, as a runner does: nothing may change by that
        if scheduler.fetch > scheduler.origin:
            segments.append(scheduler.cut(scheduler.fetch))
        start = scheduler.place(form, max([ready[need] for need in needs], default=0))
        starts.append(start)
        ready.append(start if form.role == "store" else start + form.latency)
    segments.append(scheduler.cut(scheduler.end))
    found, nodes = tuple(segments), tuple(scheduler.nodes)
    counted = Cycles(found, GROUPS)
    return Ran(counted, found, tuple(starts), tuple(ready), nodes, scheduler.end)


def scheduled(program: list[Node], core: ScheduledCore) -> int:
    return run(program, core).end


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores())
def test_sets_lie_in_each_other_and_bounds_follow(program: list[Node], core: ScheduledCore) -> None:
    ran = run(program, core)
    cycles = ran.cycles
    assert cycles.total == ran.end
    everything = (1 << ran.end) - 1
    at = 0
    for segment in ran.segments:
        inside = everything >> at & ((1 << segment.cycles) - 1)
        for issue, span in zip(segment.issue, segment.span, strict=True):
            assert issue & ~span == 0
            assert span & ~inside == 0
        assert all(stall & ~inside == 0 for stall in segment.stall)
        at += segment.cycles
    for one in CLASSES:
        # |I| <= |S| <= |S u B| <= T, and |I| <= |I u B_s| <= |S u B|
        assert cycles.issue(one) <= cycles.span(one) <= cycles.span_and_stall(one) <= ran.end
        for buffer in range(5):
            both = cycles.issue_and_stall(one, buffer)
            assert cycles.issue(one) <= both <= cycles.span_and_stall(one)


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores())
def test_issue_is_never_above_the_roof(program: list[Node], core: ScheduledCore) -> None:
    ran = run(program, core)
    for one, resource in enumerate(RESOURCES):
        forms = [node.form for node in program if node.form.resource == one]
        assert ran.nodes[one] == len(forms)
        occupied = sum(form.occupancy for form in forms)
        assert ran.cycles.issue(one) * (resource.parallel or 1) >= occupied
    compute = Cycles(ran.segments, [(0, 1, 2)])
    assert compute.issue(0) >= max(ran.cycles.issue(one) for one in (0, 1, 2))


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores())
def test_something_executes_in_every_cycle(program: list[Node], core: ScheduledCore) -> None:
    # the no-gap theorem: some set of classes is tight
    ran = run(program, core)
    assert ran.cycles.span(*CLASSES) == ran.end
    cover = smallest_cover(ran.cycles, ran.cycles.busy, stalls=False)
    assert cover is not None
    assert ran.cycles.span(*cover) == ran.end


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores())
def test_overlaps(program: list[Node], core: ScheduledCore) -> None:
    cycles = run(program, core).cycles
    for first in cycles.busy:
        for second in cycles.busy:
            a, b, union = cycles.span(first), cycles.span(second), cycles.span(first, second)
            alpha = cycles.overlap(first, second)
            assert 0 <= alpha <= 1
            assert a + b - alpha * min(a, b) == union
            assert max(a, b) <= union <= min(a + b, cycles.total)
            assert (alpha == 1) == (union == max(a, b))
    assert cycles.stall() <= sum(cycles.stall(buffer) for buffer in range(5))
    for one in CLASSES:
        # the breakdown adds up
        parts = cycles.issue(one) + cycles.latency(one)
        assert parts == cycles.span(one)


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores())
def test_needs_hold_and_more_nodes_take_no_less_time(
    program: list[Node], core: ScheduledCore
) -> None:
    ran = run(program, core)
    for start, (_, needs) in zip(ran.starts, program, strict=True):
        assert all(start >= ran.ready[need] for need in needs)
    shorter = run(program[: len(program) // 2], core)
    assert shorter.starts == ran.starts[: len(program) // 2]
    assert shorter.end <= ran.end


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs())
def test_without_limits_the_longest_path_remains(program: list[Node]) -> None:
    free = ScheduledCore(tuple([r._replace(parallel=None) for r in RESOURCES]))
    one = [Node(Form(n.form.resource, 1, 1, (), n.form.role), n.needs) for n in program]
    depth: list[int] = []
    for form, needs in one:
        first = max([depth[n] - (one[n].form.role == "store") for n in needs], default=0)
        depth.append(first + 1)
        assert form.latency == 1
    assert scheduled(one, free) == max(depth)


@settings(max_examples=PROGRAMS, deadline=None)
@given(st.sampled_from((0, 1, 2)), st.integers(1, 200))
def test_one_class_without_needs_runs_at_its_roof(which: int, count: int) -> None:
    form = (ADD, MUL, DIV)[which]
    ran = run([Node(form, ())] * count, ScheduledCore(RESOURCES, sandy_bridge().ports))
    assert ran.cycles.issue(which) == count * form.occupancy
    assert ran.end == (count - 1) * form.occupancy + form.latency


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores(), st.sampled_from((8, 64)))
def test_whatever_counts_as_bytes_lines_keep_their_heights(
    program: list[Node], core: ScheduledCore, line: int
) -> None:
    # all levels in one axis: at I = W/Q the overlap is W / |S_x u S_y|, however long lines are
    ran = run(program, core)
    cycles = Cycles(ran.segments, [*GROUPS, (0, 1, 2)])
    work = sum(ran.nodes[:3])
    moved = [
        count * (8 if "L1" in r.name else line)
        for count, r in zip(ran.nodes, RESOURCES, strict=True)
    ]
    total = sum(moved[3:])
    if not work or not total:
        return
    compute, at = len(GROUPS), Fraction(work, total)
    for level in [one for one in CLASSES[3:] if moved[one]]:
        flat = (Fraction(1), Fraction(work, cycles.span(compute)))
        slope = (Fraction(moved[level], total), Fraction(moved[level], cycles.span(level)))
        bound = overlap_curve(at, flat, slope, cycles.overlap(compute, level))
        assert bound == Fraction(work, cycles.span(compute, level))
        # I -> oo, I -> 0, and between its two sides no more than a factor of two lower
        assert bound <= min(flat[1], at * slope[1] / slope[0]) <= 2 * bound


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores(), st.integers(1, 40))
def test_periods_are_exact(program: list[Node], core: ScheduledCore, trips: int) -> None:
    body = tuple(
        Op((node.form,), (*tuple(Need(need) for need in node.needs), Need(number, (1,))))
        for number, node in enumerate(program[:8])
    )
    stretch = OpStretch(body, 3 * trips)
    brute = Rounds(core, [stretch], forward=False).whole()
    quick = Rounds(core, [stretch]).whole()
    assert (quick.cycles, quick.nodes) == (brute.cycles, brute.nodes)
    slow, fast = Cycles(brute.segments, GROUPS), Cycles(quick.segments, GROUPS)
    assert [slow.span(one) for one in CLASSES] == [fast.span(one) for one in CLASSES]
    assert slow.stall() == fast.stall()


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores(), st.integers(1, 12), st.integers(1, 12), st.integers(1, 3))
def test_a_loop_that_goes_on_is_one_loop(
    program: list[Node], core: ScheduledCore, trips: int, rounds: int, back: int
) -> None:
    # executions that wait for the last one's results as if they were its iterations
    body = tuple(
        Op((node.form,), (*[Need(need) for need in node.needs], Need(number, (back,))))
        for number, node in enumerate(program[:6])
    )
    parts = OpStretch(body, trips, resumes=frozenset(range(len(body))))
    whole = Rounds(core, [OpStretch(body, trips * rounds)], forward=False).whole()
    for forward in (False, True):
        again = Rounds(core, [parts], forward=forward).whole(rounds)
        assert (again.cycles, again.nodes) == (whole.cycles, whole.nodes)


@settings(max_examples=PROGRAMS, deadline=None)
@given(programs(), cores(), st.integers(1, 3))
def test_no_schedule_beats_the_closed_form(
    program: list[Node], core: ScheduledCore, back: int
) -> None:
    # ResMII, RecMII, fetch and Little's law hold for any steady state
    core = core._replace(fetch_width=core.fetch_width or 4, rob=core.rob or 32)
    body = tuple(
        Op((node.form,), (*[Need(need) for need in node.needs], Need(number, (back,))))
        for number, node in enumerate(program[:4])
    )
    period = steady(core, OpStretch(body))
    if period.repeats:
        for bound in prebounds(core, OpStretch(body)):
            assert period.cycles >= bound.cycles * period.iterations * (1 - 1e-9), bound


# Greedy schedules know anomalies: more of something may cost. On random programs it is 3 % at most;
# a search for the worst finds short ones where one node that is displaced costs more than that, so
# these programs are drawn and not searched.

MORE = ("rob", "rs", "load_buffer", "store_buffer", "line_fill", "fetch_width", "address_units")


def drawn() -> Iterator[tuple[list[Node], ScheduledCore, Random]]:
    random = Random(2014)
    for _ in range(PROGRAMS):
        program: list[Node] = []
        for number in range(random.randint(20, 120)):
            needs = random.sample(range(number), min(number, random.randint(0, 2)))
            program.append(Node(random.choice(FORMS), tuple(needs)))
        core = ScheduledCore(
            RESOURCES,
            sandy_bridge().ports,
            random.randint(1, 4),
            random.randint(8, 64),
            random.randint(4, 32),
            random.randint(2, 16),
            random.randint(2, 16),
            random.randint(1, 10),
            random.randint(1, 2),
            random.choice(("none", "x86", "arm")),
        )
        yield program, core, random


def test_more_of_one_thing_costs_next_to_nothing() -> None:
    for program, core, random in drawn():
        name = random.choice(MORE)
        more = core._replace(**{name: getattr(core, name) + 1})
        assert scheduled(program, more) <= 1.03 * scheduled(program, core), (name, core)


def test_less_latency_costs_next_to_nothing() -> None:
    for program, core, random in drawn():
        slow = random.choice((ADD, MUL, *LOADS.values()))
        fast = slow._replace(latency=slow.latency - 1)
        quicker = [node._replace(form=fast if node.form == slow else node.form) for node in program]
        assert scheduled(quicker, core) <= 1.03 * scheduled(program, core), (slow, core)


def test_states_of_one_outline_are_told_apart_by_their_buffers() -> None:
    """Entries that are done are equal whenever they were; those that are not, by cycles to go."""

    def state(fetch: int, done: int, leaves: int = 0) -> CoreState:
        return CoreState(outline=(0,), fetch=fetch, retiring=(done,), held=((leaves,),))

    passed = PassedStates()
    points = [PeriodPoint(step, 0, 0, nodes=()) for step in range(6)]
    assert passed.first(state(10, 12), points[0]) is points[0]
    assert passed.first(state(20, 23), points[1]) is points[1]
    assert passed.first(state(30, 32), points[2]) is points[0]
    assert passed.first(state(40, 43, 40), points[3]) is points[1]
    assert passed.first(state(50, 53, 51), points[4]) is points[4]
    assert passed.first(state(60, 62)._replace(outline=(1,)), points[5]) is points[5]
