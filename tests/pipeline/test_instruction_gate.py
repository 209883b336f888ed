"""The gate on instructions: what it lets pass, on both sides of its limit."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

GATE = Path(__file__).parents[2] / "benchmarks" / "instructions.py"


@pytest.fixture(scope="module")
def gate() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("instructions", GATE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("found", "cases"),
    [
        ({"start": 1.0, "lint": 2.2}, []),
        ({"start": 1.0, "lint": 2.21}, ["lint"]),
        ({"start": 0.5, "lint": 0.1}, []),
        ({"start": 1.11, "lint": 2.21}, ["start", "lint"]),
    ],
)
def test_a_tenth_more_than_recorded_is_too_much(
    gate: ModuleType, found: dict[str, float], cases: list[str]
) -> None:
    lines = gate.beyond(found, {"start": 1.0, "lint": 2.0})
    assert [line.partition(":")[0] for line in lines] == cases


def test_what_has_no_record_does_not_pass(gate: ModuleType) -> None:
    (line,) = gate.beyond({"lint": 1.0}, {})
    assert line.startswith(f"lint: nothing recorded for Python {gate.VERSION}")


def test_counts_are_read_as_valgrind_prints_them(gate: ModuleType) -> None:
    found = gate.COUNTED.search("==7== \n==7== I   refs:      1,234,567\n")
    assert found is not None
    assert found[1] == "1,234,567"
