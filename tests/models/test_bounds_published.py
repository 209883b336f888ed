"""The scheduler against the figures published for it: Sandy Bridge, scalar doubles, caches warm."""

from fractions import Fraction

import pytest
from rooflint_plugins.models.bounds.metrics import Cycles, smallest_cover
from rooflint_plugins.models.bounds.parts import Need, Op, OpStretch, Ordering
from rooflint_plugins.models.bounds.periods import Period, Rounds, steady
from rooflint_plugins.models.bounds.schedule import Scheduler, Segment

from tests.sandy_bridge import ADD, LOADS, MUL, STORES, overlap_curve, sandy_bridge, walking

Body = tuple[Op, ...]
LEVELS = ("L1", "L2", "L3", "MEM")
EACH = [(r,) for r in range(8)]
ADDS, MULS, L1, L2, COMPUTE = 0, 1, 3, 5, 8
GROUPS = [*EACH, (0, 1, 2)]


def load(position: int, level: str) -> Op:
    if level == "L1":
        return Op((LOADS["L1"],))
    return walking(position, LOADS[level], LOADS["L1"], 8)


def product(*of: int) -> Op:
    return Op((MUL,), tuple(Need(one) for one in of))


def dot(level: str, other: str = "L1") -> Body:
    """s += a[i] * b[i]: the add waits for the one of the iteration before."""
    add = Op((ADD,), (Need(2), Need(3, (1,))))
    return load(0, level), load(1, other), product(0, 1), add


def daxpy(level: str) -> Body:
    """y[i] += a * x[i]; the store finds the line that the load of y brought."""
    store = Op((STORES["L1"],), (Need(3),))
    return load(0, level), product(0), load(2, level), Op((ADD,), (Need(1), Need(2))), store


def tri(level: str) -> Body:
    """x[i] = z[i] * (y[i] - x[i-1]), where x[i-1] is loaded again."""
    far, near = STORES[level], STORES["L1"]
    store = Op((near,), (Need(4),)) if level == "L1" else walking(5, far, near, 8, (Need(4),))
    before = Op((LOADS["L1"],), (Need(5, (1,)),))
    return (load(0, level), load(1, level), before, Op((ADD,), (Need(1), Need(2))),
            product(0, 3), store)  # fmt: skip


def per_cycle(body: Body, flops: int, ordering: Ordering = "none") -> float:
    period = steady(sandy_bridge(ordering), OpStretch(body))
    assert period.repeats
    return flops * period.iterations / period.cycles


# ------------------------------------------------------------------ two steps of c += a[k] * b[k]


def test_scheduler_fixture() -> None:
    scheduler = Scheduler(sandy_bridge())
    near, far = LOADS["L1"], LOADS["L2"]
    l1a, l2a, l1c, l1b, l2b = [scheduler.place(f, 0) for f in (near, far, near, near, far)]
    assert [l1a, l2a, l1c, l1b, l2b] == [0, 0, 1, 1, 2]  # two addresses a cycle
    mul1 = scheduler.place(MUL, max(l1a + 4, l2a + 12))
    mul2 = scheduler.place(MUL, max(l1b + 4, l2b + 12))
    add1 = scheduler.place(ADD, max(mul1 + 5, l1c + 4))
    add2 = scheduler.place(ADD, max(add1 + 3, mul2 + 5))
    assert [mul1, mul2, add1, add2] == [12, 14, 17, 20]
    assert scheduler.end == 23


def span(*starts: tuple[int, int]) -> int:
    marks = 0
    for start, cycles in starts:
        marks |= ((1 << cycles) - 1) << start
    return marks


def drawn() -> Cycles:
    """The schedule as the figure draws it, with the reorder buffer full in cycles 15 to 20."""
    issue, whole = [0] * 8, [0] * 8
    issue[L1], whole[L1] = span((0, 1), (1, 1)), span((0, 4), (1, 4))
    issue[L2], whole[L2] = span((0, 2), (2, 2)), span((0, 12), (2, 12))
    issue[MULS], whole[MULS] = span((12, 1), (14, 1)), span((12, 5), (14, 5))
    issue[ADDS], whole[ADDS] = span((21, 1), (24, 1)), span((21, 3), (24, 3))
    stall = (0, span((15, 6)), 0, 0, 0)
    return Cycles([Segment(27, tuple(issue), tuple(whole), stall)], GROUPS)


