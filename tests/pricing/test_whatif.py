"""The what-if engine: ranking, chains from composed functions, what is dropped and why."""

from collections.abc import Callable, Iterable
from types import ModuleType

import pytest
from msgspec.structs import replace
from rooflint.ir import Function, Loop, Statement, walk
from rooflint.plugin_api import transforms as transform
from rooflint.plugin_api.transforms import ChangedFunction
from rooflint.pricing.whatif import (
    USUAL,
    ChangeCandidate,
    Option,
    Price,
    PricedChange,
    SearchLimits,
    options_of,
)


@pytest.fixture
def function(build: ModuleType) -> Function:
    a, b = build.array("a", "f64", "n", "n"), build.array("b", "f64", "n", "n")
    body = a["i", "j"].set(b["i", "j"] / build.scalar("h"))
    return build.function("f", [a, b], build.loop("j", 0, "n", build.loop("i", 0, "n", body)))


def divides(function: Function) -> bool:
    [nest] = [node for node in function.body if isinstance(node, Loop)]
    inside = [node for node in walk((nest,)) if isinstance(node, Statement)]
    return any(value.op == "div" for statement in inside for value in statement.values)


def by_rows(function: Function) -> bool:
    [nest] = [node for node in function.body if isinstance(node, Loop)]
    return nest.index == "i"


def find(function: Function) -> Iterable[ChangeCandidate]:
    """Interchange where columns are walked, reciprocals where something is divided."""
    outer = "i" if by_rows(function) else "j"
    inner = f"{outer}.{'j' if by_rows(function) else 'i'}"
    for name, result in (
        ("RL101", transform.interchange(function, outer, ("i", "j"))),
        ("RL202", transform.reciprocal(function, outer)),
        ("RL000", transform.strip_mine(function, inner, 8)),
    ):
        if isinstance(result, ChangedFunction):
            yield ChangeCandidate(name, "line 3", result)


def seconds(function: Function) -> Price:
    """Memory hides the division as long as columns are walked: 8 s; by rows 2 s, then 1 s."""
    if not by_rows(function):
        return {"ecm": 8.0, "roofline": 6.0}
    slow = divides(function)
    return {"ecm": 2.0 if slow else 1.0, "roofline": 1.0 if slow else 0.8}


Prices = Callable[[Function], Price]


def priced(prices: Prices, function: Function) -> Callable[[ChangeCandidate], PricedChange]:
    """Prices of whole functions as the engine wants them: what was, what a candidate leaves."""
    return lambda candidate: PricedChange(prices(function), prices(candidate.result.function))


def test_the_chain_is_priced_as_a_whole(function: Function) -> None:
    answer = options_of(function, find, priced(seconds, function))
    best = answer.options[0]
    assert best.names == ("RL101", "RL202")
    # alone: 8/2 = 4 and 8/8 = 1; together 8/1 = 8 by the composed nest; roofline 6/0.8
    assert best.gains == pytest.approx((7.5, 8.0))
    assert best.saved_seconds == pytest.approx(5.2)  # roofline: 6 - 0.8, ecm: 8 - 1
    assert [step.kind for step in best.result.steps] == ["interchange", "reciprocal"]
    assert transform.apply(function, best.result.steps) == best.result
    assert not best.result.exact


def test_what_a_chain_contains_is_not_said_again(function: Function) -> None:
    answer = options_of(function, find, priced(seconds, function))
    assert [option.names for option in answer.options] == [("RL101", "RL202")]
    reasons = {dropped.option.names: dropped.reason for dropped in answer.dropped}
    assert reasons["RL101",] == "part of RL101, then RL202"
    assert reasons["RL202",] == "saves no time"


