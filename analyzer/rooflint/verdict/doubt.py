"""Third step of a verdict: how far it can be trusted, and what that rests on.

Agreement of models is no confidence: where two that share traffic and core plan agree within 1.25x
they are right as often as where they differ by 2x.
"""

from collections.abc import Iterator
from typing import Final

from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.report import MachineResult, MeasuredLoop
from rooflint.plugin_api.terms import LimitSide
from rooflint.plugin_api.verdict import (
    BestAdvice,
    MeasuredTime,
    MeasurementState,
    TimeRelation,
    Verdict,
    VerdictReason,
    WeightOrigin,
)
from rooflint.records import NamedTuple
from rooflint.scenario.sensitivity import Sensitivity, Stability, joint_sensitivity
from rooflint.verdict.advise import worst
from rooflint.verdict.price import ReportedLoop

MOST_LEFT_OUT: Final = 0.1
"""Share of a body's operations that a verdict may leave out and keep its confidence. Of the 172
measured loops 31 % with gaps are within 1.5x, and 65 % without; the limit itself is a judgement."""
AGREES: Final = 1.25
REFUTES: Final = 1.5
"""Ratio of measured to predicted time, either way: up to the first they agree, from the second on
an input of the prediction is wrong. Judgement: half of all loops lie within the first."""
GUESSED: Final = frozenset(("role", "source default", "callers"))
"""Origins of sizes that may be others in another run."""

Caps = Iterator[tuple[Confidence, VerdictReason]]


class Doubts(NamedTuple):
    """Inputs of the step: ``generic``: nobody chose the machine and its figures are typical."""

    generic: bool
    sensitivity: Sensitivity | None = None


def limiter_sensitivity(result: MachineResult) -> Sensitivity | None:
    """How the limiter depends on guessed sizes; None where it was not tried, or none is guessed."""
    return None if result.limiter is None else result.limiter.sensitivity


def doubt(verdict: Verdict, result: MachineResult, doubts: Doubts) -> Verdict:
    """The verdict with its confidence and the reasons for it.

    Where sizes are guessed and nobody asked what other sizes do, there is no confidence to tell.
    """
    if verdict.time.relation is TimeRelation.UNKNOWN:
        return verdict
    caps = list(_caps(verdict, doubts))
    guessed = any(size.origin in GUESSED for size in result.sizes.values())
    known = _sensitivity(verdict, doubts)
    asked = doubts.sensitivity is not None or verdict.advice is not None
    reasons = dict.fromkeys((*verdict.reasons, *[reason for _, reason in caps]))
    if guessed:
        reasons[VerdictReason.SIZE_GUESSED] = None
    return verdict._replace(
        sensitivity=known,
        confidence=worst([cap for cap, _ in caps]) if asked or not guessed else None,
        reasons=tuple(reasons),
    )


def _sensitivity(verdict: Verdict, doubts: Doubts) -> Sensitivity | None:
    """How advice and limiter depend on guesses; the break-evens of the advice come first."""
    advised = None if verdict.advice is None else verdict.advice.sensitivity
    if advised is None or doubts.sensitivity is None:
        return advised or doubts.sensitivity
    return joint_sensitivity(advised, doubts.sensitivity)


def _caps(verdict: Verdict, doubts: Doubts) -> Caps:
    """The most confidence that each reason leaves."""
    if doubts.sensitivity is not None:
        yield from _of_sizes(doubts.sensitivity)
    if sum([gap.share or 0.0 for gap in verdict.gaps]) > MOST_LEFT_OUT:
        yield "low", VerdictReason.CODE_NOT_COUNTED
    if verdict.advice is not None:
        yield from _of_advice(verdict, verdict.advice, doubts)
    measured = verdict.measured
    if measured is not None and measured.state is MeasurementState.REFUTES:
        yield "low", VerdictReason.MEASUREMENT_REFUTES


def _of_advice(verdict: Verdict, advice: BestAdvice, doubts: Doubts) -> Caps:
    limiter = verdict.limiter
    if doubts.generic and limiter is not None and limiter.side is LimitSide.DATA:
        yield "medium", VerdictReason.GENERIC_MACHINE
    if advice.confidence != "high":
        yield advice.confidence, VerdictReason.ADVICE_DOUBTED


def _of_sizes(sensitivity: Sensitivity) -> Caps:
    if sensitivity.stability is Stability.WITHIN_QUARTILES:
        yield "medium", VerdictReason.SIZE_DECIDES
    elif sensitivity.stability is not Stability.EVERYWHERE:
        yield "low", VerdictReason.SIZE_DECIDES


def measure(verdict: Verdict, source: ReportedLoop, result: MachineResult) -> Verdict:
    """The verdict beside the measured time of its loop, if there is one."""
    now = verdict.time.now_cy
    if not now:
        return verdict
    share = verdict.weight.share if verdict.weight.origin is WeightOrigin.PROFILE else None
    for limit in result.limits[:1]:
        ratio = limit.measured_cycles / now
        return verdict._replace(
            measured=MeasuredTime(
                state=_state(ratio), cycles=limit.measured_cycles, ratio=ratio, share=share
            )
        )
    for loop in source.function.measured:
        if _is_of(loop, source) and loop.machine == verdict.machine:
            ratio = loop.cycles_per_iteration / now
            same = loop.standing == "exact" and _same_sizes(loop, result)
            state = _state(ratio) if same else MeasurementState.DISTURBED
            return verdict._replace(
                measured=MeasuredTime(
                    state=state, cycles=loop.cycles_per_iteration, ratio=ratio, share=share
                )
            )
    return verdict


def _state(ratio: float) -> MeasurementState:
    apart = max(ratio, 1 / ratio) if ratio > 0 else float("inf")
    if apart <= AGREES:
        return MeasurementState.AGREES
    return MeasurementState.DIFFERS if apart <= REFUTES else MeasurementState.REFUTES


def _is_of(loop: MeasuredLoop, source: ReportedLoop) -> bool:
    """Whether what was measured is this kernel alone: its nest, or a function of one nest."""
    nests = source.function.nests
    nest = next((each for each in nests if source.kernel in each.kernels), None)
    if nest is None or len(nest.kernels) != 1:
        return False
    return len(nests) == 1 if loop.line is None else loop.line == nest.line


def _same_sizes(loop: MeasuredLoop, result: MachineResult) -> bool:
    return all(
        result.sizes[name].value == value
        for name, value in loop.sizes.items()
        if name in result.sizes
    )
