"""Verdicts in sentences: the lines of a hover, and a file in one line."""

import pytest
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, TimeTerm
from rooflint.plugin_api.verdict import (
    Action,
    ActionKind,
    Applicability,
    BestAdvice,
    LoopTime,
    TimeRelation,
    Verdict,
    VerdictPlace,
    VerdictWeight,
    WeightOrigin,
)
from rooflint.verdict.choose import ChosenHint, HintRule
from rooflint.verdict.sentences import (
    cause_sentence,
    chosen_hint,
    file_sentence,
    header_hint,
    time_sentence,
)
from rooflint.verdict.words import LONGEST_HINT, hint

CHAIN = Limiter(LimiterKind.CHAIN)
LOADS = Limiter(LimiterKind.PORT, unit=CoreUnit.LOAD)
CALL = Limiter(LimiterKind.CALL)
DRAM = Limiter(LimiterKind.LINK, level="MEM")
L2 = Limiter(LimiterKind.LINK, level="L2")


def verdict(
    now: float | None = 4.0,
    possible: float | None = None,
    line: int = 10,
    share: float | None = 0.5,
    origin: WeightOrigin = WeightOrigin.STATIC,
    limiter: Limiter = CHAIN,
) -> Verdict:
    relation = TimeRelation.UNKNOWN if now is None else TimeRelation.EQUALS
    advice = BestAdvice("RL201", 1.0, Applicability.CHECK, "high", Action(ActionKind.PARTIAL_SUMS))
    return Verdict(
        id=f"a.c:f/i{line}",
        place=VerdictPlace(path="a.c", line=line, function="f"),
        machine="cell",
        cores=1,
        # 4e9 cycles of 2 GHz: 2 s
        time=LoopTime(relation, 2.0, 1e9, now, possible or now, now, now),
        limiter=None if now is None else limiter,
        weight=VerdictWeight(executions=1.0, share=share, origin=origin),
        advice=None if possible is None else advice,
        confidence="medium",
        terms=(TimeTerm(CHAIN, 4.0), TimeTerm(LOADS, 1.0), TimeTerm(L2, 0.5)),
    )


def test_the_time_with_its_change_share_and_confidence() -> None:
    changed = verdict(possible=1.667)
    assert time_sentence(changed) == (
        "4.0 → 1.7 cy per iteration · ≈ 50 % of the run · confidence medium"
    )
    counted = verdict(origin=WeightOrigin.COUNTS)._replace(confidence=None)
    assert time_sentence(counted) == "4.0 cy per iteration · 50 % of the run"
    assert time_sentence(verdict(now=None, share=None)) == "not predicted · confidence medium"
    alone = verdict(share=0.004, origin=WeightOrigin.FILE)
    assert "≈ < 1 % of the file" in time_sentence(alone)


def test_a_bound_and_a_range_are_marked() -> None:
    bound = verdict(now=41.0)
    bound = bound._replace(time=bound.time._replace(relation=TimeRelation.AT_LEAST))
    assert time_sentence(bound).startswith("≥ 41 cy per iteration")
    ranging = verdict(now=3.0)
    time = ranging.time._replace(relation=TimeRelation.RANGE, high_cy=90.0)
    assert time_sentence(ranging._replace(time=time)).startswith("3–90 cy per iteration")


def test_the_cause_names_what_else_would_take() -> None:
    # without the chain the load units are next
    assert cause_sentence(verdict()) == (
        "Each iteration waits for a result of the previous one; all else takes 1.0 cy."
    )
    only = verdict()._replace(terms=(TimeTerm(CHAIN, 4.0),))
    assert cause_sentence(only) == "Each iteration waits for a result of the previous one."
    assert cause_sentence(verdict(now=None)) == ""


def test_a_file_in_one_line() -> None:
    # 2 s and 2 s; the first saves 1.5 s of them
    loops = [verdict(possible=1.0), verdict(line=20)]
    assert file_sentence(loops) == "2 loops, 1 worth a change (≈ 1.5 of 4.0 s)"
    assert file_sentence(loops[1:]) == "1 loop, none worth a change"
    assert file_sentence(loops[1:], refused=2) == ("3 loops, none worth a change, 2 not predicted")
    alone = [each._replace(weight=each.weight._replace(origin=WeightOrigin.FILE)) for each in loops]
    # nobody knows how often the functions are called: seconds would say nothing
    assert file_sentence(alone) == "2 loops, 1 worth a change (≈ 38 % of its time)"
    assert file_sentence([]) == "0 loops, none worth a change"


def test_copies_that_take_no_time_say_nothing_about_the_loop() -> None:
    first, other = verdict(share=0.6), verdict(share=0.06, limiter=DRAM)
    both = ChosenHint((first, other), HintRule.HOT)
    assert chosen_hint(both) == "2 instances: latency chain, DRAM"
    rare = other._replace(weight=other.weight._replace(share=0.059))
    assert chosen_hint(ChosenHint((first, rare), HintRule.HOT)) == hint(first, HintRule.HOT)


def test_the_number_of_a_copy_is_no_name() -> None:
    first, other = verdict(), verdict(limiter=DRAM)
    numbered = other._replace(place=other.place._replace(instance="2"))
    again = numbered._replace(place=other.place._replace(instance="3"))
    text = chosen_hint(ChosenHint((first, numbered, again), HintRule.HOT))
    assert text == "3 instances: latency chain, DRAM"


def test_calls_are_named_by_their_part_of_the_time() -> None:
    calls = verdict(limiter=CALL)._replace(terms=(TimeTerm(CALL, 3.0), TimeTerm(LOADS, 1.0)))
    assert hint(calls, HintRule.HOT) == "calls: 75 % of the time"


@pytest.mark.parametrize("length", [1, 20, 21, 60])
def test_a_missing_header_fits_in_a_hint(length: int) -> None:
    text = header_hint("h" * length)
    assert text.startswith("not read: h")
    assert text.endswith(" not found")
    assert len(text) == min(LONGEST_HINT, 20 + length)
