"""The completion script, sourced by a real bash."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from rooflint.cli.completion.bash import bash_script
from rooflint.cli.completion.commands import CompletedValue, completed_commands, names
from rooflint.cli.machine import ACTIONS
from rooflint.cli.main import COMMANDS, run

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "rooflint"
    path.write_text(bash_script(completed_commands(), names()))
    return path


def completed(script: Path, *words: str) -> list[str]:
    """The answers for the last of ``words``; bash makes a word of each ``=``."""
    assert BASH is not None
    quoted = " ".join(map(shlex.quote, words))
    program = (
        f"source {shlex.quote(str(script))}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1};"
        ' _rooflint; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [BASH, "--norc", "-u", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.split()


SKYLAKE = ["skx", "skylake-sp", "skylake-sp-6148"]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("rooflint li", ["lint"]),
        ("rooflint ma", ["machine"]),
        ("rooflint --ver", ["--version"]),
        ("rooflint xy", []),
        ("rooflint lint --machine sk", SKYLAKE),
        ("rooflint analyze src/ --machine sk", SKYLAKE),
        ("analyze --machine sk", SKYLAKE),
        ("/usr/bin/analyze --machine sk", SKYLAKE),
        ("rooflint lint --machine = sk", SKYLAKE),
        ("rooflint lint --select RL21", ["RL210", "RL211", "RL212", "RL213", "RL214", "RL215"]),
        ("rooflint lint --select RL101,RL301", ["RL101,RL301"]),
        ("rooflint lint --select = RL101,RL301", ["RL101,RL301"]),
        ("rooflint lint --entry ", ["cold", "steady"]),
        ("rooflint lint --entry =", ["cold", "steady"]),
        ("rooflint lint --diff-", ["--diff-base"]),
        ("rooflint lint --diff-base m", []),
        ("rooflint analyze --model ec", ["ecm", "ecm-cpu", "ecm-data"]),
        ("rooflint analyze --format ", ["html", "json", "text"]),
        ("rooflint lint --format sa", ["sarif"]),
        ("rooflint compare --format m", ["markdown"]),
        ("rooflint measure --format h", ["html"]),
        ("rooflint estimate --format y", ["yaml"]),
        ("rooflint machine det", ["detect"]),
        ("rooflint machine show skx sk", SKYLAKE),
        ("rooflint machine probe --sec", ["--seconds"]),
        ("rooflint machine import sk", []),
        ("rooflint cache i", ["info"]),
        ("rooflint completion ", ["bash"]),
        ("rooflint explain roofline-", ["roofline-core"]),
        ("rooflint analyze src/ -- --machine sk", []),
        ("rooflint no-such-command --ma", []),
    ],
)
def test_answers(line: str, answers: list[str], script: Path) -> None:
    assert sorted(completed(script, *line.split(" "))) == answers


def test_every_command_is_completed() -> None:
    known = {command.name for command in completed_commands()}
    assert known == {"", *COMMANDS, *[f"machine {action}" for action in ACTIONS]}
    (first,) = [command for command in completed_commands() if not command.name]
    assert set(COMMANDS) <= set(first.arguments[1].words)


def test_no_name_is_more_than_a_word() -> None:
    words = [word for kind in names().values() for word in kind]
    assert len(words) > 100
    assert shlex.split(" ".join(words)) == words
    assert all(names()[kind] for kind in (CompletedValue.MACHINE, CompletedValue.RULE))


def test_the_command_prints_the_script(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "bash"]) == 0
    assert capsys.readouterr().out == script.read_text()


@pytest.mark.parametrize("arguments", [[], ["fish"], ["bash", "bash"]])
def test_another_shell_is_a_mistake(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["completion", *arguments]) == 2
    assert "completion: expected one shell of bash" in capsys.readouterr().err
