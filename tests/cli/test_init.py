"""``rooflint init``: the file it writes and the next command."""

import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.config.settings import load_config
from rooflint.machine.identity import ProcessorArchitecture, ProcessorNumbers

TRIAD = """\
void triad(int n, double *restrict a, const double *b, const double *c, double s)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
"""
X86, ARM = ProcessorArchitecture.X86_64, ProcessorArchitecture.AARCH64
MILAN = ProcessorNumbers(X86, "AuthenticAMD", 25, 1, 1, brand="AMD EPYC 7763 64-Core Processor")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one source, which is the current one, on an EPYC 7763."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "triad.c").write_text(TRIAD)
    on_processor(monkeypatch, MILAN)
    return tmp_path


def on_processor(monkeypatch: pytest.MonkeyPatch, processor: ProcessorNumbers) -> None:
    monkeypatch.setattr("rooflint.cli.init.machine_choice.read_processor", lambda: processor)


def initialised(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["init", *arguments]) == 0
    return capsys.readouterr().out


def test_a_project_that_cmake_builds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "CMakeLists.txt").touch()
    assert initialised(capsys) == (
        "Wrote    rooflint.toml\n"
        "Build    CMake; no compile_commands.json yet\n"
        "CPU      AMD EPYC 7763 64-Core Processor (x86_64, AuthenticAMD, family 25, model 1,"
        " stepping 1)\n"
        "Machine  zen3-7763: this product\n"
        "Doubt    compiler flags are guessed: until the next command has run\n"
        "Next     cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n"
        "Next     rooflint analyze .\n"
    )
    assert (project / "rooflint.toml").read_text() == (
        "# Settings of Rooflint; the command line wins. The README lists all keys.\n"
        'machine = "zen3-7763"    # this product\n'
        '# compile-commands = "build"    # after: cmake -S . -B build'
        " -DCMAKE_EXPORT_COMPILE_COMMANDS=ON\n"
    )


FILES = {
    "database": "build/compile_commands.json CMakeLists.txt",
    "older": "build/compile_commands.json b2/compile_commands.json",
    "cmake": "CMakeLists.txt",
    "meson": "meson.build",
    "make": "Makefile",
    "subfolders": "omp/Makefile serial/Makefile",
    "none": "",
}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES)
def test_the_file_is_valid_also_with_its_comments_as_keys(
    files: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in files.split():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).touch()
    initialised(capsys)
    file = project / "rooflint.toml"
    config = load_config(file)
    assert config.machines == ("zen3-7763",)
    assert bool(config.database) == ("compile_commands.json" in files)
    # a user takes the comment marks away
    first, *lines = file.read_text().splitlines()
    file.write_text("\n".join([first, *[line.removeprefix("# ") for line in lines]]) + "\n")
    config = load_config(file)
    assert bool(config.database) != bool(config.flags)


def test_the_next_command_reads_the_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "CMakeLists.txt").touch()
    text = initialised(capsys)
    command = shlex.split(text.splitlines()[-1].removeprefix("Next"))
    assert run(command[1:]) == 0
    shown = capsys.readouterr()
    assert "on zen3-7763, 1 core" in shown.out
    assert shown.err == ""


def test_a_database_is_named_and_needs_no_command(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "out" / "r").mkdir(parents=True)
    entry = f'[{{"directory": "{project}", "file": "triad.c", "command": "cc -Ofast -c triad.c"}}]'
    (project / "out" / "r" / "compile_commands.json").write_text(entry)
    text = initialised(capsys)
    assert "Build    compile commands of out/r/compile_commands.json\n" in text
    assert text.count("Next ") == 1
    settings = tomllib.loads((project / "rooflint.toml").read_text())
    assert settings["compile-commands"] == "out/r/compile_commands.json"
    assert run(["analyze", "triad.c"]) == 0
    assert "gcc -O3 -ffast-math" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("processor", "machine", "doubt"),
    [
        (MILAN._replace(brand="AMD EPYC"), "zen3-7763", "memory of zen3-7763 is not"),
        (ProcessorNumbers(X86), "generic-avx2", "generic-avx2 is not this computer"),
        (ProcessorNumbers(ARM, implementer=65, part=0xD0C), "generic-aarch64", "is not this"),
        # two machines have this core; the one with its instructions serves better
        (ProcessorNumbers(ARM, implementer=65, part=0xD4F), "graviton4-c8g", "also gh200"),
        (ProcessorNumbers(ARM, implementer=97, part=34), None, "reports use generic-avx2"),
    ],
)
def test_the_machine_and_its_doubt(
    processor: ProcessorNumbers,
    machine: str | None,
    doubt: str,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    on_processor(monkeypatch, processor)
    text = initialised(capsys)
    (line,) = [line for line in text.splitlines() if doubt in line]
    assert line.startswith("Doubt    ")
    assert tomllib.loads((project / "rooflint.toml").read_text()).get("machine") == machine


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rooflint.toml", ""),
        (".rooflint.toml", "cores = 1\n"),
        ("pyproject.toml", "[tool.rooflint]\ncores = 1\n"),
    ],
)
def test_no_configuration_is_overwritten(
    name: str, text: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / name).write_text(text)
    assert run(["init"]) == 2
    assert f"init: {name} " in capsys.readouterr().err
    assert (project / name).read_text() == text
    assert sorted(each.name for each in project.iterdir()) == sorted([name, "triad.c"])


def test_a_link_to_nowhere_is_no_way_out_of_the_tree(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "rooflint.toml").symlink_to(project.parent / "elsewhere")
    assert run(["init"]) == 2
    assert not (project.parent / "elsewhere").exists()


def test_another_projects_pyproject_is_no_configuration(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text("[tool.black]\nline-length = 100\n")
    initialised(capsys)


def test_a_folder_of_its_own_and_the_configuration_above(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "rooflint.toml").write_text("cores = 4\n")
    (project / "my part").mkdir()
    text = initialised(capsys, "my part")
    assert text.startswith("Wrote    my part/rooflint.toml\n")
    assert "Next     cd 'my part'\nNext     rooflint analyze .\n" in text
    assert f"Doubt    {project / 'rooflint.toml'} no longer applies here; 'extends'" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "init: none: expected a folder"),
        (["triad.c"], "init: triad.c: expected a folder"),
        ([".", "."], "init: expected one DIR, got 2"),
        (["--force"], "unknown option '--force'"),
    ],
)
def test_mistakes(
    arguments: list[str], message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (project / "rooflint.toml").exists()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
def test_the_command_makes_a_database_that_the_next_run_uses(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(p C)\n"
        "add_library(triad triad.c)\ntarget_compile_options(triad PRIVATE -Ofast)\n"
    )
    text = initialised(capsys)
    commands = [line.removeprefix("Next").strip() for line in text.splitlines() if "Next" in line]
    subprocess.run(shlex.split(commands[0]), cwd=project, check=True, capture_output=True)
    assert run(shlex.split(commands[1])[1:]) == 0
    assert "gcc -O3 -ffast-math" in capsys.readouterr().out