def test_metric_fixture() -> None:
    cycles, work = drawn(), 4
    assert cycles.total == 27
    assert Fraction(work, cycles.issue(COMPUTE)) == 1
    # 13, 15 to 18, 22, 23, 25, 26
    assert cycles.latency(COMPUTE) == 9
    assert Fraction(work, cycles.span(COMPUTE)) == Fraction(4, 13)
    assert (cycles.issue(L1), cycles.latency(L1)) == (2, 3)
    assert Fraction(24, cycles.issue(L1)) == 12
    assert Fraction(24, cycles.span(L1)) == Fraction(24, 5)
    assert cycles.stall(1) == cycles.stall() == 6
    assert Fraction(work, cycles.issue_and_stall(COMPUTE, 1)) == Fraction(4, 10)
    assert Fraction(24, cycles.issue_and_stall(L1, 1)) == 3
    assert cycles.overlap(COMPUTE, L1) == 0
    assert Fraction(work, cycles.span(COMPUTE, L1)) == Fraction(4, 18)
    assert cycles.overlap(COMPUTE, L2) == Fraction(2, 13)
    assert Fraction(work, cycles.span(COMPUTE, L2)) == Fraction(4, 25)
    # only with the stall: in cycles 19 and 20 nothing executes
    assert Fraction(work, cycles.span_and_stall(COMPUTE, L2)) == Fraction(4, 27)
    assert smallest_cover(cycles, (COMPUTE, L1, L2), stalls=False) is None
    assert smallest_cover(cycles, (COMPUTE, L1, L2), stalls=True) == (COMPUTE, L2)


@pytest.mark.parametrize("line", [8, 64])
def test_the_overlap_curve_goes_through_the_union(line: int) -> None:
    # whatever is counted as the bytes of a node: at I = W/Q only the times remain
    cycles, work = drawn(), 4
    bytes_l1, bytes_l2 = 3 * 8, 2 * line
    total = bytes_l1 + bytes_l2
    compute = (Fraction(1), Fraction(work, cycles.span(COMPUTE)))
    memory = (Fraction(bytes_l2, total), Fraction(bytes_l2, cycles.span(L2)))
    alpha = cycles.overlap(COMPUTE, L2)
    at = overlap_curve(Fraction(work, total), compute, memory, alpha)
    assert at == Fraction(work, cycles.span(COMPUTE, L2))
    assert overlap_curve(Fraction(10**9), compute, memory, alpha) == pytest.approx(4 / 13)
    little = Fraction(1, 10**9)
    slope = overlap_curve(little, compute, memory, alpha) / little
    assert slope == pytest.approx(float(memory[1] / memory[0]))


# ------------------------------------------------------------------------------- the steady states

TABLE = [
    ("none", dot, (0.6667, 0.6667, 0.6667, 0.5714)),
    ("none", daxpy, (1.3333, 1.2308, 0.9143, 0.5664)),
    ("none", tri, (0.1667, 0.1667, 0.1667, 0.1667)),
    ("x86", dot, (0.6667, 0.6667, 0.4324, 0.1495)),
    ("x86", daxpy, (1.3333, 0.7619, 0.4103, 0.1391)),
    ("x86", tri, (0.1667, 0.1667, 0.1416, 0.0847)),
]  # fmt: skip


@pytest.mark.parametrize(("ordering", "kernel", "row"), TABLE)
def test_fast_forward_table(ordering: Ordering, kernel: object, row: tuple[float, ...]) -> None:
    assert callable(kernel)
    found = [per_cycle(kernel(level), 2, ordering) for level in LEVELS]
    assert found == pytest.approx(row, abs=5e-5)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("ordering", "kernel"), [(row[0], row[1]) for row in TABLE])
