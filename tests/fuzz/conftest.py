import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        f"rooflint_fuzz_{name}", Path(__file__).with_name(f"{name}.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def inputs() -> ModuleType:
    """``inputs.py``: mutated inputs of each kind."""
    return _load("inputs")


@pytest.fixture(scope="session")
def targets() -> ModuleType:
    """``targets.py``: what reads them, and what counts as a fault."""
    return _load("targets")
