"""No two doors contradict each other: a reader of them all, on code of our own."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")

from rooflint.lint import lint_file
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.measured.run_report import run_report
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint_lsp.documents.settings import ESTIMATORS, Settings

from ..doors import RunDoors
from ..printed_figures import DoorFigure, DoorReader, Quantity, contradictions

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "tests" / "kernels"
MACHINES = ("skylake-sp-6148", "zen4-9654", "graviton4-c8g")
FEW = ("templates.cpp", "classes.cpp", "calls.c")
"""Copies of a loop, several changes of one loop, and calls without a summary."""


def reported(paths: Sequence[Path], machine: str) -> Report:
    options = Options(machines=(machine,), estimators=ESTIMATORS, advice=True, jobs=1)
    analysis = Analysis(options, load_registry(), lint_file)
    list(analysis.files([Source(str(path)) for path in paths]))
    return run_report(analysis).report


def doors_of(path: Path, machine: str, shown: ModuleType) -> RunDoors:
    """A file as its report and as an editor have it."""
    report = reported([path], machine)
    opened = {}
    if any(True for file in report.files for _ in file.kernels()):
        text = path.read_text(encoding="utf-8")
        opened[str(path)] = shown.opened_report(str(path), text, Settings(machine=(machine,)))
    return RunDoors(report, opened)


@pytest.fixture(scope="module", params=FEW)
def read(request: pytest.FixtureRequest, shown: ModuleType) -> Iterator[RunDoors]:
    yield doors_of(KERNELS / request.param, "generic-avx2", shown)


def test_no_two_doors_disagree(read: RunDoors) -> None:
    assert [str(each) for each in read.disagreements()] == []


def test_every_door_is_read(read: RunDoors) -> None:
    """A grammar that reads nothing would agree with everything."""
    figures = [figure for loop in read.loops for figure in read.figures(loop)]
    seen = {figure.door for figure in figures}
    assert {"json", "report", "details", "page", "page hint", "hint", "hover"} <= seen
    told = {(figure.door, figure.quantity) for figure in figures}
    for door in ("report", "details", "page", "json"):
        for quantity in (Quantity.SHARE, Quantity.NOW_S, Quantity.LIMITER):
            assert (door, quantity) in told


@pytest.mark.long
def test_gains_are_read_at_every_door(shown: ModuleType) -> None:
    read = doors_of(KERNELS / "classes.cpp", "generic-avx2", shown)
    gains = {
        figure.door
        for loop in read.loops
        for figure in read.figures(loop)
        if figure.quantity is Quantity.GAIN
    }
    assert gains == {
        *("json", "report", "details", "page", "page hint", "page finding", "hint", "hover"),
        *("lint", "lint full", "lint markdown", "sarif", "squiggle"),
    }


def test_the_examples_together_agree() -> None:
    read = RunDoors(reported(sorted((ROOT / "examples").glob("*.c*")), MACHINES[0]), {})
    assert len(read.loops) > 10
    assert [str(each) for each in read.disagreements()] == []


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(MACHINES)))
def test_all_our_code_agrees(number: int, shown: ModuleType) -> None:
    """Each file on one machine; ``benchmarks/door_agreement.py`` takes each on all of them."""
    machine = MACHINES[number]
    paths = [*sorted(KERNELS.glob("*.c*")), *sorted((ROOT / "examples").glob("*.c*"))]
    for path in paths[number :: len(MACHINES)]:
        read = doors_of(path, machine, shown)
        assert [str(each) for each in read.disagreements()] == []


def figure(door: str, text: str, subject: str = "loop") -> DoorFigure:
    (made,) = DoorReader(door, subject).printed(Quantity.GAIN, text)
    return made


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("2.4", "2.4", True),
        ("2.4", "2", True),  # 2.4 prints as 2 without a decimal
        ("2.4", "2.5", True),  # 2.45 prints as either
        ("2.4", "2.6", False),
        ("17", "16.4", False),
        ("17", "16.5", True),
        ("< 1", "0.4", True),
        ("< 1", "2", False),
    ],
)
def test_numbers_meet_where_one_value_prints_as_both(one: str, other: str, meet: bool) -> None:
    assert figure("a", one).meets(figure("b", other)) is meet
    assert figure("b", other).meets(figure("a", one)) is meet


def test_a_contradiction_names_both_doors() -> None:
    told = [figure("hint", "2.4"), figure("row", "2.4"), figure("lint", "3.9")]
    (found,) = contradictions("a.c:1 f", told)
    assert str(found) == "a.c:1 f: gain (loop): hint '2.4', lint '3.9'"
    about_another = figure("lint", "3.9", "another loop")
    assert list(contradictions("a.c:1 f", [*told[:2], about_another])) == []


def test_names_meet_where_they_are_the_same() -> None:
    def limiters(*texts: str) -> list[DoorFigure]:
        read = [DoorReader(f"door {n}", "loop") for n in range(len(texts))]
        return [each for one, text in zip(read, texts, strict=True) for each in one.limiter(text)]

    assert list(contradictions("", limiters("latency chain", "chain"))) == []
    assert len(list(contradictions("", limiters("latency chain", "divider")))) == 1
    assert limiters("scalar", "1 of 8 cores") == []  # no limiters


@pytest.mark.parametrize(
    ("text", "gain", "now", "spent"),
    [
        ("latency chain: 2.4× with 4 sums", "2.4", None, None),
        ("~DRAM: 1.7× fused, from n = 90 000", "1.7", None, None),
        ("1 of 20 cores: 6.2× with threads", "6.2", None, None),
        ("≥ 41 cy/it, VoluDer() not counted", None, "41", None),
        ("random reads of x: 3–90 cy each", None, "3", None),
        ("62 % in CalcElemVolume(), line 1361", None, None, "62"),
        ("calls: 71 % of the time", None, None, "71"),
        ("8 iterations: start-up is 60 %", None, None, "60"),
        ("measured 2.3× the prediction", None, None, None),
        ("not predicted: calls read()", None, None, None),
        ("2 instances: double L2, float L1", None, None, None),
    ],
)
def test_hints_are_read(text: str, gain: str | None, now: str | None, spent: str | None) -> None:
    read = {each.quantity: each.text for each in DoorReader("hint", "a").hint(text, "RL1")}
    assert read.get(Quantity.GAIN) == gain
    assert read.get(Quantity.NOW) == now
    assert read.get(Quantity.SPENT) == spent
