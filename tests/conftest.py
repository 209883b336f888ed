"""Fixtures for all tests."""

import gc
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from rooflint.cli.main import run

# The gate judges a change by the same examples each time, on a busy machine too;
# `--hypothesis-profile=search` draws new ones, and `--hypothesis-seed=N` repeats what it drew.
settings.register_profile(
    "gate",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", derandomize=False, deadline=None)
settings.load_profile("gate")

# Syntax trees of all modules, reports and programs live as long as the tests: to go through them
# again and again would take a third of the time.
gc.set_threshold(250_000, 20, 100)

HERE = Path(__file__).parent
GOLDEN = Path(__file__).with_name("golden")


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def build() -> ModuleType:
    """``tests/builders.py``: nests made by hand (import-mode importlib shares no test modules)."""
    return _load("rooflint_test_builders", HERE / "builders.py")


@pytest.fixture(scope="session")
def nests() -> ModuleType:
    """``tests/nests.py``: named nests as functions of ``build``."""
    return _load("rooflint_test_nests", HERE / "nests.py")


@pytest.fixture(scope="session")
def shown() -> ModuleType:
    """``tests/shown.py``: reports as an editor's server shows them."""
    return _load("rooflint_test_shown", HERE / "shown.py")


@pytest.fixture(scope="session")
def measurements() -> ModuleType:
    """``tests/measurements.py``: measurements as the user's store keeps them."""
    return _load("rooflint_test_measurements", HERE / "measurements.py")


@pytest.fixture
def other_thread() -> Iterator[None]:
    """A thread of the program, with which no child is forked."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield
    done.set()
    thread.join()


@pytest.fixture
def forked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Children know the test's own module, whatever threads other tests have left behind."""
    if "other_thread" not in request.fixturenames:
        monkeypatch.setattr("rooflint.workers.child_process._can_fork", lambda: True)


@pytest.fixture(scope="session")
def house() -> ModuleType:
    """``tests/house.py``: counts of habits that the code gives up."""
    return _load("rooflint_test_house", HERE / "house.py")


@pytest.fixture(scope="session")
def interpreter() -> ModuleType:
    """``tests/interpreter.py``: functions of the IR run on small sizes."""
    return _load("rooflint_test_interpreter", HERE / "interpreter.py")


@pytest.fixture(scope="session")
def simulator() -> ModuleType:
    """``tests/simulator``: address traces of functions through exact LRU caches."""
    return _load("rooflint_test_simulator", HERE / "simulator" / "__init__.py")


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new folder for the results of each test: none may rest on those of another."""
    base = tmp_path_factory.mktemp("caches")
    return (base / str(number) for number in count())


@pytest.fixture(scope="session")
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In place of the user's folder that has the key of the cache."""
    return tmp_path_factory.mktemp("state")


@pytest.fixture(autouse=True)
def cache_dir(caches: Iterator[Path], state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's runs keep results."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state_dir))
    folder = next(caches)
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(folder))
    return folder


class CommandResult(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def rooflint(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., CommandResult]:
    """``rooflint("analyze", "x.c")`` runs a command in this process."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: str) -> CommandResult:
        capfdbinary.readouterr()
        code = run(arguments, arguments[0])
        captured = capfdbinary.readouterr()
        return CommandResult(code, captured.out.decode(), captured.err.decode())

    return call


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden("report.txt", text)`` compares with ``tests/golden/report.txt``.

    ``pytest --update-golden`` writes the file instead; read the diff before committing it.
    """

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"no {path}; make it with pytest --update-golden"
        assert text == path.read_text(encoding="utf-8")

    return compare
