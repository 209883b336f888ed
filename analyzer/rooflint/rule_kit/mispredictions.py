"""Branches on data as rules price them: a share of wrong guesses is always a condition."""

from typing import Final

from rooflint.core.mispredictions import misprediction_cy
from rooflint.facts import KernelFacts
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.source_edit.edits import EditableSource

EXPECTATIONS: Final = ("__builtin_expect", "unlikely", "likely", "UNLIKELY", "LIKELY")
"""In the text of a branch: the programmer knows how it goes."""


def expectation_in(context: RuleContext, branch: int) -> str:
    """Why the branch of that origin is likely to be guessed right, in words; empty if nothing says
    so."""
    code = EditableSource(context.text).within(context.source.spans[branch])
    said = next((each for each in EXPECTATIONS if each in code), "")
    return f"{said} says that one outcome is rare" if said else ""


def mispredicted_seconds(context: RuleContext, facts: KernelFacts, share: float) -> float:
    """Seconds of a call in wrong guesses, of which ``share`` of a kernel's iterations have one."""
    cycles = (misprediction_cy(context.machine) or 0.0) * share
    iterations = context.kernel(facts).traffic.space.executions
    return cycles * iterations / context.machine.clock_ghz * 1e-9


def _unknown(match: Match, context: RuleContext) -> str:
    if misprediction_cy(context.machine) is not None:
        return ""
    return f"the machine file of {context.machine.name} does not state core.mispredict_cy"


PENALTY_IS_KNOWN: Final = Guard(
    "penalty-unknown", "the machine file does not say what a wrong guess costs", _unknown
)
"""Of rules that price wrong guesses."""
