"""Which loops are kernels, and what belongs to them."""

from types import ModuleType

from rooflint.facts import Gap, KernelFacts, facts_of, kernels
from rooflint.ir import Call, Exit, Loop, Node, Opaque, Reason


def test_kernels_of_gemm_in_program_order(build: ModuleType, nests: ModuleType) -> None:
    found = kernels(nests.gemm(build))
    assert [kernel.id for kernel in found] == ["gemm/i.j", "gemm/i.k.j"]
    assert all(kernel.innermost for kernel in found)
    assert [loop.index for loop in found[1].loops] == ["i", "k", "j"]


def test_a_loop_with_statements_and_loops_is_a_kernel_too(
    build: ModuleType, nests: ModuleType
) -> None:
    found = kernels(nests.lu(build))
    assert [(k.id, k.innermost) for k in found] == [
        ("lu/i.j", False),
        ("lu/i.j.k", True),
        ("lu/i.j.k#2", True),
    ]


def test_a_loop_that_only_sets_a_scalar_is_none(build: ModuleType) -> None:
    reset = build.assign("s", build.number(0.0))
    assert kernels(build.function("f", [], build.loop("i", 0, "n", reset))) == ()


def test_short_inner_loops_belong_to_their_parent(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", 3), build.array("b", "f64", 3)
    inner = build.loop("k", 0, 3, build.assign("s", build.carried("s") + a["i", "k"] * b["k"]))
    start = build.assign("s", build.number(0.0))
    function = build.function("f", [a, b], build.loop("i", 0, "n", start, inner))
    (facts,) = facts_of(function)
    assert facts.kernel.id == "f/i"
    assert facts.kernel.innermost
    assert facts.work.operations == {"mul.f64": 3, "add.f64": 3}
    offsets = [str(a.offset) for s in facts.kernel.statements for a in s.accesses]
    assert offsets == ["24*i", "0", "24*i + 8", "8", "24*i + 16", "16"]
    # the sum starts anew in every iteration of i: no chain runs through the kernel's own loop
    ops = {value.op for statement in facts.kernel.statements for value in statement.values}
    assert "carried" not in ops


def test_a_sum_that_the_parent_does_not_reset_stays_carried_once(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", 4)
    inner = build.loop("k", 0, 4, build.assign("s", build.carried("s") + a["i", "k"]))
    (facts,) = facts_of(build.function("f", [a], build.loop("i", 0, "n", inner)))
    ops = [value.op for statement in facts.kernel.statements for value in statement.values]
    assert ops.count("carried") == 1
    assert ops.count("scalar") == 3


def test_nine_iterations_are_a_loop_of_their_own(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", 9)
    inner = build.loop("k", 0, 9, a["i", "k"].add(a["i", "k"]))
    function = build.function("f", [a], build.loop("i", 0, "n", inner))
    assert [kernel.id for kernel in kernels(function)] == ["f/i.k"]
    # and an outermost short loop has no parent to belong to
    alone = build.function("f", [a], build.loop("k", 0, 4, a[0, "k"].add(a[0, "k"])))
    assert [kernel.id for kernel in kernels(alone)] == ["f/k"]


def test_the_heavier_side_of_a_branch_is_taken(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    test = build.op("compare", a["i"])
    light, heavy = a["i"].set(a["i"] + 1.0), a["i"].set(a["i"] * 2.0 + 1.0)
    both = build.function("f", [a], build.loop("i", 0, "n", build.branch(test, [light], [heavy])))
    (facts,) = facts_of(both)
    assert facts.work.operations == {"compare.f64": 1, "mul.f64": 1, "add.f64": 1}
    assert facts.kernel.assumptions == ("the more expensive side of the branch is assumed",)
    one = build.function("f", [a], build.loop("i", 0, "n", build.branch(test, [light])))
    assert kernels(one)[0].assumptions == ("the branch is always taken",)
    # a branch that only leaves the iteration has nothing to take
    skip = build.branch(test, [Exit("continue")])
    assert kernels(build.function("f", [a], build.loop("i", 0, "n", skip)))[0].assumptions == ()


def test_loops_inside_branches_are_kernels_under_that_assumption(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", "n")
    inner = build.loop("j", 0, "n", a["i", "j"].add(a["i", "j"]))
    guarded = build.branch(build.op("compare", build.scalar("flag")), [inner])
    found = kernels(build.function("f", [a], build.loop("i", 0, "n", guarded)))
    assert [k.id for k in found] == ["f/i", "f/i.j"]
    assert found[1].assumptions == ("the branch is always taken",)


def test_what_is_not_modelled_is_named(build: ModuleType) -> None:
    a, x = build.array("a", "f64", "n"), build.array("x", "f64", None)
    gather = a["i"].set(x.at(build.unknown("col[i]", "i") * 8))
    body = (Opaque(Reason("inline-assembly"), origin=4), Call("log_it", origin=5), gather)
    (facts,) = facts_of(build.function("f", [a, x], build.loop("i", 0, "n", *body)))
    assert facts.not_covered == (
        Gap(4, Reason("inline-assembly")),
        Gap(5, Reason("call", ("log_it",))),
        Gap(-1, Reason("indirect", ("col",))),
    )


def test_early_exits_and_regions_are_recorded(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    loop = build.loop("i", 0, "n", a["i"].add(a["i"]))
    loop = Loop("i", loop.lower, loop.upper, loop.step, loop.body, exits=("break", "continue"))
    parallel = build.region("parallel for", loop)
    (kernel,) = kernels(build.function("f", [a], parallel))
    assert kernel.assumptions == ("the loop is never left early (break)",)
    assert kernel.regions == (parallel,)


def test_calls_are_named_and_those_of_every_iteration_told_apart(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    error = build.branch(build.op("compare", a["i"], kind="bool"), [Call("error", ())])
    known = Call("exp", (), "none")
    (rare,) = kernels(build.function("f", [a], build.loop("i", 0, "n", known, error)))
    assert (rare.calls, rare.always_calls) == (("error",), False)
    (often,) = kernels(build.function("f", [a], build.loop("i", 0, "n", error, Call("step", ()))))
    assert (often.calls, often.always_calls) == (("error", "step"), True)
    (both,) = kernels(build.function("f", [a], build.loop("i", 0, "n", error, Call("error", ()))))
    assert (both.calls, both.always_calls) == (("error",), True)


def test_a_loop_of_lost_statements_is_spoken_of(build: ModuleType) -> None:
    lost = build.loop("i", 0, "n", Opaque(Reason("access", ("r[i]",))))
    [kernel] = kernels(build.function("f", [], lost))
    assert (kernel.statements, kernel.not_covered) == ((), (Gap(-1, Reason("access", ("r[i]",))),))
    empty = build.loop("i", 0, "n")
    assert list(kernels(build.function("f", [], empty))) == []


def test_an_exit_path_is_no_part_of_the_steady_state(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    test = build.op("compare", a["i"])
    steady = a["i"].set(a["i"] + 1.0)
    way_out = [b["i"].set(b["i"] * 2.0 * a["i"]), Call("log_it", ("b",)), Exit("return")]

    def facts(then: list[Node], exit_paths: tuple[bool, bool]) -> KernelFacts:
        branch = build.branch(test, then, [steady], exit_paths)
        (found,) = facts_of(build.function("f", [a, b], build.loop("i", 0, "n", branch)))
        return found

    left = facts(way_out, (True, False))
    assert left.work.operations == {"compare.f64": 1, "add.f64": 1}
    assert left.not_covered == ()
    assert left.kernel.calls == ()
    assert left.kernel.assumptions == ("the exit path that calls log_it is not counted",)
    assert facts([way_out[0], way_out[2]], (True, False)).kernel.assumptions == (
        "the exit path is not counted",
    )
    # a bare jump leaves nothing out
    assert facts([way_out[2]], (True, False)).kernel.assumptions == ()
    # the same arm, had it come back, would be the heavier one
    assert facts(way_out, (False, False)).work.operations == {"compare.f64": 1, "mul.f64": 2}


def test_loops_on_an_exit_path_stay_kernels_of_their_own(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    inner = build.loop("k", 0, "n", a["k"].set(a["k"] * 2.0))
    branch = build.branch(build.op("compare", a["i"]), [inner, Exit("break")], (), (True, False))
    found = kernels(build.function("f", [a], build.loop("i", 0, "n", branch)))
    assert [kernel.id for kernel in found] == ["f/i", "f/i.k"]


def test_a_call_that_never_returns_is_no_gap(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = a["i"].set(a["i"] + 1.0)
    for call, gaps in ((Call("stop", effects="no-return"), 0), (Call("stop"), 1)):
        (found,) = facts_of(build.function("f", [a], build.loop("i", 0, "n", body, call)))
        assert len(found.not_covered) == gaps
