"""``rooflint measure`` with an engine that is made up: what it asks, runs, prints and returns."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from rooflint.cli.measure import run
from rooflint.compile_flags.flags import Flags
from rooflint.errors import AnalysisError
from rooflint.ir.signature import Signature
from rooflint.ir.unit import Span
from rooflint.measure.program import MeasureMode, Program, ProgramSize, RunSettings, SizeOrigin
from rooflint.measure.records import (
    ArrayExtent,
    Batch,
    Calibration,
    Completion,
    ProcessRun,
    SandboxRecord,
)
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject
from rooflint.workers.confinement import Confinement
from rooflint.workers.confinement_trial import Trial

Rooflint = Callable[..., tuple[int, str, str]]
GHZ = 2.0
BATCH = Batch(
    calls=100,
    wall_s=0.0,
    processor_s=0.0,
    ghz_before=GHZ,
    ghz_after=GHZ,
    ticks=0,
    mark_ticks=0,
    mark_passes=0,
    switches=0,
)


class Engine:
    """Builds nothing, and runs a triad that takes ``cycles`` an iteration and 100 a call."""

    def __init__(self) -> None:
        self.cycles = 2.0
        self.spread = 0.0
        self.refusal: MeasureRefusal | None = None
        self.processes = 0
        self.builds: list[bool] = []

    def build(
        self,
        subject: object,
        folder: str,
        sizes: tuple[tuple[str, int], ...] = (),
        compiler: str | None = None,
        setup: str | None = None,
        dry_run: bool = False,
    ) -> Program | MeasureRefusal:
        self.builds.append(dry_run)
        Path(folder, "glue.c").write_text("/* glue */\n", encoding="utf-8")
        given = dict(sizes)
        origin: SizeOrigin = "given" if "n" in given else "default"
        return Program(
            function="triad",
            mode=MeasureMode.FUNCTION,
            executable=f"{folder}/program",
            commands=(("gcc", "-O3", "-c", "glue.c"),),
            compiler="gcc 12.2.0",
            flags=("-O3",),
            sizes=(ProgramSize(name="n", value=given.get("n", 1000), origin=origin),),
            arrays=(),
        )

    def run(self, program: Program, settings: RunSettings, seconds: float) -> ProcessRun:
        n = dict(settings.sizes)["n"]
        cycles = (100 + self.cycles * n) * (1 + self.spread * self.processes)
        self.processes += settings.batches > 0
        took = cycles / (GHZ * 1e9) * BATCH.calls
        pages = -(-8 * n // 4096) * 4096
        return ProcessRun(
            sandbox=SandboxRecord(seccomp=True, network=True),
            extents=tuple([ArrayExtent(name=name, low=0, high=pages) for name in "abc"]),
            calibration=Calibration(calls=100, restores=False),
            batches=(replace(BATCH, wall_s=took, processor_s=took),) * min(settings.batches, 20),
            completion=Completion(late_pages=0, ran_away=False),
        )

    def refusal_of(self, *_: object) -> MeasureRefusal | None:
        return self.refusal


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, triad: Path) -> Engine:
    made = Engine()
    subject = Subject(
        path="triad.c",
        flags=Flags("c"),
        mode=MeasureMode.FUNCTION,
        signature=Signature(
            name="triad", span=Span(1, 1, 5, 2), parameters=(), spelling="void ()", is_c=True
        ),
    )
    monkeypatch.setattr(run, "find_subject", lambda *_: subject)
    monkeypatch.setattr(run, "build_program", made.build)
    monkeypatch.setattr(run, "run_program", made.run)
    monkeypatch.setattr(run, "refusal_of", made.refusal_of)
    confined = Trial(Confinement(seccomp=True), frozenset())
    monkeypatch.setattr(run, "try_confinement", lambda: confined)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return made


ON = ("triad.c", "--machine", "skylake-sp-6148")


def test_a_stable_measurement(rooflint: Rooflint, engine: Engine) -> None:
    code, out, err = rooflint("measure", *ON, "-D", "n=1000", "--yes")
    assert (code, err) == (0, "")
    assert out.startswith("triad.c:1 triad: n=1000 (24.6 KB, L1), gcc 12.2.0 -O3, 1 core, warm\n")
    # the slope leaves the 100 cycles of a call out
    assert "measured    2 cy/it" in out
    assert "stable, two lowest of 3 processes within 0.0%" in out
    # {2.25 || 2}/8 cycles in L1 on this machine
    assert "ecm         0.281 cy/it   0.14 x   suspect: the core" in out
    assert "predictions are for skylake-sp-6148, which is not known to be this computer" in out
    assert engine.builds == [True, False]


def test_a_disturbed_one(rooflint: Rooflint, engine: Engine) -> None:
    engine.spread = 0.2
    code, out, _ = rooflint("measure", *ON, "--yes", "--budget", "2")
    assert code == 4
    assert "disturbed: " in out
    assert "an upper bound" in out


def test_nothing_that_could_be_measured(rooflint: Rooflint, engine: Engine) -> None:
    engine.refusal = MeasureRefusal(code=RefusalCode.FAULT, arguments=("triad", "0x10"))
    code, out, _ = rooflint("measure", *ON, "--yes")
    assert code == 3
    assert "refused: triad made a memory fault at 0x10; give its sizes" in out


@pytest.mark.parametrize(("within", "code"), [("8", 0), ("7", 1)])
def test_a_threshold(rooflint: Rooflint, engine: Engine, within: str, code: int) -> None:
    """2 cycles measured over 0.281 predicted by ecm are 7.1; n=1000 in L1."""
    options = ("--model", "ecm", "--within", within)
    assert rooflint("measure", *ON, *options, "-D", "n=1000", "--yes")[0] == code


def test_levels_and_sweeps(rooflint: Rooflint, engine: Engine) -> None:
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


def test_json_has_what_was_measured(rooflint: Rooflint, engine: Engine) -> None:
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


def test_the_documentation_names_every_key(rooflint: Rooflint, engine: Engine) -> None:
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


def test_the_page(rooflint: Rooflint, engine: Engine, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert rooflint("measure", *ON, "--yes", "--format", "html", "-o", str(page))[0] == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "stable, two lowest of 3 processes" in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "expected one FILE[:LINE], got 0"),
        (("a.c", "b.c"), "expected one FILE[:LINE], got 2"),
        (("none.c",), "none.c: no such file"),
        ((*ON, "--format", "htm"), "unknown format 'htm', expected text, json, html; did you mean"),
        ((*ON, "--hold", "64K"), "--hold: needs --sweep"),
        ((*ON, "--cores", "2"), "--cores 2: a measurement runs on one core"),
        ((*ON, "--machine", "hsw"), "--machine: expected one"),
        ((*ON, "--sizes", "L9", "--yes"), "--sizes: no level 'L9'"),
        ((*ON, "--sweep", "k=1:2", "--yes"), "triad has no size 'k', it has n"),
        ((*ON, "--budget", "0"), "'0', expected seconds above 0"),
        ((*ON, "--budget", "inf"), "'inf', expected seconds above 0"),
        ((*ON, "--within", "1"), "'1', expected a factor above 1"),
    ],
)
def test_mistakes(
    rooflint: Rooflint, engine: Engine, arguments: tuple[str, ...], problem: str
) -> None:
    code, _, err = rooflint("measure", *arguments)
    assert code == 2
    assert problem in err
    assert engine.processes == 0


def test_a_dry_run_shows_everything_and_runs_nothing(
    rooflint: Rooflint, engine: Engine, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    code, out, _ = rooflint("measure", *ON, "--dry-run", "--keep", str(kept))
    assert code == 0
    assert out == "==> glue.c <==\n/* glue */\n\ngcc -O3 -c glue.c\n"
    assert (engine.processes, engine.builds) == (0, [True])
    assert (kept / "glue.c").is_file()


def test_without_a_terminal_nobody_agrees(rooflint: Rooflint, engine: Engine) -> None:
    code, _, err = rooflint("measure", *ON)
    assert code == 2
    assert "--yes agrees to that once" in err
    assert engine.builds == [True]


def test_the_user_may_trust_a_folder(rooflint: Rooflint, engine: Engine, tmp_path: Path) -> None:
    config = tmp_path / "config" / "rooflint" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"[measure]\ntrusted = ['{tmp_path}']\n", encoding="utf-8")
    assert rooflint("measure", *ON, "-D", "n=1000")[0] == 0


def test_a_project_may_not(rooflint: Rooflint, engine: Engine, tmp_path: Path) -> None:
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
    rooflint: Rooflint, engine: Engine, monkeypatch: pytest.MonkeyPatch
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
    rooflint: Rooflint, engine: Engine, monkeypatch: pytest.MonkeyPatch
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
    """The doors that read a tree do not import what runs it; the store's reader runs nothing."""
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
            if "rooflint.measure" in line:
                assert "rooflint.measure.store" in line, f"{door}: {line}"


