"""What gcc decides otherwise than clang. Verdicts are those of gcc 12's -fopt-info-vec; cycles are
counted by hand from the latencies of the machine files."""

from collections.abc import Callable
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.compile_flags.flags import CodeGeneration
from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.ir import (
    Branch,
    Function,
    IndexValue,
    Loop,
    Node,
    Poly,
    Reason,
    Relation,
    ScalarRead,
    Statement,
    Value,
    whole_number,
)
from rooflint.pipeline.setup.compilers import compiler_of

SKX, HSW, ZEN2 = "skylake-sp-6148", "haswell-ep-e5-2695v3", "zen2-7452"
Plan = Callable[..., CorePlan]


def gcc(level: str = "3", version: str = "", unroll: bool | None = None) -> Compiler:
    code = CodeGeneration(opt_level=level, march="native", unroll_loops=unroll)
    return compiler_of(code, f"gcc{version}")


def one_loop(build: ModuleType, *body: Node, trips: str | int = "n") -> Function:
    arrays = [build.array(name, "f64", None) for name in "ab"]
    own = [build.array(name, "f64", None, storage="heap") for name in ("q", "p")]
    index = build.array("k", "i64", None, storage="heap")
    return build.function("f", [*arrays, *own, index], build.loop("i", 0, trips, *body))


def arithmetic(made: CorePlan) -> set[str]:
    return {op.kind.partition(".")[0] for op in made.code.operations if op.role == "arithmetic"}


@pytest.fixture
def dot(build: ModuleType) -> Function:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    return one_loop(build, build.assign("t", build.carried("t") + q["i"] * p["i"]))


@pytest.fixture
def scale(build: ModuleType) -> Callable[..., Function]:
    def made(trips: str | int = "n", apart: bool = True) -> Function:
        names, storage = ("qp", "heap") if apart else ("ab", "parameter")
        to, source = (build.array(name, "f64", None, storage=storage) for name in names)
        body = to["i"].set(source["i"] * build.scalar("s"))
        return one_loop(build, body, trips=trips)

    return made


def test_one_vector_is_in_flight(plan: Plan, dot: Function) -> None:
    # an fma takes 4 cycles and covers a vector of 4; clang has four of them in flight
    code = plan(dot, SKX, gcc().fast).code
    assert (code.vector.width, code.vector.unroll) == (4, 1)
    assert code.recurrence_cy == pytest.approx(4 / 4)
    assert plan(dot, SKX, Compiler().fast).code.recurrence_cy == pytest.approx(4 / 16)
    # unrolled code still adds to the same register
    unrolled = plan(dot, SKX, gcc(unroll=True).fast).code
    assert unrolled.vector.unroll == 8
    assert unrolled.recurrence_cy == pytest.approx(4 / 4)


def test_a_sum_in_order_is_vectorised_up_to_its_additions(plan: Plan, dot: Function) -> None:
    # products side by side, then four additions of 4 cycles one after another for 4 iterations
    code = plan(dot, SKX, gcc()).code
    assert code.vector.width == 4
    assert code.recurrence_cy == pytest.approx(4)
    assert plan(dot, SKX).code.vector.width == 1


def test_products_and_sums_stay_apart_in_sums_on_zen(plan: Plan, dot: Function) -> None:
    # an addition takes 3 cycles on Zen 2, an fma 5; the vectors are of 4
    assert plan(dot, ZEN2, gcc().fast).code.recurrence_cy == pytest.approx(3 / 4)
    assert plan(dot, ZEN2, Compiler().fast).code.recurrence_cy == pytest.approx(5 / 16)
    assert {"mul", "add"} <= arithmetic(plan(dot, ZEN2, gcc().fast))
    assert "fma" not in arithmetic(plan(dot, ZEN2, gcc().fast))


def test_what_is_no_sum_is_fused_on_zen(plan: Plan, build: ModuleType) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    triad = one_loop(build, q["i"].set(p["i"] * build.scalar("s") + q["i"]))
    assert "fma" in arithmetic(plan(triad, ZEN2, gcc()))


@pytest.mark.parametrize(
    ("trips", "apart", "width", "reason"),
    [
        (1000, True, 4, ""),
        (1002, True, 2, ""),
        (1001, True, 1, "1001 iterations: -O2 accepts no remainder"),
        ("n", True, 1, "trip count is not known"),
        (1000, False, 1, "1 pairs of pointers to compare"),
    ],
)
def test_level_2_wants_whole_vectors_and_no_checks(
    plan: Plan,
    scale: Callable[..., Function],
    trips: str | int,
    apart: bool,
    width: int,
    reason: str,
) -> None:
    loop = scale(trips, apart)
    assert plan(loop, HSW, gcc("3")).code.vector.width == 4
    vector = plan(loop, HSW, gcc("2")).code.vector
    assert vector.width == width
    assert reason in str(vector.reason or "")


