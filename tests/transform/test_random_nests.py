"""Random nests run before and after each change give the same values, or the change is refused.

Values are integers modulo a prime, so a sum in another order is the same sum, and anything else
that differs is an error of the change.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from rooflint.ir import Function, Loop
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangeRefusal

Shape = tuple[int, int, int]
coefficient = st.sampled_from([0, 0, 1, 1, 1, 2, -1])
subscript = st.tuples(coefficient, coefficient, st.integers(-2, 2))
reference = st.tuples(st.sampled_from("aab"), subscript, subscript)
statement = st.tuples(
    reference, reference, reference, st.sampled_from(["set", "add", "sum", "tmp"])
)
inner_bounds = st.sampled_from(
    [("0", "m"), ("1", "m"), ("0", "m"), ("i", "m"), ("0", "i + 1"), ("i + 1", "n"), ("n - i", "m")]
)
SIZES = ({"n": 5, "m": 4}, {"n": 2, "m": 6}, {"n": 1, "m": 0})


def _subscript(coefficients: Shape) -> str:
    i, j, shift = coefficients
    return f"{i}*i + {j}*j + {shift + 14}"


def _body(build: ModuleType, statements: list[Any]) -> tuple[Any, ...]:
    arrays = {name: build.array(name, "f64", 40, 40) for name in "ab"}

    def element(spec: tuple[str, Shape, Shape]) -> Any:  # noqa: ANN401
        name, row, column = spec
        return arrays[name][_subscript(row), _subscript(column)]

    body: list[Any] = []
    for target, left, right, kind in statements:
        value = element(left) * 3 + element(right)
        body += build.update(kind, element(target), value)
    return tuple(body)


def _function(build: ModuleType, *nodes: Loop) -> Function:
    arrays = [build.array(name, "f64", 40, 40) for name in "ab"]
    return build.function("random", arrays, *nodes)


def _nest(build: ModuleType, statements: list[Any], bounds: tuple[str, str], step: int) -> Function:
    inner = build.loop("j", *bounds, *_body(build, statements))
    return _function(build, build.loop("i", 0, "n", inner, step=step))


CHANGES: dict[str, Callable[[Function], Any]] = {
    "interchange": lambda f: transform.interchange(f, "i", ("j", "i")),
    "strip": lambda f: transform.strip_mine(f, "i.j", 3),
    "tile": lambda f: transform.tile(f, "i", {"i": 2, "j": 3}),
    "tile one": lambda f: transform.tile(f, "i", {"j": 2}),
    "unroll": lambda f: transform.unroll(f, "i.j", 3),
    "unroll outer": lambda f: transform.unroll(f, "i", 2),
    "accumulators": lambda f: transform.unroll(f, "i.j", 4, 2),
    "jam": lambda f: transform.unroll_and_jam(f, "i", 2),
    "peel first": lambda f: transform.peel(f, "i.j", "first"),
    "peel last": lambda f: transform.peel(f, "i", "last"),
    "fission": lambda f: transform.fission(f, "i.j", 1),
    "load first": lambda f: transform.load_first(f, "i.j", "b"),
    "load apart": lambda f: transform.load_apart(f, "i.j", "b"),
}


@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=40, deadline=None)
@given(
    statements=st.lists(statement, min_size=1, max_size=3),
    bounds=inner_bounds,
    step=st.sampled_from([1, 1, 1, 2]),
)
def test_a_nest(
    build: ModuleType,
    same: Callable[..., Any],
    change: str,
    statements: list[Any],
    bounds: tuple[str, str],
    step: int,
) -> None:
    function = _nest(build, statements, bounds, step)
    result = CHANGES[change](function)
    if isinstance(result, ChangeRefusal):
        event("refused")
        assert result.reason
        return
    event("changed")
    same(function, result, SIZES, temporaries=("b_value_of_j",), scalars=("s",))


@settings(max_examples=50, deadline=None)
@given(
    first=st.lists(statement, min_size=1, max_size=2),
    second=st.lists(statement, min_size=1, max_size=2),
    deep=st.booleans(),
)
def test_two_loops_fused(
    build: ModuleType, same: Callable[..., Any], first: list[Any], second: list[Any], deep: bool
) -> None:
    loops: list[Loop] = []
    for statements in (first, second):
        body = _body(build, statements)
        inner = build.loop("j", 0, "m", *body)
        loops.append(build.loop("i", 0, "n", inner) if deep else inner)
    whole = loops if deep else [build.loop("i", 0, "n", *loops)]
    function = _function(build, *whole)
    result = transform.fuse(function, "i" if deep else "i.j")
    if isinstance(result, ChangeRefusal):
        event("refused")
        return
    event("changed")
    same(function, result, SIZES, scalars=("s",))


@settings(max_examples=20, deadline=None)
@given(statements=st.lists(statement, min_size=1, max_size=2), inner=st.integers(1, 2))
def test_three_loops_in_any_order(
    build: ModuleType, same: Callable[..., Any], statements: list[Any], inner: int
) -> None:
    nest = build.loop("j", inner, "m", *_body(build, statements))
    function = _function(build, build.loop("i", 0, "n", build.loop("k", 0, 2, nest)))
    for order in (("k", "i", "j"), ("j", "i", "k"), ("i", "j", "k"), ("j", "k", "i")):
        result = transform.interchange(function, "i", order)
        if not isinstance(result, ChangeRefusal):
            same(function, result, SIZES, scalars=("s",))
