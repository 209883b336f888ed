"""First step of a verdict: its time, limiter, gaps and executions, from the models' answers."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rooflint.ir import ReasonKind
from rooflint.plugin_api.advice import AdvisedLoop
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    CoverageGap,
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
)
from rooflint.plugin_api.terms import Limiter, LimiterKind, TimeTerm
from rooflint.plugin_api.verdict import (
    CallShare,
    GapKind,
    LoopFloor,
    LoopTime,
    TimeRelation,
    Verdict,
    VerdictGap,
    VerdictPlace,
    VerdictReason,
    VerdictWeight,
)
from rooflint.records import NamedTuple
from rooflint.verdict.combine import RENAMES, CombinedTime, at_high, combine

MODELS_DIFFER: Final = 2.0
"""Ratio of two estimates from which the reader is told. Of the 172 measured loops 22 in L1 differ
by more, and the second estimate is nearer in 6 of them."""
MOST_OF_THE_TIME: Final = 0.4
"""Share of a loop's time from which the function that it calls is named in place of the loop's
limit. Judgement: below it the reader has to look at several."""
IS_RANGE: Final = 1.1
"""Ratio of the ends from which a time is shown as a range: nearer ends print as the same two
digits, give or take one."""
_GAP_KINDS: Final[dict[ReasonKind, GapKind]] = {
    "call": GapKind.CALL,
    "set-by-call": GapKind.CALL,
    "indirect": GapKind.ACCESS,
    "access": GapKind.ACCESS,
    "pointer-read": GapKind.ACCESS,
    "pointer-value": GapKind.ACCESS,
    "not-linear": GapKind.ACCESS,
    "nonlinear-place": GapKind.ACCESS,
    "count": GapKind.SIZE,
    "container-size": GapKind.SIZE,
    "range-length": GapKind.SIZE,
}
"""The kinds of reasons; all others are statements that were not read."""


class ReportedLoop(NamedTuple):
    """A kernel with its place in the report."""

    file: FileReport
    function: FunctionReport
    kernel: KernelReport


class _Answers(NamedTuple):
    """The answers of the models, at one clock. ``second_cy``: the estimate that only compares."""

    clock_ghz: float
    terms: tuple[TimeTerm, ...] = ()
    floors: tuple[TimeTerm, ...] = ()
    second_cy: float | None = None
    saturation: int | None = None


def without_price(source: ReportedLoop, result: MachineResult, reason: VerdictReason) -> Verdict:
    """The verdict on a loop without a number."""
    kernel = source.kernel
    return Verdict(
        id=kernel.id,
        place=VerdictPlace(
            path=source.file.path,
            line=kernel.line,
            function=source.function.name,
            instance=_instance(kernel.id),
            column=kernel.column,
        ),
        machine=result.machine,
        cores=result.cores,
        time=LoopTime(TimeRelation.UNKNOWN, iterations=_iterations(kernel, result)),
        weight=VerdictWeight(executions=_executions(kernel, result)),
        reasons=(reason,),
        gaps=_gaps(kernel),
        compiler=result.vector.compiler if result.vector is not None else "",
        state=result.entry.state if result.entry is not None else None,
    )


def price(source: ReportedLoop, result: MachineResult) -> Verdict:
    """The verdict as far as the models' terms tell it."""
    verdict = without_price(source, result, VerdictReason.NOT_PREDICTED)
    predictions = (*result.predictions, *result.estimates)
    answers = _answers(predictions)
    if answers is None:
        return verdict._replace(gaps=(*verdict.gaps, *_refusals(source.kernel, result)))
    low, high, relation = _ends(answers, predictions)
    bounded = relation is TimeRelation.AT_LEAST
    arrays = [stream.array for stream in source.kernel.streams if stream.pattern == "gather"]
    limiter = _limiter(low, high, relation, arrays)
    in_calls = limiter is not None and limiter.kind is LimiterKind.CALL
    floor = None
    if low.floor is not None:
        # a call is as long as it is: nothing that a loop comes near to
        part = None if bounded or in_calls else low.of_limit
        floor = LoopFloor(low.floor_cy, low.floor, part)
    return verdict._replace(
        time=verdict.time._replace(
            relation=relation,
            clock_ghz=answers.clock_ghz,
            now_cy=low.now_cy,
            possible_cy=low.now_cy,
            low_cy=low.now_cy,
            high_cy=high.now_cy if relation is TimeRelation.RANGE else low.now_cy,
        ),
        limiter=limiter,
        floor=floor,
        reasons=tuple(_reasons(answers, low, relation)),
        terms=answers.terms,
        floors=answers.floors,
        saturation=answers.saturation,
        callee=_callee(source, result, low.now_cy) if in_calls else None,
    )