def test_before_release_12_vectors_come_with_level_3(
    plan: Plan, scale: Callable[..., Function]
) -> None:
    assert plan(scale(1000), HSW, gcc("2", "-11")).code.vector.width == 1
    assert plan(scale(1000), HSW, gcc("3", "-11")).code.vector.width == 4


def test_release_13_takes_the_value_of_the_iteration_before(plan: Plan, build: ModuleType) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    loop = one_loop(
        build,
        build.assign("x", p["i"]),
        q["i"].set(build.scalar("x") + build.carried("before")),
        build.assign("before", build.scalar("x")),
    )
    old, new = (plan(loop, HSW, gcc(version=v)).code.vector for v in ("-12", "-13"))
    assert (old.width, new.width) == (1, 4)
    assert old.reason == Reason("previous-value", ("before", "13"))


def test_release_13_takes_bit_fields(plan: Plan, build: ModuleType) -> None:
    q, p = (build.array(name, "u8", None, storage="heap") for name in "qp")
    plain = one_loop(build, q["i"].set(p["i"]))
    (loop,) = plain.body
    assert isinstance(loop, Loop)
    (statement,) = loop.body
    assert isinstance(statement, Statement)
    packed = tuple([access._replace(bits=3) for access in statement.accesses])
    body = (replace(statement, accesses=packed),)
    fields = replace(plain, body=(replace(loop, body=body),))
    old, new = (plan(fields, HSW, gcc(version=v)).code.vector for v in ("-12", "-13"))
    assert old.reason == Reason("bit-field", ("p", "13"))
    assert new.width == plan(plain, HSW, gcc()).code.vector.width > 1


def test_an_indirect_store_needs_a_scatter(plan: Plan, build: ModuleType) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    loop = one_loop(build, q[build.unknown("k[i]", "i")].set(p["i"]))
    assert plan(loop, HSW, gcc()).code.vector.reason == Reason("no-scatter", ("q",))


def test_registers_filled_in_steps_of_unknown_size(build: ModuleType, plan: Plan) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    far = p["n*i"]
    # a product: 40 a scalar iteration; 4 lanes 12+16 + 4*12 + 24*5 = 196 > 160, 2 lanes 70 < 80
    assert plan(one_loop(build, q["i"].set(far * 2.0)), HSW, gcc()).code.vector.width == 2
    # more arithmetic pays for the same loads: 12+5*16+12 = 104; 260 < 416
    more = (far * 2.0 + 1.0) * (far + 3.0) + far * far + far * 5.0
    assert plan(one_loop(build, q["i"].set(more)), HSW, gcc()).code.vector.width == 4
    # a constant step is no such case
    near = p["200*i"]
    assert plan(one_loop(build, q["i"].set(near * 2.0)), HSW, gcc()).code.vector.width == 4


def test_clang_gathers_wherever_there_is_avx512(build: ModuleType, plan: Plan) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")
    body = q["i"].set(p["n*i"] * 2.0 + p["n*i"] * p["n*i"])
    for machine, gathers in (("zen4-9654", True), (HSW, False)):
        made = plan(one_loop(build, body), machine, Compiler("clang", assumed=False))
        assert made.code.vector.width > 1
        assert any(op.kind.startswith("gather") for op in made.code.operations) == gathers


def test_an_index_set_by_a_condition(build: ModuleType, plan: Plan) -> None:
    q, p = (build.array(name, "f64", None, storage="heap") for name in "qp")

    def reason(bound: Value) -> str:
        index = IndexValue(type="i32", poly=Poly.symbol("i"))
        test = Statement((index, bound, Relation(type="i32", args=(0, 1), operator="==")))
        arms = (q["i"].set(p["i"]),), (q["i"].set(p["i"] - p["i-1"]),)
        return str(plan(one_loop(build, Branch(test, *arms)), SKX, gcc()).code.vector.reason or "")

    # i is 0 there, so q[i] is q[0]: "complicated access pattern"
    assert reason(whole_number("i32", 0)).startswith("where i == 0 holds")
    assert not reason(ScalarRead(type="i32", name="m"))
