"""Flags of files where a configuration has a say."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import ConfigFinder
from rooflint.errors import ConfigurationError
from rooflint.pipeline import Options


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Databases in two places, of which only the configuration knows the second."""
    for name, word in (("build", "NEAR"), ("ci/out", "SAID")):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        command = {"directory": str(tmp_path), "file": "a.c", "command": f"gcc -D{word} -c a.c"}
        (folder / "compile_commands.json").write_text(json.dumps([command]))
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text("void f(int *p) { for (int i = 0; i < 9; i++) p[i] = 0; }\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def macros(path: str, text: str, options: Options | None = None) -> tuple[Sequence[str], str]:
    """What is defined for a file under this configuration, and the last assumption."""
    Path("rooflint.toml").write_text(text)
    flags = ConfiguredFlags(options or Options(), ConfigFinder()).flags(path)
    found = [flag.removeprefix("-D") for flag in flags.options if flag.startswith("-D")]
    return found, flags.assumptions[-1] if flags.assumptions else ""


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.c", "", ["NEAR"]),
        ("a.c", 'compile-commands = "ci/out"\n', ["SAID"]),
        ("a.c", 'compile-commands = "ci/out/compile_commands.json"\n', ["SAID"]),
        ("a.c", '[flags]\ndefault = ["-DOWN"]\n', ["NEAR"]),
        ("b.c", '[flags]\ndefault = ["-DOWN"]\n', ["OWN"]),
        ("b.c", 'compile-commands = "ci/out"\n[flags]\ndefault = ["gcc", "-DOWN"]\n', ["OWN"]),
    ],
)
def test_what_the_configuration_says(
    project: Path, path: str, text: str, found: Sequence[str]
) -> None:
    assert macros(path, text) == (found, "")


def test_the_command_line_wins(project: Path) -> None:
    text = 'compile-commands = "ci/out"\n[flags]\ndefault = ["-DOWN"]\n'
    assert macros("a.c", text, Options(build_dir="build"))[0] == ["NEAR"]
    assert macros("b.c", text, Options(flags=("-DGIVEN",)))[0] == ["GIVEN"]


def test_a_database_that_is_not_there_is_a_note(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '\ncompile-commands = "release"\n'
    found, assumption = macros("a.c", text)
    assert found == ["NEAR"]
    named = f"which {project / 'rooflint.toml'}:2 names"
    assert assumption == f"no compile_commands.json in {project / 'release'}, {named}"
    assert run(["lint", "a.c", "b.c", "--select", "RL006"]) == 0
    # a long path may end in dots, so the beginning has to do
    assert capsys.readouterr().out.count("no compile_commands.json in ") == 1, "said once a run"


def test_paths_of_flags_are_seen_from_the_file_that_says_them(project: Path) -> None:
    (project / "sub" / "inc").mkdir(parents=True)
    (project / "sub" / "k.c").write_text("")
    (project / "sub" / "rooflint.toml").write_text('[flags]\ndefault = ["-Iinc"]\n')
    (project / "build" / "compile_commands.json").unlink()
    flags = ConfiguredFlags(Options(), ConfigFinder()).flags("sub/k.c")
    assert flags.include_dirs == (str(project / "sub" / "inc"),)


def test_a_database_that_is_broken(project: Path) -> None:
    (project / "ci" / "out" / "compile_commands.json").write_text("{")
    with pytest.raises(ConfigurationError, match=r"ci/out/compile_commands\.json:1"):
        macros("a.c", 'compile-commands = "ci/out"\n')
