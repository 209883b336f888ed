"""Sums that stand in the element that they are stored to."""

from collections.abc import Callable
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.ir import Function
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal
from rooflint.transform.expand import sum_in_place

Same = Callable[..., ChangedFunction]


def columns(build: ModuleType, store: object, *more: object, **types: str) -> Function:
    """``for j { s = 0; for k s += B[k][j]; <store> }``."""
    b = build.array("B", "f64", "m", "n")
    c = build.array("C", types.get("target", "f64"), "n")
    sums = build.loop("k", 0, "m", build.assign("s", build.carried("s") + b["k", "j"]))
    body = (build.assign("s", build.number(0)), sums, store, *more)
    return build.function("f", [b, c], build.loop("j", 0, "n", *body))


def test_the_sum_stands_in_its_element(build: ModuleType, same: Same) -> None:
    c = build.array("C", "f64", "n")
    function = columns(build, c["j"].set(build.scalar("s")))
    result = same(function, sum_in_place(function, "j", "s"))
    assert result.exact
    assert len(transform.sites(result.function)["j"].loop.body) == 2
    assert transform.apply(function, result.steps) == result


def test_refused_where_the_element_is_not_its_own(build: ModuleType) -> None:
    c, single = build.array("C", "f64", "n"), build.array("C", "f32", "n")
    stored = build.scalar("s")
    for store, more, types in (
        (c["j"].set(stored * build.number(2)), (), {}),  # another value than the sum
        (c[0].set(stored), (), {}),  # all iterations share an element
        (c["j"].set(stored), (c["j"].set(stored),), {}),  # two stores
        (single["j"].set(stored), (), {"target": "f32"}),  # rounded only at the end
    ):
        function = columns(build, store, *more, **types)
        result = sum_in_place(function, "j", "s")
        assert isinstance(result, ChangeRefusal)
        assert result.reason == "j does not leave s in an element of its own"


@pytest.mark.parametrize(("scalar", "reason"), [("t", "does not set t"), ("s", "used after")])
def test_refused_where_the_scalar_is_no_temporary(
    build: ModuleType, scalar: str, reason: str
) -> None:
    c = build.array("C", "f64", "n")
    function = columns(build, c["j"].set(build.scalar("s")))
    last = c["n"].set(build.scalar("s"))
    read = replace(function, body=(*function.body, last))
    result = sum_in_place(read, "j", scalar)
    assert isinstance(result, ChangeRefusal)
    assert reason in result.reason
