"""Conditions around loops: which sizes decide them, and what then counts."""

from types import ModuleType

import pytest
from rooflint.facts import function_work, kernels, never_holds
from rooflint.ir import Arithmetic, Branch, Function, IndexValue, Poly, Relation, Statement
from rooflint.ir.values import ArithmeticOp, RelationalOperator


def index(name: str | int) -> IndexValue:
    poly = Poly.constant(name) if isinstance(name, int) else Poly.symbol(name)
    return IndexValue(type="i64", poly=poly)


def guarded(build: ModuleType, condition: Statement) -> Function:
    a = build.array("a", "f64", "m")
    then = build.loop("i", 0, "m", a["i"].set(a["i"] * 2.0))
    orelse = build.loop("k", 0, "m", a["k"].set(a["k"] * 2.0 * a["k"] + 1.0))
    function: Function = build.function(
        "f", [a], Branch(condition=condition, then=(then,), orelse=(orelse,))
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


def test_an_unknown_size_counts_the_heavier_arm(build: ModuleType) -> None:
    function = guarded(build, compared(">"))
    assert never_holds(kernels(function)[0].guards, {}) is None
    assert function_work(function, {"m": 10, "n": 5}).flops == 30


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