def test_a_link_that_brings_nothing_makes_no_chain(function: Function) -> None:
    def roofline(one: Function) -> Price:
        return {"roofline": 1.0 if by_rows(one) else 6.0}  # division or not

    answer = options_of(function, find, priced(roofline, function))
    assert [option.names for option in answer.options] == [("RL101",)]
    longer = options_of(function, find, priced(roofline, function), SearchLimits(more=1.0))
    assert [option.names for option in longer.options] == [("RL101",)]
    reasons = {dropped.option.names: dropped.reason for dropped in longer.dropped}
    assert reasons["RL101", "RL202"] == "adds nothing to RL101"


@pytest.mark.parametrize(
    ("after_rows", "enables", "is_found"),
    [(8.1, True, True), (8.1, False, False), (8.5, True, False)],
)
def test_a_change_that_enables_others_begins_a_chain(
    function: Function, after_rows: float, enables: bool, is_found: bool
) -> None:
    """Rows alone cost a little; without the division they save much."""

    def prices(one: Function) -> Price:
        if not by_rows(one):
            return {"ecm": 8.0}
        return {"ecm": after_rows if divides(one) else 1.0}

    def found(one: Function) -> Iterable[ChangeCandidate]:
        for candidate in find(one):
            yield candidate._replace(enables=enables and candidate.name == "RL101")

    answer = options_of(function, found, priced(prices, function))
    assert (("RL101", "RL202") in [option.names for option in answer.options]) is is_found


def test_each_function_is_priced_once(function: Function) -> None:
    asked: list[Function] = []

    def counting(candidate: ChangeCandidate) -> PricedChange:
        asked.append(candidate.result.function)
        return priced(seconds, function)(candidate)

    options_of(function, find, counting, SearchLimits(more=0.1))
    assert len(asked) == len(set(asked)) > 1
    asked.clear()
    options_of(function, find, counting, SearchLimits(prices=1, more=0.1))
    assert len(asked) == 1


def test_nothing_to_find(function: Function) -> None:
    assert options_of(function, lambda _: (), priced(seconds, function)) == ((), ())
    assert options_of(function, find, lambda _: PricedChange({}, {})).options == ()


def test_what_takes_no_time_gains_nothing(function: Function) -> None:
    option = Option((), ChangedFunction(function, ()), PricedChange({"ecm": 0.0}, {"ecm": 0.0}))
    assert option.gains == (1.0, 1.0)


def test_links_that_make_nothing_of_the_first_anew_are_not_priced(function: Function) -> None:
    asked: list[str] = []

    def pricing(candidate: ChangeCandidate) -> PricedChange:
        asked.append(candidate.name)
        price = priced(seconds, function)(candidate)
        return price._replace(new=frozenset(("nest",)))

    # a function by rows has all that the interchange made: the division is a finding of its own
    answer = options_of(function, find, pricing, USUAL, lambda _: frozenset(("nest", "other")))
    assert all(len(option.candidates) == 1 for option in answer.options)
    singles = [candidate.name for candidate in find(function)]
    assert asked == singles
    asked.clear()
    options_of(function, find, pricing, USUAL, lambda _: frozenset(("other",)))
    assert len(asked) > len(singles)


def test_of_orders_that_save_alike_the_one_that_begins_with_most_is_kept(
    function: Function,
) -> None:
    # as an addition in another order and a reciprocal: either first, and other code each time
    left = {"": 8.0, "A": 7.0, "B": 4.0, "AB": 2.0, "BA": 2.0}
    [rows] = [each for each in find(function) if each.name == "RL101"]

    def done(each: Function) -> str:
        return each.name.removeprefix(function.name)

    def named(each: Function) -> Iterable[ChangeCandidate]:
        for letter in "AB":
            if done(each) + letter in left:
                changed = replace(each, name=each.name + letter)
                yield ChangeCandidate(letter, "line 3", replace(rows.result, function=changed))

    def prices(each: Function) -> Price:
        return {"ecm": left[done(each)]}

    [best] = options_of(function, named, priced(prices, function)).options
    assert best.names == ("B", "A")
    assert best.saved_seconds == 6
    assert best.lead_seconds == 4
