"""What holds for a file, where each value comes from, and what is no value."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.cli.lint.options import build_parser
from rooflint.cli.lint.run import options_of
from rooflint.cli.main import run
from rooflint.config.lint_settings import (
    LintOverrides,
    Note,
    parse_fail_on,
    parse_time,
    resolve_settings,
    time_text,
)
from rooflint.config.settings import KEYS, load_config

Lint = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose configuration extends another."""
    monkeypatch.delenv("ROOFLINT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".caches"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.toml").write_text(
        'machine = "icelake-sp-8360y"\nmin-time = "1500ns"\nignore = ["RL2"]\n'
        'exclude = ["app/old/**"]\nfail-on = "gain >= 2.0"\n'
        '[severity]\nRL101 = "error"\n'
    )
    (tmp_path / "app" / "tests").mkdir(parents=True)
    (tmp_path / "app" / "rooflint.toml").write_text(
        'extends = "../base.toml"\nmin-gain = 1.3\n[sizes]\nn = 4000\n"row[i+1]-row[i]" = 27\n'
        '[per-file]\n"tests/**" = { ignore = ["ALL"] }\n'
    )
    for name in ("k.c", "tests/k.c"):
        (tmp_path / "app" / name).write_text("")
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["lint", "--show-settings", *arguments]) == 0
    return capsys.readouterr().out


def test_settings_with_their_origins(
    project: Path, capsys: pytest.CaptureFixture[str], golden: Callable[[str, str], None]
) -> None:
    select = ("--select", "RL101,RL209,RL401", "--ignore", "RL3")
    options = (*select, "-D", "m=4", "--cores", "socket")
    text = shown(capsys, "app/k.c", "app/tests/k.c", *options)
    golden("settings.txt", text.replace(str(project), "/project"))


