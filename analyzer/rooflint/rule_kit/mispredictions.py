"""Branches on data as rules price them: a share of wrong guesses is always a condition."""

from collections.abc import Iterable, Mapping
from typing import Final

from rooflint.core.mispredictions import RARER_SHARES, misprediction_cy
from rooflint.facts import KernelFacts
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.source_edit.edits import editable_source
from rooflint.transform.result import ChangeRefusal, Result

EXPECTATIONS: Final = ("__builtin_expect", "unlikely", "likely", "UNLIKELY", "LIKELY")
"""In the text of a branch: the programmer knows how it goes."""


def expectation_in(context: RuleContext, branch: int) -> str:
    """Why the branch of that origin is likely to be guessed right, in words; empty if nothing says
    so."""
    code = editable_source(context.text).within(context.source.spans[branch])
    said = next((each for each in EXPECTATIONS if each in code), "")
    return f"{said} says that one outcome is rare" if said else ""


def mispredicted_seconds(context: RuleContext, facts: KernelFacts, share: float) -> float:
    """Seconds of a call in wrong guesses, of which ``share`` of a kernel's iterations have one."""
    cycles = (misprediction_cy(context.machine) or 0.0) * share
    iterations = context.kernel(facts).traffic.space.executions
    return cycles * iterations / context.machine.clock_ghz * 1e-9


def mispredicted_cycles(context: RuleContext) -> str:
    """The cycles per iteration of a branch that goes the rarer way in 10 to 50 % of them, in
    words."""
    low, high = [(misprediction_cy(context.machine) or 0.0) * share for share in RARER_SHARES]
    return f"{low:.2g} to {high:.2g} cycles"


def seconds_without_branch(
    context: RuleContext, facts: KernelFacts, changed: Result, models: Iterable[str], share: float
) -> Mapping[str, tuple[float, float]]:
    """By the models, with the wrong guesses before the change if ``share`` of the iterations have
    the rarer outcome."""
    if isinstance(changed, ChangeRefusal):
        return {}
    lost = mispredicted_seconds(context, facts, share)
    found: dict[str, tuple[float, float]] = {}
    for model, gain in context.gains(changed.function, models).items():
        own = context.seconds(facts, model)
        if own is not None:
            found[model] = (own + lost, own / gain)
    return found


def _unknown(match: Match, context: RuleContext) -> str:
    if misprediction_cy(context.machine) is not None:
        return ""
    return f"the machine file of {context.machine.name} does not state core.mispredict_cy"


PENALTY_IS_KNOWN: Final = Guard(
    "penalty-unknown", "the machine file does not say what a wrong guess costs", _unknown
)
"""Of rules that price wrong guesses."""
