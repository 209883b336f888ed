"""Each step of making verdicts, on records made by hand."""

from collections.abc import Sequence
from typing import Any

import pytest
from rooflint.ir import Reason, Span
from rooflint.plugin_api.advice import Advice, Fix, Gain, MachineGain
from rooflint.plugin_api.prediction import LimitShare, Prediction
from rooflint.plugin_api.program_report import ShareOrigin
from rooflint.plugin_api.report import (
    COUNTS,
    PROFILE,
    STATIC,
    CoverageGap,
    FileReport,
    FunctionReport,
    KernelReport,
    LoopHeader,
    LoopWeight,
    MachineReport,
    MachineResult,
    MeasuredLoop,
    NestReport,
    SizeValue,
    StreamReport,
    WorkReport,
)
from rooflint.plugin_api.terms import (
    Limiter,
    LimiterKind,
    TimeTerm,
    TimeTerms,
    link_resource,
)
from rooflint.plugin_api.verdict import (
    Applicability,
    GapKind,
    MeasurementState,
    TimeRelation,
    Verdict,
    VerdictReason,
    WeightOrigin,
)
from rooflint.scenario.sensitivity import Sensitivity, Stability
from rooflint.verdict import steps
from rooflint.verdict.doubt import AGREES, MOST_LEFT_OUT, REFUTES, Doubts, doubt
from rooflint.verdict.price import IS_RANGE, MODELS_DIFFER
from rooflint.verdict.steps import time_shares, verdicts_of

CHAIN, CALL = Limiter(LimiterKind.CHAIN), Limiter(LimiterKind.CALL)
MEMORY = link_resource("L3-MEM")


def prediction(
    terms: Sequence[TimeTerm] = (),
    floors: Sequence[TimeTerm] = (),
    clock_ghz: float = 2.0,
    second_cy: float | None = None,
    lower_bound: bool = False,
) -> Prediction:
    """Of a model whose name no code knows."""
    given = TimeTerms(clock_ghz, tuple(terms), tuple(floors), second_cy)
    return Prediction("any", "", "", "", lower_bound=lower_bound, terms=given)


def result(*predictions: Prediction, trips: tuple[float, ...] = (10.0, 100.0)) -> MachineResult:
    return MachineResult(
        machine="m",
        cores=1,
        cores_origin="serial code",
        sizes={},
        trips=trips,
        traffic=(),
        predictions=predictions,
    )


WORK = WorkReport(type="f64", flops=2.0, operations={"add.f64": 2.0}, loads=6.0, stores=1.0)


def kernel(*results: MachineResult, line: int = 4) -> KernelReport:
    return KernelReport(
        id=f"a.c:f/{line}",
        line=line,
        column=3,
        innermost=True,
        loops=(LoopHeader(index="i", line=line, trip_count="n", step="1"),),
        work=WORK,
        not_covered=(),
        results=results,
    )


def file_of(*kernels: KernelReport, findings: tuple[Advice, ...] = ()) -> FileReport:
    nests = tuple(NestReport(each.line, each.line + 2, (each,)) for each in kernels)
    function = FunctionReport(name="f", line=1, column=1, nests=nests, totals=())
    return FileReport(path="a.c", status="ok", functions=(function,), findings=findings)


MACHINE = MachineReport(name="m", file="m.yaml", cores=8)
SUM = prediction([TimeTerm(CHAIN, 4.0), TimeTerm(link_resource("REG-L1"), 1.0)])


def of_kernel(asked: KernelReport) -> Verdict:
    [verdict] = verdicts_of([file_of(asked)], [MACHINE])
    return verdict


def one(*predictions: Prediction) -> Verdict:
    return of_kernel(kernel(result(*predictions)))


def test_terms_of_one_model_and_floors_of_another_at_one_clock() -> None:
    # the floor's model counts cycles at 1 GHz: twice as many at the 2 GHz of the estimate
    verdict = one(prediction(floors=[TimeTerm(MEMORY, 3.0)], clock_ghz=1.0), SUM)
    assert verdict.time.now_cy == 6.0
    assert verdict.limiter == MEMORY
    assert verdict.reasons == (VerdictReason.FLOOR_ABOVE_ESTIMATE,)
    assert verdict.floor is not None
    assert verdict.floor.of_limit == 1.0
    # 6 cycles x 100 iterations at 2 GHz, ten times a call
    assert verdict.time.seconds(6.0) == pytest.approx(3e-7)
    assert verdict.run_s == pytest.approx(3e-6)


