"""Conditions around loops: which sizes decide them, and what then counts."""

from math import prod
from types import ModuleType

import pytest
from rooflint.facts import function_work, kernels, never_holds
from rooflint.ir import Arithmetic, Branch, Function, IndexValue, Node, Poly, Relation, Statement
from rooflint.ir.control_flow import BranchPattern
from rooflint.ir.values import ArithmeticOp, RelationalOperator


def index(name: str | int) -> IndexValue:
    poly = Poly.constant(name) if isinstance(name, int) else Poly.symbol(name)
    return IndexValue(type="i64", poly=poly)


def guarded(
    build: ModuleType, condition: Statement, pattern: BranchPattern | None = None
) -> Function:
    a = build.array("a", "f64", "m")
    then = build.loop("i", 0, "m", a["i"].set(a["i"] * 2.0))
    orelse = build.loop("k", 0, "m", a["k"].set(a["k"] * 2.0 * a["k"] + 1.0))
    function: Function = build.function(
        "f",
        [a],
        Branch(condition=condition, then=(then,), orelse=(orelse,), pattern=pattern),
    )
    return function


def compared(operator: RelationalOperator) -> Statement:
    relation = Relation(type="bool", args=(0, 1), operator=operator)
    return Statement((index("n"), index(4), relation))


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("n", [3, 4, 5])
def test_a_known_size_lets_one_arm_run(
    build: ModuleType, operator: RelationalOperator, n: int
) -> None:
    function = guarded(build, compared(operator))
    then, orelse = kernels(function)
    runs = eval(f"{n} {operator} 4")
    assert (never_holds(then.guards, {"n": n}) is None) == runs
    assert (never_holds(orelse.guards, {"n": n}) is None) == (not runs)
    flops = function_work(function, {"m": 10, "n": n}, (), {"n": n}).flops
    assert flops == (10 if runs else 30)


@pytest.mark.parametrize(
    ("operator", "share"), [(">", 0.5), ("==", 0.25)], ids=["ordered", "equal"]
)
def test_loops_of_exclusive_arms_share_the_executions(
    build: ModuleType, operator: RelationalOperator, share: float
) -> None:
    """10 flops of one arm, 30 of the other: an execution takes one of them."""
    pattern = BranchPattern(
        condition="equal" if operator == "==" else "ordered", then="goes-on", orelse="goes-on"
    )
    function = guarded(build, compared(operator), pattern)
    then, orelse = kernels(function)
    assert never_holds(then.guards, {}) is None
    assert (prod(then.arm_shares({})), prod(orelse.arm_shares({}))) == (share, 1 - share)
    flops = function_work(function, {"m": 10, "n": 5}).flops
    assert flops == share * 10 + (1 - share) * 30


@pytest.mark.parametrize("n", [4, 5])
def test_a_known_size_gives_all_executions_to_one_arm(build: ModuleType, n: int) -> None:
    then, orelse = kernels(guarded(build, compared(">")))
    assert (prod(then.arm_shares({"n": n})), prod(orelse.arm_shares({"n": n}))) == (n > 4, n <= 4)


def test_a_loop_without_an_alternative_runs(build: ModuleType) -> None:
    a = build.array("a", "f64", "m")
    then = build.loop("i", 0, "m", a["i"].set(a["i"] * 2.0))
    branch = Branch(condition=compared(">"), then=(then,), orelse=(a[0].set(a[0] * 3.0),))
    function = build.function("f", [a], branch)
    assert prod(kernels(function)[0].arm_shares({})) == 1.0
    assert function_work(function, {"m": 10, "n": 5}).flops == 10


def test_arms_inside_arms_and_loops_multiply(build: ModuleType) -> None:
    a = build.array("a", "f64", "m")

    def loop(index: str) -> Node:
        node: Node = build.loop(index, 0, "m", a[index].set(a[index] * 2.0))
        return node

    inner = Branch(condition=compared("<"), then=(loop("j"),), orelse=(loop("k"),))
    outer = build.loop("i", 0, "m", inner)
    function = build.function(
        "f", [a], Branch(condition=compared(">"), then=(outer,), orelse=(loop("l"),))
    )
    found = [each.arm_shares({}) for each in kernels(function)]
    assert found == [(0.5,), (0.5, 0.5), (0.5, 0.5), (0.5,)]  # i has a condition of its own
    # of the outer loop's 10 iterations half run j, half k, where it runs at all; 10 flops each
    assert function_work(function, {"m": 10, "n": 5}).flops == 0.5 * 10 * 10 + 0.5 * 10


@pytest.mark.parametrize(("op", "expected"), [("and", (2, 0)), ("or", (0, 2))])
def test_connectives_guard_one_arm(
    build: ModuleType, op: ArithmeticOp, expected: tuple[int, int]
) -> None:
    first = Relation(type="bool", args=(0, 1), operator=">")
    second = Relation(type="bool", args=(3, 4), operator="<")
    both = Arithmetic(type="bool", op=op, args=(2, 5))
    condition = Statement((index("n"), index(4), first, index("m"), index(3), second, both))
    then, orelse = kernels(guarded(build, condition))
    assert (len(then.guards), len(orelse.guards)) == expected
    texts = [str(guard) for guard in (*then.guards, *orelse.guards)]
    assert texts == (["n > 4", "m < 3"] if op == "and" else ["n <= 4", "m >= 3"])


def test_a_negation_turns_the_guards(build: ModuleType) -> None:
    relation = Relation(type="bool", args=(0, 1), operator=">")
    negated = Arithmetic(type="bool", op="not", args=(2,))
    condition = Statement((index("n"), index(4), relation, negated))
    then, orelse = kernels(guarded(build, condition))
    assert [str(guard) for guard in (*then.guards, *orelse.guards)] == ["n <= 4", "n > 4"]