def test_forward_equals_brute_force(ordering: Ordering, kernel: object, level: str) -> None:
    assert callable(kernel)
    core, stretch = sandy_bridge(ordering), OpStretch(kernel(level), 3000)
    brute = Rounds(core, [stretch], forward=False).whole()
    quick = Rounds(core, [stretch]).whole()
    assert (quick.cycles, quick.nodes) == (brute.cycles, brute.nodes)
    assert quick.run_iterations < 1000 < brute.run_iterations
    slow, fast = Cycles(brute.segments, GROUPS), Cycles(quick.segments, GROUPS)
    for group in range(len(GROUPS)):
        assert slow.issue(group) == fast.issue(group)
        assert slow.span(group) == fast.span(group)
        assert slow.span_and_stall(group) == fast.span_and_stall(group)
    period = steady(core, stretch)
    assert 3000 * period.cycles / period.iterations == pytest.approx(brute.cycles, rel=0.01)


# --------------------------------------------------------------------------- products of matrices


def level_of(lines: float) -> str:
    """Where a line is that was last touched so many lines ago."""
    return "L1" if lines <= 512 else "L2" if lines <= 4096 else "L3" if lines <= 327680 else "MEM"


def finish(level: str, stretch: int) -> OpStretch:
    """The store of a sum, which waits for the last add."""
    return OpStretch((Op((STORES[level],)),), 1, ((0, stretch, 3),))


def mmm(n: int) -> list[OpStretch]:
    """Rows times columns, i j k; eight columns share the lines of b, which the first one brings."""
    between = n / 8 + n + 1
    program = []
    for column in range(8):
        b = level_of(n * n / 8 + n / 4) if column == 0 else level_of(between)
        row = load(0, level_of(between))
        add = Op((ADD,), (Need(2), Need(3, (1,))))
        program.append(OpStretch((row, Op((LOADS[b],)), product(0, 1), add), n))
        program.append(finish(level_of(3 * n * n / 8) if column == 0 else "L1", len(program) - 1))
    return program


def mvm(n: int) -> list[OpStretch]:
    a = level_of(n * n / 8 + n / 4)
    return [OpStretch(dot(a, level_of(n / 4 + 1)), n), finish("L1", 0)]


MMM = dict(zip(range(100, 501, 50), (1.062, .879, .789, .770, .757, .739, .728, .722, .709),
               strict=True))  # fmt: skip
MVM = dict(zip(range(500, 1501, 200), (0.696, 0.686, 0.680, 0.678, 0.676, 0.674), strict=True))


@pytest.mark.parametrize(("n", "published"), MMM.items())
def test_mmm(n: int, published: float) -> None:
    period = Rounds(sandy_bridge(), mmm(n)).steady()
    assert period.repeats
    assert 16 * n * period.iterations / period.cycles == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize(("n", "published"), MVM.items())
def test_mvm(n: int, published: float) -> None:
    period = Rounds(sandy_bridge(), mvm(n)).steady()
    assert period.repeats
    assert 2 * n * period.iterations / period.cycles == pytest.approx(published, rel=0.05)


def bounds_of(period: Period, flops: int) -> tuple[Cycles, float]:
    return Cycles(period.segments, GROUPS), float(flops * period.iterations)


def test_mmm_500_is_tight_in_latency_and_of_the_buffers_in_the_reorder_buffer() -> None:
    cycles, work = bounds_of(Rounds(sandy_bridge(), mmm(500)).steady(), 16 * 500)
    achieved, latency = work / cycles.total, work / cycles.span(COMPUTE)
    # published .714 and .728
    assert latency == pytest.approx(achieved, rel=0.001)
    assert latency == pytest.approx(0.728, rel=0.05)
    stalls = [work / cycles.issue_and_stall(COMPUTE, buffer) for buffer in range(5)]
    assert min(stalls) == stalls[1]


def test_mmm_500_as_its_plot_is_drawn_is_tight_in_the_reorder_buffer() -> None:
    # The plot draws L2 and L3 at 8 B/cy, an element a cycle, where the parameters have a line in
    # two. Lines that come so, without line-fill buffers to wait for, let the reorder buffer fill
    # first; with the parameters products that wait for lines fill the reservation station.
    program = [part._replace(body=tuple(map(by_element, part.body))) for part in mmm(500)]
    core = sandy_bridge()._replace(line_fill=None)
    cycles, work = bounds_of(Rounds(core, program).steady(), 16 * 500)
    stalls = [work / cycles.issue_and_stall(COMPUTE, buffer) for buffer in range(5)]
    assert work / cycles.total == pytest.approx(0.714, rel=0.01)
    assert work / cycles.span(COMPUTE) == pytest.approx(0.728, rel=0.05)
    assert stalls[1] == min(stalls) == pytest.approx(0.711, rel=0.05)
    assert stalls[1] == pytest.approx(work / cycles.total, rel=0.02)