def test_what_is_shown_is_a_configuration_that_says_the_same(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = shown(capsys, "app/k.c", "--min-gain", "1.7")
    values = tomllib.loads(first)
    assert (values["min-gain"], values["min-time"], values["sizes"]["n"]) == (1.7, "1.5us", 4000)
    (project / "other").mkdir()
    (project / "other" / "k.c").write_text("")
    (project / "other" / "rooflint.toml").write_text(first)
    assert tomllib.loads(shown(capsys, "other/k.c")) == values


def test_the_page_names_every_key_and_its_example_is_valid(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8")
    example = text.partition("```toml\n")[2].partition("```")[0]
    assert {*tomllib.loads(example)} == {*KEYS}
    (tmp_path / "a").mkdir()
    (tmp_path / "rooflint.toml").write_text("")
    (tmp_path / "a" / "rooflint.toml").write_text(example)
    assert load_config(tmp_path / "a" / "rooflint.toml").lint.min_gain == 1.3


def test_every_key_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "app/k.c").splitlines()
    keys = {line.removeprefix("# ").split()[0].split(".")[0] for line in lines}
    assert {*KEYS} - {"extends"} <= keys


def test_the_sizes_of_a_scenario_are_shown_with_their_lines(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (project / "app" / "rooflint.toml").open("a") as stream:
        stream.write("[scenario.small]\nn = 40\nm = 50\n")
    before = [line.split() for line in shown(capsys, "app/k.c").splitlines()]
    assert ["sizes.n", "=", "4000", "#", "app/rooflint.toml:4"] in before
    assert ["scenario.small.n", "=", "40", "#", "app/rooflint.toml:9"] in before
    text = shown(capsys, "app/k.c", "--scenario", "small", "-D", "m=7")
    after = [line.split() for line in text.splitlines()]
    assert ["sizes.n", "=", "40", "#", "app/rooflint.toml:9"] in after
    assert ["sizes.m", "=", "7", "#", "command", "line"] in after
    assert ["#", "scenario", "#", "command", "line:", "small"] in after
    assert run(["lint", "--show-settings", "app/k.c", "--scenario", "big"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rooflint: scenario 'big': ") and err.count("\n") == 1


def test_where_results_are_kept_is_shown_and_nothing_to_configure(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(project / "mine"))
    [line] = [s for s in shown(capsys, "app/k.c").splitlines() if "cache-dir" in s]
    assert line.split() == ["#", "cache-dir", "#", "ROOFLINT_CACHE_DIR:", str(project / "mine")]
    [line] = [s for s in shown(capsys, "app", "--no-cache").splitlines() if "cache-dir" in s]
    assert line.endswith("# command line: nothing is cached")


def test_without_a_configuration(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "app/k.c", "--isolated")
    origins = {line.partition("  # ")[2].partition(":")[0] for line in text.splitlines()[1:-2]}
    assert origins <= {"default", ""}


def test_a_mistake_is_said_instead(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--show-settings", "app/none.c"]) == 2
    assert capsys.readouterr().err == "rooflint: app/none.c: no such file or directory\n"
    (project / "base.toml").write_text('select = ["RL9"]\n')
    assert run(["lint", "--show-settings", "app/k.c"]) == 2
    err = capsys.readouterr().err
    assert f"{project}/base.toml:1: select: unknown rule 'RL9', expected" in err


@pytest.mark.parametrize("text", ["10us", "1.5ms", "2s", "250ns", "0.5ns", "1234.5us"])
def test_times_are_written_as_they_are_read(text: str) -> None:
    assert parse_time(time_text(parse_time(text))) == pytest.approx(parse_time(text), rel=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gain>=0.5", "'0.5', expected a ratio of times of at least 1"),
        ("gain>=", "'', expected a ratio"),
        ("gain>2", "did you mean 'gain>=2'?"),
        ("warn", "expected note, warning, error, never or gain>=2"),
        ("2", "expected note, warning, error, never or gain>=2"),
    ],
)
def test_no_threshold_to_fail_on(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"expected|did you mean") as error:
        parse_fail_on(text)
    assert message in str(error.value)


def test_options_of_the_command_line_reach_the_run() -> None:
    given = build_parser().parse(["k.c", "--fail-on", "gain >= 2.50x", "--jobs", "3"])
    options = options_of(given, ("-O2",), None)
    assert options.lint is not None
    assert (options.lint.fail_on, options.jobs, options.flags) == ("gain>=2.5", 3, ("-O2",))


RULES = (
    Note("RL101", "column-walk", "", ("PWR039",)),
    Note("RL102", "column-walk-imperfect", ""),
    Note("RL110", "wide-index", "", (), "preview"),
    Note("RL201", "serial-sum", ""),
)


@pytest.mark.parametrize(
    ("given", "configured", "asked"),
    [
        (LintOverrides(), LintOverrides(), "RL101 RL102 RL201"),
        (LintOverrides(), LintOverrides(ignore=("RL1",)), "RL201"),
        (LintOverrides(ignore=("RL2",)), LintOverrides(ignore=("RL101",)), "RL102"),
        (LintOverrides(select=("RL1",)), LintOverrides(select=("RL2",)), "RL101 RL102"),
        # the narrower name holds
        (LintOverrides(select=("RL101",), ignore=("RL1",)), LintOverrides(), "RL101"),
        (LintOverrides(select=("RL1",), ignore=("PWR039",)), LintOverrides(), "RL102"),
        (LintOverrides(), LintOverrides(select=("RL102", "RL201"), ignore=("RL1",)), "RL102 RL201"),
        (LintOverrides(select=("ALL",)), LintOverrides(ignore=("RL101",)), "RL102 RL201"),
        (LintOverrides(select=("RL1",)), LintOverrides(ignore=("RL101",)), "RL102"),
        # of the same name: one's own select over a file's ignore, and ignore over select beside it
        (LintOverrides(select=("RL101",)), LintOverrides(ignore=("RL101",)), "RL101"),
        (LintOverrides(select=("column-walk",)), LintOverrides(ignore=("ALL",)), "RL101"),
        (LintOverrides(select=("RL101",), ignore=("RL101",)), LintOverrides(), ""),
        (LintOverrides(), LintOverrides(select=("RL101",), ignore=("RL101",)), ""),
        (LintOverrides(select=()), LintOverrides(), ""),
        # rules on trial by their own name only
        (LintOverrides(select=("RL11", "RL201")), LintOverrides(), "RL201"),
        (LintOverrides(select=("wide-index",)), LintOverrides(), "RL110"),
        (LintOverrides(preview=True), LintOverrides(ignore=("RL10",)), "RL110 RL201"),
        (LintOverrides(select=("RL110",)), LintOverrides(ignore=("RL110",), preview=True), "RL110"),
    ],
)
def test_which_rules_are_asked(given: LintOverrides, configured: LintOverrides, asked: str) -> None:
    codes = resolve_settings(given, configured, RULES).codes
    assert " ".join(sorted(code for code in codes if not code.startswith("RL0"))) == asked


def test_the_severity_of_a_rule_is_read_before_that_of_its_family() -> None:
    configured = LintOverrides(severity={"RL101": "error", "RL1": "note", "ALL": "hint"})
    severity = resolve_settings(LintOverrides(), configured, RULES).severity
    assert [severity[rule.code] for rule in RULES] == ["error", "note", "note", "hint"]
