"""Roles of scalars in a loop: set anew, accumulated, or handed from iteration to iteration."""

from collections.abc import Callable
from types import ModuleType

import pytest
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction
from rooflint.transform.nest.legality import sums_round
from rooflint.transform.nest.scalars import Reduction, Scalar, exposed_scalars, scalars_of

Same = Callable[..., ChangedFunction]


def compared(build: ModuleType, operator: str, left: object, right: object) -> object:
    test = build.op("compare", left, right)
    test.name = operator
    return test


def roles(*body: object) -> dict[str, tuple[str, str]]:
    found = scalars_of(body)  # type: ignore[arg-type]
    return {name: (scalar.role, scalar.operation) for name, scalar in found.items()}


def test_roles(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    s, x = build.carried("s"), a["i"]
    assert roles(build.assign("t", x), x.set(build.scalar("t"))) == {"t": ("private", "")}
    assert roles(build.assign("s", s + x)) == {"s": ("reduction", "add")}
    assert roles(build.assign("s", s - x * x)) == {"s": ("reduction", "add")}
    assert roles(build.assign("s", build.op("fma", x, x, s))) == {"s": ("reduction", "add")}
    assert roles(build.assign("s", build.op("min", s, x))) == {"s": ("reduction", "min")}
    recurrence = {"s": ("recurrence", "")}
    assert roles(build.assign("s", x - s)) == recurrence
    assert roles(build.assign("s", s * x + x)) == recurrence
    assert roles(build.assign("s", s + s)) == recurrence
    # used between two additions: a prefix sum
    assert roles(build.assign("s", s + x), x.set(build.scalar("s"))) == recurrence
    assert roles(build.assign("s", s + x), build.assign("s", build.scalar("s") * x)) == recurrence


def test_what_a_loop_may_not_set_is_still_from_before(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    maybe = build.loop("j", 0, "m", build.assign("t", a["j"]))  # m may be 0
    assert exposed_scalars((maybe, a["i"].set(build.scalar("t")))) == {"t"}
    test = compared(build, ">", a["i"], build.number(0))
    one_arm = build.branch(test, [build.assign("t", a["i"])])
    assert exposed_scalars((one_arm, a["i"].set(build.scalar("t")))) == {"t"}
    both = build.branch(test, [build.assign("t", a["i"])], [build.assign("t", -a["i"])])
    assert exposed_scalars((both, a["i"].set(build.scalar("t")))) == set()


@pytest.mark.parametrize(
    ("operator", "swapped", "operation"),
    [(">", False, "max"), ("<=", False, "min"), ("<", True, "max"), (">=", True, "min")],
)
def test_search_for_an_extreme(
    build: ModuleType, same: Same, operator: str, swapped: bool, operation: str
) -> None:
    a, s = build.array("a", "f64", "n"), build.carried("s")
    sides = (s, a["i"]) if swapped else (a["i"], s)
    branch = build.branch(compared(build, operator, *sides), [build.assign("s", a["i"])])
    assert roles(branch) == {"s": ("reduction", operation)}
    function = build.function("f", [a], build.loop("i", 0, "n", branch))
    same(function, transform.unroll(function, "i", 4, 2), scalars=("s",))
    threads = transform.parallelise(function, "i")
    assert isinstance(threads, ChangedFunction)
    assert threads.exact
    assert threads.function.body[0].clauses[0].value == f"{operation} : s"  # type: ignore[union-attr]


def test_searches_that_keep_more_than_the_extreme(build: ModuleType) -> None:
    a, b, s = build.array("a", "f64", "n"), build.array("b", "f64", "n"), build.carried("s")
    test = compared(build, ">", a["i"], s)
    other = build.branch(test, [build.assign("s", b["i"])])
    assert roles(other) == {"s": ("recurrence", "")}
    place = build.branch(test, [build.assign("s", a["i"]), build.assign("k", b["i"])])
    assert roles(place)["s"] == ("recurrence", "")
    summed = build.branch(
        compared(build, ">", a["i"], build.number(0)), [build.assign("s", s + a["i"])]
    )
    assert roles(summed) == {"s": ("reduction", "add")}


@pytest.mark.parametrize(
    ("kind", "rounds"),
    [("f64", True), ("f16", True), ("bf16", True), ("c128", True), ("bool", False), ("i32", False)],
)
def test_only_sums_and_products_that_round_depend_on_their_order(kind: str, rounds: bool) -> None:
    operation: Reduction
    for operation in ("add", "mul"):
        assert sums_round(Scalar("s", kind, "reduction", operation)) is rounds
    for operation in ("min", "max"):
        assert not sums_round(Scalar("s", kind, "reduction", operation))
