"""Modules from a bundle are those that Python imports, and no edit of a source is missed."""

import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.startup import module_bundle
from rooflint.startup.module_bundle import read_bundle

SOURCES = {
    # a package whose own code needs a module of it, so that this module ends first
    "own/__init__.py": "",
    "own/base.py": "VALUE = 1\n",
    "own/inner/__init__.py": "from own.inner.part import Part\nVALUE = Part().value\n",
    "own/inner/part.py": "from own import base\nclass Part:\n    value = base.VALUE + 1\n",
    "own/inner/last.py": "VALUE = 5\n",
    "own/late.py": "import own.inner.part as part\nVALUE = part.Part.value + 1\n",
    "own/elsewhere.py": "VALUE = 4\n",
}
HEAD = """
import sys
from rooflint.startup.bundle_writing import write_bundle
from rooflint.startup.module_bundle import read_bundle
from rooflint.startup.own_modules import OwnModuleFinder

path = sys.argv[1]
finder = OwnModuleFinder({"own"}, sys.implementation.cache_tag)
sys.meta_path.insert(0, finder)

def early():
    import own.inner

def late():
    import own.inner.last
    import own.late

def state(name):
    module = sys.modules[name]
    spec = module.__spec__
    names = "__name__ __file__ __cached__ __package__ __path__ VALUE".split()
    return [
        *[getattr(module, each, None) for each in names],
        [spec.name, spec.origin, spec.cached, spec.parent, spec.has_location],
        spec.submodule_search_locations, spec.loader is module.__loader__,
        spec.loader.name, spec.loader.path,
    ]

OWN = ("own.base", "own.inner", "own.inner.part", "own.inner.last", "own.late")
"""
WRITE = "print(write_bundle(path, finder, {'early': early, 'late': late}))"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The modules, compiled."""
    for name, text in SOURCES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "compileall", "-q", str(tmp_path)]
    subprocess.run(command, check=True, env=environment)
    return tmp_path


def printed(tree: Path, program: str, **variables: str) -> str:
    """What the program prints in a process of its own."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + program, str(tree / "bundle")],
        capture_output=True,
        text=True,
        check=True,
        env=environment | variables,
    )
    return done.stdout.strip()


@pytest.fixture
def bundle(tree: Path) -> Path:
    """The bundle of the modules, in two sections."""
    assert printed(tree, WRITE) == "True"
    assert sorted(each.name for each in tree.iterdir()) == ["bundle", "own"]
    return tree / "bundle"


def test_modules_of_a_bundle_are_those_that_python_imports(tree: Path, bundle: Path) -> None:
    shown = "\nprint([state(name) for name in OWN], sys.modules['own'].inner.part.Part.__module__)"
    bundled = "\nbundle = read_bundle(path)\nbundle.load('early')\nbundle.load('late')"
    absent = "\nassert all(name in sys.modules for name in OWN)"
    assert printed(tree, bundled + absent + shown) == printed(tree, "early(); late()" + shown)


def test_a_section_has_what_the_one_before_it_has_not(tree: Path, bundle: Path) -> None:
    def loaded(section: str) -> str:
        program = f"\nread_bundle(path).load({section!r})"
        return printed(tree, program + "\nprint(*[name for name in OWN if name in sys.modules])")

    assert loaded("early") == "own.base own.inner own.inner.part"
    assert loaded("unknown") == ""
    # what it needs of the other section is imported as ever
    assert loaded("late") == "own.base own.inner own.inner.part own.inner.last own.late"


def test_modules_that_are_there_stay(tree: Path, bundle: Path) -> None:
    program = (
        "\nimport own.base as base; base.VALUE = 10\n"
        "bundle = read_bundle(path)\nbundle.load('early')\nbundle.load('late')\n"
        "print(sys.modules['own.base'] is base, sys.modules['own.late'].VALUE)"
    )
    # 10 + 1 + 1
    assert printed(tree, program) == "True 12"


