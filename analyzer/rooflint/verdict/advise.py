"""Second step of a verdict: the advice that saves most, and the time that it makes possible."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.advice import Advice, Fix
from rooflint.plugin_api.report import FileReport, FunctionReport, KernelReport
from rooflint.plugin_api.verdict import (
    ActionKind,
    Applicability,
    BestAdvice,
    Verdict,
)
from rooflint.verdict.price import ReportedLoop

ORDER: Final[tuple[Confidence, ...]] = ("low", "medium", "high")
_VECTORISING: Final = (ActionKind.RESTRICT, ActionKind.FLAG)
"""Kinds of changes that let a compiler vectorise a loop that is scalar without them."""


def with_loop_advice(file: FileReport) -> FileReport:
    """The report of a file with the findings about each of its kernels, on their machine."""
    if not file.findings:
        return file

    def of_function(function: FunctionReport) -> FunctionReport:
        def advised(kernel: KernelReport) -> KernelReport:
            source = ReportedLoop(file, function, kernel)
            results = [
                each._replace(advice=findings_about(source, each.machine))
                for each in kernel.results
            ]
            return kernel._replace(results=tuple(results))

        return function.with_kernels(advised)

    return file._replace(functions=tuple(map(of_function, file.functions)))


def findings_about(source: ReportedLoop, machine: str) -> tuple[Advice, ...]:
    """The findings about the kernel's own loop or one around it, on this machine."""
    return tuple([each for each in source.file.findings if _is_about(each, source, machine)])


def advise(verdict: Verdict, source: ReportedLoop, machines: Mapping[str, int]) -> Verdict:
    """The verdict with its best advice; ``machines``: the cores of each by name.

    Of several changes the one that saves most counts, and their gains are not multiplied.
    """
    relevant = findings_about(source, verdict.machine)
    priced = [each for each in relevant if gain_on(each, verdict) > 1]
    if not priced or verdict.time.now_cy is None:
        return verdict
    best = min(
        priced, key=lambda each: (-gain_on(each, verdict), -ORDER.index(each.confidence), each.code)
    )
    gain = gain_on(best, verdict)
    others = dict.fromkeys(each.code for each in relevant if each.code != best.code)
    possible = verdict.time.now_cy / gain
    return verdict._replace(
        advice=_best_advice(
            best,
            gain,
            machines.get(verdict.machine, 0),
            tuple(others),
            is_scalar=_is_scalar(source, verdict.machine),
        ),
        time=verdict.time._replace(possible_cy=possible),
    )


def _best_advice(
    best: Advice, gain: float, cores: int, others: tuple[str, ...], *, is_scalar: bool
) -> BestAdvice:
    kind = best.action.kind
    return BestAdvice(
        rule=best.code,
        gain=gain,
        applicability=_applicability(best.fix),
        confidence=best.confidence,
        action=best.action,
        title=best.fix.title if best.fix is not None else "",
        others=others,
        sensitivity=best.trial,
        unlocks_vectors=is_scalar and kind in _VECTORISING,
        cores=cores if kind is ActionKind.THREADS else 0,
    )


def _is_scalar(source: ReportedLoop, machine: str) -> bool:
    results = [each for each in source.kernel.results if each.machine == machine]
    return any(each.vector is not None and each.vector.width <= 1 for each in results)


def _is_about(advice: Advice, source: ReportedLoop, machine: str) -> bool:
    """Whether a finding is about the kernel's own loop or one around it, on this machine."""
    on = {each.machine for each in advice.machines} or {advice.machine}
    lines = {loop.line for loop in source.kernel.loops} | _own_line(source.kernel)
    here = advice.function == source.function.name and advice.span.line in lines
    return here and machine in on


def _own_line(kernel: KernelReport) -> set[int]:
    return {kernel.line} if kernel.line else set()


def gain_on(advice: Advice, verdict: Verdict) -> float:
    """The gain of a finding on the verdict's machine, the least that a model gives; 0 of a note."""
    gain = next((g.gain for g in advice.machines if g.machine == verdict.machine), advice.gain)
    return gain.low if gain is not None else 0.0


def _applicability(fix: Fix | None) -> Applicability:
    if fix is None or fix.safety == "sketch":
        return Applicability.MANUAL
    return Applicability.SAFE if fix.safety == "safe" else Applicability.CHECK


def worst(confidences: Iterable[Confidence]) -> Confidence:
    """The least of them; ``high`` of none."""
    found: Sequence[Confidence] = tuple(confidences)
    return min(found, key=ORDER.index, default="high")
