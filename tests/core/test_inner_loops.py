"""Statements behind a loop inside: what that loop has written is not what was there before."""

from types import ModuleType

import pytest
from rooflint.core import LazyPlan
from rooflint.core.graph.values import Graph, graph_of
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine


def outer_graph(build: ModuleType, *body: object, arrays: list[object]) -> Graph:
    """The values of the outer loop of a nest."""
    function: Function = build.function("f", arrays, build.loop("i", 0, "n", *body))
    facts = facts_of(function)[0]
    assert len(facts.kernel.loops) == 1
    return graph_of(facts.kernel)


def divisions(graph: Graph) -> list[int]:
    live = [n for n in graph.live if graph.nodes[n].op == "div"]
    return [n for n in live if not graph.nodes[n].invariant]


def test_a_sum_in_memory_is_no_zero_behind_its_loop(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n")
    x = build.scalar("x")
    inner = build.loop("j", 0, "n", b["i"].add(a["i", "j"]))
    graph = outer_graph(
        build, b["i"].set(build.number(0.0)), inner, b["i"].set(b["i"] / x), arrays=[a, b]
    )
    (number,) = divisions(graph)
    # it is loaded anew
    assert graph.nodes[graph.nodes[number].args[0]].op == "load"


def test_a_sum_in_a_scalar_differs_from_iteration_to_iteration(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n")
    s, x = build.scalar("s"), build.scalar("x")
    inner = build.loop("j", 0, "n", build.assign("s", build.carried("s") + a["i", "j"]))
    graph = outer_graph(
        build, build.assign("s", build.number(0.0)), inner, b["i"].set(s / x), arrays=[a, b]
    )
    assert len(divisions(graph)) == 1


def test_what_the_loop_inside_leaves_alone_is_known(build: ModuleType) -> None:
    a, b, c = (build.array(name, "f64", "n", "n") for name in "abc")
    inner = build.loop("j", 0, "n", b["i", "j"].set(a["i", "j"]))
    body = (c["i", "0"].set(build.number(1.0)), inner, a["i", "0"].set(c["i", "0"] * 2.0))
    graph = outer_graph(build, *body, arrays=[a, b, c])
    assert not graph.accesses("load")


def test_a_loop_that_is_unrolled_away_hides_nothing(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n")
    inner = build.loop("j", 0, 4, a["i", "j"].set(build.number(2.0)))
    body = (b["i"].set(build.number(1.0)), inner, a["i", "8"].set(b["i"] * 2.0))
    assert not outer_graph(build, *body, arrays=[a, b]).accesses("load")


@pytest.mark.parametrize(("column", "counters"), [(False, 1), (True, 2)])
def test_a_walk_whose_pace_is_a_variable_needs_a_counter_beside(
    build: ModuleType, column: bool, counters: int
) -> None:
    a = build.array("a", "f64", "n", "m")
    place = ("j", "k") if column else ("k", "j")
    inner = build.loop("j", 0, "n", build.assign("s", build.carried("s") + a[place]))
    function = build.function("f", [a], build.loop("k", 0, "n", inner))
    machine = find_machine("zen4", (builtin_dir(),))
    code = LazyPlan(function, facts_of(function)[-1], machine).plan.scalar
    added = [op for op in code.operations if op.role == "overhead" and op.kind.startswith("add")]
    assert [op.times * code.vector.unroll for op in added] == [counters]
