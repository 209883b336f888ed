"""Finding machines by name, alias and path."""

import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.errors import ConfigurationError, UsageError
from rooflint.machine import DEFAULT, builtin_dir, find_machine, list_machines

DIRS = [builtin_dir()]


def test_by_name_alias_and_path() -> None:
    by_name = find_machine("sandybridge-ep-e5-2680", DIRS)
    assert find_machine("snb", DIRS) == by_name
    assert find_machine(str(builtin_dir() / "sandybridge-ep-e5-2680.yaml"), []) == by_name
    assert find_machine(DEFAULT, DIRS).figures == "typical"


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("opteron-x5", "unknown machine 'opteron-x5'; did you mean 'opteron-x[24]'"),
        ("SNB", "unknown machine 'SNB'; did you mean 'snb'"),
        ("cel", "did you mean 'cell'"),
        ("qqqqq", "unknown machine 'qqqqq'; see 'rooflint machine list'"),
        ("./none.yaml", "no machine file './none.yaml'; see 'rooflint machine list'"),
        ("none.yml", "no machine file"),
        ("", "unknown machine ''; see 'rooflint machine list'"),
    ],
)
def test_unknown_machines(wanted: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_machine(wanted, DIRS)


def test_the_first_folder_wins(tmp_path: Path) -> None:
    text = (builtin_dir() / "cell.yaml").read_text()
    (tmp_path / "cell.yaml").write_text(text.replace("clock_ghz: 3.2", "clock_ghz: 3.0"))
    assert find_machine("cell", [tmp_path, *DIRS]).clock_ghz == 3.0
    assert find_machine("cell", [*DIRS, tmp_path]).clock_ghz == 3.2


def test_a_file_named_otherwise_is_found_by_its_name(tmp_path: Path) -> None:
    text = (builtin_dir() / "cell.yaml").read_text()
    (tmp_path / "blade.yml").write_text(text.replace("name: cell", "name: my-blade", 1))
    assert find_machine("my-blade", [tmp_path]).name == "my-blade"


def test_a_broken_file_is_listed_and_stops_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("name: [")
    (tmp_path / "nameless.yaml").write_text("schema: 1\n")
    (tmp_path / "list.yaml").write_text("- 1\n")
    (tmp_path / "half.yaml").write_text("name: half\naliases: [h]\ndescription: d\nsockets: many\n")
    entries = {entry.name: entry for entry in list_machines([tmp_path, *DIRS])}
    assert "not valid YAML" in (entries["broken"].problem or "")
    assert "missing key 'name'" in (entries["nameless"].problem or "")
    assert entries["half"].problem is None
    assert entries["half"].aliases == ("h",)
    assert entries["cell"].problem is None
    assert find_machine("cell", [tmp_path, *DIRS]).name == "cell"
    with pytest.raises(ConfigurationError, match=r"half\.yaml"):
        find_machine("half", [tmp_path])


def test_missing_folders_are_empty(tmp_path: Path) -> None:
    assert list_machines([tmp_path / "none"]) == ()


def test_entries_describe_themselves() -> None:
    entries = list_machines(DIRS)
    files = [entry.file.name for entry in entries]
    assert files == sorted(files)
    for entry in entries:
        assert entry.problem is None
        assert entry.description
        assert entry.file.is_file()


def test_importing_the_package_does_not_import_yaml() -> None:
    code = "import sys, rooflint.machine; sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
