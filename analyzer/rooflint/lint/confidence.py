"""How far a finding can be trusted: a step down for each thing that was taken for granted."""

from collections.abc import Iterable, Sequence

from rooflint.advice import Confidence
from rooflint.facts import KernelFacts
from rooflint.lint.context import FunctionContext
from rooflint.sizes import Size

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
    assumes: Iterable[str],
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
    gaps = {gap.reason for facts in kernels for gap in facts.not_covered}
    if gaps:
        doubts.append(f"not covered: {min(gaps)}")
    needed = [each for each in assumes if not _promised(each, context.noalias)]
    if needed:
        doubts.append(f"taken for granted: {needed[0]}")
    if context.machine.core is None:
        doubts.append(f"machine {context.machine.name} has no core section")
    if headers_missing:
        doubts.append("headers are missing")
    return doubts


def _promised(sentence: str, noalias: Iterable[tuple[str, ...]]) -> bool:
    """Whether a comment says that the arrays of ``a and b do not overlap`` do not."""
    words = set(sentence.replace(",", " ").split())
    return "overlap" in sentence and any(len(words & set(names)) > 1 for names in noalias)
