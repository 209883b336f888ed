"""The place of a loop at the time of its verdict: every picture shows it there."""

from rooflint.plot.scene import ScenePoint, SceneRoof
from rooflint.plugin_api.drawing import RoofPlot
from rooflint.plugin_api.report import KernelReport, MachineResult
from rooflint.plugin_api.verdict import Verdict
from rooflint.verdict.words import resource_words

REACHED = 0.99
"""Part of the roof from which a loop, or the last step up from it, is held by the roof alone."""


def work_of(kernel: KernelReport, result: MachineResult, plot: RoofPlot) -> float:
    """Work of an iteration: that of the source, or what its place says of the link's bytes."""
    if plot.metric == "flop":
        return kernel.work.flops
    moved = sum([each.total_bytes for each in result.traffic if each.link == plot.link])
    return (plot.intensity_per_byte or 0.0) * moved


def verdict_rate(verdict: Verdict, work: float) -> float | None:
    """1e9 work per second; None without a time or anything to count."""
    now = verdict.time.now_cy
    return work * verdict.time.clock_ghz / now if now and work else None


def at_verdict(point: ScenePoint, roof: SceneRoof, verdict: Verdict, work: float) -> ScenePoint:
    """The point at the verdict's rate, with the steps above it and the verdict's limit."""
    rate = verdict_rate(verdict, work)
    if rate is None:
        return point
    steps = tuple([step for step in point.steps if step.g_per_s > rate])
    end = steps[-1].g_per_s if steps else rate
    is_held = end < roof.at(point.intensity_per_byte) * REACHED and verdict.limiter is not None
    limit = resource_words(verdict.limiter) if is_held and verdict.limiter is not None else ""
    return point._replace(g_per_s=rate, steps=steps, limit=limit)
