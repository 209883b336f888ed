"""Loops that do more than the IR can say: none of them is changed."""

from types import ModuleType

from msgspec.structs import replace
from rooflint.ir import UNCOUNTED, Induction
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal


def reason(result: object) -> str:
    assert isinstance(result, ChangeRefusal), "should be refused"
    return result.reason


def test_what_ends_a_loop_at_once_is_kept_whole(build: ModuleType) -> None:
    """Neither two loops that end when they see fit are one, nor is a block all of such a loop."""
    a, b = (build.array(name, "f64", "n") for name in "ab")
    for way in (UNCOUNTED, "condition", "break"):
        one, two = (
            replace(build.loop("i", 0, "trips", each["i"].set(build.number(1))), exits=(way,))
            for each in (a, b)
        )
        function = build.function("f", [a, b], one, two)
        assert reason(transform.fuse(function, "i")) == f"one of the loops can be left by {way}"
        assert reason(transform.strip_mine(function, "i", 4)) == f"{way} would leave its block only"


def test_a_loop_has_one_directive(build: ModuleType) -> None:
    # two directives that each speak of the header below them do not compile
    a = build.array("a", "f64", "n")
    function = build.function("f", [a], build.loop("i", 0, "n", a["i"].set(build.number(1.0))))
    shared = transform.parallelise(function, "i")
    assert isinstance(shared, ChangedFunction)
    for change in (transform.parallelise, transform.vectorise, transform.offload):
        assert reason(change(shared.function, "i")) == "omp parallel for already governs i"
    vector = transform.vectorise(function, "i")
    assert isinstance(vector, ChangedFunction)
    assert reason(transform.parallelise(vector.function, "i")) == "omp simd already governs i"


def test_what_the_source_sets_in_each_iteration_takes_no_directive(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    loop = replace(
        build.loop("i", 0, "n", a["i"].set(build.number(1))), extra_inductions=(Induction("k"),)
    )
    function = build.function("f", [a], loop)
    why = "k is set anew in each iteration of i"
    assert reason(transform.parallelise(function, "i")) == why
    assert reason(transform.vectorise(function, "i")) == why
    unknown = build.function(
        "f", [a], replace(loop, extra_inductions=(Induction("k", known=False),))
    )
    assert "k changes in a way" in reason(transform.parallelise(unknown, "i"))
    assert "k changes in a way" in reason(transform.tile(unknown, "i", {"i": 4}))


def test_what_is_not_modelled_is_not_reordered(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    body = a["i"].set(build.Expression("opaque", "f64", name="undeclared(i)"))
    function = build.function("f", [a], build.loop("i", 0, "n", body))
    why = "the loop contains code that is not modelled: undeclared(i)"
    assert reason(transform.parallelise(function, "i")) == why
