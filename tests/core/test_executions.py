"""Executions of an inner loop that overlap: the law beside a run, and which chains begin anew."""

from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.core import Compiler, LazyPlan
from rooflint.core.code import RowSpace, chain_share, reach, remaining_share
from rooflint.facts import Space, facts_of, space_of
from rooflint.ir import Array, Function, Loop
from rooflint.machine import Machine, builtin_dir, find_machine

INSTRUCTIONS = 60
"""Of one execution, all in the chain, each of one cycle."""


def time_of_one(window: int, executions: int = 120) -> float:
    """Cycles that an execution takes in the steady state over the cycles of its chain.

    Instructions enter in order where one has retired ``window`` before, and retire in order.
    """
    retired: list[int] = []
    done = 0
    for number in range(INSTRUCTIONS * executions):
        entered = retired[number - window] if number >= window else 0
        before = done if number % INSTRUCTIONS else 0
        done = max(entered, before) + 1
        retired.append(max(done, retired[-1] if retired else 0))
    half = executions // 2
    cycles = retired[-1] - retired[half * INSTRUCTIONS - 1]
    return cycles / (executions - half) / INSTRUCTIONS


@given(st.integers(1, 5 * INSTRUCTIONS))
def test_the_share_is_that_of_a_run(window: int) -> None:
    # an instruction of the chain is the least step of a run
    step = 1 / INSTRUCTIONS
    assert remaining_share(window / INSTRUCTIONS) == pytest.approx(
        time_of_one(window), abs=2 * step
    )


@given(st.floats(0, 50), st.floats(0, 5))
def test_longer_reach_never_costs_more(executions: float, more: float) -> None:
    assert remaining_share(0) == 1
    assert 0 < remaining_share(executions + more) <= remaining_share(executions) <= 1


@pytest.fixture(scope="module")
def machine() -> Machine:
    return find_machine("skylake-sp-6148", (builtin_dir(),))


@pytest.fixture(scope="module")
def overlapped(build: ModuleType, machine: Machine) -> Callable[..., float]:
    """What is left of the chain of a nest's inner loop over ``j``."""

    def share(*body: object, arrays: list[Array], trips: float, times: float = 1e6) -> float:
        nest: Loop = build.loop("i", 0, "n", *body)
        function: Function = build.function("f", arrays, nest)
        facts = facts_of(function)[-1]
        space = Space(facts.kernel.loops, (times, trips), times * trips)
        lazy = LazyPlan(function, facts, machine)
        scalar = lazy.plan.scalar
        return (
            lazy.with_overlap(scalar, RowSpace(space, {}, 64)).recurrence_cy / scalar.recurrence_cy
        )

    return share


def test_a_sum_that_is_set_anew_overlaps(
    build: ModuleType, overlapped: Callable[..., float]
) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n")
    inner = build.loop("j", 0, "n", build.assign("s", build.carried("s") + a["i", "j"]))
    anew = (build.assign("s", b["i"]), inner, b["i"].set(build.scalar("s")))
    assert overlapped(*anew, arrays=[a, b], trips=20) < 0.5
    assert overlapped(*anew, arrays=[a, b], trips=20) < overlapped(*anew, arrays=[a, b], trips=200)
    # a hundred reorder buffers' worth of iterations: little begins before the end
    assert overlapped(*anew, arrays=[a, b], trips=20_000) > 0.99
    # once: nothing follows; twice: the first waits in full
    assert overlapped(*anew, arrays=[a, b], trips=20, times=1) == 1
    twice, often = (overlapped(*anew, arrays=[a, b], trips=20, times=n) for n in (2, 1e6))
    assert twice == pytest.approx((1 + often) / 2, rel=1e-4)


def test_a_sum_over_all_rows_goes_on(build: ModuleType, overlapped: Callable[..., float]) -> None:
    a = build.array("a", "f64", "n", "n")
    inner = build.loop("j", 0, "n", build.assign("s", build.carried("s") + a["i", "j"]))
    assert overlapped(inner, arrays=[a], trips=20) == 1


