from collections.abc import Iterator
from functools import partial

from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit import openmp
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import time_words
from rooflint.transform.annotations import serialise
from rooflint.transform.result import ChangedFunction


def _conditional(match: Match, context: RuleContext) -> str:
    condition = openmp.clause(openmp.shared_at(context, match.place).region, "if")
    return f"if({condition}) decides when it runs" if condition else ""


class RegionTooSmall(RuleDefaults):
    code = "RL404"
    slug = "region-too-small"
    summary = "a parallel loop does less than starting its threads costs"
    status = "preview"
    models = ("ecm", "roofline")
    needs = ("memory.bandwidth",)
    guards = (
        Guard("conditional", "an if clause decides at run time", _conditional, structural=True),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Parallel loops whose share of a core is shorter than a fork and join."""
        for shared in openmp.shared_loops(context):
            seconds = _once(context, shared)
            if seconds is not None and seconds < openmp.FORK_JOIN_S:
                yield _match(context, shared, seconds)


RULE = RegionTooSmall()


def _once(context: RuleContext, shared: openmp.WorksharedLoop) -> float | None:
    """Seconds that the loop takes each time, without the start of its threads."""
    said = [
        openmp.predicted_seconds(context, shared.kernels, model) for model in RegionTooSmall.models
    ]
    known = [each for each in said if each is not None]
    return max(known) / openmp.times_opened(context, shared) if known else None


def _match(context: RuleContext, shared: openmp.WorksharedLoop, seconds: float) -> Match:
    site = shared.site
    times = openmp.times_opened(context, shared)
    often = f", {times:.0f} times" if times > 1 else ""
    return Match(
        site.name,
        f"{time_words(seconds)} of work for {time_words(openmp.FORK_JOIN_S)} of a fork and join"
        f"{often}",
        (
            Change(
                "one core alone",
                partial(serialise, loop=site.name),
                fix=_fix,
                action=Action(ActionKind.OTHER, "one core"),
            ),
        ),
    )


def _fix(result: ChangedFunction) -> Fix:
    text = "// without omp parallel for, or with an if clause: if(n > ...)"
    return Fix("sketch", "leave the loop to one core", sketch=text)
