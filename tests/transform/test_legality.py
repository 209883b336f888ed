"""Changes that are legal, with what they make, and changes that are not, with the reason."""

from collections.abc import Callable
from types import ModuleType
from typing import Literal

import pytest
from msgspec.structs import replace
from rooflint.ir import Branch, Definition, Function, Loop, Poly, Region
from rooflint.ir.text import print_function
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal
from rooflint.transform.nest.rewrite import statements_in

Same = Callable[..., ChangedFunction]


def reason(result: object) -> str:
    assert isinstance(result, ChangeRefusal), "should be refused"
    return result.reason


def nest(build: ModuleType, *body: object, lower: str = "1", upper: str = "n - 1") -> Loop:
    return build.loop("i", lower, upper, build.loop("j", lower, upper, *body))


def headers(function: Function) -> list[str]:
    lines = print_function(function).splitlines()
    return [line.strip() for line in lines if line.strip().startswith("loop ")]


def test_matrix_product_in_the_order_of_unit_strides(build: ModuleType, same: Same) -> None:
    a, b, c = (build.array(name, "f64", "n", "n") for name in "ABC")
    body = c["i", "j"].add(a["i", "k"] * b["k", "j"])
    for index in "kji":
        body = build.loop(index, 0, "n", body)
    gemm = build.function("gemm", [a, b, c], body)
    result = same(gemm, transform.interchange(gemm, "i", ("i", "k", "j")))
    assert [site.loop.index for site in transform.sites(result.function).values()] == list("ikj")
    assert result.exact  # every element's sum keeps its order
    assert tuple(map(str, result.assumes)) == ("A and C do not overlap", "B and C do not overlap")
    assert str(result.steps[0]) == "interchange i; order i, k, j"


def test_gauss_seidel_may_swap_but_skewed_one_may_not(build: ModuleType, same: Same) -> None:
    a = build.array("a", "f64", "n", "n")
    seidel = build.function(
        "f", [a], nest(build, a["i", "j"].set(a["i - 1", "j"] + a["i", "j - 1"]))
    )
    same(seidel, transform.interchange(seidel, "i", ("j", "i")))
    # the value of row i - 1, column j + 1 must be there: distance (1, -1)
    late = build.function("f", [a], nest(build, a["i", "j"].set(a["i - 1", "j + 1"])))
    why = "the order j.i reverses a, distance (1, -1)"
    assert reason(transform.interchange(late, "i", ("j", "i"))) == why
    assert "distance (1, -1)" in reason(transform.tile(late, "i", {"i": 4, "j": 4}))
    assert "distance (1, -1)" in reason(transform.unroll_and_jam(late, "i", 2))


def test_a_distance_beyond_the_copies_does_not_forbid_them(build: ModuleType, same: Same) -> None:
    a = build.array("a", "f64", "n", "n")
    far = build.loop("j", 0, "n - 1", a["i", "j"].set(a["i - 2", "j + 1"]))
    function = build.function("f", [a], build.loop("i", 2, "n", far))
    same(function, transform.unroll_and_jam(function, "i", 2))
    assert "distance (2, -1)" in reason(transform.unroll_and_jam(function, "i", 4))


def test_what_stands_around_the_jammed_loop_decides_too(build: ModuleType, same: Same) -> None:
    a, x, y = (
        build.array("a", "f64", "n", "m"),
        build.array("x", "f64", "n"),
        build.array("y", "f64", "n"),
    )

    def rows(first: object) -> Function:
        sums = build.loop("j", 0, "m", build.assign("s", build.carried("s") + a["i", "j"]))
        body = (first, build.assign("s", x["i"]), sums, y["i"].set(build.scalar("s")))
        return build.function("f", [a, x, y], build.loop("i", 1, "n", *body))

    fine = rows(x["i"].set(x["i"] * 2))
    result = same(fine, transform.unroll_and_jam(fine, "i", 2))
    assert list(transform.sites(result.function)) == ["i", "i.j", "i#2", "i.j#2"]
    # the next row begins with what this row ends with
    chained = rows(x["i"].set(y["i - 1"] * 2))
    why = "copies side by side reverse y, distance (1)"
    assert reason(transform.unroll_and_jam(chained, "i", 2)) == why