def test_without_an_estimate_the_floor_is_the_time() -> None:
    verdict = one(prediction(floors=[TimeTerm(MEMORY, 3.0)]))
    assert (verdict.time.now_cy, verdict.limiter) == (3.0, MEMORY)
    assert verdict.reasons == (VerdictReason.NO_ESTIMATE,)


def test_nothing_predicted_has_no_number_and_names_the_gap() -> None:
    gap = CoverageGap(7, Reason("call", ("log_error",)))
    verdict = of_kernel(kernel(result())._replace(not_covered=(gap,)))
    assert verdict.time.relation is TimeRelation.UNKNOWN
    assert verdict.time.now_cy is None and verdict.run_s is None
    assert verdict.reasons == (VerdictReason.NOT_PREDICTED,)
    assert [(each.kind, each.name, each.line) for each in verdict.gaps] == [
        (GapKind.CALL, "log_error", 7)
    ]
    assert verdict.weight.executions == 10


def test_code_left_out_makes_a_lower_bound_without_a_part_of_the_limit() -> None:
    floor = [TimeTerm(MEMORY, 2.0)]
    verdict = one(SUM._replace(lower_bound=True), prediction(floors=floor))
    assert verdict.time.relation is TimeRelation.AT_LEAST
    assert verdict.floor is not None and verdict.floor.of_limit is None
    assert VerdictReason.CODE_NOT_COUNTED in verdict.reasons


@pytest.mark.parametrize(
    ("above", "relation"), [(-0.01, TimeRelation.EQUALS), (0.01, TimeRelation.RANGE)]
)
def test_ends_apart_make_a_range(above: float, relation: TimeRelation) -> None:
    high = 4.0 * (IS_RANGE + above)
    reads = kernel(result(prediction([TimeTerm(MEMORY, 4.0, high=high)])))
    verdict = of_kernel(reads._replace(streams=(StreamReport("x", None, "gather"),)))
    assert verdict.time.relation is relation
    assert verdict.time.low_cy == 4.0
    if relation is TimeRelation.RANGE:
        assert verdict.time.high_cy == high
        assert verdict.limiter == Limiter(LimiterKind.MISSES, level="MEM", array="x")
    else:
        assert verdict.time.high_cy == 4.0
        assert verdict.limiter == MEMORY


def test_random_reads_limit_only_where_they_lead_at_both_ends() -> None:
    verdict = one(prediction([TimeTerm(CHAIN, 4.0), TimeTerm(MEMORY, 1.0, high=40.0)]))
    assert verdict.limiter == CHAIN
    assert (verdict.time.low_cy, verdict.time.high_cy) == (4.0, 40.0)


@pytest.mark.parametrize(("factor", "differs"), [(0.99, False), (1.01, True)])
def test_a_second_estimate_only_compares(factor: float, differs: bool) -> None:
    second = prediction(second_cy=4.0 * MODELS_DIFFER * factor)
    verdict = one(SUM, second)
    assert verdict.time.now_cy == 4.0
    assert (VerdictReason.MODELS_DIFFER in verdict.reasons) == differs


def test_shares_are_the_files_where_nobody_knows_the_run() -> None:
    file = file_of(
        kernel(result(SUM)), kernel(result(SUM, trips=(30.0, 100.0)), line=9), kernel(line=14)
    )
    verdicts = verdicts_of([file], [MACHINE])
    assert [each.weight.share for each in verdicts] == [0.25, 0.75]
    assert {each.weight.origin for each in verdicts} == {WeightOrigin.FILE}


