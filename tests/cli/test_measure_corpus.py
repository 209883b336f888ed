"""``rooflint measure --corpus``: a table of accuracy, a failure that costs itself, going on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rooflint.cli.measure import run
from rooflint.measure.program import MeasureMode, Program
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject

Rooflint = Callable[..., tuple[int, str, str]]


@pytest.fixture
def corpus(engine: Any, triad: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with the triad and a file that is none."""
    folder = triad.parent / "codes"
    folder.mkdir()
    (folder / "triad.c").write_bytes(triad.read_bytes())
    (folder / "wrong.c").write_text("int f(;\n", encoding="utf-8")
    monkeypatch.chdir(triad.parent)
    return "codes"


def test_a_corpus_gives_a_table(rooflint: Rooflint, engine: Any, corpus: str) -> None:
    options = ("--corpus", corpus, "--machine", "skylake-sp-6148", "--sizes", "L1", "--yes")
    code, out, err = rooflint("measure", *options, "--format", "json")
    assert code == 0
    table = json.loads(out)
    assert table["shares"] == [{"corpus": "codes", "kernels": 2, "measured": 1, "stable": 1}]
    (cell,) = [each for each in table["levels"] if each["model"] == "ecm"]
    assert (cell["level"], cell["count"], cell["within"]) == ("L1", 1, [0.0, 0.0, 0.0])
    assert cell["median"] == pytest.approx(0.14, abs=0.005)
    assert "triad: L1 2 cy/it stable" in err


def test_a_corpus_goes_on_where_it_ended(rooflint: Rooflint, engine: Any, corpus: str) -> None:
    options = ("--corpus", corpus, "--machine", "skylake-sp-6148", "--sizes", "L1", "--yes")
    assert rooflint("measure", *options, "-o", "t.txt")[0] == 0
    first, builds = Path("t.txt").read_text(encoding="utf-8"), len(engine.builds)
    assert rooflint("measure", *options, "-o", "t.txt")[0] == 0
    assert Path("t.txt").read_text(encoding="utf-8") == first
    assert len(engine.builds) == builds
    assert rooflint("measure", *options, "-O2", "-o", "t.txt")[0] == 2
    assert rooflint("measure", *options, "-o", "t.txt", "--", "gcc", "-O2")[0] == 0
    assert len(engine.builds) > builds


def test_a_failure_costs_its_own_function(
    rooflint: Rooflint, engine: Any, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(run, "build_program", fails)
    options = ("--corpus", corpus, "--machine", "skylake-sp-6148", "--yes", "--format", "json")
    code, out, _ = rooflint("measure", *options)
    assert code == 3
    assert json.loads(out)["refusals"]["internal"] == 1


@pytest.mark.parametrize("option", [("triad.c",), ("--sweep", "n=1:2"), ("--format", "html")])
def test_a_corpus_stands_alone(
    rooflint: Rooflint, engine: Any, corpus: str, option: tuple[str, ...]
) -> None:
    code, _, err = rooflint("measure", "--corpus", corpus, "--yes", *option)
    assert code == 2
    assert err


def test_a_corpus_without_sources_is_an_error(rooflint: Rooflint, engine: Any, corpus: str) -> None:
    Path("empty").mkdir()
    code, _, err = rooflint("measure", "--corpus", "empty", "--yes")
    assert code == 2
    assert "--corpus empty: no C or C++ files below it" in err


NESTS = """\
void other(void);
void driver(int n, double *restrict a)
{
    for (int times = 0; times < 100; times++) {
        for (int i = 0; i < n; i++)
            a[i] += 1;
        other();
    }
}
void ending(int n, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] += 1;
    for (int i = 0; i < n; i++)
        a[i] += 2;
}
"""


def measured_places(rooflint: Rooflint, folder: str) -> dict[str, str]:
    options = ("--corpus", folder, "--machine", "skylake-sp-6148", "--yes")
    _, _, err = rooflint("measure", *options)
    lines = [
        line.partition("code.c:")[2].split(" ") for line in err.splitlines() if "cy/it" in line
    ]
    return {f"{place} {name.rstrip(':')}": " ".join(rest) for place, name, *rest in lines}


def test_nests_of_a_driver_are_measured(rooflint: Rooflint, engine: Any, corpus: str) -> None:
    Path("nests").mkdir()
    Path("nests/code.c").write_text(NESTS, encoding="utf-8")
    assert list(measured_places(rooflint, "nests")) == ["5 driver", "10 ending"]


def test_nests_take_the_place_of_a_function_without_a_figure(
    rooflint: Rooflint, engine: Any, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("nests").mkdir()
    Path("nests/code.c").write_text(NESTS, encoding="utf-8")
    ended = MeasureRefusal(code=RefusalCode.ENDED_PROGRAM, arguments=("ending",))

    def build(subject: Subject, *given: Any, **options: Any) -> Program:
        return replace(engine.build(subject, *given, **options), mode=subject.mode)

    def marked(*given: Any) -> ProcessRun:
        ran = engine.run(*given)
        batches = [replace(b, mark_passes=b.calls, ticks=1, mark_ticks=1) for b in ran.batches]
        return replace(ran, batches=tuple(batches))

    def refused_whole(program: Program, *_: object) -> MeasureRefusal | None:
        return ended if program.mode is MeasureMode.FUNCTION else None

    monkeypatch.setattr(run, "build_program", build)
    monkeypatch.setattr(run, "run_program", marked)
    monkeypatch.setattr(run, "refusal_of", refused_whole)
    assert list(measured_places(rooflint, "nests")) == ["5 driver", "12 ending", "14 ending"]
    monkeypatch.setattr(run, "refusal_of", lambda *_: ended)
    assert list(measured_places(rooflint, "nests")) == ["5 driver", "10 ending"]
