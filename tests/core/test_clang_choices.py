"""What clang decides between ways to compile a loop: vectors that pay, values handed on, loads that
are part of other instructions. Verdicts and widths are those of clang 19's remarks."""

from collections.abc import Callable
from types import ModuleType

import pytest
from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.ir import Function, Reason, Statement

SKX, HSW, SNB = "skylake-sp-6148", "haswell-ep-e5-2695v3", "sandybridge-ep-e5-2680"
ZEN2, ZEN4, TOY, V2 = "zen2-7452", "zen4-9654", "generic-2level", "graviton4-c8g"
GCC = Compiler("gcc")
FAST = Compiler().fast
Plan = Callable[..., CorePlan]


def one_loop(
    build: ModuleType, *body: Statement, lower: str | int = 0, kind: str = "f64"
) -> Function:
    """A loop over i; arrays a, b, c and their counterparts that nothing else overlaps."""
    arrays = [build.array(name, kind, None) for name in "abcxy"]
    own = [build.array(name, kind, None, storage="heap") for name in ("q", "p")]
    return build.function("f", [*arrays, *own], build.loop("i", lower, "n", *body))


@pytest.fixture
def far(build: ModuleType) -> dict[str, Function]:
    """Loops over elements 1000 apart, by what they do."""
    found = {}
    for kind in ("f64", "f32"):
        q, p, b = (build.array(name, kind, None) for name in "qpb")
        s, x = build.scalar("s", kind), "1000*i"
        bodies = {
            "copy": q[x].set(p[x]),
            "scale": q[x].set(s * p[x]),
            "add": q[x].set(b["i"] + p[x]),
            "gather": q["i"].set(p[x]),
            "axpy": q["i"].set(q["i"] + s * p[x]),
            "scatter": q[x].set(p["i"]),
            "divide": q[x].set(s / p[x]),
        }
        for name, body in bodies.items():
            found[f"{name} {kind}"] = one_loop(build, body, kind=kind)
    return found


@pytest.mark.parametrize(
    ("name", "widths"),
    # of Haswell, Zen 2, Skylake; AVX2 takes elements one by one, AVX-512 gathers and scatters.
    # Haswell, in LLVM's costs of four doubles: 4 loads, 5 to take them in, 4 to take them out, 4
    # stores and 2 for the loop: 19 for a copy, against 4 x 4 of scalar code
    [
        ("copy f64", (1, 1, 4)),
        ("scale f64", (1, 1, 4)),
        ("add f64", (4, 4, 4)),
        ("gather f64", (4, 4, 4)),
        ("axpy f64", (4, 4, 4)),
        ("scatter f64", (4, 4, 4)),
        # a quotient of two costs what one does, of four twice that; half as many elements to move
        ("divide f64", (2, 2, 4)),
        ("scale f32", (1, 1, None)),
        ("axpy f32", (8, 8, 8)),
    ],
)
def test_far_elements_pay_where_enough_is_done_with_them(
    plan: Plan, far: dict[str, Function], name: str, widths: tuple[int | None, ...]
) -> None:
    for machine, width in zip((HSW, ZEN2, SKX), widths, strict=True):
        if width is not None:
            assert plan(far[name], machine).code.vector.width == width, machine


def test_without_avx2_an_element_far_away_needs_its_subscript(
    plan: Plan, build: ModuleType, far: dict[str, Function]
) -> None:
    assert plan(far["gather f64"], SNB).code.vector.width == 1
    m, q = build.array("m", "f64", "n", 1000), build.array("q", "f64", None)
    column = build.function("f", [m, q], build.loop("i", 0, "n", q["i"].set(m["i", "k"])))
    assert plan(column, SNB).code.vector.width > 1


@pytest.mark.parametrize("name", ["copy", "add", "gather", "axpy", "scatter", "divide"])
def test_neoverse_leaves_far_elements_to_scalar_code(
    plan: Plan, build: ModuleType, far: dict[str, Function], name: str
) -> None:
    for kind in ("f64", "f32"):
        assert plan(far[f"{name} {kind}"], V2).code.vector.width == 1
    q, p = build.array("q", "f64", None), build.array("p", "f64", None, storage="heap")
    nine = one_loop(build, q["i"].set(q["i"] + p["9*i"] * 0.5))
    assert plan(nine, V2, FAST).code.vector.width == 1
    assert plan(one_loop(build, q["i"].set(p["i"] * 0.5)), V2).code.vector.width == 2


