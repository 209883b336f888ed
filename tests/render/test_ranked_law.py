"""The law of the report: each number on the screen is that of the JSON record."""

import re
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.plugin_api.report import FileReport, MachineReport, Report, Summary
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind, TimeTerm, link_resource
from rooflint.plugin_api.verdict import (
    Action,
    ActionKind,
    Applicability,
    BestAdvice,
    LoopFloor,
    LoopTime,
    TimeRelation,
    Verdict,
    VerdictPlace,
    VerdictWeight,
    WeightOrigin,
)
from rooflint.render.explanations import explanation
from rooflint.render.layout import Style
from rooflint.render.ranked.report import render_ranked
from rooflint.render.ranked.request import RankedRequest, ReportView
from rooflint.render.verdicts import verdict_to_json
from rooflint.verdict.words import resource_words, short_resource

from .ranked_grammar import HEADING, PrintedNumber, is_percent, printed_row

RESOURCES = (
    *[Limiter(kind) for kind in LimiterKind if kind not in (LimiterKind.PORT, LimiterKind.LINK)],
    *[Limiter(LimiterKind.PORT, unit=unit) for unit in CoreUnit],
    *[link_resource(link) for link in ("REG-L1", "L1-L2", "L2-L3", "L3-MEM")],
)
CYCLES = st.floats(1e-2, 1e4)
WIDTHS = st.sampled_from((96, 120, 140))


@st.composite
def verdicts(draw: st.DrawFn, line: int = 1) -> Verdict:
    """A verdict of any kind that has a time."""
    now = draw(CYCLES)
    relation = draw(
        st.sampled_from((TimeRelation.EQUALS, TimeRelation.AT_LEAST, TimeRelation.RANGE))
    )
    gain = draw(st.floats(1.05, 40.0)) if relation is TimeRelation.EQUALS else None
    high = now * draw(st.floats(1.2, 50.0)) if relation is TimeRelation.RANGE else now
    limiter = draw(st.sampled_from(RESOURCES))
    advice = None
    if gain is not None and draw(st.booleans()):
        advice = BestAdvice(
            rule="RL202",
            gain=gain,
            applicability=Applicability.CHECK,
            confidence="high",
            action=Action(
                draw(st.sampled_from(list(ActionKind))), draw(st.sampled_from(("", "x")))
            ),
            title="a change",
        )
    of_limit = None if relation is TimeRelation.AT_LEAST else draw(st.floats(0.001, 1.0))
    return Verdict(
        id=f"a.c:f{line}/i",
        place=VerdictPlace(path="a.c", line=line, function=f"f{line}"),
        machine="toy",
        cores=1,
        time=LoopTime(
            relation=relation,
            clock_ghz=draw(st.floats(0.5, 6.0)),
            iterations=draw(st.floats(100.0, 1e6)),
            now_cy=now,
            possible_cy=now / gain if gain is not None and advice is not None else now,
            low_cy=now,
            high_cy=high,
        ),
        limiter=limiter,
        floor=LoopFloor(now * (of_limit or 0.5), draw(st.sampled_from(RESOURCES)), of_limit),
        weight=VerdictWeight(
            executions=draw(st.floats(1.0, 100.0)),
            share=draw(st.floats(0.0, 1.0)),
            origin=draw(st.sampled_from(WeightOrigin)),
        ),
        advice=advice,
        terms=(TimeTerm(limiter, now),),
        floors=(TimeTerm(draw(st.sampled_from(RESOURCES)), draw(CYCLES)),),
    )


def run_of(*every: Verdict) -> Report:
    return Report(
        version="0",
        machines=(MachineReport(name="toy", file="", cores=4),),
        files=(FileReport(path="a.c", status="ok"),),
        summary=Summary(len(every), len(every)),
        verdicts=every,
    )


@settings(max_examples=120, deadline=None)
@given(verdicts(), WIDTHS)
def test_a_row_is_the_record(verdict: Verdict, width: int) -> None:
    record: Mapping[str, Any] = verdict_to_json(verdict)
    text = render_ranked(run_of(verdict), Style(width), RankedRequest(top=1, quiet=True))
    row = printed_row(text.splitlines()[1])
    time, weight = record["time"], record["weight"]
    assert row.line == record["line"]
    assert row.now.is_of(time["now_s"])
    assert row.least == (time["relation"] == "at_least")
    assert (row.high is not None) == (time["relation"] == "range")
    assert row.high is None or row.high.is_of(time["high_s"])
    assert row.limit == short_resource(verdict.limiter or Limiter(LimiterKind.UNKNOWN)) or (
        row.limit.endswith("…")
    )
    of_limit = record["floor"]["of_limit"]
    assert (row.of_limit is None) == (of_limit is None)
    assert row.of_limit is None or is_percent(row.of_limit, of_limit)
    assert is_percent(row.share, weight["share"])
    is_static = weight["origin"] in ("static", "file") and time["relation"] != "at_least"
    assert ("≈" in row.marks) == (is_static and not row.share.startswith("<"))
    assert ("≥" in row.marks) == (time["relation"] == "at_least")
    advice = record["advice"]
    assert row.rule == (advice["rule"] if advice else None)
    assert (row.possible is not None) == (advice is not None)
    if advice is not None:
        assert row.possible is not None and row.possible.is_of(time["possible_s"])
        assert row.gain is not None and row.gain.is_of(advice["gain"])


@settings(max_examples=60, deadline=None)
@given(verdicts(), WIDTHS)
def test_details_are_the_record(verdict: Verdict, width: int) -> None:
    record: Mapping[str, Any] = verdict_to_json(verdict)
    request = RankedRequest(view=ReportView.LOOPS)
    lines = render_ranked(run_of(verdict), Style(width), request).splitlines()
    head = HEADING.match(lines[2])
    assert head is not None, lines
    cycles = record["time"]["cycles_per_iteration"]
    assert PrintedNumber(head["now"]).is_of(cycles)
    assert (head["least"] is not None) == (record["time"]["relation"] == "at_least")
    place = next(n for n, line in enumerate(lines) if line.split()[:2] == ["term", "cy"])
    numbers = re.findall(r"(?<!\S)\d+(?:\.\d+)?(?!\S)", lines[place + 1])
    assert PrintedNumber(numbers[0]).is_of(record["terms"][0]["cycles"])
    assert PrintedNumber(numbers[1]).is_of(record["floors"][0]["cycles"])


def test_every_resource_is_a_topic_that_names_its_roof() -> None:
    for resource in RESOURCES:
        assert "roof" in explanation(resource_words(resource)), resource
        assert explanation(short_resource(resource))
