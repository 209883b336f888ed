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
    """Reasons to doubt the numbers of the kernels that a change touches, a sentence each."""
    assumed = assumed_sizes(sizes)
    gaps = {str(gap.reason) for facts in kernels for gap in facts.not_covered}
    given = {sentence for facts in kernels for sentence in facts.kernel.assumptions}
    needed = [each for each in assumes if _is_doubtful(each, context.noalias) and each not in given]
    compiler, machine = context.compiler, context.machine
    doubts = (
        (assumed, f"{', '.join(assumed[:3])} assumed"),
        (compiler.assumed, f"flags unknown, {compiler} assumed"),
        (gaps, f"not covered: {min(gaps, default='')}"),
        (needed, f"assumption: {next(iter(needed), '')}"),
        (machine.core is None, f"machine {machine.name} has no core section"),
        (headers_missing, "headers are missing"),
    )
    return [words for holds, words in doubts if holds]


def assumed_sizes(sizes: Iterable[tuple[str, Size]]) -> list[str]:
    """``n = 4096`` of each size that nobody set."""
    return [f"{name} = {size.value}" for name, size in sizes if size.origin == "default"]


def _is_doubtful(assumption: Assumption, noalias: Iterable[tuple[str, ...]]) -> bool:
    if not isinstance(assumption, NoOverlap):
        return True
    pair = {assumption.first, assumption.second}
    return not assumption.by_type and not any(pair <= set(names) for names in noalias)