def test_a_sum_over_far_elements_is_vectorised_when_it_may_be_reordered(
    plan: Plan, build: ModuleType
) -> None:
    a = build.array("a", "f64", None)
    total = one_loop(build, build.assign("t", build.carried("t") + a["1000*i"]))
    assert plan(total, HSW, FAST).code.vector.width == 4
    assert plan(total, HSW).code.vector.width == 1


def test_zen_takes_whole_registers_and_intel_half_of_them(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    copy = one_loop(build, a["i"].set(b["i"]))
    assert plan(copy, ZEN4).code.vector.width == 8
    assert plan(copy, SKX).code.vector.width == 4


def test_loads_that_are_operands_issue_nothing_on_zen(plan: Plan, build: ModuleType) -> None:
    # a[i] = b[i] + s*c[i]: load b, fma with c, store: 3 instead of 4; four vectors of four share
    # the counter and the branch: (3 + 2/4) / 5 a cycle / 4 elements
    a, b, c = (build.array(name, "f64", None) for name in "abc")
    triad = one_loop(build, a["i"].set(b["i"] + build.scalar("s") * c["i"]))
    assert plan(triad, ZEN2).code.issue_cy == pytest.approx(3.5 / 5 / 4)
    # elsewhere every load counts, and four are issued a cycle
    assert plan(triad, TOY).code.issue_cy == pytest.approx(4.5 / 4 / 4)
    # the loads themselves still hold their ports: 2 over 2
    assert plan(triad, ZEN2).code.ports["ld0"] == pytest.approx(1 / 4)


def test_sse_operands_must_be_aligned_so_loads_stay_apart(plan: Plan, build: ModuleType) -> None:
    # 16 B vectors: load b, load c, mul, add, store, 5 a cycle; the vectors of a turn share counter
    # and branch
    a, b, c = (build.array(name, "f64", None) for name in "abc")
    triad = one_loop(build, a["i"].set(b["i"] + build.scalar("s") * c["i"]))
    old = plan(triad, ZEN2, Compiler(baseline=True)).code
    assert old.vector.width == 2
    assert old.issue_cy == pytest.approx((5 + 2 / old.vector.unroll) / 5 / 2)


def test_only_the_second_operand_of_a_difference_folds(plan: Plan, build: ModuleType) -> None:
    # the recurrence keeps it scalar: t = b[i] - t (load, sub) against t = t - b[i] (sub with load),
    # one of five a cycle less
    b = build.array("b", "f64", None)
    apart = one_loop(build, build.assign("t", b["i"] - build.carried("t")))
    folded = one_loop(build, build.assign("t", build.carried("t") - b["i"]))
    first, second = (plan(f, ZEN2).code for f in (apart, folded))
    assert first.vector.width == second.vector.width == 1
    assert first.issue_cy - second.issue_cy == pytest.approx(1 / 5)


def test_clang_hands_on_to_the_neighbour_gcc_at_any_stride(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    near = one_loop(build, a["i"].set(a["i - 1"] * 0.5 + b["i"]), lower=1)
    column = one_loop(build, a["100*i"].set(a["100*i - 100"] * 0.5 + b["i"]), lower=1)
    fma = plan(near, SKX).code.recurrence_cy
    assert fma == 4.0
    assert plan(column, SKX, GCC).code.recurrence_cy == 4.0
    # through memory: the load's latency as well
    assert plan(column, SKX).code.recurrence_cy > 4.0 + 3.0


def test_clang_checks_addresses_to_hand_values_on(plan: Plan, build: ModuleType) -> None:
    a, b, c, x = (build.array(name, "f64", None) for name in "abcx")
    first = a["i"].set(a["i - 1"] * 0.5 + x["i"])
    second = b["i"].set(b["i - 1"] * 0.5 + x["i + 1"])
    # two values are handed on, and one pair of stores to compare: a and b
    assert plan(one_loop(build, first, second, lower=1), SKX).code.recurrence_cy == 4.0
    # one value, and three pairs: too many checks, so a is loaded again
    others = (b["i"].set(x["i"]), c["i"].set(x["i + 1"]))
    assert plan(one_loop(build, first, *others, lower=1), SKX).code.recurrence_cy > 7.0


def test_roots_of_what_is_never_negative_set_no_errno(plan: Plan, build: ModuleType) -> None:
    a, b, c = (build.array(name, "f64", None) for name in "abc")
    squares = b["i"] * b["i"] + c["i"] * c["i"]
    length = one_loop(build, a["i"].set(build.op("sqrt", squares)))
    difference = one_loop(build, a["i"].set(build.op("sqrt", squares - 1)))
    assert plan(length, HSW).code.vector.width == 4
    assert plan(difference, HSW).code.vector.reason == Reason("errno", ("sqrt",))
    assert plan(length, HSW, GCC).code.vector.reason == Reason("errno", ("sqrt",))


def test_a_sum_in_memory_is_taken_apart_only_from_what_it_touches(
    plan: Plan, build: ModuleType
) -> None:
    m, b = build.array("m", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    x = build.array("x", "f64", "n")
    # trisolv: x[i] -= m[i][j] * x[j], j < i: x[0 .. i) ends where x[i] begins
    solve = x["i"].set(x["i"] - m["i", "j"] * x["j"])
    inner = build.loop("j", 0, "i", solve)
    touching = build.function("solve", [m, x], build.loop("i", 0, "n", inner))
    assert plan(touching, HSW, FAST).code.vector.width == 4
    # trmm: b[i][j] += m[k][i] * b[k][j], k > i: other rows of b, which clang cannot tell apart
    update = b["i", "j"].add(m["k", "i"] * b["k", "j"])
    nest = build.loop("k", "i + 1", "n", update)
    for index in "ji":
        nest = build.loop(index, 0, "n", nest)
    rows = build.function("trmm", [m, b], nest)
    reason = plan(rows, HSW, FAST).code.vector.reason
    assert reason is not None
    assert reason.kind == "aliasing"


def test_a_column_read_and_a_row_written_stay_scalar_for_clang(
    plan: Plan, build: ModuleType
) -> None:
    # below the diagonal no element is both, but clang compares no ranges that step differently
    m = build.array("m", "f64", "n", 1000)
    body = m["i", "j"].set(m["j", "i"] + 1.0)
    nest = build.loop("i", 0, "n", build.loop("j", 0, "i", body))
    vector = plan(build.function("f", [m], nest), SKX).code.vector
    assert vector.width == 1
    text = "recurrence: m[j][i] has another stride than the stores to its array"
    assert str(vector.reason) == text


@pytest.mark.parametrize(
    ("body", "turns"),
    [
        ("scale", False),
        ("triad", False),
        ("filled", False),  # with a constant, which has no order
        ("stored forwards", True),
        ("loaded forwards", True),
        ("sum", True),  # into lanes whose order counts for all that LLVM knows
    ],
)
def test_vectors_that_run_backwards_throughout_are_not_turned(
    build: ModuleType, plan: Plan, body: str, turns: bool
) -> None:
    a, q, p = (build.array(name, "f64", None, storage="heap") for name in "aqp")
    s, last = build.scalar("s", "f64"), "n - 1 - i"
    bodies = {
        "scale": q[last].set(q[last] * s),
        "triad": q[last].set(p[last] + s * a[last]),
        "filled": q[last].set(p[last] * 3.0),
        "stored forwards": q["i"].set(p[last]),
        "loaded forwards": q[last].set(p["i"]),
        "sum": build.assign("t", build.carried("t") + p[last]),
    }
    function = build.function("f", [a, q, p], build.loop("i", 0, "n", bodies[body]))
    for compiler in (FAST, Compiler("gcc").fast):
        code = plan(function, HSW, compiler).code
        assert code.vector.width > 1
        turned = any(op.role == "shuffle" for op in code.operations)
        assert turned is (turns or compiler is not FAST)