@pytest.mark.parametrize(
    ("named", "origin"),
    [(PROFILE, WeightOrigin.PROFILE), (COUNTS, WeightOrigin.COUNTS), (STATIC, WeightOrigin.STATIC)],
)
def test_a_known_share_stays(named: ShareOrigin, origin: WeightOrigin) -> None:
    weight = LoopWeight(executions=5.0, iterations=50.0, share=0.2, share_origin=named)
    verdict = of_kernel(kernel(result(SUM))._replace(weight=weight))
    assert (verdict.weight.share, verdict.weight.origin) == (0.2, origin)
    # 50 iterations in 5 executions
    assert verdict.time.iterations == 10.0
    assert verdict.run_s == pytest.approx(4.0 * 50 / 2e9)


@pytest.mark.parametrize("of_entry", [False, True])
def test_shares_by_weights_are_those_of_verdicts_and_need_no_price(
    monkeypatch: pytest.MonkeyPatch, *, of_entry: bool
) -> None:
    weights = [
        LoopWeight(share=0.3, share_origin="static", of_entry=of_entry, cycles=60.0),
        LoopWeight(share=0.5, share_origin="static", of_entry=of_entry, cycles=20.0),
        None,
    ]
    kernels = [
        kernel(result(prediction()), line=line)._replace(weight=weight, id=f"loop {line}")
        for line, weight in enumerate(weights)
    ]
    files = [file_of(*kernels)]
    judged = {
        f"loop {each.place.line}": each.weight.share or 0.0 for each in verdicts_of(files, ())
    }
    monkeypatch.setattr(steps, "price", None)
    assert time_shares(files) == judged
    assert list(judged.values()) == ([0.75, 0.25, 0.0] if of_entry else [0.3, 0.5, 0.0])


def finding(code: str, gain: float | None) -> Advice:
    return Advice(
        code=code,
        slug=code.lower(),
        message="m",
        severity="note",
        span=Span(line=4, column=1, end_line=4, end_column=2),
        function="f",
        loop="i",
        fingerprint=code,
        machine="m",
        gain=None if gain is None else Gain(gain, gain),
    )


def with_findings(*findings: Advice) -> Verdict:
    [verdict] = verdicts_of([file_of(kernel(result(SUM)), findings=findings)], [MACHINE])
    return verdict


def test_the_best_advice_gains_most_and_says_what_is_possible() -> None:
    verdict = with_findings(finding("RL301", 1.5), finding("RL201", 2.0), finding("RL404", None))
    assert verdict.advice is not None
    assert verdict.advice.rule == "RL201"
    assert verdict.advice.others == ("RL301", "RL404")
    assert verdict.time.possible_cy == 2.0
    assert verdict.time.gain == 2.0


def test_ties_go_to_confidence_then_to_the_code() -> None:
    unsure, sure = finding("RL101", 2.0)._replace(confidence="low"), finding("RL301", 2.0)
    best = with_findings(unsure, sure).advice
    assert best is not None and best.rule == "RL301"
    best = with_findings(sure, finding("RL201", 2.0)).advice
    assert best is not None and best.rule == "RL201"


def test_advice_for_other_places_does_not_count() -> None:
    elsewhere = Span(line=9, column=1, end_line=9, end_column=2)
    others = (
        finding("RL201", 2.0)._replace(span=elsewhere),
        finding("RL202", 2.0)._replace(function="g"),
        finding("RL301", 2.0)._replace(machine="another"),
        finding("RL404", 1.0),
    )
    assert with_findings(*others).advice is None
    merged = finding("RL201", 2.0)._replace(
        machine="x", machines=(MachineGain("m", Gain(1.5, 2.0)),)
    )
    assert with_findings(merged).time.gain == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("fix", "applicability"),
    [
        (None, Applicability.MANUAL),
        (Fix("sketch", "t"), Applicability.MANUAL),
        (Fix("unsafe", "t"), Applicability.CHECK),
        (Fix("safe", "t"), Applicability.SAFE),
    ],
)
def test_how_a_fix_applies(fix: Fix | None, applicability: Applicability) -> None:
    advice = with_findings(finding("RL201", 2.0)._replace(fix=fix)).advice
    assert advice is not None
    assert advice.applicability is applicability


