"""The climb in one sentence: what is left on the table, and in which order to take it."""

from collections.abc import Mapping

from rooflint_plugins.models.ceilings.answers import CeilingsAnswer
from rooflint_plugins.models.ceilings.intensity import NOTABLE, REMEDIES
from rooflint_plugins.models.ceilings.stack import Climb
from rooflint_plugins.models.ceilings.verdicts import JudgedCeiling

WORTH_SAYING = 1.01
WORTH_STEPPING = 1.005
"""A step of unknown height, or one that only clears the way for another, is left to the data."""


def sentence_of(climb: Climb, bound: str, judged: Mapping[str, JudgedCeiling], unit: str) -> str:
    """``×4 below the memory-bound roof of 8.43 GFLOP/s: affinity ×1.04 (first touch …), then …``.

    How to take the first step stands with it; that of the others is in the data.
    """
    roof = f"{bound}-bound roof of {short(climb.roof)} {unit}"
    if climb.roof <= climb.base * WORTH_SAYING:
        return f"at its {roof}, as far as ceilings are known{_skipped(climb)}"
    first, *others = [rise for rise in climb.path if rise.factor >= WORTH_STEPPING] or climb.path
    known = judged.get(first.name)
    text = f"×{short(climb.roof / climb.base)} below the {roof}: {_step(first.name, first.factor)}"
    text += f" ({known.rung.lifted_by})" if known else ""
    if others:
        text += f", then {', '.join([_step(rise.name, rise.factor) for rise in others])}"
    return text + _skipped(climb)


def intensity_words(found: CeilingsAnswer, unit: str) -> str:
    """The cost of misses beyond the compulsory ones, and whether to mend that before ceilings.

    ``raise the intensity first, up to ×1.67 (block or fuse loops): capacity misses move 1.67
    times the compulsory bytes over L2-MEM, 0.1 instead of 0.167 flop/B; as it is `` and the climb.
    """
    misses, raised = found.misses, found.raised
    if misses is None or raised is None:
        return ""
    kind = misses.worse
    causes = f"{kind} misses"
    if min(misses.capacity, misses.conflict) > NOTABLE:
        causes = f"capacity (×{short(misses.capacity)}) and conflict misses"
        causes += f" (×{short(misses.conflict)})"
    moved = f"{causes} move {short(misses.excess)} times the compulsory bytes over {misses.link}"
    best = found.compulsory_intensity
    if best is not None and found.intensity is not None:
        moved += f", {short(found.intensity)} instead of {short(best)} {found.metric}/B"
    if raised.first:
        gain = f"up to ×{short(raised.gain)}"
        return f"raise the intensity first, {gain} ({REMEDIES[kind]}): {moved}; as it is "
    higher = raised.climb.roof / found.climb.roof
    if higher < WORTH_SAYING:
        return ""
    return f"{moved}: without them the roof is {short(raised.climb.roof)} {unit}; as it is "


def _step(name: str, factor: float) -> str:
    return f"{name} ×{short(factor)}"


def _skipped(climb: Climb) -> str:
    return f"; nothing to gain from {', '.join(climb.skipped)}" if climb.skipped else ""


def short(value: float) -> str:
    """Three significant digits, without an exponent for the sizes that occur."""
    return f"{value:.3g}" if 1e-4 <= value < 1000 else f"{value:.4g}"
