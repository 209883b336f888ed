"""The answer as a point under its roof, with the ceilings between them."""

from collections.abc import Iterator

from rooflint.plugin_api.drawing import CeilingStep, LinkRoof, PlotPoint, RoofCeiling, RoofPlot

from rooflint_plugins.models.ceilings.answers import CeilingsAnswer, denoise, rate_now


def picture_of(answer: CeilingsAnswer) -> RoofPlot:
    """The plot; memory ceilings are data rates, for they slant over all intensities."""
    intensity = answer.intensity
    lines = tuple(_lines(answer, intensity)) if intensity else ()
    rates = {level.link: level.gb_s for level in answer.levels}
    slow = rate_now(answer, "memory")
    return RoofPlot(
        metric=answer.metric,
        g_per_s=denoise(answer.climb.base),
        intensity_per_byte=intensity,
        peak_g_per_s=_highest(lines, "compute"),
        bandwidth_gb_s=rates.get(answer.link or "", _highest(lines, "memory")),
        link=answer.link or "",
        levels=tuple([
            LinkRoof(level.link, level.gb_s, denoise(level.intensity_per_byte))
            for level in answer.levels
        ]),
        cores=answer.scope,
        lines=lines,
        steps=tuple([
            CeilingStep(rise.name, denoise(rise.g_per_s), rise.factor) for rise in answer.climb.path
        ]),
        limit=answer.limit,
        compute_now_g_per_s=rate_now(answer, "compute"),
        memory_now_gb_s=slow / intensity if slow and intensity else None,
        compulsory=_compulsory(answer),
    )  # fmt: skip


def _lines(answer: CeilingsAnswer, intensity: float) -> Iterator[RoofCeiling]:
    for side in answer.sides:
        heights = dict(zip([s.name for s in side.stack.steps], side.stack.lines, strict=True))
        for judged in side.judged:
            name, broken = judged.rung.name, judged.step.broken
            rate = denoise(heights[name])
            if side.stack.side == "compute":
                yield RoofCeiling(name=name, side="compute", value=rate, broken=broken)
            else:
                yield RoofCeiling(name=name, side="memory", value=rate / intensity, broken=broken)


def _highest(lines: tuple[RoofCeiling, ...], side: str) -> float | None:
    return max([line.value for line in lines if line.side == side], default=None)


def _compulsory(answer: CeilingsAnswer) -> PlotPoint | None:
    intensity = answer.compulsory_intensity
    if answer.raised is None or not intensity:
        return None
    return PlotPoint(intensity, denoise(answer.raised.climb.base))