def _callee(source: ReportedLoop, result: MachineResult, now_cy: float) -> CallShare | None:
    """The called function that most of the time is in; None where no single one has so much."""
    calls = result.calls
    name = max(calls, key=lambda each: calls[each], default=None)
    if name is None or now_cy <= 0:
        return None
    share = min(1.0, calls[name] / result.cores / now_cy)
    if share < MOST_OF_THE_TIME:
        return None
    lines = [f.line for f in source.file.functions if f.name.rpartition("::")[2] == name]
    return CallShare(name, lines[0] if len(lines) == 1 else 0, share)


def limiter_of(predictions: Iterable[Prediction]) -> Limiter | None:
    """The limiter of a loop by the terms of its models, where unknown addresses hit."""
    combined = combined_time(predictions)
    return None if combined is None else combined.limiter


def combined_time(predictions: Iterable[Prediction]) -> CombinedTime | None:
    """The time of a loop by the terms of its models, where unknown addresses hit."""
    answers = _answers(predictions)
    if answers is None:
        return None
    return combine(answers.terms, answers.floors)._replace(clock_ghz=answers.clock_ghz)


def advised_loop(loop: str, predictions: Sequence[Prediction]) -> AdvisedLoop:
    """The verdict on a loop as a finding about it has it."""
    answers = _answers(predictions)
    if answers is None:
        return AdvisedLoop(loop)
    low, high, relation = _ends(answers, predictions)
    is_known = relation is TimeRelation.EQUALS
    limiter = _limiter(low, high, relation, ())
    return AdvisedLoop(loop, limiter, low.now_cy if is_known else None)


def _ends(
    answers: _Answers, predictions: Iterable[Prediction]
) -> tuple[CombinedTime, CombinedTime, TimeRelation]:
    """The time where unknown addresses hit, where they miss, and what it says of the loop's."""
    low = high = combine(answers.terms, answers.floors)
    if any(term.high is not None for term in (*answers.terms, *answers.floors)):
        high = combine(answers.terms, answers.floors, at_high)
    return low, high, _relation(predictions, low, high)


def _answers(predictions: Iterable[Prediction]) -> _Answers | None:
    """The first model's terms, all floors, and the second estimate; None without any of them."""
    found: _Answers | None = None
    for prediction in predictions:
        given = prediction.terms
        if given is None:
            continue
        if found is None:
            found = _Answers(given.clock_ghz)
        scale = found.clock_ghz / given.clock_ghz
        if given.terms and not found.terms:
            # the estimate's clock is that of the loop
            found = _rescaled(found, given.clock_ghz)._replace(
                terms=given.terms, saturation=given.saturation_cores
            )
            scale = 1.0
        found = found._replace(floors=(*found.floors, *_times(given.floors, scale)))
        if given.second_cy is not None:
            found = found._replace(second_cy=given.second_cy * scale)
    return found if found is not None and (found.terms or found.floors) else None


def _rescaled(answers: _Answers, clock_ghz: float) -> _Answers:
    scale = clock_ghz / answers.clock_ghz
    second = answers.second_cy
    return answers._replace(
        clock_ghz=clock_ghz,
        floors=_times(answers.floors, scale),
        second_cy=None if second is None else second * scale,
    )


def _times(terms: tuple[TimeTerm, ...], scale: float) -> tuple[TimeTerm, ...]:
    if scale == 1.0:
        return terms
    return tuple(
        [
            term._replace(
                cycles=term.cycles * scale, high=None if term.high is None else term.high * scale
            )
            for term in terms
        ]
    )