@pytest.mark.parametrize(
    ("measured", "state"),
    [
        (4.0 * AGREES * 0.99, MeasurementState.AGREES),
        (4.0 * AGREES * 1.01, MeasurementState.DIFFERS),
        (4.0 / AGREES / 1.01, MeasurementState.DIFFERS),
        (4.0 * REFUTES * 0.99, MeasurementState.DIFFERS),
        (4.0 * REFUTES * 1.01, MeasurementState.REFUTES),
        (4.0 / REFUTES / 1.01, MeasurementState.REFUTES),
    ],
)
def test_a_measured_time_agrees_differs_or_refutes(
    measured: float, state: MeasurementState
) -> None:
    limits = (LimitShare("any", 1.0, measured),)
    [verdict] = verdicts_of([file_of(kernel(result(SUM)._replace(limits=limits)))], [MACHINE])
    assert verdict.measured is not None
    assert verdict.measured.state is state
    assert (verdict.confidence == "low") == (state is MeasurementState.REFUTES)


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({}, MeasurementState.AGREES),
        ({"standing": "before a change"}, MeasurementState.DISTURBED),
        ({"sizes": {"n": 7}}, MeasurementState.DISTURBED),
        ({"machine": "another"}, None),
        ({"line": 99}, None),
    ],
)
def test_a_measurement_of_the_store(change: dict[str, Any], state: MeasurementState | None) -> None:
    loop = MeasuredLoop(
        standing="exact",
        line=4,
        machine="m",
        cores=1,
        level="L1",
        cycles_per_iteration=4.2,
        sizes={"n": 100},
        cpu="",
        compiler="",
        predictions=(),
    )._replace(**change)
    sized = result(SUM)._replace(sizes={"n": SizeValue(100, "command line")})
    file = file_of(kernel(sized))
    function = file.functions[0]._replace(measured=(loop,))
    [verdict] = verdicts_of([file._replace(functions=(function,))], [MACHINE])
    assert (verdict.measured.state if verdict.measured is not None else None) is state


@pytest.mark.parametrize(
    ("stability", "confidence"),
    [
        (Stability.EVERYWHERE, "high"),
        (Stability.WITHIN_QUARTILES, "medium"),
        (Stability.PARTLY, "low"),
        (Stability.NOWHERE_ELSE, "low"),
    ],
)
def test_confidence_follows_where_the_verdict_breaks(stability: Stability, confidence: str) -> None:
    guessed = result(SUM)._replace(sizes={"n": SizeValue(100, "role")})
    asked = doubt(one(SUM), guessed, Doubts(generic=False, sensitivity=Sensitivity(stability)))
    assert asked.confidence == confidence
    assert asked.sensitive == (confidence == "low")
    # nobody asked: no confidence to tell, and no mark
    silent = doubt(one(SUM), guessed, Doubts(generic=False))
    assert silent.confidence is None
    assert not silent.sensitive
    assert VerdictReason.SIZE_GUESSED in silent.reasons


@pytest.mark.parametrize(("more", "confidence"), [(-0.01, "high"), (0.01, "low")])
def test_code_left_out_costs_confidence_from_a_share_on(more: float, confidence: str) -> None:
    share = MOST_LEFT_OUT + more
    # one gap beside `counted` operations
    counted = 1 / share - 1
    work = WorkReport(type="f64", flops=0.0, operations={"add": counted}, loads=0.0, stores=0.0)
    gap = CoverageGap(7, Reason("call", ("g",)))
    asked = kernel(result(SUM))._replace(work=work, not_covered=(gap,))
    assert of_kernel(asked).confidence == confidence


def test_a_generic_machine_is_never_sure_of_gains_across_a_link() -> None:
    streams = prediction([TimeTerm(MEMORY, 4.0)])
    file = file_of(kernel(result(streams)), findings=(finding("RL104", 2.0),))
    [verdict] = verdicts_of([file], [MACHINE._replace(is_generic=True)])
    assert verdict.confidence == "medium"
    assert VerdictReason.GENERIC_MACHINE in verdict.reasons
    [verdict] = verdicts_of([file], [MACHINE])
    assert verdict.confidence == "high"


def test_a_bug_costs_one_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Verdict:
        raise ZeroDivisionError

    monkeypatch.setattr("rooflint.verdict.steps.advise", broken)
    verdict = one(SUM)
    assert verdict.reasons == (VerdictReason.INTERNAL,)
    assert verdict.time.relation is TimeRelation.UNKNOWN
