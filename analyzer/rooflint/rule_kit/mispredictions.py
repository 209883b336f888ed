"""Branches on data: how often a guess is wrong, and what that costs.

No predictor of outcomes that are independent of each other is wrong less often than the rarer one
comes up. Data that repeats or is sorted is predicted better, so a share is always a condition.
"""

from typing import Final

from rooflint.facts import KernelFacts
from rooflint.plugin_api.rule import Guard, Match, RuleContext

RARER_SHARES: Final = (0.1, 0.5)
"""Of the outcomes: from where a branch on data costs more than most loop bodies to the worst."""


def misprediction_cy(context: RuleContext) -> float | None:
    """Cycles of a wrong guess; None where the machine does not state them."""
    core = context.machine.core
    return None if core is None else core.mispredict_cy


def mispredicted_seconds(context: RuleContext, facts: KernelFacts, share: float) -> float:
    """Seconds of a call in wrong guesses, of which ``share`` of a kernel's iterations have one."""
    cycles = (misprediction_cy(context) or 0.0) * share
    iterations = context.kernel(facts).traffic.space.executions
    return cycles * iterations / context.machine.clock_ghz * 1e-9


def _unknown(match: Match, context: RuleContext) -> str:
    if misprediction_cy(context) is not None:
        return ""
    return f"the machine file of {context.machine.name} does not state core.mispredict_cy"


PENALTY_IS_KNOWN: Final = Guard(
    "penalty-unknown", "the machine file does not say what a wrong guess costs", _unknown
)
"""Of rules that price wrong guesses."""
