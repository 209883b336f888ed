"""The state of the caches on entry: who decides it, and that every door has the same."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import EntryReport, MachineResult
from rooflint.registry import load_registry
from rooflint.scenario import EntryOrigin, EntryState, chosen_entry, entry_of

Rooflint = Callable[..., tuple[int, str, str]]

SCALE = "void scale(int n, double *restrict y, const double *restrict x)\n{\n" + (
    "    for (int i = 0; i < n; i++)\n        y[i] = 2 * x[i];\n}\n"
)
IN_MAIN = """\
double x[1000], y[1000];
int main(void)
{
    for (int i = 0; i < 1000; i++)
        y[i] = 2 * x[i];
    return 0;
}
"""
SHORT_INSIDE = """\
void sums(int n, double *restrict y, const double (*restrict x)[8])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            y[i] += x[i][j];
}
"""


@pytest.mark.parametrize(
    ("function", "given", "configured", "state", "origin"),
    [
        ("f", None, None, EntryState.STEADY, EntryOrigin.REPEATED_CALLS),
        ("main", None, None, EntryState.COLD, EntryOrigin.PROGRAM_START),
        ("f", None, "cold", EntryState.COLD, EntryOrigin.CONFIGURATION),
        ("main", None, "steady", EntryState.STEADY, EntryOrigin.CONFIGURATION),
        ("f", "steady", "cold", EntryState.STEADY, EntryOrigin.COMMAND_LINE),
        ("main", "steady", None, EntryState.STEADY, EntryOrigin.COMMAND_LINE),
    ],
)
def test_the_command_line_wins_then_the_configuration_then_the_rule(
    function: str, given: str | None, configured: str | None, state: EntryState, origin: EntryOrigin
) -> None:
    chosen = chosen_entry(given, configured)  # type: ignore[arg-type]
    found = entry_of(function, chosen)
    assert (found.state, found.origin) == (state, origin)


def result(folder: Path, text: str, **options: object) -> MachineResult:
    path = folder / "code.c"
    path.write_text(text, encoding="utf-8")
    given = Options(machines=("skylake-sp-6148",), models=("ecm",), **options)  # type: ignore[arg-type]
    (file,) = analyse([Source(str(path))], given, load_registry()).files
    return list(file.kernels())[-1].results[0]


def entry(folder: Path, text: str, **options: object) -> EntryReport:
    found = result(folder, text, **options).entry
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("n", "level"),
    # two arrays of doubles; L1 32 KiB, L2 1 MiB, L3 27.5 MiB beside L2
    [(1000, "L1"), (30_000, "L2"), (1_000_000, "L3"), (100_000_000, "MEM")],
)
def test_the_level_that_holds_the_function_is_named(tmp_path: Path, n: int, level: str) -> None:
    assert entry(tmp_path, SCALE, sizes={"n": n}).level == level


def test_where_the_time_differs_both_are_there(tmp_path: Path) -> None:
    steady = result(tmp_path, SCALE, sizes={"n": 1000}, detailed=True)
    cold = result(tmp_path, SCALE, sizes={"n": 1000}, entry="cold", detailed=True)
    assert steady.entry is not None and cold.entry is not None
    [now], [then] = steady.predictions, cold.predictions
    [other], [back] = steady.entry.opposite, cold.entry.opposite
    assert other.cycles_per_iteration == then.cycles_per_iteration
    assert back.cycles_per_iteration == now.cycles_per_iteration
    assert now.cycles_per_iteration is not None and then.cycles_per_iteration is not None
    assert then.cycles_per_iteration > 3 * now.cycles_per_iteration
    assert entry(tmp_path, SCALE, sizes={"n": 100_000_000}, detailed=True).opposite == ()
    assert entry(tmp_path, SCALE, sizes={"n": 1000}).opposite == ()  # nobody asked


def test_main_runs_once(tmp_path: Path) -> None:
    found = entry(tmp_path, IN_MAIN)
    assert (found.state, found.origin) == (EntryState.COLD, EntryOrigin.PROGRAM_START)
    assert found.level is None
    called = entry(tmp_path, IN_MAIN.replace("main", "run"))
    assert (called.state, called.level) == (EntryState.STEADY, "L1")


def test_a_short_loop_inherits_the_state_of_the_loop_around(tmp_path: Path) -> None:
    # 8 doubles an iteration of i: the short loop by itself would stay in L1, its rows do not
    found = result(tmp_path, SHORT_INSIDE, sizes={"n": 100_000_000})
    assert found.entry is not None
    assert (found.entry.level, found.entry.opposite) == ("MEM", ())
    alone = result(tmp_path, SHORT_INSIDE, sizes={"n": 100})
    assert alone.entry is not None
    assert alone.entry.level == "L1"


def test_every_door_has_the_same_state(tmp_path: Path, rooflint: Rooflint) -> None:
    path = tmp_path / "code.c"
    path.write_text(SCALE, encoding="utf-8")
    options = ("--machine", "skx", "-D", "n=1000", "--no-cache")
    _, out, _ = rooflint("analyze", str(path), "--all", "--model", "ecm", *options)
    assert "steady state: each call of the function finds the data in L1" in " ".join(out.split())
    assert "cold caches ecm" in " ".join(out.split())
    _, out, _ = rooflint(
        "analyze", str(path), "--all", "--model", "ecm", "--entry", "cold", *options
    )
    assert "caches are cold on entry (command line)" in " ".join(out.split())
    assert "steady state ecm" in " ".join(out.split())
    document = json.loads(rooflint("analyze", str(path), "--format", "json", *options)[1])
    found = document["files"][0]["functions"][0]["nests"][0]["kernels"][0]["results"][0]["entry"]
    assert (found["state"], found["origin"], found["level"]) == ("steady", "repeated calls", "L1")


def test_the_configuration_chooses(tmp_path: Path, rooflint: Rooflint) -> None:
    path = tmp_path / "code.c"
    path.write_text(SCALE, encoding="utf-8")
    settings = tmp_path / "rooflint.toml"
    settings.write_text('entry = "cold"\n', encoding="utf-8")
    _, out, _ = rooflint("analyze", str(path), "--all", "-D", "n=1000", "--no-cache")
    assert "caches are cold on entry (configuration)" in " ".join(out.split())
    settings.write_text('entry = "stead"\n', encoding="utf-8")
    code, _, err = rooflint("analyze", str(path), "--no-cache")
    assert code == 2
    assert "rooflint.toml:1: entry: 'stead', expected cold or steady; did you mean 'steady'?" in err
