"""The completion scripts, each in its real shell."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from rooflint.cli.completion import SHELLS
from rooflint.cli.completion.bash import bash_script
from rooflint.cli.completion.commands import CompletedValue, completed_commands, names
from rooflint.cli.completion.scripts import SCRIPTS
from rooflint.cli.completion.shared_files import shared_files
from rooflint.cli.machine import ACTIONS
from rooflint.cli.main import COMMANDS, run

BASH, ZSH, FISH = (shutil.which(shell) for shell in SHELLS)
needs_bash = pytest.mark.skipif(BASH is None, reason="needs bash")


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
        ("rooflint lint --select RL21", [f"RL21{number}" for number in range(10)]),
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
        ("rooflint completion ", ["bash", "fish", "zsh"]),
        ("rooflint explain roofline-", ["roofline-core"]),
        ("rooflint analyze src/ -- --machine sk", []),
        ("rooflint no-such-command --ma", []),
    ],
)
@needs_bash
def test_answers(line: str, answers: list[str], script: Path) -> None:
    assert sorted(completed(script, *line.split(" "))) == answers


RULES = [f"RL101,RL21{digit}" for digit in range(10)]
IN_EACH_SHELL = (
    ("rooflint li", ["lint"]),
    ("rooflint lint --machine sk", SKYLAKE),
    ("analyze --machine sk", SKYLAKE),
    ("rooflint lint --machine=sk", [f"--machine={name}" for name in SKYLAKE]),
    ("rooflint lint --select RL101,RL21", RULES),
    ("rooflint lint --entry ", ["cold", "steady"]),
    ("rooflint lint --diff-", ["--diff-base"]),
    ("rooflint machine det", ["detect"]),
    ("rooflint machine show skx sk", SKYLAKE),
    ("rooflint completion ", ["bash", "fish", "zsh"]),
)


@pytest.mark.skipif(FISH is None, reason="needs fish")
@pytest.mark.parametrize(("line", "answers"), IN_EACH_SHELL)
def test_fish_answers(line: str, answers: list[str], tmp_path: Path) -> None:
    assert FISH is not None
    script = tmp_path / "rooflint.fish"
    script.write_text(SCRIPTS["fish"](completed_commands(), names()))
    program = f"source {script}; complete -C {shlex.quote(line)}"
    done = subprocess.run(
        [FISH, "--no-config", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert sorted(answer.partition("\t")[0] for answer in done.stdout.splitlines()) == answers


STUBS = """\
emulate zsh
prefix=
compset() { lead=${(M)cur##${~2}}; prefix+=$lead; [[ $cur == *,* ]] || lead=; cur=${cur#$lead} }
compadd() { shift; print -rl -- $prefix${(M)^@:#$cur*} }
_files() { print files }
words=("$@")
CURRENT=$#
"""
"""What the completion system of zsh has for a function: only a terminal starts the real one."""


@pytest.mark.skipif(ZSH is None, reason="needs zsh")
@pytest.mark.parametrize(
    ("line", "answers"),
    [*IN_EACH_SHELL, ("rooflint lint sr", ["files"]), ("analyze -- --machine sk", ["files"])],
)
def test_zsh_answers(line: str, answers: list[str], tmp_path: Path) -> None:
    assert ZSH is not None
    script = tmp_path / "_rooflint"
    script.write_text(STUBS + SCRIPTS["zsh"](completed_commands(), names()))
    done = subprocess.run(
        [ZSH, "-f", str(script), *line.split(" ")], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    # before the = nothing is left to complete
    expected = [answer.removeprefix("--machine=") for answer in answers]
    assert sorted(filter(None, done.stdout.split("\n"))) == expected


def test_a_wheel_has_a_manual_page_and_the_scripts() -> None:
    files = shared_files()
    assert files["share/zsh/site-functions/_rooflint"].startswith("#compdef rooflint analyze\n")
    assert {path.split("/")[1] for path in files} == {"bash-completion", "fish", "man", "zsh"}
    page = files["share/man/man1/rooflint.1"]
    assert all(f"\n.SS rooflint {name}".replace("-", r"\-") in page for name in COMMANDS)
    for command in completed_commands():
        options = [each for argument in command.arguments for each in argument.spellings]
        for option in {*options} - {"-h", "--help", "--version"}:
            assert rf"\fB{option}\fR".replace("-", r"\-") in page, (command.name, option)


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_manual_page_is_one() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou"],
        input=shared_files()["share/man/man1/rooflint.1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "rooflint lint [PATH ...]" in done.stdout
    assert "--diff-base REF" in done.stdout


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


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert capsys.readouterr().out == SCRIPTS[shell](completed_commands(), names())


@pytest.mark.parametrize("arguments", [[], ["tcsh"], ["bash", "bash"]])
def test_another_shell_is_a_mistake(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["completion", *arguments]) == 2
    assert "completion: expected one shell of bash, zsh, fish" in capsys.readouterr().err
