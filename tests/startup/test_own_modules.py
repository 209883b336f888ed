"""Modules of the program are imported without a search, and are what Python itself imports."""

import os
import subprocess
import sys
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from rooflint.startup.own_modules import CompiledLoader, OwnModuleFinder

TAG = str(sys.implementation.cache_tag)


def compiled(source: Path) -> Path:
    """The compiled file of a source, which Python makes here."""
    program = f"import py_compile; print(py_compile.compile({str(source)!r}, doraise=True))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package ``own`` with a module ``part`` and a package ``inner``, all compiled."""
    folder = tmp_path / "own"
    (folder / "inner").mkdir(parents=True)
    for name, text in {
        "__init__.py": "",
        "part.py": "VALUE = 1\n",
        "inner/__init__.py": "VALUE = 2\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
        compiled(folder / name)
    return folder


FINDER = OwnModuleFinder({"own"}, TAG)


def test_a_module_is_found_where_its_name_says(package: Path) -> None:
    spec = FINDER.find_spec("own.part", [str(package)])
    assert spec is not None
    assert isinstance(spec.loader, CompiledLoader)
    assert spec.origin == str(package / "part.py")
    assert spec.cached == str(package / "__pycache__" / f"part.{TAG}.pyc")
    assert spec.has_location
    assert spec.submodule_search_locations is None


def test_a_package_has_a_folder(package: Path) -> None:
    spec = FINDER.find_spec("own.inner", [str(package)])
    assert spec is not None
    assert spec.submodule_search_locations == [str(package / "inner")]
    assert spec.origin == str(package / "inner" / "__init__.py")


@pytest.mark.parametrize("name", ["own", "other.part", "own.missing"])
def test_python_searches_for_what_is_not_there_or_not_own(package: Path, name: str) -> None:
    path = [str(package)] if "." in name else None
    assert FINDER.find_spec(name, path) is None


def test_a_package_of_several_folders_is_searched(package: Path) -> None:
    assert FINDER.find_spec("own.part", [str(package), "elsewhere"]) is None


def value(package: Path) -> object:
    spec = FINDER.find_spec("own.part", [str(package)])
    assert spec is not None
    assert isinstance(spec.loader, SourceFileLoader)
    code = spec.loader.get_code("own.part")
    assert code is not None
    names: dict[str, object] = {}
    exec(code, names)
    return names["VALUE"]


def test_the_compiled_file_is_taken(package: Path) -> None:
    source = package / "part.py"
    before = source.stat()
    source.write_text("VALUE = 3\n", encoding="utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    # as Python itself would, by time and size
    assert value(package) == 1


def test_a_compiled_file_of_another_time_is_not_taken(package: Path) -> None:
    source = package / "part.py"
    before = source.stat()
    source.write_text("VALUE = 3\n", encoding="utf-8")
    os.utime(source, (before.st_atime, before.st_mtime + 1))
    assert value(package) == 3


def test_a_compiled_file_of_another_size_is_not_taken(package: Path) -> None:
    source = package / "part.py"
    before = source.stat()
    source.write_text("VALUE = 33\n", encoding="utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert value(package) == 33


@pytest.mark.parametrize("begin", [b"", b"\0" * 15, b"\0" * 4])
def test_a_damaged_compiled_file_is_not_taken(package: Path, begin: bytes) -> None:
    path = package / "__pycache__" / f"part.{TAG}.pyc"
    path.write_bytes(begin)
    spec = FINDER.find_spec("own.part", [str(package)])
    assert spec is None or value(package) == 1


PROGRAM = """
import sys
from rooflint.startup.own_modules import import_own_modules_directly
import_own_modules_directly()
import rooflint.errors as module, rooflint.ir as package
names = "__name__ __file__ __cached__ __package__ __path__".split()
print([(type(each.__loader__).__name__, *[getattr(each, name, None) for name in names])
       for each in (module, package)])
"""


def loaded(*options: str) -> str:
    """How a process of its own imports a module and a package."""
    environment = {name: word for name, word in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *options, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout


def test_modules_are_those_of_python_itself() -> None:
    for name in ("rooflint.errors", "rooflint.ir"):
        compiled(Path(str(import_module(name).__file__)))
    own = loaded()
    assert own.count("CompiledLoader") == 2
    # compiled files of an optimising interpreter have other names
    assert own.replace("CompiledLoader", "SourceFileLoader") == loaded("-O").replace(
        ".opt-1.pyc", ".pyc"
    )
