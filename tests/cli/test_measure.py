"""``rooflint measure`` with an engine that is made up: what it asks, runs, prints and returns."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from rooflint.cli.measure import run
from rooflint.errors import AnalysisError
from rooflint.incremental.measurements import MeasurementStore
from rooflint.measure.counters.tools import Counters
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.sizes.host import this_host
from rooflint.workers.confinement_trial import Trial

Rooflint = Callable[..., tuple[int, str, str]]
ON = ("triad.c", "--machine", "skylake-sp-6148")


def test_a_stable_measurement(rooflint: Rooflint, engine: Any) -> None:
    code, out, err = rooflint("measure", *ON, "-D", "n=1000", "--yes")
    assert (code, err) == (0, "")
    assert out.startswith("triad.c:1 triad: n=1000 (24.6 KB, L1), gcc 12.2.0 -O3, 1 core, warm\n")
    # the slope leaves the 100 cycles of a call out
    assert "measured    2 cy/it" in out
    assert "stable, slope of 3 processes within 0.0%" in out
    # {2.25 || 2}/8 cycles in L1 on this machine
    assert "ecm         0.281 cy/it   0.14 x   suspect: the core" in out
    assert "predictions are for skylake-sp-6148, which is not known to be this computer" in out
    assert engine.builds == [True, False]


def test_a_disturbed_one(rooflint: Rooflint, engine: Any) -> None:
    engine.spread = 0.2
    code, out, _ = rooflint("measure", *ON, "--yes", "--budget", "2")
    assert code == 4
    assert "disturbed: " in out
    assert "an upper bound" in out


def test_nothing_that_could_be_measured(rooflint: Rooflint, engine: Any) -> None:
    engine.refusal = MeasureRefusal(code=RefusalCode.FAULT, arguments=("triad", "0x10"))
    code, out, _ = rooflint("measure", *ON, "--yes")
    assert code == 3
    assert "refused: triad made a memory fault at 0x10; give its sizes" in out


@pytest.mark.parametrize(("within", "code"), [("8", 0), ("7", 1)])
def test_a_threshold(rooflint: Rooflint, engine: Any, within: str, code: int) -> None:
    """2 cycles measured over 0.281 predicted by ecm are 7.1; n=1000 in L1."""
    options = ("--model", "ecm", "--within", within)
    assert rooflint("measure", *ON, *options, "-D", "n=1000", "--yes")[0] == code


@pytest.mark.long
def test_levels_and_sweeps(rooflint: Rooflint, engine: Any) -> None:
    code, out, _ = rooflint("measure", *ON, "--sweep", "n=100:200:2", "--yes", "--format", "json")
    assert code == 0
    results = json.loads(out)["results"]
    assert [each["sizes"] for each in results] == [{"n": 100}, {"n": 200}]
    code, out, _ = rooflint("measure", *ON, "--sizes", "L2,L1", "--yes", "--format", "json")
    assert code == 0
    results = json.loads(out)["results"]
    assert [(each["target"], each["residency"]) for each in results] == [("L2", "L2"), ("L1", "L1")]
    assert all(each["touched_bytes"] >= each["expected_bytes"] for each in results)
    assert {p["suspect"]["term"] for p in results[1]["predictions"]} == {"core"}


def test_json_has_what_was_measured(rooflint: Rooflint, engine: Any) -> None:
    _, out, _ = rooflint("measure", *ON, "-D", "n=1000", "--yes", "--format", "json")
    document = json.loads(out)
    (result,) = document["results"]
    assert document["schema_version"] == result["schema_version"] == 1
    measured = result["measured"]
    assert measured["cy_per_call"] == pytest.approx(2100)
    assert measured["cy_per_iteration"] == measured["p10"] == pytest.approx(2.0)
    assert measured["ns_per_call"] == pytest.approx(1050)
    assert (measured["per_iteration"], measured["verdict"]) == ("slope", "stable")
    assert result["conditions"]["sandbox"] == ["seccomp", "network"]
    assert [p["model"] for p in result["predictions"]] == ["bounds", "ecm", "roofline"]


NO_COUNTERS = (
    "no hardware counters: perf finds none in this kernel or virtual machine; likwid-perfctr is not"
    " installed"
)


def test_why_nothing_is_counted(rooflint: Rooflint, engine: Any) -> None:
    _, out, _ = rooflint("measure", *ON, "-D", "n=1000", "--yes")
    assert NO_COUNTERS in " ".join(out.split())
    _, out, _ = rooflint("measure", *ON, "-D", "n=1000", "--yes", "--format", "json")
    measured = json.loads(out)["results"][0]["measured"]
    assert (measured["counters"], measured["no_counters"]) == (None, NO_COUNTERS)
    _, out, _ = rooflint("measure", *ON, "-D", "n=1000", "--yes", "--format", "html")
    assert NO_COUNTERS in out


def test_lines_counted_beside_those_predicted(rooflint: Rooflint, engine: Any) -> None:
    """n=10000 in L2: 24 B/it towards the core are predicted, and 8 back."""
    engine.counters = Counters(tallies=(), core=None)
    on = (*ON, "-D", "n=10000", "--yes")
    _, out, _ = rooflint("measure", *on)
    rows = [" ".join(line.split()) for line in out.splitlines()]
    # 2000 cycles, 1500 instructions, 500 + 125 lines of 64 bytes, over 10 000 iterations
    assert "counted 0.2 cy/it by perf, 0.15 instructions/it" in rows
    assert "L1-L2 4 B/it 8.00 x 3.2 to the core, 0.8 back; predicted 24 and 8" in rows
    # the data stay in L2: none of the 0.0064 B/it were predicted
    assert "L2-L3 0.0064 B/it 0.00 x 0.0064 to the core, unknown back; predicted 0 and 0" in rows
    _, out, _ = rooflint("measure", *on, "--format", "json")
    data = json.loads(out)["results"][0]["measured"]
    assert data["no_counters"] is None
    counters = data["counters"]
    assert (counters["tool"], counters["cy_per_call"]) == ("perf", 2000.0)
    assert counters["links"][0] == {
        "link": "L1-L2",
        "load_bytes": 32_000.0,
        "evict_bytes": 8_000.0,
        "of_socket": False,
        "predicted": {"load_bytes": 240_000.0, "evict_bytes": 80_000.0},
    }
    assert counters["links"][1]["evict_bytes"] is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--state", "cold"), "counters do not tell a call from the emptying of caches"),
        (("--cores", "2"), "counted on one core alone"),
    ],
)
def test_points_without_counts(
    rooflint: Rooflint, engine: Any, options: tuple[str, ...], reason: str
) -> None:
    engine.counters = Counters(tallies=(), core=None)
    _, out, _ = rooflint("measure", *ON, "-D", "n=1000", "--yes", *options)
    assert f"counted – {reason}" in " ".join(out.split())


def test_the_documentation_names_every_key(rooflint: Rooflint, engine: Any) -> None:
    engine.counters = Counters(tallies=(), core=None)
    page = (Path(__file__).parents[2] / "docs" / "measure.md").read_text(encoding="utf-8")
    _, out, _ = rooflint("measure", *ON, "--sizes", "L1", "--yes", "--format", "json")

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    document = json.loads(out)
    for result in document["results"]:
        result["sizes"] = {}
    assert len(keys(document)) > 50
    assert [key for key in keys(document) if f'"{key}"' not in page] == []


def test_the_page(rooflint: Rooflint, engine: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert rooflint("measure", *ON, "--yes", "--format", "html", "-o", str(page))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "stable, slope of 3 processes" in text
    assert "<svg" not in text


@pytest.mark.long
def test_pictures(rooflint: Rooflint, engine: Any, tmp_path: Path) -> None:
    options = ("--sweep", "n=100:1000:3", "--yes", "--model", "ecm")
    code, _, err = rooflint("measure", *ON, *options, "--plot", "p")
    assert code == 0
    names = ["triad-triad-1-sweep.svg", "triad-triad-1-ecm-parts.svg"]
    assert err == f"rooflint measure: 2 pictures in p: {', '.join(names)}\n"
    for name in names:
        assert ElementTree.parse(tmp_path / "p" / name).getroot().tag.endswith("svg")
    code, page, err = rooflint("measure", *ON, *options, "--format", "html")
    assert (code, err) == (0, "")
    assert page.count("<figure><svg") == 2
    assert "<script" not in page


def test_pictures_of_levels_are_over_the_size_found(rooflint: Rooflint, engine: Any) -> None:
    options = ("--sizes", "L1,L2", "--yes", "--model", "ecm", "--format", "html")
    assert rooflint("measure", *ON, *options)[1].count("<figure><svg") == 2


def test_one_size_in_a_cache_gives_no_picture(
    rooflint: Rooflint, engine: Any, tmp_path: Path
) -> None:
    _, _, err = rooflint("measure", *ON, "-D", "n=100", "--yes", "--plot", "p")
    assert "--plot p: nothing to draw" in err
    assert list((tmp_path / "p").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "expected one FILE[:LINE], got 0"),
        (("a.c", "b.c"), "expected one FILE[:LINE], got 2"),
        (("none.c",), "none.c: no such file"),
        ((*ON, "--format", "htm"), "unknown format 'htm', expected text, json, html; did you mean"),
        ((*ON, "--hold", "64K"), "--hold: needs --sweep"),
        ((*ON, "--cores", "0"), "'0', expected numbers above 0 such as 1,2,4"),
        ((*ON, "--cores", "1,socket"), "'1,socket', expected numbers above 0 such as 1,2,4"),
        ((*ON, "--cores", "1,2", "--change", "RL101"), "--change: does not go with --cores"),
        ((*ON, "--machine", "hsw"), "--machine: expected one"),
        ((*ON, "--sizes", "L9", "--yes"), "--sizes: no level 'L9'"),
        ((*ON, "--sweep", "k=1:2", "--yes"), "triad has no size 'k', it has n"),
        ((*ON, "--budget", "0"), "'0', expected seconds above 0"),
        ((*ON, "--budget", "inf"), "'inf', expected seconds above 0"),
        ((*ON, "--plot", "triad.c"), "--plot triad.c: cannot be made"),
        ((*ON, "--within", "1"), "'1', expected a factor above 1"),
    ],
)
def test_mistakes(
    rooflint: Rooflint, engine: Any, arguments: tuple[str, ...], problem: str
) -> None:
    code, _, err = rooflint("measure", *arguments)
    assert code == 2
    assert problem in err
    assert engine.processes == 0


def test_a_dry_run_shows_everything_and_runs_nothing(
    rooflint: Rooflint, engine: Any, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    code, out, _ = rooflint("measure", *ON, "--dry-run", "--keep", str(kept))
    assert code == 0
    assert out == "==> glue.c <==\n/* glue */\n\ngcc -O3 -c glue.c\n"
    assert (engine.processes, engine.builds) == (0, [True])
    assert (kept / "glue.c").is_file()


def test_without_a_terminal_nobody_agrees(rooflint: Rooflint, engine: Any) -> None:
    code, _, err = rooflint("measure", *ON)
    assert code == 2
    assert "--yes agrees to that once" in err
    assert engine.builds == [True]


def test_the_user_may_trust_a_folder(rooflint: Rooflint, engine: Any, tmp_path: Path) -> None:
    config = tmp_path / "config" / "rooflint" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"[measure]\ntrusted = ['{tmp_path}']\n", encoding="utf-8")
    assert rooflint("measure", *ON, "-D", "n=1000")[0] == 0


def test_a_project_may_not(rooflint: Rooflint, engine: Any, tmp_path: Path) -> None:
    (tmp_path / "rooflint.toml").write_text("cores = 1\n[measure]\ntrusted = ['/']\n")
    code, _, err = rooflint("measure", *ON)
    assert code == 2
    assert f"{tmp_path}/rooflint.toml:2: measure: a project cannot allow its own code to run" in err
    assert engine.processes == 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answering(monkeypatch: pytest.MonkeyPatch, answer: str) -> Terminal:
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    return terminal


def test_a_terminal_is_asked_once_a_folder(
    rooflint: Rooflint, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, "n")
    assert rooflint("measure", *ON)[0] == 2
    assert engine.processes == 0
    assert (
        "builds    gcc -O3 -c glue.c\n  calls     triad\n  limited   1024 MiB" in asked.getvalue()
    )
    answering(monkeypatch, "y")
    assert rooflint("measure", *ON, "-D", "n=1000")[0] == 0
    again = answering(monkeypatch, "")
    assert rooflint("measure", *ON, "-D", "n=1000")[0] == 0
    assert "Run it?" not in again.getvalue()


def test_without_a_sandbox_a_terminal_is_asked_each_time(
    rooflint: Rooflint, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "try_confinement", _no_confinement)
    for _ in range(2):
        asked = answering(monkeypatch, "y")
        assert rooflint("measure", *ON, "-D", "n=1000")[0] == 0
        assert "WITHOUT A SANDBOX" in asked.getvalue()
        assert "runs without a sandbox" in asked.getvalue()


def _no_confinement() -> Trial:
    raise AnalysisError("no process can be started")


def test_no_other_command_runs_code() -> None:
    """The doors that read a tree do not import what runs it."""
    root = Path(run.__file__).parents[2]
    doors = [
        *(root / "cli").glob("*.py"),
        *(root / "cli" / "lint").glob("*.py"),
        *(root / "lint").rglob("*.py"),
        *(root / "compare").rglob("*.py"),
        *(root / "pipeline").rglob("*.py"),
    ]
    assert len(doors) > 40
    for door in doors:
        for line in door.read_text(encoding="utf-8").splitlines():
            assert "rooflint.measure" not in line, f"{door}: {line}"


@pytest.mark.long
def test_stable_figures_are_stored_and_others_are_not(rooflint: Rooflint, engine: Any) -> None:
    options = ("-D", "n=1000", "--yes")
    engine.spread = 0.2
    rooflint("measure", *ON, *options, "--budget", "2")
    assert list(MeasurementStore().all()) == []
    engine.spread = 0.0
    for _ in range(2):
        rooflint("measure", *ON, *options)
    (stored,) = MeasurementStore().all()
    assert stored.cycles_per_iteration == pytest.approx(2.0)
    assert (stored.identity.function, stored.identity.sizes) == ("triad", {"n": 1000})
    assert (stored.identity.machine, stored.level) == ("skylake-sp-6148", "L1")
    assert {each.model for each in stored.predictions} == {"bounds", "ecm", "roofline"}
    rooflint("measure", *ON, "--sweep", "n=100:200:2", "--yes")
    assert len(list(MeasurementStore().all())) == 3


def test_several_cores(rooflint: Rooflint, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    host = this_host()
    monkeypatch.setattr(run, "this_host", lambda: replace(host, cores=(0, 1)))
    code, out, _ = rooflint("measure", *ON, "-D", "n=1000", "--cores", "2,1", "--yes")
    assert code == 0
    assert "2 cores, warm" in out
    # the made-up computer takes as long on two cores, whose calls are not joined to one here
    assert "scaling     1.00 x                 of one core's performance; ecm 2.00 x" in out
    code, _, err = rooflint("measure", *ON, "-D", "n=1000", "--cores", "3", "--yes")
    assert (code, "--cores 3: 2 cores may be used here" in err) == (2, True)


def test_an_editor_asks_the_same_question(rooflint: Rooflint, engine: Any) -> None:
    code, out, _ = rooflint("measure", *ON, "--dry-run", "--format", "json")
    proposal = json.loads(out)
    assert (code, proposal["function"], proposal["is_confined"]) == (0, "triad", True)
    assert proposal["commands"] == [["gcc", "-O3", "-c", "glue.c"]]
    assert "builds    gcc -O3 -c glue.c\n  calls     triad\n" in proposal["question"]
    assert engine.processes == 0