def counts(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the bundle is used in this process."""
    monkeypatch.syspath_prepend(str(bundle.parent))
    try:
        return read_bundle(str(bundle)) is not None
    finally:
        sys.modules.pop("own", None)


@pytest.mark.parametrize("name", ["own/base.py", "own/inner/__init__.py", "own/late.py"])
def test_an_edit_of_a_source_is_not_missed(
    bundle: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert counts(bundle, monkeypatch)
    source = bundle.parent / name
    before = source.stat()
    source.write_text("VALUE = 30\n# longer\n", encoding="utf-8")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not counts(bundle, monkeypatch)


def test_a_source_of_another_time_is_not_missed(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = bundle.parent / "own" / "base.py"
    before = source.stat()
    for change_ns, holds in ((1, False), (0, True), (-1, False)):
        os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + change_ns))
        assert counts(bundle, monkeypatch) == holds
    source.unlink()
    assert not counts(bundle, monkeypatch)


def test_a_module_outside_of_the_bundle_may_change(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bundle.parent / "own" / "elsewhere.py").write_text("VALUE = 5\n", encoding="utf-8")
    assert counts(bundle, monkeypatch)


def test_a_bundle_of_another_place_or_python_does_not_count(
    bundle: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as other:
        other.setattr(sys, "version", "3.11.0 of somebody else")
        assert not counts(bundle, other)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "own").mkdir()
    (elsewhere / "own" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(elsewhere))
    assert read_bundle(str(bundle)) is None
    sys.modules.pop("own", None)


@pytest.mark.parametrize(
    ("mode", "holds"), [(0o644, True), (0o600, True), (0o664, False), (0o646, False)]
)
def test_a_bundle_that_others_can_write_does_not_count(
    bundle: Path, mode: int, *, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle.chmod(mode)
    assert counts(bundle, monkeypatch) == holds


def test_a_bundle_of_another_user_does_not_count(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = os.getuid()
    installer = Path(module_bundle.__file__).stat().st_uid
    if user:  # only root can give a file away: another user asks
        monkeypatch.setattr(os, "getuid", lambda: user + 1)
        assert counts(bundle, monkeypatch) == (user == installer)
        return
    os.chown(bundle, installer + 1, -1)
    assert not counts(bundle, monkeypatch)
    monkeypatch.setattr(os, "getuid", lambda: installer + 1)
    assert counts(bundle, monkeypatch)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_bundle_is_for_the_user_to_write_and_for_all_to_read(tree: Path, umask: int) -> None:
    assert printed(tree, f"import os; os.umask({umask}); {WRITE}") == "True"
    assert (tree / "bundle").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("kept", [0, 4, 8, 100, -1])
def test_a_part_of_a_bundle_does_not_count(
    bundle: Path, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle.write_bytes(bundle.read_bytes()[:kept])
    assert not counts(bundle, monkeypatch)


def test_other_content_does_not_count(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for header in (marshal.dumps(7), marshal.dumps((1, 2)), b"", b"\0" * 20):
        bundle.write_bytes(len(header).to_bytes(8, "little") + header)
        assert not counts(bundle, monkeypatch)
    bundle.unlink()
    assert not counts(bundle, monkeypatch)


def test_of_a_module_that_fails_nothing_is_left(tree: Path) -> None:
    # it fails in a process that loads it first: the bundle gets no name
    (tree / "own" / "late.py").write_text(
        "import os, own.base\nif os.environ.get('FAILS'): raise OSError\n", encoding="utf-8"
    )
    printed(tree, "late()")
    assert printed(tree, WRITE, FAILS="1") == "False"
    assert not (tree / "bundle").exists()
    assert printed(tree, WRITE) == "True"
    program = (
        "\nbundle = read_bundle(path)\nbundle.load('early')\n"
        "try: bundle.load('late')\n"
        "except OSError: print('own.late' in sys.modules, 'own.base' in sys.modules)"
    )
    assert printed(tree, program, FAILS="1") == "False True"


def test_a_bundle_is_written_where_compiled_files_are(tree: Path) -> None:
    assert printed(tree, WRITE, PYTHONDONTWRITEBYTECODE="1") == "False"
    compiled = next((tree / "own" / "__pycache__").glob("late.*.pyc"))
    compiled.unlink()
    # it is compiled now, and is in the bundle from the next run on
    assert printed(tree, WRITE) == "False"
    assert compiled.exists()
    assert printed(tree, WRITE) == "True"


def test_nothing_is_written_into_a_folder_that_is_not_there(tree: Path) -> None:
    program = "print(write_bundle(path + '/none/bundle', finder, {'early': early}))"
    assert printed(tree, program) == "False"
