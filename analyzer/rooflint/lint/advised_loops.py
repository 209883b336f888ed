"""The verdict on the loop that a finding is about: what a report of the same run says of it."""

from collections.abc import Sequence

from rooflint.facts import KernelFacts
from rooflint.lint.context import FunctionContext
from rooflint.plugin_api.advice import AdvisedLoop
from rooflint.plugin_api.prediction import Prediction
from rooflint.rule_kit.queries import kernels_in
from rooflint.verdict.price import advised_loop, combined_time


def advised_loop_of(
    context: FunctionContext, place: str, models: Sequence[str]
) -> AdvisedLoop | None:
    """The verdict on the hottest kernel at ``place``, all of the function's where no loop is named;
    None where no model of these gives one.
    """
    kernels = kernels_in(context, place) if place in context.sites else context.facts
    predicted = [(facts, _predictions(context, facts, models)) for facts in kernels]
    seconds = [_seconds(context, *each) for each in predicted]
    if not any(seconds):
        return None
    facts, predictions = predicted[seconds.index(max(seconds))]
    return advised_loop(facts.kernel.id, predictions)


def _predictions(
    context: FunctionContext, facts: KernelFacts, models: Sequence[str]
) -> list[Prediction]:
    answers = context.predictions(facts)
    return [each for name in models if (each := answers.get(name)) is not None]


def _seconds(
    context: FunctionContext, facts: KernelFacts, predictions: Sequence[Prediction]
) -> float:
    """Of one call; 0 where nothing is predicted."""
    combined = combined_time(predictions)
    if combined is None:
        return 0.0
    iterations = context.kernel(facts).traffic.space.executions
    return combined.now_cy * iterations / combined.clock_ghz
