"""Sums whose carried term comes last: one addition between two iterations, the same value."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from rooflint import ir
from rooflint.ir import Function, Loop, Statement
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal
from rooflint.transform.arithmetic.carried_terms import FARTHEST, _stored_before

Same = Callable[..., ChangedFunction]


def one(build: ModuleType, term: Callable[..., Any], start: int = 2) -> Function:
    arrays = [build.array(name, "f64", "n") for name in "abcx"]
    a, b, c, x = arrays
    body = x["i"].set(term(a["i"], b["i"], c["i"], x))
    return build.function("f", arrays, build.loop("i", start, "n", body))


def additions_behind(function: Function) -> int:
    """Additions between a load of ``x`` and the store of what they make."""
    [loop] = [node for node in function.body if isinstance(node, Loop)]
    [statement] = [node for node in loop.body if isinstance(node, Statement)]
    depth: dict[int, int] = {}
    for number, value in enumerate(statement.values):
        below = [depth[argument] for argument in value.args if argument in depth]
        if value.op == "load" and statement.accesses[value.access].array == "x":
            below.append(0)
        if below:
            depth[number] = max(below) + (value.op in ("add", "sub"))
    return max(depth.values())


@pytest.mark.parametrize(
    "term",
    [
        lambda a, b, c, x: x["i - 1"] + a + b + c,
        lambda a, b, c, x: x["i - 1"] + a - b + c,
        lambda a, b, c, x: x["i - 1"] - a - b - c,
        lambda a, b, c, x: a - x["i - 1"] - b + c,
        lambda a, b, c, x: a + (b - (x["i - 1"] - c)),
        lambda a, b, c, x: a * x["i - 1"] + b + c,
        lambda a, b, c, x: -a - x["i - 1"] - b,
    ],
)
def test_one_addition_waits(build: ModuleType, same: Same, term: Callable[..., Any]) -> None:
    function = one(build, term)
    assert additions_behind(function) > 1
    result = same(function, transform.add_carried_last(function, "i"))
    assert additions_behind(result.function) == 1
    assert not result.exact


def test_the_nearest_of_two_comes_last(build: ModuleType, same: Same) -> None:
    function = one(build, lambda a, b, c, x: x["i - 1"] + x["i - 2"] + a + b)
    result = same(function, transform.add_carried_last(function, "i"))
    assert additions_behind(result.function) == 3  # of the value two iterations back


@pytest.mark.parametrize(
    "term",
    [
        # last already
        lambda a, b, c, x: a + b + c + x["i - 1"],
        lambda a, b, c, x: a + x["i - 1"],
        # no term of the same sum
        lambda a, b, c, x: (x["i - 1"] + a) * b,
        # both wait for the same iteration
        lambda a, b, c, x: x["i - 1"] + a + x["i - 1"] * b,
        # nothing waits: the array's later elements
        lambda a, b, c, x: x["i + 1"] + a + b,
        lambda a, b, c, x: a + b + c,
    ],
)
def test_what_stays(build: ModuleType, term: Callable[..., Any]) -> None:
    function = one(build, term)
    assert isinstance(transform.add_carried_last(function, "i"), ChangeRefusal)


def test_a_sum_over_the_iterations_is_another_matter(build: ModuleType, same: Same) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    total = build.carried("s") + a["i"] + b["i"]
    plain = build.function("f", [a, b], build.loop("i", 0, "n", build.assign("s", total)))
    assert isinstance(transform.add_carried_last(plain, "i"), ChangeRefusal)
    damped = build.scalar("k") * build.carried("s") + a["i"] + b["i"]
    function = build.function("f", [a, b], build.loop("i", 0, "n", build.assign("s", damped)))
    same(function, transform.add_carried_last(function, "i"), scalars=("s",))


def test_of_several_stores_the_last_one_counts(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    loop = build.loop("i", 9, "n - 2", a["i"].set(a["i"]), a["i + 2"].set(a["i"]))
    stored = _stored_before(loop)

    def back(iterations: int) -> int | None:
        return stored.get(("a", 8 * ir.Poly.symbol("i") - 8 * iterations))

    assert [back(iterations) for iterations in (-2, -1, 0, 1, 2)] == [None, 1, 2, 1, 2]
    assert (back(FARTHEST), back(FARTHEST + 1)) == (FARTHEST, None)
