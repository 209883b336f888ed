"""Why a loop is not vectorised, and how wide it is where it is."""

from collections.abc import Callable
from types import ModuleType

import pytest
from msgspec.structs import force_setattr, replace
from rooflint.core import Compiler
from rooflint.core.code import CorePlan
from rooflint.core.compiler_traits import Contraction
from rooflint.ir import Array, Clause, Function, Loop, Provenance, Reason, Region, Statement

SKX = "skylake-sp-6148"
Plan = Callable[..., CorePlan]


def own(build: ModuleType, *body: Statement, upper: str | int = "n", **changes: object) -> Function:
    """One loop over i around ``body``; ``changes`` are fields of the loop."""
    a, b, c = (build.array(name, "f64", None) for name in "abc")
    loop: Loop = build.loop("i", 0, upper, *body)
    for name, value in changes.items():
        force_setattr(loop, name, value)
    arrays = [a, b, c, build.array("x", "f64", None), build.array("col", "i32", None)]
    return build.function("f", arrays, loop)


def reason(plan: Plan, function: Function, compiler: Compiler | None = None) -> str:
    return str(plan(function, SKX, compiler).code.vector.reason or "")


def test_reasons(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    col = build.array("col", "i32", None)
    copy = a["i"].set(b["i"])
    total = build.assign("t", build.carried("t") + a["i"])
    scattered = build.array("x", "f64", None).at(build.unknown("col[i]", "i") * 8)
    texts = {
        "data-dependent exit (break)": own(build, copy, exits=("break",)),
        "call of sin": own(build, a["i"].set(build.call("sin", b["i"]))),
        "recurrence: x needs its value from the previous iteration": own(
            build, build.assign("x", build.carried("x") * a["i"] + 1.0), a["i"].set(b["i"])
        ),
        "reduction to t without reassociation (-fassociative-math)": own(build, total),
        "recurrence: a[i - 1] reads the value stored 1 iteration earlier": own(
            build, a["i"].set(a["i - 1"] + b["i"])
        ),
        "indirect store to x": own(
            build, build.condition(col["i"]), scattered.set(scattered + a["i"])
        ),
        "an address computed from last, which changes in the loop": own(
            build, a["i"].set(b.at(build.unknown("last", "i") * 8))
        ),
        "recurrence: a[7] is written elsewhere in this loop": own(
            build, a["i"].set(a["7"] + b["i"])
        ),
        "a pragma forbids it": own(build, copy, pragmas=("clang loop vectorize(disable)",)),
        "only 1 iterations": own(build, copy, upper=1),
    }
    for expected, function in texts.items():
        assert reason(plan, function) == expected
    assert reason(plan, own(build, copy), Compiler(level=1)) == "clang -O1 does not vectorise"
    assert reason(plan, own(build, copy)) == ""


def test_an_indirect_load_may_overlap_what_is_stored(plan: Plan, build: ModuleType) -> None:
    a, col = build.array("a", "f64", None), build.array("col", "i32", None)
    read = build.array("x", "f64", None).at(build.unknown("col[i]", "i") * 8)
    function = own(build, build.condition(col["i"]), a["i"].set(read))
    assert reason(plan, function) == "unknown aliasing: the range of x cannot be computed"


def test_loops_with_loops_inside_stay_scalar(
    plan: Plan, nests: ModuleType, build: ModuleType
) -> None:
    outer, inner = (plan(nests.spmv(build), SKX, None, kernel).code for kernel in (0, 1))
    assert str(outer.vector.reason) == "loops inside: only innermost loops are vectorised"
    assert inner.vector.reason == Reason("reduction", ("s",))


def test_a_far_dependence_limits_the_width(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    near = own(build, a["i"].set(a["i - 2"] + b["i"]))
    far = own(build, a["i"].set(a["i - 100"] + b["i"]))
    assert plan(near, SKX).code.vector.width in (1, 2)
    assert plan(far, SKX).code.vector.width == 4


def test_reading_ahead_is_no_obstacle_but_reading_behind_a_store_is(
    plan: Plan, build: ModuleType
) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    ahead = own(build, a["i"].set(a["i + 1"] + b["i"]))
    behind = own(build, a["i"].set(b["i"] * 2.0), b["i"].set(a["i + 1"]))
    assert plan(ahead, SKX).code.vector.width == 4
    assert reason(plan, behind).startswith("recurrence: a[i + 1] is read after")


def test_sums_that_may_be_reordered_are_vectorised(plan: Plan, build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    body = build.assign("t", build.carried("t") + a["i"])
    assert plan(own(build, body), SKX, Compiler().fast).code.vector.width == 4
    enabled = own(build, body, pragmas=("clang loop vectorize(enable)",))
    assert plan(enabled, SKX).code.vector.width == 4
    loop = own(build, body).body[0]
    clauses = (Clause("reduction", "+: t"),)
    function = Function("f", (), (a.array,), (Region("simd", clauses, (loop,)),))
    assert plan(function, SKX).code.vector.width == 4


def test_integer_sums_and_comparisons_are_vectorised(plan: Plan, build: ModuleType) -> None:
    k = build.array("k", "i32", None)
    total = build.assign("s", build.op("add", build.carried("s", "i32"), k["i"]))
    function = build.function("f", [k], build.loop("i", 0, "n", total))
    # 32 B of i32, the half of a 64 B register that compilers prefer
    assert plan(function, SKX).code.vector.width == 8
    wide = Compiler(register_bytes=64)
    assert plan(function, SKX, wide).code.vector.width == 16


def test_the_widest_element_decides_for_clang_the_narrowest_for_gcc(
    plan: Plan, build: ModuleType
) -> None:
    f, d = build.array("f", "f32", None), build.array("d", "f64", None)
    body = d["i"].set(build.op("convert", f["i"], kind="f64"))
    function = build.function("f", [f, d], build.loop("i", 0, "n", body))
    assert plan(function, SKX).code.vector.width == 4
    assert plan(function, SKX, Compiler("gcc", contract="fast")).code.vector.width == 8


def test_code_for_any_processor_has_narrow_vectors_and_no_fma(
    plan: Plan, loops: dict[str, Function]
) -> None:
    code = plan(loops["daxpy"], SKX, Compiler(baseline=True, assumed=False)).code
    assert code.vector.width == 2
    kinds = {op.kind for op in code.operations}
    assert {"mul.f64", "add.f64"} <= kinds
    assert "fma.f64" not in kinds


@pytest.mark.parametrize("contract", ["off", "on", "fast"])
def test_contraction(plan: Plan, loops: dict[str, Function], contract: Contraction) -> None:
    code = plan(loops["triad"], SKX, Compiler(contract=contract)).code
    fused = any(op.kind.startswith("fma") for op in code.operations)
    assert fused == (contract != "off")


def test_contraction_across_statements_needs_fast(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    body = (build.assign("p", a["i"] * b["i"]), b["i"].set(build.scalar("p") + 1.0))
    kinds = {
        contract: {
            op.kind
            for op in plan(own(build, *body), SKX, Compiler(contract=contract)).code.operations
        }
        for contract in ("on", "fast")
    }
    assert "fma.f64" not in kinds["on"]
    assert "fma.f64" in kinds["fast"]


def test_arrays_that_cannot_overlap_need_no_checks(plan: Plan, build: ModuleType) -> None:
    def checks(storage: str, restrict: bool = False) -> int:
        declared = [build.array(name, "f64", None, storage=storage).array for name in "ab"]
        arrays = [array._replace(restrict=restrict) for array in declared]
        a, b = build.array("a", "f64", None), build.array("b", "f64", None)
        loop = build.loop("i", 0, "n", a["i"].set(b["i"]))
        function = Function("f", (), tuple(arrays), (loop,))
        return plan(function, SKX).code.vector.checks

    assert checks("parameter") == 1
    assert checks("parameter", restrict=True) == 0
    assert checks("global") == 0


def test_different_types_do_not_overlap(plan: Plan, build: ModuleType) -> None:
    a, k = build.array("a", "f64", None), build.array("k", "i32", None)
    body = a["i"].set(build.op("convert", k["i"], kind="f64"))
    function = build.function("f", [a, k], build.loop("i", 0, "n", body))
    assert plan(function, SKX).code.vector.checks == 0
    loose = Compiler(strict_aliasing=False)
    assert plan(function, SKX, loose).code.vector.checks == 1


def test_a_value_that_a_branch_leaves_alone_is_a_recurrence(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    test = build.op("compare", a["i"], b["i"])
    then = (build.assign("s", a["i"] * 2.0),)
    after = b["i"].set(build.scalar("s") + 1.0)
    kept = own(build, build.branch(test, then), after)
    assert reason(plan, kept) == "recurrence: s keeps its value where the condition fails"
    otherwise = (build.assign("s", a["i"] * 3.0),)
    both = own(build, build.branch(test, then, otherwise), after)
    assert reason(plan, both) == ""
    before = own(build, build.assign("s", a["i"] * 3.0), build.branch(test, then), after)
    assert reason(plan, before) == ""


def test_what_is_stored_before_it_is_read_is_no_obstacle(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    function = own(build, a["i + 1"].set(b["i"] * 2.0), b["i"].set(a["i"] + 1.0))
    assert plan(function, SKX).code.vector.width == 4


def test_sums_in_memory(plan: Plan, loops: dict[str, Function]) -> None:
    function = loops["matmul ijk"]
    assert reason(plan, function).startswith("unknown aliasing: C[i][j] stays in memory")
    code = plan(function, SKX, Compiler().fast).code
    assert code.vector.width == 4
    # C in a register: 4 cycles of latency over 4 vectors of 4 sums
    assert code.recurrence_cy == pytest.approx(4 / 16)
    # gcc does not compare addresses to find that out
    assert plan(function, SKX, Compiler("gcc").fast).code.vector.width == 1


def test_narrow_loops_stay_scalar(plan: Plan, build: ModuleType) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    function = own(build, a["i"].set(b["i"]), upper=3)
    # three iterations leave vectors of two
    assert plan(function, SKX).code.vector.width == 2


@pytest.mark.parametrize("name", ["floor", "ceil", "std::ceil", "truncf"])
def test_rounding_is_an_instruction(plan: Plan, build: ModuleType, name: str) -> None:
    a, b = build.array("a", "f64", None), build.array("b", "f64", None)
    code = plan(own(build, a["i"].set(build.call(name, b["i"]))), SKX).code
    assert (code.vector.width, code.call_cy) == (4, 0)


def test_a_value_that_memory_decides_moves_with_what_it_depends_on(
    build: ModuleType, plan: Plan
) -> None:
    """``for (i...; k *= 2) a[i] = (double)k``: k changes with i though its text does not say so."""
    a = build.array("a", "f64", "n")

    def conversions(depends: str) -> int:
        value = build.op("convert", build.index(build.unknown("k", depends)), kind="f64")
        nest = build.loop("t", 0, "m", build.loop("i", 0, "n", a["i"].set(value)))
        code = plan(build.function("f", [a], nest), "snb").code
        return sum(op.kind.startswith("convert") for op in code.operations)

    assert conversions("i") == 1
    assert conversions("t") == 0  # made before the loop


def test_a_scalar_that_accesses_may_touch_stays_in_memory(plan: Plan, build: ModuleType) -> None:
    function = own(
        build, build.assign("t", build.carried("t") + build.array("a", "f64", None)["i"])
    )
    fast = Compiler("gcc").fast
    assert plan(function, SKX, fast).code.vector.width == 4

    def with_cell(kind: str) -> Function:
        provenance = Provenance(reach="pointer", exposed=True, within="this")
        cell = Array(
            name="t",
            type=kind,
            element_bytes=8,
            extents=(),
            storage="member",
            provenance=provenance,
        )
        changed: Function = replace(function, cells=(cell,))
        return changed

    expected = "unknown aliasing: t stays in memory, other accesses may overlap it"
    assert reason(plan, with_cell("f64"), fast) == expected
    # by its type it is elsewhere, unless the flags say that types tell nothing
    assert reason(plan, with_cell("i64"), fast) == ""
    # clang sums in a register behind a check of addresses
    assert plan(with_cell("f64"), SKX, Compiler().fast).code.vector.width == 4
