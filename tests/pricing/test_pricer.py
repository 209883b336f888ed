"""Prices of functions before and after a change: the models run again at the same sizes."""

from types import ModuleType

import pytest
from rooflint.core import Compiler
from rooflint.facts import Kernel, facts_of
from rooflint.ir import Function, Node, SourceFunction, Span
from rooflint.machine import builtin_dir, find_machine
from rooflint.pipeline.on_machine import NestSubject, OnMachine
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.hookspecs import Context, Needs
from rooflint.plugin_api.prediction import NotApplicable, Prediction
from rooflint.plugin_api.rule import Setup
from rooflint.plugin_api.transforms import ChangedFunction
from rooflint.pricing import pricer as pricer_module
from rooflint.pricing.pricer import AS_IT_IS, Pricer
from rooflint.pricing.whatif import ChangeCandidate, options_of
from rooflint.scenario.sizes import SizeLayer

ACCESS_CY = 1000.0
"""More than any machine needs: prices of this model stand on no floor."""


class Counts:
    """A model with ``ACCESS_CY`` per access of an iteration; silent on loops over ``k``."""

    name = "counts"
    needs = Needs()

    def predict(self, kernel: Kernel, context: Context) -> Prediction | NotApplicable:
        if kernel.loops[-1].index == "k":
            return NotApplicable("not over k")
        accesses = sum(len(statement.accesses) for statement in kernel.statements)
        return Prediction("counts", "core", "s", "h", ACCESS_CY * accesses)


def pricer(function: Function, **sizes: int) -> Pricer:
    machine = find_machine("generic-2level", [builtin_dir()])
    line = SizeLayer("command line", sizes)
    models = (Counts(),)
    bench = AnalysisSetup(
        (machine,), models, frozenset(("counts",)), line, SizeLayer("c", {}), None, None, {}
    )
    source = SourceFunction(function, Span(1, 1, 9, 1), ())
    return Pricer(OnMachine(NestSubject(source, facts_of(function), (line,), None), bench, machine))


def cycles(price: Pricer, result: object) -> float:
    assert isinstance(result, ChangedFunction), result
    return price(result.function).after["counts"] * clock(price)


def clock(price: Pricer) -> float:
    """Cycles a second, in units of what one access takes."""
    return price.machine.clock_ghz * 1e9 / ACCESS_CY


