"""The page's numbers and words are those of the verdicts, as the JSON report has them."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rooflint.cli.main import run
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.action import Confidence
from rooflint.plugin_api.report import KernelReport, Report
from rooflint.plugin_api.terms import CoreUnit, Limiter, LimiterKind
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
)
from rooflint.registry import load_registry
from rooflint.render.html import render_html
from rooflint.render.verdicts import verdict_to_json
from rooflint.verdict.totals import time_column
from rooflint.verdict.words import do_column, limit_column, share_column

from .page_data import Data, column, data_of, identifiers, words

ROOT = Path(__file__).parents[2]
MACHINE = "generic-avx2"


@pytest.fixture(scope="module")
def stencil() -> Report:
    path = str(ROOT / "examples" / "jacobi2d.c")
    return analyse([Source(path)], Options(machines=(MACHINE,)), load_registry())


def test_the_page_has_the_records_of_the_json_report(tmp_path: Path) -> None:
    paths = [str(ROOT / "examples" / name) for name in ("triad.c", "jacobi2d.c")]
    for name in ("html", "json"):
        command = ["analyze", *paths, "--machine", "cell", "--machine", "generic-avx2"]
        assert run([*command, "--format", name, "-o", str(tmp_path / name)]) == 0
    written = json.loads((tmp_path / "json").read_text(encoding="utf-8"))
    data = data_of((tmp_path / "html").read_text(encoding="utf-8"))
    for place in range(2):
        shown = {each: at for at, each in enumerate(identifiers(data, place))}
        machine = data["texts"][data["machines"][place]["name"]]
        records = [each for each in written["verdicts"] if each["machine"] == machine]
        assert {each["id"] for each in records} == shown.keys()
        for record in records:
            check_record(data, place, shown[record["id"]], record)


def check_record(data: Data, machine: int, at: int, record: Data) -> None:
    """A row of the page has a record of the JSON report."""
    numbers = {
        "now": record["time"]["now_s"],
        "possible": record["time"]["possible_s"],
        "high": record["time"]["high_s"] if record["time"]["relation"] == "range" else None,
        "cycles": record["time"]["cycles_per_iteration"],
        "of_limit": record["floor"]["of_limit"] if record["floor"] else None,
        "share": record["weight"]["share"],
    }
    for name, expected in numbers.items():
        shown = column(data, name, machine)[at]
        assert shown == (None if expected is None else pytest.approx(expected, rel=6e-4)), name
    if record["advice"] is not None:
        gain = column(data, "gain", machine)[at]
        assert gain == pytest.approx(record["advice"]["gain"], rel=6e-4)
    limiter = record["limiter"]["name"] if record["limiter"] else "not predicted"
    assert words(data, "limiter", machine)[at] == limiter
    rule = record["advice"]["rule"] if record["advice"] else None
    assert words(data, "rule", machine)[at] == rule
    assert words(data, "relation", machine)[at] == record["time"]["relation"]
    assert words(data, "confidence", machine)[at] == record["confidence"]
    assert bool(column(data, "sensitive", machine)[at]) == record["sensitive"]


CYCLES = st.floats(0.01, 1e4)
LIMITERS = st.sampled_from(
    [
        Limiter(LimiterKind.CHAIN),
        Limiter(LimiterKind.PORT, unit=CoreUnit.DIVIDER),
        Limiter(LimiterKind.LINK, level="MEM"),
        Limiter(LimiterKind.MISSES, level="L3", array="x"),
    ]
)
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")


@st.composite
def verdicts(draw: st.DrawFn, path: str, kernel: KernelReport) -> Verdict:
    """A verdict as the steps may make it."""
    now, gain, ratio = draw(CYCLES), draw(st.floats(1, 50)), draw(st.floats(1, 20))
    relation = draw(st.sampled_from(TimeRelation))
    place = VerdictPlace(path, kernel.line, "f", column=kernel.column)
    if relation is TimeRelation.UNKNOWN:
        time = LoopTime(relation)
        return Verdict(id=kernel.id, place=place, machine=MACHINE, cores=1, time=time)
    limiter = draw(LIMITERS)
    advised = draw(st.booleans())
    part = draw(st.floats(0.01, 1))
    advice = BestAdvice(
        rule="RL201", gain=gain, applicability=Applicability.CHECK, confidence="medium",
        action=Action(ActionKind.PARTIAL_SUMS, "4"),
    )  # fmt: skip
    return Verdict(
        id=kernel.id,
        place=place,
        machine=MACHINE,
        cores=1,
        time=LoopTime(
            relation=relation,
            clock_ghz=draw(st.floats(1, 5)),
            iterations=draw(st.floats(1, 1e9)),
            now_cy=now,
            possible_cy=now / gain if advised else now,
            low_cy=now,
            high_cy=now * ratio if relation is TimeRelation.RANGE else now,
        ),
        limiter=limiter,
        floor=LoopFloor(now * part, limiter, part),
        weight=VerdictWeight(draw(st.floats(0, 1e6)), draw(st.floats(0, 1))),
        advice=advice if advised else None,
        confidence=draw(st.sampled_from(CONFIDENCES)),
    )


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_numbers_and_words_are_those_of_the_verdict(stencil: Report, data: st.DataObject) -> None:
    (file,) = stencil.files
    made = [data.draw(verdicts(file.path, kernel)) for kernel in file.kernels()]
    shown = data_of(render_html(stencil._replace(verdicts=tuple(made))))
    rows = {each: at for at, each in enumerate(identifiers(shown))}
    for verdict in made:
        at = rows[verdict.id]
        check_record(shown, 0, at, verdict_to_json(verdict))
        assert words(shown, "time_text")[at] == time_column(verdict)
        assert words(shown, "do_text")[at] == do_column(verdict, 64)
        if verdict.limiter is not None:
            assert words(shown, "limit_text")[at] == limit_column(verdict)
        share = verdict.weight.share
        expected = None if share is None else share_column(verdict, share)
        assert words(shown, "share_text")[at] == expected