def test_sums_in_memory(build: ModuleType, overlapped: Callable[..., float]) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n")
    moved = build.loop("j", 0, "n", b["i"].add(a["i", "j"]))
    assert overlapped(moved, arrays=[a, b], trips=20) < 0.5
    kept = build.loop("j", 0, "n", b["0"].add(a["i", "j"]))
    assert overlapped(kept, arrays=[a, b], trips=20) == 1


def test_a_core_without_a_reorder_buffer_reaches_nobody_knows_how_far(
    build: ModuleType, machine: Machine
) -> None:
    a = build.array("a", "f64", "n")
    nest = build.loop("j", 0, "n", build.assign("s", build.carried("s") + a["j"]))
    function = build.function("f", [a], nest)
    lazy = LazyPlan(function, facts_of(function)[-1], machine)
    core = machine.core
    assert core is not None
    silent = core._replace(buffers=core.buffers._replace(rob=None))
    assert reach(lazy.plan.scalar, silent, 20) is None
    assert reach(lazy.plan.scalar, core, 0) is None
    once = Space((nest,), (20.0,), 20.0)
    assert lazy.with_overlap(lazy.plan.scalar, RowSpace(once, {}, 64)) is lazy.plan.scalar
    assert chain_share(lazy.plan.scalar, silent, once) == 1
    often = once._replace(executions=200.0)
    assert chain_share(lazy.plan.scalar, silent, often) is None
    # an execution twice as long: half as many of them
    found = reach(lazy.plan.scalar, core, 20)
    assert found is not None
    longer = reach(lazy.plan.scalar, core, 40)
    assert longer is not None and found == pytest.approx(2 * longer)


def begins_apart(build: ModuleType, inner: Loop, *behind: object, n: int) -> float:
    """Cycles of an execution of ``inner``'s loop on a Zen 4, at ``n`` iterations of each loop."""
    zen4 = find_machine("zen4", (builtin_dir(),))
    nest = build.loop("i", 0, "n", inner, *behind)
    arrays = [build.array("c", "f64", "n", "n"), build.array("b", "f64", "n", "n")]
    arrays += [build.array("x", "f64", "n")]
    function: Function = build.function("f", arrays, nest)
    facts = facts_of(function)[-1]
    lazy = LazyPlan(function, facts, zen4, Compiler("gcc"))
    space = space_of(facts.kernel.loops, {"n": n})
    rows = RowSpace(space, {"n": n}, 64)
    code = lazy.code_for(rows)[0]
    return lazy.with_overlap(code, rows).recurrence_cy * space.trips[-1]


def test_a_row_that_each_execution_adds_to(build: ModuleType) -> None:
    b, x = build.array("b", "f64", "n", "n"), build.array("x", "f64", "n")
    adds = build.loop("j", 0, "n", x["j"].add(b["i", "j"]))
    # whole lines: forwarded in 12 cycles, added in 3
    assert begins_apart(build, adds, n=16) == pytest.approx(12 + 3)
    # long rows wait for nobody, but it is no less
    assert begins_apart(build, adds, n=160) == pytest.approx(12 + 3)
    other = build.loop("j", 0, "n", b["i", "j"].add(x["j"]))
    assert begins_apart(build, other, n=16) == 0


def test_an_element_that_the_next_execution_needs_at_its_end(build: ModuleType) -> None:
    b, x = build.array("b", "f64", "n", "n"), build.array("x", "f64", "n")
    solves = build.loop("j", 0, "i", x["i"].add(b["i", "j"] * x["j"]))
    divides = x["i"].set(x["i"] / b["i", "i"])
    # forwarded, multiplied, added, then divided: 9 + 3 + 3 + 13 at least
    assert begins_apart(build, solves, divides, n=9) >= 28
    away = build.loop("j", 0, "i", x["i"].add(b["i", "j"] * b["0", "j"]))
    assert begins_apart(build, away, divides, n=9) < 28
