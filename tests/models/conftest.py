"""Asking the Roofline model of nests made by hand."""

from collections.abc import Callable

import pytest
from rooflint.facts import facts_of
from rooflint.hookspecs import Context
from rooflint.ir import Function
from rooflint.machine import builtin_dir, find_machine
from rooflint.memory import Movement, Rates, capacity_bytes
from rooflint.prediction import NotApplicable, Prediction
from rooflint.sizes import Given, resolve
from rooflint_plugins.models.roofline import Roofline


def _predict(
    function: Function, name: str, cores: str = "1", kernel: int = -1, **sizes: int
) -> Prediction | NotApplicable:
    target = find_machine(name, (builtin_dir(),))
    count = target.resolve_cores(cores)
    rates = Rates(target, count)
    arrays = {array.name: array for array in function.arrays}
    facts = facts_of(function)
    given_sizes = Given("command line", sizes)
    resolved = resolve(
        facts, arrays, (given_sizes,), capacity_bytes(target, count), target.line_bytes
    )
    own = facts[kernel]
    moved = Movement([own], arrays, resolved, target.line_bytes).traffic(0, rates)
    context = Context(function, own, moved, target, count, resolved, rates)
    return Roofline().predict(own.kernel, context)


def _answer(function: Function, name: str, cores: str = "1", **sizes: int) -> Prediction:
    prediction = _predict(function, name, cores, **sizes)
    assert isinstance(prediction, Prediction)
    return prediction


@pytest.fixture(scope="session")
def predict() -> Callable[..., Prediction | NotApplicable]:
    """``predict(function, machine, cores, kernel, n=…)``: what the model says of one kernel."""
    return _predict


@pytest.fixture(scope="session")
def answer() -> Callable[..., Prediction]:
    """``answer(function, machine, cores, n=…)``: the prediction for the last kernel."""
    return _answer
