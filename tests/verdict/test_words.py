"""The words of verdicts: the hint of each situation, numbers, columns of a report, a finding."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.ir import Span
from rooflint.plugin_api.advice import Advice, Gain, gain_text
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, TimeTerm
from rooflint.plugin_api.verdict import (
    Action,
    ActionKind,
    Applicability,
    BestAdvice,
    CallShare,
    GapKind,
    LoopFloor,
    LoopTime,
    MeasuredTime,
    MeasurementState,
    TimeRelation,
    Verdict,
    VerdictGap,
    VerdictPlace,
    VerdictWeight,
    WeightOrigin,
)
from rooflint.render.explanations import WORDS
from rooflint.scenario.sensitivity import BreakEven, Sensitivity, Stability
from rooflint.verdict.choose import HintRule, hint_rule
from rooflint.verdict.figures import figure, seconds_text, share_text
from rooflint.verdict.finding_words import finding_sentence
from rooflint.verdict.totals import time_column
from rooflint.verdict.words import (
    LONGEST_HINT,
    do_column,
    hint,
    instances_hint,
    limit_column,
    middle_cut,
    resource_words,
    share_column,
)

# no model has a term of these kinds; a port has the words of its unit, a link those of its level
UNSEEN = (LimiterKind.WINDOW, LimiterKind.UNKNOWN, LimiterKind.PORT, LimiterKind.LINK)
HINTS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "hints.json").read_text("utf-8"))[
    "hints"
]
EXPECTED = {each["situation"]: each for each in HINTS}

CHAIN = Limiter(LimiterKind.CHAIN)
DIVIDER = Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER)
UNITS = Limiter(LimiterKind.PORT, unit=CoreUnit.MULTIPLY_ADD)
DRAM = Limiter(LimiterKind.LINK, level="MEM")
L1, L2, L3 = (Limiter(LimiterKind.LINK, level=level) for level in ("L1", "L2", "L3"))
WALKS = Limiter(LimiterKind.PAGE_WALKS)
ISSUE = Limiter(LimiterKind.ISSUE)


def base() -> Verdict:
    return Verdict(
        id="a.c:f/i",
        place=VerdictPlace(path="a.c", line=10, function="f"),
        machine="cell",
        cores=1,
        time=LoopTime(
            relation=TimeRelation.EQUALS,
            clock_ghz=2.0,
            iterations=1000.0,
            now_cy=4.0,
            possible_cy=4.0,
            low_cy=4.0,
            high_cy=4.0,
        ),
        limiter=CHAIN,
        floor=LoopFloor(1.6, L1, of_limit=0.4),
        weight=VerdictWeight(executions=1000.0, share=0.09, origin=WeightOrigin.STATIC),
        confidence="medium",
        cores_of_machine=20,
    )


def limited(limiter: Limiter, of_limit: float | None = 0.4) -> Verdict:
    return base()._replace(limiter=limiter, floor=LoopFloor(1.6, limiter, of_limit))


def advised(
    limiter: Limiter,
    gain: float,
    kind: ActionKind,
    subject: str = "",
    cores: int = 0,
    unlocks_vectors: bool = False,
) -> Verdict:
    verdict = limited(limiter)
    advice = BestAdvice(
        rule="RL000",
        gain=gain,
        applicability=Applicability.CHECK,
        confidence="medium",
        action=Action(kind, subject),
        cores=cores,
        unlocks_vectors=unlocks_vectors,
    )
    return verdict._replace(time=verdict.time._replace(possible_cy=4.0 / gain), advice=advice)


def gap(kind: GapKind, name: str) -> tuple[VerdictGap, ...]:
    return (VerdictGap(kind=kind, name=name, line=12, share=0.2),)


def unknown(kind: GapKind, name: str) -> Verdict:
    return base()._replace(
        time=LoopTime(TimeRelation.UNKNOWN), limiter=None, floor=None, gaps=gap(kind, name)
    )


def at_least(cycles: float, name: str) -> Verdict:
    verdict = limited(Limiter(LimiterKind.CALL), None)
    time = verdict.time._replace(
        relation=TimeRelation.AT_LEAST, now_cy=cycles, low_cy=cycles, high_cy=cycles
    )
    return verdict._replace(time=time, gaps=gap(GapKind.CALL, name))


def ranging(low: float, high: float) -> Verdict:
    verdict = limited(Limiter(LimiterKind.MISSES, level="MEM", array="x"), None)
    time = verdict.time._replace(relation=TimeRelation.RANGE, now_cy=low, low_cy=low, high_cy=high)
    return verdict._replace(time=time)


def measured(verdict: Verdict, state: MeasurementState, ratio: float, share: float) -> Verdict:
    return verdict._replace(measured=MeasuredTime(state, 4.0 * ratio, ratio, share))


BREAK = Sensitivity(Stability.PARTLY, (BreakEven("n", "from", 90000, 89999),))
FUSED = advised(DRAM, 1.7, ActionKind.FUSE, "2076")
START = Limiter(LimiterKind.OVERHEAD)
SITUATIONS: dict[str, Verdict] = {
    "sum in order": advised(CHAIN, 2.4, ActionKind.PARTIAL_SUMS, "4"),
    "invariant divisor": advised(DIVIDER, 1.6, ActionKind.HOIST, "x / h"),
    "column walk": advised(DRAM, 6.1, ActionKind.SWAP, "i and j"),
    "two passes": FUSED,
    "may alias": advised(UNITS, 5.2, ActionKind.RESTRICT, "a, b", unlocks_vectors=True),
    "errno": advised(UNITS, 17.0, ActionKind.FLAG, "-fno-math-errno", unlocks_vectors=True),
    "threads": advised(DRAM, 6.2, ActionKind.THREADS, cores=20),
    "huge pages": advised(WALKS, 1.4, ActionKind.HUGE_PAGES),
    "sensitive to a size": FUSED._replace(sensitivity=BREAK, confidence="low"),
    "function that holds the time is called": base()._replace(
        callee=CallShare("CalcElemVolume", 1361, 0.62)
    ),
    "memory roof": limited(DRAM, 1.0),
    "cache roof": limited(L2, 0.92),
    "compute roof": limited(UNITS, 1.0),
    "recurrence, nothing to do": limited(CHAIN),
    "far from limit, no rule": limited(ISSUE),
    "cores saturate memory": limited(DRAM, 1.0)._replace(cores=20, saturation=5),
    "indirect access": ranging(3.0, 90.0),
    "short trips": limited(START)._replace(
        time=base().time._replace(iterations=8.0), terms=(TimeTerm(START, 2.4),)
    ),
    "call without summary": at_least(41.0, "VoluDer"),
    "nothing modelled": unknown(GapKind.CALL, "VoluDer"),
    "missing header": unknown(GapKind.HEADER, "Eigen/Dense"),
    "measured, prediction holds": measured(limited(L3, 0.71), MeasurementState.AGREES, 1.1, 0.18),
    "measured, prediction refuted": measured(
        limited(L3, 0.71), MeasurementState.REFUTES, 2.3, 0.18
    ),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_hint_of_a_situation(situation: str) -> None:
    verdict = SITUATIONS[situation]
    rule = hint_rule(verdict)
    assert rule.value == EXPECTED[situation]["rule"]
    assert hint(verdict, rule) == EXPECTED[situation]["hint"]


def test_instances_that_differ_share_a_hint() -> None:
    double = limited(L2)._replace(place=base().place._replace(instance="double"))
    single = limited(L1)._replace(place=base().place._replace(instance="float"))
    assert instances_hint((double, single)) == EXPECTED["two instances differ"]["hint"]


def test_every_situation_has_a_hint() -> None:
    assert {*SITUATIONS, "two instances differ"} == set(EXPECTED)
    assert len(EXPECTED) == 24


NAMES = st.text("abcXYZ_:<>~", min_size=1, max_size=80)


@given(
    st.sampled_from(sorted(SITUATIONS)),
    st.sampled_from(HintRule),
    NAMES,
    st.floats(0.001, 1e7, allow_nan=False),
)
def test_no_hint_is_too_long(situation: str, rule: HintRule, name: str, cycles: float) -> None:
    verdict = SITUATIONS[situation]
    if verdict.time.now_cy is not None:
        verdict = verdict._replace(
            time=verdict.time._replace(now_cy=cycles, possible_cy=cycles / 3)
        )
    if verdict.advice is not None:
        action = Action(verdict.advice.action.kind, name)
        verdict = verdict._replace(advice=verdict.advice._replace(action=action))
    if verdict.gaps:
        verdict = verdict._replace(gaps=gap(verdict.gaps[0].kind, name))
    if verdict.callee is not None:
        verdict = verdict._replace(callee=CallShare(name, 12, 0.5))
    text = hint(verdict, rule)
    assert 0 < len(text) <= LONGEST_HINT
    assert "\n" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (0.0846, "0.085"), (0.846, "0.85"), (0.949, "0.95"), (0.951, "1.0"),
        (0.996, "1.0"), (4.0, "4.0"), (9.94, "9.9"), (9.96, "10"), (41.4, "41"), (90000.0, "90000"),
    ],
)  # fmt: skip
def test_a_figure_has_two_digits_below_ten(value: float, text: str) -> None:
    assert figure(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ((9.4,), "9.4 s"), ((0.85, 0.354), "0.85 → 0.35 s"), ((0.0999,), "100 ms"),
        ((0.0035,), "3.5 ms"), ((2e-6, 1e-6), "2.0 → 1.0 µs"), ((3e-9,), "3.0 ns"),
        ((0.0,), "0 ns"),
    ],
)  # fmt: skip
def test_seconds_share_a_unit(seconds: tuple[float, ...], text: str) -> None:
    assert seconds_text(*seconds) == text


def test_gains_and_shares() -> None:
    assert [gain_text(each) for each in (1.62, 9.94, 9.96, 17.0)] == ["1.6×", "9.9×", "10×", "17×"]
    assert [share_text(each) for each in (0.09, 0.0051, 0.0049, 1.0)] == [
        "9 %", "1 %", "< 1 %", "100 %",
    ]  # fmt: skip


def test_columns_of_a_report() -> None:
    advised_sum = advised(CHAIN, 2.4, ActionKind.PARTIAL_SUMS, "4")
    assert limit_column(advised_sum) == "chain 40 %"
    # 4 cycles x 1000 iterations x 1000 executions at 2 GHz are 2 ms
    assert time_column(advised_sum) == "2.0 → 0.83 ms"
    assert do_column(advised_sum, 20) == "RL000 4 sums 2.4×"
    assert share_column(advised_sum, 0.09) == "≈9 %"
    assert time_column(base()) == "2.0 ms"
    assert do_column(base(), 20) == "–"
    bounded = at_least(41.0, "VoluDer")
    assert (limit_column(bounded), time_column(bounded)) == ("call", "≥20 ms")
    assert share_column(bounded, 0.08) == "≥8 %"
    assert do_column(bounded, 20) == "VoluDer() uncounted"
    assert time_column(ranging(3.0, 90.0)) == "1.5–45 ms"
    counted = base()._replace(weight=base().weight._replace(origin=WeightOrigin.COUNTS))
    assert share_column(counted, 0.09) == "9 %"
    assert share_column(base()._replace(sensitivity=BREAK), 0.09) == "~≈9 %"


@given(st.text(min_size=1, max_size=60), st.integers(12, 30))
def test_a_column_keeps_its_width(name: str, length: int) -> None:
    verdict = advised(DIVIDER, 1.6, ActionKind.HOIST, name)
    assert len(do_column(verdict, length)) <= length
    assert len(middle_cut(name, length)) <= length
    assert len(do_column(at_least(4.0, name), length)) <= length


def test_a_finding_in_one_sentence() -> None:
    evidence = "each of 3 sums waits 4 cy per iteration for itself"
    advice = Advice(
        code="RL201",
        slug="serial-sum",
        message="",
        severity="warning",
        span=Span(line=573, column=9, end_line=573, end_column=12),
        function="f",
        loop="i",
        fingerprint="",
        machine="skylake-sp-6148",
        gain=Gain(2.4, 3.9),
        evidence=evidence,
        change="4 partial sums",
    )
    best = advised(CHAIN, 2.4, ActionKind.PARTIAL_SUMS, "4")
    assert best.advice is not None
    named = best.advice._replace(rule="RL201")
    sized = best._replace(
        advice=named,
        sensitivity=Sensitivity(Stability.PARTLY, (BreakEven("nodeElemCount", "from", 5, 4),)),
    )
    assert finding_sentence(sized, advice) == (
        f"RL201 latency chain: {evidence}; 4 partial sums: 4.0 → 1.7 cy per iteration, 2.4×"
        " (9 % of the run, from nodeElemCount >= 5)"
    )
    # another change than the best one: its own gain, from the same time
    swap = advised(CHAIN, 6.0, ActionKind.SWAP)
    assert finding_sentence(swap, advice) == (
        f"RL201 latency chain: {evidence}; 4 partial sums: 4.0 → 1.7 cy per iteration, 2.4×"
        " (9 % of the run)"
    )
    assert finding_sentence(at_least(4.0, "f"), advice).endswith(
        "; 4 partial sums: 2.4× (9 % of the run)"
    )
    note = advice._replace(gain=None)
    assert finding_sentence(base(), note) == f"RL201 latency chain: {evidence}"


def test_every_limiter_is_explained() -> None:
    kinds = [kind for kind in LimiterKind if kind not in UNSEEN]
    limiters = [Limiter(kind) for kind in kinds]
    limiters += [Limiter(LimiterKind.PORT, unit=unit) for unit in CoreUnit]
    names = {resource_words(each) for each in limiters} - {"core"}
    assert names | {"DRAM", "L1", "L2", "L3"} <= WORDS.keys()
    for name in names:
        assert "roof" in WORDS[name] or "range" in WORDS[name]


def test_every_limiter_has_words() -> None:
    names = [resource_words(Limiter(kind)) for kind in LimiterKind if kind is not LimiterKind.LINK]
    names += [resource_words(Limiter(LimiterKind.PORT, unit=unit)) for unit in CoreUnit]
    assert all(names)
    assert resource_words(DRAM) == "DRAM"
    assert resource_words(L2) == "L2"
