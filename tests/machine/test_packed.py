"""A packed machine is the one that its files say, as long as they say it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.machine import builtin_dir, find_machine, list_machines
from rooflint.machine.load import load_machine
from rooflint.machine.packed import packed_machine, packed_place
from rooflint.machine.packed.writing import made_from, pack_machines

NAME = "generic-avx2"
CHILD, PARENT = "vm9-600", "vm7"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three machine files, packed."""
    for name in (NAME, CHILD, PARENT):
        shutil.copy(builtin_dir() / f"{name}.yaml", tmp_path)
    pack_machines(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [NAME, CHILD, PARENT])
def test_a_packed_machine_is_that_of_its_file(folder: Path, name: str) -> None:
    file = folder / f"{name}.yaml"
    assert packed_machine(file) == load_machine(file)


def test_all_machines_that_come_with_the_program_can_be_packed(tmp_path: Path) -> None:
    for entry in list_machines([builtin_dir()]):
        shutil.copy(entry.file, tmp_path)
    pack_machines(tmp_path)
    for entry in list_machines([tmp_path]):
        assert packed_machine(entry.file) == load_machine(entry.file), entry.name


def test_a_machine_is_made_from_what_it_extends(folder: Path) -> None:
    files = [file.stem for file in made_from(folder / f"{CHILD}.yaml")]
    assert files == [CHILD, PARENT]


@pytest.mark.parametrize("changed", [CHILD, PARENT])
def test_a_changed_file_is_read(folder: Path, changed: str) -> None:
    file = folder / f"{changed}.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert packed_machine(folder / f"{CHILD}.yaml") is None
    assert packed_machine(folder / f"{NAME}.yaml") is not None
    assert find_machine(CHILD, [folder]) == load_machine(folder / f"{CHILD}.yaml")


@pytest.mark.parametrize("content", [b"", b"\n", b"../other.yaml\n", b"\xff\n" + bytes(64)])
def test_a_damaged_form_is_not_taken(folder: Path, content: bytes) -> None:
    file = folder / f"{NAME}.yaml"
    packed_place(file).write_bytes(content)
    assert packed_machine(file) is None
    assert find_machine(NAME, [folder]) == load_machine(file)


def test_a_cut_form_is_not_taken(folder: Path) -> None:
    file = folder / f"{NAME}.yaml"
    whole = packed_place(file).read_bytes()
    packed_place(file).write_bytes(whole[:-1])
    assert packed_machine(file) is None


def test_a_file_under_another_name_is_not_the_machine_of_that_name(folder: Path) -> None:
    shutil.copy(folder / f"{NAME}.yaml", folder / "other.yaml")
    pack_machines(folder)
    assert find_machine(NAME, [folder]).file == str(folder / f"{NAME}.yaml")
    with pytest.raises(Exception, match="unknown machine 'other'"):
        find_machine("other", [folder])


def test_forms_of_files_that_are_gone_are_removed(folder: Path) -> None:
    file = folder / f"{NAME}.yaml"
    file.unlink()
    pack_machines(folder)
    assert not packed_place(file).exists()


def test_no_yaml_is_loaded_for_it(folder: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from rooflint.machine import find_machine\n"
        f"find_machine({NAME!r}, [Path({str(folder)!r})]); print('yaml' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
