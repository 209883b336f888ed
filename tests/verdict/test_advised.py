"""Verdicts with advice: its action, its sensitivity, and the findings about each loop."""

import pytest
from rooflint.ir import Span
from rooflint.plugin_api.action import Action, ActionKind
from rooflint.plugin_api.advice import Advice, Gain
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    LimiterReport,
    MachineReport,
    MachineResult,
    NestReport,
    Report,
    Summary,
    VectorReport,
    WorkReport,
)
from rooflint.plugin_api.terms import Limiter, LimiterKind, TimeTerm, TimeTerms
from rooflint.plugin_api.verdict import Verdict
from rooflint.scenario.sensitivity import BreakEven, Sensitivity, Stability
from rooflint.verdict.choose import HintRule
from rooflint.verdict.steps import with_verdicts
from rooflint.verdict.words import hint

CHAIN = TimeTerms(clock_ghz=2.0, terms=(TimeTerm(Limiter(LimiterKind.CHAIN), 4.0),))
SUM = MachineResult(
    machine="m",
    cores=1,
    cores_origin="default",
    sizes={},
    trips=(100.0,),
    traffic=(),
    predictions=(Prediction("ecm", "core", "s", "h", 4.0, terms=CHAIN),),
)


def finding(code: str, gain: float, line: int = 4) -> Advice:
    return Advice(
        code=code,
        slug=code.lower(),
        message="m",
        severity="note",
        span=Span(line=line, column=1, end_line=line, end_column=2),
        function="f",
        loop="i",
        fingerprint=code,
        machine="m",
        gain=Gain(gain, gain),
    )


def kernel(result: MachineResult, line: int) -> KernelReport:
    return KernelReport(
        id=f"a.c:f/{line}",
        line=line,
        column=1,
        innermost=True,
        loops=(),
        work=WorkReport("f64", 1, {}, 1, 0),
        not_covered=(),
        results=(result,),
    )


def reported(findings: tuple[Advice, ...], *kernels: KernelReport) -> Report:
    nests = tuple([NestReport(each.line, each.line + 2, (each,)) for each in kernels])
    function = FunctionReport(name="f", line=1, column=1, nests=nests, totals=())
    file = FileReport(path="a.c", status="ok", functions=(function,), findings=findings)
    machine = MachineReport(name="m", file="m.yaml", cores=8)
    return with_verdicts(Report("0", (machine,), (file,), Summary(1, 1)))


def told(advice: Advice, result: MachineResult = SUM) -> Verdict:
    [verdict] = reported((advice,), kernel(result, 4)).verdicts
    return verdict


def test_each_loop_lists_the_findings_about_it() -> None:
    first, second = finding("RL201", 2.0, line=4), finding("RL301", 3.0, line=9)
    report = reported((first, second), kernel(SUM, 4), kernel(SUM, 9), kernel(SUM, 12))
    [file] = report.files
    assert [each.results[0].advice for each in file.kernels()] == [(first,), (second,), ()]


FROM_200 = BreakEven(name="n", side="from", size=200, fails_at=190)
UP_TO_9000 = BreakEven(name="n", side="up to", size=9000, fails_at=9100)


@pytest.mark.parametrize(
    ("of_advice", "of_limiter", "breaks", "sensitive"),
    [
        (None, None, (), False),
        (Sensitivity(Stability.PARTLY, (FROM_200,)), None, (FROM_200,), True),
        (None, Sensitivity(Stability.WITHIN_QUARTILES, (UP_TO_9000,)), (UP_TO_9000,), False),
        (
            Sensitivity(Stability.EVERYWHERE),
            Sensitivity(Stability.PARTLY, (UP_TO_9000,)),
            (UP_TO_9000,),
            True,
        ),
        (
            Sensitivity(Stability.PARTLY, (FROM_200,)),
            Sensitivity(Stability.WITHIN_QUARTILES, (FROM_200, UP_TO_9000)),
            (FROM_200, UP_TO_9000),
            True,
        ),
    ],
)
def test_a_verdict_is_as_sensitive_as_its_limiter_and_its_advice(
    of_advice: Sensitivity | None,
    of_limiter: Sensitivity | None,
    breaks: tuple[BreakEven, ...],
    sensitive: bool,
) -> None:
    tried = None if of_limiter is None else LimiterReport(of_limiter)
    advice = finding("RL201", 2.0)._replace(trial=of_advice)
    verdict = told(advice, SUM._replace(limiter=tried))
    known = verdict.sensitivity
    assert (known.break_evens if known is not None else ()) == breaks
    assert verdict.sensitive == sensitive


def test_the_action_of_a_finding_is_the_verdicts() -> None:
    action = Action(ActionKind.PARTIAL_SUMS, "4")
    verdict = told(finding("RL201", 2.0)._replace(action=action))
    assert verdict.advice is not None
    assert verdict.advice.action == action
    assert hint(verdict, HintRule.GAIN).endswith("2.0× with 4 sums")


@pytest.mark.parametrize(("width", "unlocks"), [(1, True), (4, False)])
def test_a_flag_unlocks_vectors_of_a_scalar_loop_alone(width: int, unlocks: bool) -> None:
    advice = finding("RL211", 2.0)._replace(action=Action(ActionKind.FLAG, "-fno-math-errno"))
    verdict = told(advice, SUM._replace(vector=VectorReport(width, "", "gcc")))
    assert verdict.advice is not None
    assert verdict.advice.unlocks_vectors == unlocks
