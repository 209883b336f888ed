"""How far a finding can be trusted: a step down for each thing that was taken for granted."""

from collections.abc import Iterable, Sequence

from rooflint.dependence import Assumption, NoOverlap
from rooflint.facts import KernelFacts
from rooflint.lint.context import FunctionContext
from rooflint.plugin_api.advice import Confidence
from rooflint.scenario.sizes import Size

LEVELS: tuple[Confidence, ...] = ("high", "medium", "low", "low")
"""By the number of doubts; with more of them nothing is said."""
ORDER: tuple[Confidence, ...] = ("low", "medium", "high")


def confidence_of(doubts: Sequence[str]) -> Confidence | None:
    """The level with so many doubts; None: below all levels."""
    return LEVELS[len(doubts)] if len(doubts) < len(LEVELS) else None


def at_least(level: Confidence, wanted: Confidence) -> bool:
    """Whether ``level`` is ``wanted`` or more."""
    return ORDER.index(level) >= ORDER.index(wanted)


def doubts_of(
    context: FunctionContext,
    kernels: Iterable[KernelFacts],
    sizes: Iterable[tuple[str, Size]],
    assumes: Iterable[Assumption],
    headers_missing: bool,
) -> list[str]:
    """What speaks against the numbers of the kernels that a change touches, a sentence each."""
    doubts: list[str] = []
    assumed = [f"{name} = {size.value}" for name, size in sizes if size.origin == "default"]
    if assumed:
        doubts.append(f"{', '.join(assumed[:3])} assumed")
    compiler = context.compiler
    if compiler.assumed:
        doubts.append(f"flags not known, {compiler} assumed")
    gaps = {str(gap.reason) for facts in kernels for gap in facts.not_covered}
    if gaps:
        doubts.append(f"not covered: {min(gaps)}")
    given = {sentence for facts in kernels for sentence in facts.kernel.assumptions}
    needed = [each for each in assumes if _is_doubtful(each, context.noalias) and each not in given]
    if needed:
        doubts.append(f"taken for granted: {needed[0]}")
    if context.machine.core is None:
        doubts.append(f"machine {context.machine.name} has no core section")
    if headers_missing:
        doubts.append("headers are missing")
    return doubts


def _is_doubtful(assumption: Assumption, noalias: Iterable[tuple[str, ...]]) -> bool:
    """Whether neither a comment promises it nor the types make the contrary far-fetched."""
    if not isinstance(assumption, NoOverlap):
        return True
    pair = {assumption.first, assumption.second}
    return not assumption.by_type and not any(pair <= set(names) for names in noalias)
