from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rooflint.hybrid.estimate import Options, estimate
from rooflint.hybrid.load import load_procedures
from rooflint.hybrid.procedure import Procedure
from rooflint.hybrid.results import Estimate
from rooflint.hybrid.system import System, system_of
from rooflint.machine import builtin_dir, find_machine

EXAMPLES = Path(__file__).parents[2] / "examples" / "procedures"
Estimator = Callable[..., Estimate]

_SYSTEMS: dict[str, System] = {}
_PROCEDURES: dict[str, Procedure] = {}


def system(name: str) -> System:
    if name not in _SYSTEMS:
        _SYSTEMS[name] = system_of(find_machine(name, [builtin_dir()]))
    return _SYSTEMS[name]


def procedure(name: str) -> Procedure:
    if name not in _PROCEDURES:
        (_PROCEDURES[name],) = load_procedures(EXAMPLES / f"{name}.yaml")
    return _PROCEDURES[name]


@pytest.fixture(scope="session")
def systems() -> Callable[[str], System]:
    """A machine of the catalogue as the estimator sees it."""
    return system


@pytest.fixture(scope="session")
def examples() -> Callable[[str], Procedure]:
    """A procedure of examples/procedures by its file's stem."""
    return procedure


@pytest.fixture(scope="session")
def evaluate() -> Estimator:
    """``evaluate("fft_long", "vm7", {"N1": 64})``; ``refined=True`` for the refined mode."""

    def call(
        name: str, machine: str, values: Mapping[str, float] | None = None, refined: bool = False
    ) -> Estimate:
        return estimate(procedure(name), system(machine), values, Options(refined))

    return call
