"""``rooflint.analyze``: arguments, errors, doubts; the same verdicts as the command line."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rooflint

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
MACHINE = "skylake-sp-6148"
Rooflint = Callable[..., tuple[int, str, str]]

TRIAD = """void triad(int n, double *restrict a, const double *restrict b, double s) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * s;
}
"""


@pytest.fixture
def triad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("triad.c").write_text(TRIAD)
    return "triad.c"


@pytest.mark.long
def test_the_verdicts_are_those_of_the_command_line(
    run_rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code, out, _ = run_rooflint(
        "analyze", "examples", "--machine", MACHINE, "--format", "json", "-D", "n=1000"
    )
    assert code == 0
    report = rooflint.analyze("examples", machine=MACHINE, sizes={"n": 1000}, cache=False)
    assert json.loads(report.to_json()) == json.loads(out)
    shown = {each["id"]: each for each in json.loads(out)["verdicts"]}
    assert len(shown) == len(report) > 10
    for loop in report:
        assert loop.verdict.id == loop.id
        time = shown[loop.id]["time"]
        assert loop.cycles_per_iteration == pytest.approx(time["cycles_per_iteration"])
        best = shown[loop.id]["advice"]
        assert (loop.finding and loop.finding.code) == (best and best["rule"])
        assert {"roofline"} <= {each.model for each in loop.predictions}
    # one run has predictions and findings alike
    assert any(loop.findings and loop.predictions for loop in report)


@pytest.mark.long
def test_print_shows_the_screen_of_the_command_line(
    run_rooflint: Rooflint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)
    _, out, _ = run_rooflint("analyze", "examples", "--machine", MACHINE)
    report = rooflint.analyze("examples", machine=MACHINE, cache=False)
    table = out.partition("\nNext")[0]  # the commands of a run have its arguments
    assert str(report).partition("\nNext")[0] == table


def test_paths_are_texts_paths_or_many(triad: str) -> None:
    for paths in (triad, Path(triad), [triad], (Path(triad), triad), Path()):
        assert [loop.line for loop in rooflint.analyze(paths, cache=False)] == [2]


def test_stated_sizes_make_the_share_certain(triad: str) -> None:
    (guessed,) = rooflint.analyze(triad, machine=MACHINE, cache=False)
    assert (guessed.share, guessed.guessed) == (None, ("n",))
    assert guessed.estimated_share == 1.0
    (stated,) = rooflint.analyze(triad, machine=MACHINE, sizes={"n": 1e7}, cache=False)
    assert (stated.share, stated.guessed, stated.sizes) == (1.0, (), {"n": 10_000_000})
    # a multiplication an iteration, and 2.4 GHz
    cycles = stated.cycles_per_iteration
    assert cycles is not None and stated.gflops == pytest.approx(2.4 / cycles)
    assert stated.limit == "DRAM"
    assert stated.seconds == pytest.approx(cycles * 1e7 / 2.4e9)


def test_a_guess_elsewhere_leaves_every_share_open(triad: str) -> None:
    Path("other.c").write_text(TRIAD.replace("triad", "other").replace("int n", "int many")
                               .replace("< n", "< many"))  # fmt: skip
    report = rooflint.analyze([triad, "other.c"], machine=MACHINE, sizes={"n": 1e7}, cache=False)
    assert len(report) == 2
    assert {loop.share for loop in report} == {None}


def test_several_machines_are_ranked_one_after_another(triad: str) -> None:
    machine = rooflint.load_machine("zen4-9654")
    report = rooflint.analyze(triad, machine=[MACHINE, machine], cores="socket", cache=False)
    assert report.machines == (MACHINE, "zen4-9654")
    assert [(loop.machine, loop.cores) for loop in report] == [(MACHINE, 20), ("zen4-9654", 96)]
    assert [loop.machine for loop in report.top(1)] == [MACHINE, "zen4-9654"]
    (one,) = report.filter(lambda loop: loop.machine == "zen4-9654")
    assert one.machine == "zen4-9654"


def test_without_the_lint_there_is_no_advice(triad: str) -> None:
    (with_lint,) = rooflint.analyze(triad, machine=MACHINE, sizes={"n": 1e7}, cache=False)
    (without,) = rooflint.analyze(triad, machine=MACHINE, sizes={"n": 1e7}, lint=False, cache=False)
    assert with_lint.finding is not None and with_lint.gain > 1
    assert (without.finding, without.findings, without.gain) == (None, (), 1.0)


def test_the_configuration_holds_unless_it_is_left_out(triad: str) -> None:
    Path("rooflint.toml").write_text('machine = "cell"\n')
    assert rooflint.analyze(triad, cache=False).machines == ("cell",)
    assert rooflint.analyze(triad, config=False, cache=False).machines == ("generic-avx2",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"machine": "skylake-sp-6149"}, "did you mean 'skylake-sp-6148'"),
        ({"machine": "mine.yaml"}, "mine.yaml is no file here"),
        ({"cores": 0}, "expected 1, socket, node or a number above 0"),
        ({"cores": "sockets"}, "did you mean 'socket'"),
        ({"sizes": {"n": 0.5}}, "n is 0.5, expected a whole number"),
        ({"models": ["rooflin"]}, "did you mean 'roofline'"),
    ],
)
def test_a_wrong_argument_is_an_error_in_one_line(
    triad: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(rooflint.UsageError, match=message) as raised:
        rooflint.analyze(triad, cache=False, **arguments)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, rooflint.RooflintError)


def test_a_path_that_does_not_exist_is_an_error(triad: str) -> None:
    with pytest.raises(rooflint.UsageError, match=r"triads\.c.*did you mean 'triad\.c'"):
        rooflint.analyze("triads.c")


def test_a_wrong_configuration_is_an_error(triad: str) -> None:
    Path("rooflint.toml").write_text('machin = "cell"\n')
    with pytest.raises(rooflint.ConfigurationError, match="did you mean 'machine'"):
        rooflint.analyze(triad, cache=False)


def test_a_file_that_cannot_be_analysed_is_listed(triad: str) -> None:
    Path("sub").mkdir()
    Path("sub/rooflint.toml").write_text('machin = "cell"\n')
    Path("sub/other.c").write_text(TRIAD)
    with pytest.warns(rooflint.RooflintWarning, match="did you mean 'machine'"):
        report = rooflint.analyze(".", cache=False)
    assert report.files == (triad,)
    assert [lost.file for lost in report.failed] == ["sub/other.c"]
    assert "did you mean 'machine'" in report.failed[0].reason
    assert [loop.file for loop in report] == [triad]


def test_a_loop_that_is_refused_is_listed(triad: str) -> None:
    Path(triad).write_text(
        "void f(int *a, int n) {\nagain: a[n] = 0;\n  if (--n) goto again;\n}\n" + TRIAD
    )
    report = rooflint.analyze(triad, cache=False)
    (refused,) = report.refused
    assert (refused.file, refused.line) == (triad, 3)
    assert "goto" in refused.reason
    assert [loop.line for loop in report] == [6]


def test_doubts_are_warnings_and_kept(triad: str) -> None:
    Path("lost.c").write_text('#include "absent.h"\n')
    with pytest.warns(rooflint.RooflintWarning) as warned:
        report = rooflint.analyze([triad, "lost.c"], sizes={"m": 4}, cache=False)
    assert [str(each.message) for each in warned] == list(report.warnings)
    assert any("no loop has a size of that name" in each for each in report.warnings)
    assert "headers not found: absent.h; build_dir= or flags= locates them" in report.warnings


def test_flags_reach_the_compiler(triad: str) -> None:
    Path(triad).write_text(TRIAD.replace("double", "REAL"))
    report = rooflint.analyze(triad, flags=["-DREAL=float"], sizes={"n": 1e7}, cache=False)
    assert report[0].kernel.work.type == "f32"


def test_it_runs_in_a_thread_of_a_program_with_others(triad: str) -> None:
    program = (
        "import threading, rooflint\n"
        "stop = threading.Event()\n"
        "threading.Thread(target=stop.wait, daemon=True).start()\n"
        "found = []\n"
        "def work():\n"
        "    found.append(len(rooflint.analyze(['triad.c', 'other.c'], cache=False)))\n"
        "worker = threading.Thread(target=work)\n"
        "worker.start(); worker.join(); print(found)\n"
    )
    Path("other.c").write_text(TRIAD.replace("triad", "other"))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout, done.stderr) == ("[2]\n", "")


def test_machines_lists_all_and_loads_one() -> None:
    names = [entry.name for entry in rooflint.machines()]
    assert "skylake-sp-6148" in names
    assert rooflint.load_machine("skx").name == "skylake-sp-6148"


def test_explain_is_that_of_the_command_line(run_rooflint: Rooflint) -> None:
    assert run_rooflint("explain", "DRAM")[1] == rooflint.explain("DRAM")
