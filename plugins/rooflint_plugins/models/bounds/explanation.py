"""Why a scheduled loop takes its cycles: bounds, tight classes, gains, a sentence, a plot."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from rooflint.core import LazyPlan
from rooflint.core.code import clock_of
from rooflint.core.mispredictions import guess_words, misprediction_cy
from rooflint.plugin_api.drawing import PlotData
from rooflint.plugin_api.hookspecs import Context
from rooflint.plugin_api.prediction import Json, Prediction
from rooflint.plugin_api.terms import TimeTerms

from rooflint_plugins.models.bounds.answer import BoundsAnswer, arithmetic_of
from rooflint_plugins.models.bounds.curves import bounds_plot, curves_data
from rooflint_plugins.models.bounds.parts import BUFFERS
from rooflint_plugins.models.bounds.sensitivity import GrowthStep, sensitivity
from rooflint_plugins.models.bounds.words import TIGHT, reason_of, tight_set

REMEMBERED: Final = 32
"""Trips up to which a branch predictor is taken to know the exit of a loop."""
TOLD: Final = 0.01
"""A mispredicted exit that takes so much of an execution is told."""


def explanation(model: str, answer: BoundsAnswer, context: Context) -> Prediction:
    """The prediction with all that a report shows."""
    cycles = answer.iteration_cy / context.cores
    flops = context.facts.work.flops
    metric = "flop" if flops else "iteration"
    work = (flops or 1) * answer.problem.lowered.width * answer.scale
    reason = reason_of(answer)
    achieved = work / answer.cycles.total
    steps = sensitivity(answer)
    data: dict[str, Json] = {
        "metric": metric,
        "flop_per_cycle": achieved,
        "cycles_per_iteration": answer.iteration_cy,
        "iterations_per_pass": answer.problem.lowered.width,
        "period_iterations": round(answer.scale * answer.problem.lowered.width),
        "period_cycles": answer.period.cycles,
        "execution_cycles": answer.execution_cy,
        "repeats": answer.period.repeats,
        "bounds": bounds_of(answer, work),
        "tight": tight_of(answer),
        "closed_form": closed_form(answer),
        "classes": classes_of(answer),
        "stall_share": stalls_of(answer),
        "sensitivity": [step._asdict() for step in steps],
        "exit_cycles": exit_cy(answer, context),
        "misprediction_cycles": wrong_guesses_cy(answer, context),
    }
    picture = bounds_plot(answer, work, metric)
    if picture is not None:
        data["curves"] = curves_data(picture)
    return Prediction(
        model=model,
        bottleneck=reason.bottleneck,
        sentence=sentence(answer, reason.text, f"{achieved:.3g} {metric}", steps),
        headline=f"{achieved:.3g} {metric}/cy",
        cycles_per_iteration=cycles,
        assumptions=assumptions(answer, context),
        data=data,
        plot=None if picture is None else PlotData(bounds=picture),
        # a verdict compares it and names no limiter by it: it shares traffic and core plan with
        # ECM, so that agreement proves nothing
        terms=TimeTerms(clock_of(context.machine, answer.code), second_cy=cycles),
    )


def bounds_of(answer: BoundsAnswer, work: float) -> list[Json]:
    """Every bound, in the metric per cycle."""
    return [
        {"kind": kind, "resources": list(names), "flop_per_cycle": work / busy}
        for kind, names, busy in _busy_cycles(answer)
        if busy
    ]


def _busy_cycles(answer: BoundsAnswer) -> Iterator[tuple[str, list[str], int]]:
    cycles, groups = answer.cycles, answer.groups
    shown = [n for n in cycles.busy if groups[n].kind != "other"]
    for number in shown:
        yield "issue", [groups[number].name], cycles.issue(number)
        yield "latency", [groups[number].name], cycles.span(number)
    for number in arithmetic_of(answer):
        for buffer, name in _stalling(answer):
            both = cycles.issue_and_stall(number, buffer)
            yield "stall", [groups[number].name, name], both
    for number in shown if cycles.stall() else ():
        yield "all", [groups[number].name], cycles.span_and_stall(number)
    yield from _overlap_cycles(answer, shown)


def _overlap_cycles(
    answer: BoundsAnswer, shown: Sequence[int]
) -> Iterator[tuple[str, list[str], int]]:
    cycles, groups = answer.cycles, answer.groups
    for one, other in combinations(shown, 2):
        if not set(groups[one].classes) & set(groups[other].classes):
            yield "overlap", [groups[one].name, groups[other].name], cycles.span(one, other)
    tight = tight_set(answer)
    if len(tight) > 2:
        all_together = [n for n, group in enumerate(groups) if group in tight]
        yield "overlap", [group.name for group in tight], cycles.span(*all_together)


def tight_of(answer: BoundsAnswer) -> list[Json]:
    """Bounds that meet the performance: the smallest set of classes, and bounds that do alone."""
    cycles, groups = answer.cycles, answer.groups
    names = [group.name for group in tight_set(answer)]
    found: list[Json] = [["latency" if len(names) == 1 else "overlap", *names]]
    enough = cycles.total * (1 - TIGHT)
    for number in cycles.busy:
        if groups[number].kind != "other" and cycles.issue(number) >= enough:
            found.append(["issue", groups[number].name])
    for number in arithmetic_of(answer):
        found += [
            ["stall", groups[number].name, name]
            for buffer, name in _stalling(answer)
            if cycles.issue_and_stall(number, buffer) >= enough
        ]
    return found


def _stalling(answer: BoundsAnswer) -> list[tuple[int, str]]:
    return [(buffer, name) for buffer, name in enumerate(BUFFERS) if answer.cycles.stall(buffer)]


def closed_form(answer: BoundsAnswer) -> list[Json]:
    """Bounds that need no schedule, in cycles per iteration, largest first."""
    width = answer.problem.lowered.width
    return [
        {"kind": bound.kind, "name": bound.name, "cycles_per_iteration": bound.cycles / width}
        for bound in answer.prebounds
        if bound.cycles > 0
    ]


def classes_of(answer: BoundsAnswer) -> list[Json]:
    """Cycles per iteration of every class, and how many of its instructions there are."""
    iterations = answer.scale * answer.problem.lowered.width
    found: list[Json] = []
    for number, group in enumerate(answer.groups):
        nodes = sum([answer.period.nodes[one] for one in group.classes])
        if nodes:
            found.append(
                {
                    "name": group.name,
                    "kind": group.kind,
                    "nodes_per_iteration": nodes / iterations,
                    "issue_cy_per_iteration": answer.cycles.issue(number) / iterations,
                    "span_cy_per_iteration": answer.cycles.span(number) / iterations,
                }
            )
    return found


def stalls_of(answer: BoundsAnswer) -> dict[str, Json]:
    """By buffer, in which part of the cycles it is full and something waits for it."""
    total = answer.cycles.total
    return {name: answer.cycles.stall(n) / total for n, name in enumerate(BUFFERS)}


def sentence(answer: BoundsAnswer, why: str, achieved: str, steps: tuple[GrowthStep, ...]) -> str:
    """The answer in words."""
    text = f"{achieved}/cycle: {why}"
    if steps:
        first = steps[0]
        text += f"; most sensitive to {first.parameter} ({first.step}: {first.gain:.2f} x)"
    if not answer.period.repeats:
        text += "; no period found, the rate is that of the last iterations scheduled"
    return text


def exit_cy(answer: BoundsAnswer, context: Context) -> float | None:
    """Cycles that one execution takes more for its mispredicted exit, which the bounds leave out.

    None where that is not known. Short loops have the same history at every exit: it is predicted.
    """
    core = context.machine.core
    if core is None or core.mispredict_cy is None or answer.trips <= 0:
        return None
    return core.mispredict_cy if answer.trips > REMEMBERED else 0.0


def wrong_guesses_of(answer: BoundsAnswer, context: Context) -> float:
    """Branches of an iteration that are guessed wrong at most."""
    lazy = context.core or LazyPlan(context.function, context.facts, context.machine)
    return lazy.wrong_guesses(answer.code)


def wrong_guesses_cy(answer: BoundsAnswer, context: Context) -> float:
    """Cycles per iteration that wrong guesses of branches on data add at most; in no bound."""
    return wrong_guesses_of(answer, context) * (misprediction_cy(context.machine) or 0.0)


def assumptions(answer: BoundsAnswer, context: Context) -> tuple[str, ...]:
    """Assumptions of the traffic, the core plan and the schedule."""
    extra, whole = exit_cy(answer, context), answer.execution_cy
    told: tuple[str, ...] = ()
    if extra and whole and extra > TOLD * whole:
        share = f"{extra / whole:.0%}"
        told = (f"a mispredicted exit adds {extra:g} cycles per execution, {share}",)
    wrong = wrong_guesses_of(answer, context)
    guessed = guess_words(wrong, wrong_guesses_cy(answer, context))
    return (*context.traffic.assumptions, *answer.notes, *guessed, *told)