def _relation(
    predictions: Iterable[Prediction], low: CombinedTime, high: CombinedTime
) -> TimeRelation:
    if any(each.lower_bound for each in predictions):
        return TimeRelation.AT_LEAST
    if high.now_cy > IS_RANGE * low.now_cy:
        return TimeRelation.RANGE
    return TimeRelation.EQUALS


def _limiter(
    low: CombinedTime, high: CombinedTime, relation: TimeRelation, gathered: Sequence[str]
) -> Limiter | None:
    """The limiter; random reads where they lead at both ends of a range."""
    if relation is not TimeRelation.RANGE or low.limiter is None or high.limiter is None:
        return low.limiter
    if low.limiter.kind is not LimiterKind.LINK or high.limiter.kind is not LimiterKind.LINK:
        return low.limiter
    array = gathered[0] if gathered else ""
    return Limiter(LimiterKind.MISSES, level=high.limiter.level, array=array)


def _reasons(
    answers: _Answers, low: CombinedTime, relation: TimeRelation
) -> Iterable[VerdictReason]:
    if not answers.terms:
        yield VerdictReason.NO_ESTIMATE
    elif low.floor_cy > RENAMES * low.estimate_cy:
        yield VerdictReason.FLOOR_ABOVE_ESTIMATE
    second = answers.second_cy
    if second and answers.terms and _ratio(second, low.estimate_cy) > MODELS_DIFFER:
        yield VerdictReason.MODELS_DIFFER
    if relation is TimeRelation.AT_LEAST:
        yield VerdictReason.CODE_NOT_COUNTED
    if relation is TimeRelation.RANGE:
        yield from _range_reasons(answers.terms)


def _range_reasons(terms: Iterable[TimeTerm]) -> Iterator[VerdictReason]:
    """Why the ends of a range differ."""
    open_ones = [term for term in terms if term.high is not None and term.high > term.cycles]
    guesses = [t for t in open_ones if t.resource.kind is LimiterKind.MISPREDICTIONS]
    if guesses:
        yield VerdictReason.UNKNOWN_BRANCHES
    if len(open_ones) > len(guesses) or not open_ones:
        yield VerdictReason.UNKNOWN_ADDRESSES


def _ratio(one: float, other: float) -> float:
    return max(one, other) / min(one, other) if min(one, other) > 0 else math.inf


def _gaps(kernel: KernelReport) -> tuple[VerdictGap, ...]:
    work = kernel.work
    counted = sum(work.operations.values()) + work.loads + work.stores
    lost = len(kernel.not_covered)
    share = lost / (lost + counted) if lost else 0.0
    return tuple([_gap(each, share / lost) for each in kernel.not_covered])


def _refusals(kernel: KernelReport, result: MachineResult) -> tuple[VerdictGap, ...]:
    """Why the first model has no answer."""
    return tuple([
        VerdictGap(kind=GapKind.REFUSAL, name=each.reason, line=kernel.line)
        for each in result.skipped[:1]
    ])  # fmt: skip


def _gap(gap: CoverageGap, share: float) -> VerdictGap:
    reason = gap.reason
    return VerdictGap(
        kind=_GAP_KINDS.get(reason.kind, GapKind.REFUSAL),
        name=reason.subject or str(reason),
        line=gap.line,
        share=share,
    )


def _iterations(kernel: KernelReport, result: MachineResult) -> float:
    """Of one execution of the kernel's own loop; 1 where its trip count is unknown."""
    weight = kernel.weight
    if weight is not None and weight.iterations is not None and weight.executions:
        return weight.iterations / weight.executions
    own = result.trips[-1] if result.trips else None
    return 1.0 if own is None else own


def _executions(kernel: KernelReport, result: MachineResult) -> float:
    """Of the kernel's own loop in a run; in one call of its function where nothing counts runs."""
    if kernel.weight is not None and kernel.weight.executions is not None:
        return kernel.weight.executions
    outer: Sequence[float | None] = result.trips[:-1]
    return math.prod([1.0 if trip is None else trip for trip in outer])


def _instance(kernel_id: str) -> str:
    """The number of a copy, as identifiers have it; empty of the first."""
    return kernel_id.rpartition("#")[2] if "#" in kernel_id else ""