def by_element(op: Op) -> Op:
    """A node whose line holds its channel for one cycle."""
    return op._replace(forms=tuple(form and form._replace(occupancy=1) for form in op.forms))


def test_cold_mvm_is_tight_in_the_reservation_station() -> None:
    # the matrix comes from memory in any case; published P .152 to .154, RS .152, 1.186, .516
    program = [OpStretch(dot("MEM"), 2500), finish("L1", 0)]
    cycles, work = bounds_of(Rounds(sandy_bridge("x86"), program).steady(), 5000)
    assert work / cycles.total == pytest.approx(0.152, rel=0.05)
    stalls = [work / cycles.issue_and_stall(COMPUTE, buffer) for buffer in range(5)]
    assert stalls[0] == pytest.approx(0.152, rel=0.05)
    assert min(stalls) == stalls[0]
    assert work / cycles.issue(COMPUTE) == pytest.approx(1.186, rel=0.05)
    assert work / cycles.span(COMPUTE) == pytest.approx(0.516, rel=0.05)


# --------------------------------------------------------------------------------- Livermore loops


def k11(promoted: bool) -> Body:
    """x[k] = x[k-1] + y[k]; a store and x[k-1] take both address units, y[k] comes after."""
    if promoted:
        return load(0, "L1"), Op((ADD,), (Need(0), Need(1, (1,)))), Op((STORES["L1"],), (Need(1),))
    before = Op((LOADS["L1"],), (Need(3, (1,)),))
    return before, load(1, "L1"), Op((ADD,), (Need(0), Need(1))), Op((STORES["L1"],), (Need(2),))


def test_k5() -> None:
    # 4 + 3 + 5 cycles from store to store; kept in a register 3 + 5
    assert per_cycle(tri("L1"), 2) == pytest.approx(1 / 6)
    kept = (load(0, "L1"), load(1, "L1"), Op((ADD,), (Need(1), Need(3, (1,)))), product(0, 2),
            Op((STORES["L1"],), (Need(3),)))  # fmt: skip
    assert per_cycle(kept, 2) == pytest.approx(1 / 4)


def test_k11() -> None:
    assert per_cycle(k11(promoted=False), 1, "x86") == pytest.approx(1 / 8)
    assert per_cycle(k11(promoted=False), 1) == pytest.approx(1 / 7)
    assert per_cycle(k11(promoted=True), 1) == pytest.approx(1 / 3)


def test_k3() -> None:
    assert per_cycle(dot("L1"), 2) == pytest.approx(2 / 3)


def k1() -> Body:
    """x[k] = q + y[k] * (r * z[k+10] + t * z[k+11])."""
    inner = Op((ADD,), (Need(3), Need(4)))
    outer = Op((ADD,), (Need(6),))
    return (load(0, "L1"), load(1, "L1"), load(2, "L1"), product(1), product(2), inner,
            product(0, 5), outer, Op((STORES["L1"],), (Need(7),)))  # fmt: skip


def test_k1() -> None:
    # three products on one port
    assert per_cycle(k1(), 5) == pytest.approx(5 / 3)
    # loops of 27: 1.338 with all that runs out at their ends
    whole = Rounds(sandy_bridge("x86"), [OpStretch(k1(), 27)]).whole()
    assert 5 * 27 / whole.cycles == pytest.approx(1.338, rel=0.05)


def test_k12() -> None:
    """x[k] = y[k+1] - y[k]: three addresses, or two with y[k] kept from the iteration before."""
    store = Op((STORES["L1"],), (Need(2),))
    twice = (load(0, "L1"), load(1, "L1"), Op((ADD,), (Need(0), Need(1))), store)
    assert per_cycle(twice, 1) == pytest.approx(2 / 3)
    once = (load(0, "L1"), Op((ADD,), (Need(0), Need(0, (1,)))), Op((STORES["L1"],), (Need(1),)))
    assert per_cycle(once, 1) == pytest.approx(1)
