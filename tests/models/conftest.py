"""Asking the Roofline model and its ceilings of nests made by hand."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import FunctionTraffic, Rates
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import Json, NotApplicable, Prediction
from rooflint.scenario.resolution import resolve
from rooflint.scenario.sizes import Size, SizeLayer, Sizes
from rooflint_plugins.models.ceilings import CeilingsModel
from rooflint_plugins.models.roofline import Roofline


def _predict(
    function: Function, name: str, cores: str = "1", kernel: int = -1, **sizes: int
) -> Prediction | NotApplicable:
    target = find_machine(name, (builtin_dir(),))
    count = target.resolve_cores(cores)
    rates = Rates(target, count)
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    given_sizes = SizeLayer("command line", sizes)
    resolved = resolve(facts, function, (given_sizes,))
    own = facts[kernel]
    moved = FunctionTraffic([own], arrays, resolved, target.line_bytes).traffic(0, rates)
    context = Context(function, own, moved, target, count, resolved, rates)
    return Roofline().predict(own.kernel, context)


def _answer(function: Function, name: str, cores: str = "1", **sizes: int) -> Prediction:
    prediction = _predict(function, name, cores, **sizes)
    assert isinstance(prediction, Prediction)
    return prediction


class Asked(NamedTuple):
    """What the two models say of a kernel, and its bytes per iteration by link."""

    roofline: dict[str, Json]
    ceilings: Prediction
    bytes: dict[str, float]

    def intensity(self, link: str | None = None) -> float:
        """Over the farthest link of all, or over ``link``, by the Roofline model's levels."""
        levels = self.roofline["levels"]
        assert isinstance(levels, list)
        by_link = {level["link"]: level["intensity_per_byte"] for level in levels}  # type: ignore[call-overload, index]
        found = by_link[link or list(self.bytes)[-1]]
        assert isinstance(found, float)
        return found


def _ask(function: Function, name: str, kernel: int = -1, cores: str = "1", **values: int) -> Asked:
    target = find_machine(name, (builtin_dir(),))
    rates = Rates(target, target.resolve_cores(cores))
    sizes = Sizes({n: Size(value, "command line") for n, value in values.items()}, values)
    facts = facts_of(function)
    place = kernel % len(facts)
    movement = FunctionTraffic(
        facts, {a.name: a for a in function.arrays}, sizes, target.line_bytes
    )
    context = Context(
        function,
        facts[place],
        movement.traffic(place, rates),
        target,
        rates.cores,
        sizes,
        rates,
        misses=lambda: movement.kinds(place, rates),
    )
    roof = Roofline().predict(facts[place].kernel, context)
    assert isinstance(roof, Prediction)
    context = context._replace(results={"roofline": roof})
    found = CeilingsModel().predict(facts[place].kernel, context)
    assert isinstance(found, Prediction)
    moved = {link.link: link.total_bytes for link in context.traffic.links}
    return Asked(dict(roof.data), found, moved)


@pytest.fixture(scope="session")
def predict() -> Callable[..., Prediction | NotApplicable]:
    """``predict(function, machine, cores, kernel, n=…)``: what the model says of one kernel."""
    return _predict


@pytest.fixture(scope="session")
def answer() -> Callable[..., Prediction]:
    """``answer(function, machine, cores, n=…)``: the prediction for the last kernel."""
    return _answer


@pytest.fixture(scope="session")
def ask() -> Callable[..., Asked]:
    """``ask(function, machine, kernel, cores, n=…)``: Roofline and ceilings of one kernel.

    The kernels before it in the function have run, caches cold before the first.
    """
    return _ask
