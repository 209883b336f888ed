"""Verdicts as JSON: times of all executions in a run, in seconds; terms in cycles per iteration."""

import math
from collections.abc import Iterable

from rooflint.plugin_api.advice import Advice, AdvisedLoop
from rooflint.plugin_api.prediction import Json
from rooflint.plugin_api.terms import Limiter, TimeTerm
from rooflint.plugin_api.verdict import (
    BestAdvice,
    LoopFloor,
    MeasuredTime,
    TimeRelation,
    Verdict,
    VerdictGap,
)
from rooflint.scenario.sensitivity import BreakEven
from rooflint.verdict.totals import run_seconds
from rooflint.verdict.words import resource_words

JsonObject = dict[str, Json]


def verdict_to_json(verdict: Verdict) -> JsonObject:
    """The record of one loop on one machine, in the order of the contract."""
    place, weight = verdict.place, verdict.weight
    known = verdict.sensitivity
    return {
        "id": verdict.id,
        "file": place.path,
        "line": place.line,
        "function": place.function,
        "machine": verdict.machine,
        "cores": verdict.cores,
        "compiler": verdict.compiler or None,
        "state": verdict.state.value if verdict.state is not None else None,
        "limiter": None if verdict.limiter is None else _resource(verdict.limiter),
        "time": _time(verdict),
        "floor": None if verdict.floor is None else _floor(verdict, verdict.floor),
        "weight": {
            "executions": _finite(weight.executions),
            "share": _finite(weight.share),
            "origin": weight.origin.value,
            "inclusive_share": _finite(weight.inclusive_share),
            "own_part": weight.own_part,
        },
        "advice": None if verdict.advice is None else _advice(verdict, verdict.advice),
        "confidence": verdict.confidence,
        "reasons": [reason.value for reason in verdict.reasons],
        "sensitive": verdict.sensitive,
        "breaks": [_break(each) for each in (known.break_evens if known is not None else ())],
        "measured": None if verdict.measured is None else _measured(verdict, verdict.measured),
        "gaps": list(map(_gap, verdict.gaps)),
        "terms": list(map(_term, verdict.terms)),
        "floors": list(map(_term, verdict.floors)),
    }


def time_summary(verdicts: Iterable[Verdict]) -> JsonObject:
    """Seconds of a run, the share of them that verdicts tell, and loops without a number.

    Of several machines, the first one's.
    """
    every = list(verdicts)
    first = [each for each in every if each.machine == every[0].machine]
    return {
        "run_s": _finite(run_seconds(first)) if first else None,
        "shown_share": _finite(min(1.0, sum([each.weight.share or 0.0 for each in first], 0.0))),
        "not_predictable": sum(each.time.relation is TimeRelation.UNKNOWN for each in first),
    }


def _resource(resource: Limiter) -> JsonObject:
    return {
        "kind": resource.kind.value,
        "name": resource_words(resource),
        "side": resource.side.value,
    }


def advised_to_json(advice: Advice, about: AdvisedLoop) -> JsonObject:
    """The verdict on the loop of a finding, with what its change makes possible."""
    gain = advice.gain
    return {
        "loop": about.loop,
        "limiter": None if about.limiter is None else _resource(about.limiter),
        "cycles_per_iteration": _finite(about.now_cy),
        "possible_cycles_per_iteration": _finite(advice.possible_cy),
        "gain": None if gain is None else _finite(gain.low),
        "confidence": advice.confidence,
    }


def _time(verdict: Verdict) -> JsonObject:
    time = verdict.time
    return {
        "now_s": _finite(verdict.of_run(time.now_cy)),
        "possible_s": _finite(verdict.of_run(time.possible_cy)),
        "low_s": _finite(verdict.of_run(time.low_cy)),
        "high_s": _finite(verdict.of_run(time.high_cy)),
        "relation": time.relation.value,
        "cycles_per_iteration": _finite(time.now_cy),
        "iterations": _finite(time.iterations),
        "clock_ghz": time.clock_ghz or None,
    }


def _floor(verdict: Verdict, floor: LoopFloor) -> JsonObject:
    return {
        "seconds": _finite(verdict.of_run(floor.cycles)),
        "resource": resource_words(floor.resource),
        "of_limit": _finite(floor.of_limit),
    }


def _advice(verdict: Verdict, advice: BestAdvice) -> JsonObject:
    now = verdict.of_run(verdict.time.now_cy)
    possible = verdict.of_run(verdict.time.possible_cy)
    saves = None if now is None or possible is None else now - possible
    return {
        "rule": advice.rule,
        "gain": _finite(verdict.time.gain),
        "saves_s": _finite(saves),
        "applicability": advice.applicability.value,
        "others": list(advice.others),
    }


def _break(each: BreakEven) -> JsonObject:
    return {"name": each.name, "side": each.side, "at": each.size}


def _measured(verdict: Verdict, measured: MeasuredTime) -> JsonObject:
    return {
        "seconds": _finite(verdict.of_run(measured.cycles)),
        "share": _finite(measured.share),
        "ratio": _finite(measured.ratio),
        "state": measured.state.value,
    }


def _gap(gap: VerdictGap) -> JsonObject:
    return {
        "kind": gap.kind.value,
        "name": gap.name,
        "line": gap.line,
        "share": _finite(gap.share),
    }


def _term(term: TimeTerm) -> JsonObject:
    value: JsonObject = {**_resource(term.resource), "cycles": _finite(term.cycles)}
    if term.high is not None:
        value["high_cycles"] = _finite(term.high)
    return value


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