def test_triangles_swap_with_their_bounds(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    body = a["i", "j"].set(b["j", "i"])
    lower = build.function("f", [a, b], build.loop("i", 0, "n", build.loop("j", 0, "i + 1", body)))
    result = same(lower, transform.interchange(lower, "i", ("j", "i")))
    assert headers(result.function) == [
        "loop j in [0, n) step 1",
        "loop i in [j, n) step 1",
    ]
    upper = build.function("f", [a, b], build.loop("i", 0, "n", build.loop("j", "i", "n", body)))
    same(upper, transform.interchange(upper, "i", ("j", "i")))
    # a triangle that a dependence ties: row j needs all of row i < j
    tied = a["i", "j"].set(a["j", "i"] + 1)
    function = build.function(
        "f", [a], build.loop("i", 0, "n", build.loop("j", "n - i", "n", tied))
    )
    assert "reverses a" in reason(transform.interchange(function, "i", ("j", "i")))


def test_scalars_decide_too(build: ModuleType, same: Same) -> None:
    a = build.array("a", "f64", "n", "n")
    total = build.assign("s", build.carried("s") + a["i", "j"])
    function = build.function("f", [a], nest(build, total))
    result = same(function, transform.interchange(function, "i", ("j", "i")), scalars=("s",))
    assert not result.exact
    chain = build.assign("s", build.carried("s") * a["i", "j"] + 1)
    function = build.function("f", [a], nest(build, chain))
    why = reason(transform.interchange(function, "i", ("j", "i")))
    assert why == "s needs its value from the previous iteration"


def test_the_last_value_of_a_scalar_is_not_lost(build: ModuleType) -> None:
    a = build.array("a", "f64", "n", "n")
    nest_of_t = nest(build, build.assign("t", a["i", "j"] * 2), a["i", "j"].set(build.scalar("t")))
    function = build.function("f", [a], nest_of_t, a["0", "0"].set(build.scalar("t")))
    why = reason(transform.interchange(function, "i", ("j", "i")))
    assert why == "t is used after the loop"
    # around the loop in a time step: read before it is set again
    stepped = build.loop("k", 0, "n", a["0", "0"].set(build.scalar("t")), nest_of_t)
    function = build.function("f", [a], stepped)
    assert reason(transform.interchange(function, "k.i", ("j", "i"))) == why


def definition(
    variable: str, value: Poly, *, condition: Literal["none", "branch"] = "none"
) -> Definition:
    return Definition(variable=variable, type="i32", value=value, condition=condition)


def test_integers_that_branches_set_stay_in_order(build: ModuleType) -> None:
    # if (a[i] > 0) { j++; a[i] = b[j]; }
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    test = build.op("compare", a["i"], build.number(0))
    test.name = ">"
    packed = build.branch(test, [a["i"].set(b.at(build.unknown("j") * 8))])
    counts = definition("j", build.unknown("j", "i") + 1, condition="branch")
    loop = replace(build.loop("i", 0, "n", packed), definitions=(counts,))
    function = build.function("f", [a, b], loop)
    why = "j changes in a way that is not modelled"
    assert reason(transform.parallelise(function, "i")) == why
    # if (a[i] > x) { x = a[i]; k = i; }, and k is used behind the loop
    most = build.op("compare", a["i"], build.carried("x"))
    most.name = ">"
    search = build.loop("i", 0, "n", build.branch(most, [build.assign("x", a["i"])]))
    last = definition("k", build.poly("i"), condition="branch")
    search = replace(search, definitions=(last,))
    used = b["0"].set(build.op("convert", build.closed(build.unknown("k", "j")), kind="f64"))
    function = build.function("f", [a, b], search, used)
    assert reason(transform.parallelise(function, "i")) == "k may be set in a branch of the loop"
    assert reason(transform.unroll(function, "i", 2, 2)) == "k may be set in a branch of the loop"
    # the same k where the loop does not set it
    elsewhere = replace(search, definitions=())
    function = build.function("f", [a, b], elsewhere, used)
    assert isinstance(transform.parallelise(function, "i"), ChangedFunction)
    # an element of an index array is another matter
    gathered = build.loop("i", 0, "n", a["i"].set(b.at(build.unknown("col[i]", "i") * 8)))
    function = build.function("f", [a, b], gathered)
    assert isinstance(transform.parallelise(function, "i"), ChangedFunction)


def test_fusion_prevented_by_a_value_not_made_yet(build: ModuleType, same: Same) -> None:
    a, b, c = (build.array(name, "f64", "n + 1") for name in "abc")
    make = build.loop("i", 0, "n", a["i"].set(b["i"]))

    def use(shift: int) -> Function:
        return build.function(
            "f", [a, b, c], make, build.loop("i", 0, "n", c["i"].set(a[f"i + {shift}"]))
        )

    same(use(0), transform.fuse(use(0), "i"))
    why = reason(transform.fuse(use(1), "i"))
    assert why == "the second loop needs all of the first: a, distance (1)"
    other = build.function("f", [a, b], make, build.loop("k", 1, "n", b["k"].set(a["k"])))
    assert reason(transform.fuse(other, "i")) == "i and k do not run over the same range"
    total = build.loop("i", 0, "n", build.assign("s", build.carried("s") + a["i"]))
    scaled = build.loop("i", 0, "n", b["i"].set(a["i"] / build.scalar("s")))
    norm = build.function("f", [a, b], total, scaled)
    assert reason(transform.fuse(norm, "i")) == "s is complete only after the first loop"


def test_column_sums_expanded_cut_and_swapped(build: ModuleType, same: Same) -> None:
    # for j { s = 0; for k s += B[k][j]; C[j] = s; } walks columns; RL102's chain of three steps
    b, c = build.array("B", "f64", "m", "n"), build.array("C", "f64", "n")
    sums = build.loop("k", 0, "m", build.assign("s", build.carried("s") + b["k", "j"]))
    body = (build.assign("s", build.number(0)), sums, c["j"].set(build.scalar("s")))
    function = build.function("f", [b, c], build.loop("j", 0, "n", *body))
    assert "expand it first" in reason(transform.fission(function, "j", 1))
    result = transform.expand_scalar(function, "j", "s")
    assert isinstance(result, ChangedFunction)
    for change in (
        lambda f: transform.fission(f, "j", 1),
        lambda f: transform.fission(f, "j#2", 1),
        lambda f: transform.interchange(f, "j#2", ("k", "j")),
    ):
        result = result.then(change)
        assert isinstance(result, ChangedFunction), result
    same(function, result, temporaries=("s_of_j",))
    assert result.exact
    assert list(transform.sites(result.function)) == ["j", "k", "k.j", "j#2"]
    assert transform.apply(function, result.steps) == result
    carried = transform.to_json(result.steps)
    assert transform.from_json(carried) == result.steps


def test_the_whole_chain_at_once(build: ModuleType, same: Same) -> None:
    a, b, c = (build.array(name, "f64", "n", "n") for name in "ABC")
    product = a["i", "k"] * b["k", "j"]
    in_scalar = (
        build.assign("s", build.number(0)),
        build.loop("k", 0, "n", build.assign("s", build.carried("s") + product)),
        c["i", "j"].set(build.scalar("s")),
    )
    scaled = (*in_scalar[:2], c["i", "j"].set(build.scalar("s") * build.number(2)))
    in_place = (
        c["i", "j"].set(build.number(0)),
        build.loop("k", 0, "n", c["i", "j"].add(product)),
    )
    for body, kinds in (
        (in_scalar, ["sum_in_place", "fission", "interchange"]),
        (scaled, ["expand_scalar", "fission", "fission", "interchange"]),
        (in_place, ["fission", "interchange"]),
    ):
        nest = build.loop("i", 0, "n", build.loop("j", 0, "n", *body))
        function = build.function("f", [a, b, c], nest)
        result = same(function, transform.swap_inner(function, "i.j", 1), temporaries=("s_of_j",))
        assert [step.kind for step in result.steps] == kinds
        assert result.exact
        assert "i.k.j" in transform.sites(result.function)
        assert transform.apply(function, result.steps) == result
    total = build.loop("j", 0, "n", build.assign("s", build.carried("s") + a["j", "j"]), *in_place)
    function = build.function("f", [a, b, c], build.loop("i", 0, "n", total))
    same(function, transform.isolate(function, "i.j", 1), scalars=("s",))
    assert "holds 3 nodes" in reason(transform.isolate(function, "i.j", 3))


def test_expansion_refused_where_the_value_lives_on(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    total = build.function(
        "f", [a], build.loop("i", 0, "n", build.assign("s", build.carried("s") + a["i"]))
    )
    assert "from one iteration to the next" in reason(transform.expand_scalar(total, "i", "s"))
    last = build.loop("i", 0, "n", build.assign("t", a["i"] * 2))
    used = build.function("f", [a], last, a["0"].set(build.scalar("t")))
    assert reason(transform.expand_scalar(used, "i", "t")) == "t is used after the loop"


def test_accumulators_combine_to_the_same_sum(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    body = build.assign("s", build.carried("s") + a["i"] * b["i"])
    dot = build.function("dot", [a, b], build.loop("i", 0, "n", body))
    result = same(dot, transform.unroll(dot, "i", 4, 2), scalars=("s",))
    assert not result.exact
    assert same(dot, transform.unroll(dot, "i", 4), scalars=("s",)).exact
    assert reason(transform.unroll(dot, "i", 4, 3)) == "4 copies with 3 accumulators"
    chain = build.assign("s", build.carried("s") * a["i"] + b["i"])
    horner = build.function("horner", [a, b], build.loop("i", 0, "n", chain))
    assert reason(transform.unroll(horner, "i", 4, 4)) == "i accumulates nothing"
    highest = build.assign("s", build.op("max", build.carried("s"), a["i"]))
    top = build.function("top", [a], build.loop("i", 0, "n", highest))
    assert same(top, transform.unroll(top, "i", 4, 4), scalars=("s",)).exact


def first_case(build: ModuleType, condition: str) -> Function:
    a = build.array("a", "f64", "n")
    test = build.op("compare", build.closed("i"), build.closed(condition), kind="i32")
    test.name = "=="
    branch = build.branch(test, [a["i"].set(build.number(7))], [a["i"].set(a["i"] + 1)])
    return build.function("f", [a], build.loop("i", 0, "n", branch))


@pytest.fixture(name="build")
def build_with_closed_forms(build: ModuleType) -> ModuleType:
    build.closed = build.index  # type: ignore[attr-defined]
    return build


def test_peeling_decides_the_branch(build: ModuleType, same: Same) -> None:
    function = first_case(build, "0")
    result = same(function, transform.peel(function, "i", "first"))
    guard, rest = result.function.body
    assert isinstance(guard, Branch)  # n may be 0
    assert isinstance(rest, Loop)
    assert not any(isinstance(node, Branch) for node in (*guard.then, *rest.body))
    other = first_case(build, "3")  # decided in the peeled iteration, open in the others
    result = same(other, transform.peel(other, "i", "first"))
    assert isinstance(result.function.body[1].body[0], Branch)  # type: ignore[union-attr]


def test_unswitching_what_never_changes(build: ModuleType, same: Same) -> None:
    a = build.array("a", "f64", "n")
    test = build.op("compare", build.closed("m"), build.closed("4"), kind="i32")
    test.name = ">"
    branch = build.branch(test, [a["i"].set(a["i"] * 2)], [a["i"].set(a["i"] + 1)])
    function = build.function("f", [a], build.loop("i", 0, "n", branch))
    result = same(function, transform.unswitch(function, "i"))
    assert isinstance(result.function.body[0], Branch)
    assert reason(transform.unswitch(first_case(build, "0"), "i")) == "the condition changes with i"


def test_a_directive_keeps_its_loop(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    inner = build.loop("j", 0, "n", a["i", "j"].set(b["i", "j"] / build.scalar("h")))
    threads = build.region("parallel for", build.loop("i", 0, "n", inner))
    function = build.function("f", [a, b], threads)
    for result in (
        transform.interchange(function, "i", ("j", "i")),
        transform.strip_mine(function, "i", 8),
        transform.peel(function, "i"),
        transform.unroll_and_jam(function, "i", 2),
    ):
        assert reason(result) == "omp parallel for governs i"
    same(function, transform.unroll(function, "i.j", 4))
    # what is computed once stands before the directive
    result = same(function, transform.reciprocal(function, "i"))
    assert [type(node).__name__ for node in result.function.body] == ["Statement", "Region"]
    block = build.region("parallel", threads.body[0])  # all threads do all of it
    function = build.function("f", [a, b], block)
    assert isinstance(transform.interchange(function, "i", ("j", "i")), ChangedFunction)


def test_threads_need_independent_iterations(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    body = (
        build.assign("t", b["i"] * 2),
        build.assign("s", build.carried("s") + build.scalar("t")),
        a["i"].set(build.scalar("t")),
    )
    function = build.function("f", [a, b], build.loop("i", 0, "n", *body))
    result = transform.parallelise(function, "i")
    assert isinstance(result, ChangedFunction)
    [region] = result.function.body
    assert isinstance(region, Region)
    assert [tuple(c) for c in region.clauses] == [("reduction", "+ : s"), ("private", "t")]
    assert "already" in reason(transform.parallelise(result.function, "i"))
    assert same(result.function, transform.serialise(result.function, "i")).function == function
    assert "no omp parallel for" in reason(transform.serialise(function, "i"))
    chain = build.function("f", [a], build.loop("i", 1, "n", a["i"].set(a["i - 1"])))
    why = "iterations depend on each other: a, distance (1)"
    for change in (transform.parallelise, transform.vectorise, transform.offload):
        assert reason(change(chain, "i")) == why
    copied = build.function("f", [a, b], build.loop("i", 0, "n", a["i"].set(b["i"])))
    sent = transform.offload(copied, "i")
    assert isinstance(sent, ChangedFunction)
    maps = [c.value for c in sent.function.body[0].clauses]  # type: ignore[union-attr]
    assert maps == ["to : b", "tofrom : a"]


def test_a_load_in_a_loop_of_its_own(build: ModuleType, same: Same) -> None:
    # for i a[i] = b[2i] * b[2i] + a[i]: one load of b, whose value two operations take
    a, b, c = (build.array(name, "f64", "4*n") for name in "abc")
    body = a["i"].set(b["2*i"] * b["2*i"] + a["i"])
    function = build.function("f", [a, b], build.loop("i", 0, "n", body))
    result = same(function, transform.load_apart(function, "i", "b"), temporaries=("b_value_of_i",))
    assert [step.kind for step in result.steps] == ["load_first", "expand_scalar", "fission"]
    assert transform.apply(function, result.steps) == result
    loops = [site.loop for site in transform.sites(result.function).values()]
    accesses = [[x for s in statements_in(each.body) for x in s.accesses] for each in loops]
    loaded = [{x.array for x in each if not x.write} for each in accesses]
    assert loaded == [{"b"}, {"a", "b_value_of_i"}]
    index = build.array("at", "i32", "n")
    found = build.unknown("at[i]", "i")
    through = (index["i"].set(build.number(1, "i32")), a["i"].set(b[found] + a["i"]))
    moving = build.function("f", [a, b, index], build.loop("i", 0, "n", *through))
    assert reason(transform.load_first(moving, "i", "b")) == "i stores to at"
    assert reason(transform.load_first(function, "i", "a")) == "i stores to a"
    branch = build.branch(c["i"], [a["i"].set(b["i"])])
    now_and_then = build.function("f", [a, b, c], build.loop("i", 0, "n", branch))
    assert "in every iteration" in reason(transform.load_first(now_and_then, "i", "b"))
