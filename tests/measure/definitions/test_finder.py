"""Functions of other files of the project: found by what the files define, and linked."""

import json
from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import ConfigFinder
from rooflint.measure.build import build_program
from rooflint.measure.definitions import finder as module
from rooflint.measure.definitions.finder import DefiningFile, DefinitionFinder
from rooflint.measure.process import run_results
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.subject import Subject, find_subject
from rooflint.pipeline import Options
from rooflint.pipeline.signatures import signatures_of

CALLER = """\
double weight(int i);
void scale(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = weight(i);
}
"""
FILES = {
    "src/scale.c": CALLER,
    "src/caller.c": "double weight(int i);\ndouble twice(int i) { return 2 * weight(i); }\n",
    "lib/tools.c": "double weight(int i) { return FACTOR * i; }\n",
    "lib/other.c": "double width(int i) { return i; }\n",
    "lib/broken.c": "double weight(int i) {\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A database whose build gives ``weight`` the factor 3."""
    entries = []
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        arguments = ["gcc", "-O2", *(["-DFACTOR=3.0"] if "tools" in name else []), "-c", str(path)]
        entries.append({"file": str(path), "directory": str(tmp_path), "arguments": arguments})
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    return tmp_path


@pytest.fixture
def flags(project: Path) -> ConfiguredFlags:
    return ConfiguredFlags(Options(), ConfigFinder(False))


def finder_of(project: Path, flags: ConfiguredFlags) -> DefinitionFinder:
    paths = flags.database_files(str(project / "src/scale.c"))
    return DefinitionFinder(paths, flags.flags)


def test_the_database_lists_its_files(project: Path, flags: ConfiguredFlags) -> None:
    listed = flags.database_files(str(project / "src/scale.c"))
    assert listed == sorted(str(project / name) for name in FILES)
    assert flags.database_files("/nowhere/else.c") == []


def names(files: list[DefiningFile]) -> list[str]:
    return [Path(file.path).name for file in files]


def test_a_file_that_only_calls_a_function_does_not_define_it(
    project: Path, flags: ConfiguredFlags
) -> None:
    finder = finder_of(project, flags)
    # clang makes sense of the broken one; the compiler will not
    assert names(list(finder.files(["weight"]))) == ["broken.c", "tools.c"]
    found = list(finder.files(["weight", "width", "missing"]))
    assert names(found) == ["broken.c", "other.c", "tools.c"]
    assert found[1].functions == {"width"}
    assert list(finder.files(["missing"])) == []
    assert list(finder.files([])) == []


def test_few_files_are_parsed(
    project: Path, flags: ConfiguredFlags, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def noted(path: str, own: Flags) -> object:
        parsed.append(Path(path).name)
        return signatures_of(path, own)

    monkeypatch.setattr(module, "signatures_of", noted)
    finder = finder_of(project, flags)
    for _ in range(2):
        list(finder.files(["weight"]))
    assert sorted(parsed) == ["broken.c", "caller.c", "scale.c", "tools.c"]
    monkeypatch.setattr(module, "MOST_PARSED", 1)
    assert names(list(finder_of(project, flags).files(["weight"]))) == ["broken.c"]


def test_the_function_takes_part_as_its_build_makes_it(
    project: Path, flags: ConfiguredFlags
) -> None:
    path = str(project / "src/scale.c")
    subject = find_subject(path, flags.flags(path))
    assert isinstance(subject, Subject)
    folder = project / "bench"
    folder.mkdir()
    alone = build_program(subject, str(folder), compiler="gcc")
    assert isinstance(alone, Program)
    assert alone.loop_stubs == ("weight",)
    whole = build_program(
        subject, str(folder), compiler="gcc", definitions=finder_of(project, flags)
    )
    assert isinstance(whole, Program)
    assert (whole.stubs, whole.loop_stubs) == ((), ())
    found = run_results(whole, RunSettings(sizes=(("n", 9),), results=1 << 20), 60.0)
    (array,) = [each for each in found.contents if each.name == "a"]
    assert memoryview(array.after).cast("d")[-array.low // 8 + 5] == 15.0


def test_a_dry_run_names_every_file_that_takes_part(project: Path, flags: ConfiguredFlags) -> None:
    """``twice`` is called here, calls ``weight``, and lies beside; ``weight`` lies elsewhere."""
    path = project / "src/beside.c"
    path.write_text(CALLER.replace("weight", "twice"))
    (project / "src/twice.c").write_text((project / "src/caller.c").read_text())
    subject = find_subject(str(path), flags.flags(str(path)))
    assert isinstance(subject, Subject)
    folder = project / "build"
    folder.mkdir()
    finder = finder_of(project, flags)
    programs = [
        build_program(subject, str(folder), compiler="gcc", dry_run=dry, definitions=finder)
        for dry in (True, False)
    ]
    compiled = [
        [word for command in program.commands if "-c" in command for word in command
         if word.startswith(str(project)) and word.endswith(".c")]
        for program in programs
        if isinstance(program, Program)
    ]  # fmt: skip
    beside, elsewhere = str(project / "src/twice.c"), str(project / "lib/tools.c")
    assert [beside in files and elsewhere in files for files in compiled] == [True, True]