@pytest.fixture
def corpus(engine: Engine, triad: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with the triad and a file that is none."""
    folder = triad.parent / "codes"
    folder.mkdir()
    (folder / "triad.c").write_bytes(triad.read_bytes())
    (folder / "wrong.c").write_text("int f(;\n", encoding="utf-8")
    monkeypatch.chdir(triad.parent)
    return "codes"


def test_a_corpus_gives_a_table(rooflint: Rooflint, engine: Engine, corpus: str) -> None:
    options = ("--corpus", corpus, "--machine", "skylake-sp-6148", "--sizes", "L1", "--yes")
    code, out, err = rooflint("measure", *options, "--format", "json")
    assert code == 0
    table = json.loads(out)
    assert table["shares"] == [{"corpus": "codes", "kernels": 2, "measured": 1, "stable": 1}]
    (cell,) = [each for each in table["levels"] if each["model"] == "ecm"]
    assert (cell["level"], cell["count"], cell["within"]) == ("L1", 1, [0.0, 0.0, 0.0])
    assert cell["median"] == pytest.approx(0.14, abs=0.005)
    assert "triad: L1 2 cy/it stable" in err


def test_a_corpus_goes_on_where_it_ended(rooflint: Rooflint, engine: Engine, corpus: str) -> None:
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
    rooflint: Rooflint, engine: Engine, corpus: str, monkeypatch: pytest.MonkeyPatch
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
    rooflint: Rooflint, engine: Engine, corpus: str, option: tuple[str, ...]
) -> None:
    code, _, err = rooflint("measure", "--corpus", corpus, "--yes", *option)
    assert code == 2
    assert err