def test_cycles_times_iterations_over_the_clock(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    copy = build.function("f", [a, b], build.loop("i", 0, "n", a["i"].set(b["i"])))
    price = pricer(copy, n=1000)
    # 2 accesses * 1000 iterations
    whole = price.function_seconds(price.analysis.models)["counts"]
    assert whole * clock(price) == pytest.approx(2000)
    priced = price(transform.unroll(copy, "i", 8).function)  # type: ignore[union-attr]
    assert priced.before["counts"] * clock(price) == pytest.approx(2000)
    assert price.iterations(priced.gone) == 1000
    # by 8: 125 iterations of 16 accesses; what is left over, 1000 mod 8, does not run
    assert cycles(price, transform.unroll(copy, "i", 8)) == pytest.approx(2000)
    # 1000 = 142*7 + 6
    assert cycles(price, transform.unroll(copy, "i", 7)) == pytest.approx(2000)


def test_default_sizes_stay_what_they_were(build: ModuleType) -> None:
    a, b, c = (build.array(name, "f64", "n") for name in "abc")
    body = (build.assign("t", b["i"] + c["i"]), a["i"].set(build.scalar("t")))
    function = build.function("f", [a, b, c], build.loop("i", 0, "n", *body))
    price = pricer(function)
    n = price.runs.sizes_of(function.body)["n"]
    assert n > 1
    result = transform.expand_scalar(function, "i", "t")
    # one more array would make the default n smaller: 5 accesses, at the same n
    assert cycles(price, result) == pytest.approx(5 * n)


def test_a_loop_no_longer_priced_takes_the_price_away(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    seen = build.loop("i", 0, "n", a["i"].set(b["i"]))
    unseen = build.loop("k", 0, "n", b["k"].set(b["k"] * 2))
    function = build.function("f", [a, b], seen, unseen)
    price = pricer(function, n=100)
    assert cycles(price, transform.unroll(function, "i", 2)) == pytest.approx(200)
    # what no model priced before is no reason for a gain after: the loop over k has no price
    result = transform.unroll(function, "k", 2)
    assert price(result.function).after == {}  # type: ignore[union-attr]


def test_a_candidate_is_priced_by_the_models(build: ModuleType) -> None:
    s, a = build.array("s", "f64", 4), build.array("a", "f64", "n")
    function = build.function("f", [s, a], build.loop("i", 0, "n", s["2"].add(a["i"])))

    def find(one: Function) -> list[ChangeCandidate]:
        result = transform.in_register(one, "i", "s")
        return (
            [ChangeCandidate("RL210", "line 1", result)]
            if isinstance(result, ChangedFunction)
            else []
        )

    price = pricer(function, n=1000)
    [best] = options_of(function, find, lambda one: price(one.result.function)).options
    # 3 accesses an iteration, then 1, and 2 around the loop
    assert best.gains == pytest.approx((3000 / 1002, 3000 / 1002))


def test_kernels_add_up_in_program_order(build: ModuleType) -> None:
    # floats: another order gives another last digit, and the order of a set is none
    trips = (101, 203, 307, 411, 509)
    a = build.array("a", "f64", "n")
    nests = [build.loop("i", 0, n, a["i"].set(a["i"] + 1.0)) for n in trips]
    function = build.function("f", [a], *nests)
    price = pricer(function, n=1000)
    # 2 accesses each
    seconds = [2 * ACCESS_CY * (n / (price.machine.clock_ghz * 1e9)) for n in trips]
    assert sum(seconds) != sum(reversed(seconds))
    promised = transform.promise_restrict(function, ("a",))
    assert isinstance(promised, ChangedFunction)
    assert price(promised.function).before["counts"] == sum(seconds)


FLAGS = Setup(compiler=Compiler(level=2))
LARGE = 10_000_000
"""Iterations over more data than any cache holds: beside them, straight code counts for nothing."""


def cases(build: ModuleType, number: int) -> Function:
    """A ``switch`` of so many loops: each case is in the other arm of the one before."""
    a, b, d = (build.array(name, "f64", "n") for name in "abd")
    found: tuple[Node, ...] = ()
    for case in range(number):
        index = f"i{case}"
        inner = build.loop(index, 0, LARGE + case, a[index].set(b[index] * 2.0))
        found = (build.branch(build.scalar("x"), (inner,), found),)
    behind = build.loop("j", 0, LARGE, d["j"].set(d["j"] * 2.0))
    function = build.function("f", [a, b, d], *found, behind)
    assert isinstance(function, Function)
    return function


def unrolled(function: Function, place: str) -> Function:
    result = transform.unroll(function, place, 4)
    assert isinstance(result, ChangedFunction), result
    return result.function


@pytest.mark.parametrize("setup", [AS_IT_IS, FLAGS], ids=["code", "code and flags"])
def test_the_price_is_that_of_the_whole_branch(
    build: ModuleType, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a model without caches: what is left out cannot differ, so neither can the price
    made = cases(build, 4)
    changed = unrolled(made, "i2")
    parts = pricer(made)(changed, setup=setup)
    with monkeypatch.context() as whole_nodes:
        whole_nodes.setattr(pricer_module, "without_idle_arms", lambda nodes, _: nodes)
        whole = pricer(made)(changed, setup=setup)
    assert parts.before == pytest.approx(whole.before)
    assert parts.after == pytest.approx(whole.after)
    assert parts.after["counts"] > 0.0


@pytest.mark.parametrize("setup", [AS_IT_IS, FLAGS], ids=["code", "code and flags"])
def test_a_change_costs_the_same_among_many_cases(
    build: ModuleType, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kernels_analysed(number: int) -> int:
        made = cases(build, number)
        price, analysed = pricer(made), 0
        price(unrolled(made, "i0"), setup=setup)

        def counted(*given: object) -> object:
            nonlocal analysed
            found = facts_of(*given)  # type: ignore[arg-type]
            analysed += len(found)
            return found

        with monkeypatch.context() as counting:
            counting.setattr(pricer_module, "facts_of", counted)
            price(unrolled(made, "i1"), setup=setup)
        return analysed

    assert 0 < kernels_analysed(3) == kernels_analysed(12)
