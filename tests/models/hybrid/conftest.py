from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rooflint.machine import builtin_dir, find_machine
from rooflint_plugins.models.hybrid.evaluate.evaluator import EstimateOptions, estimate
from rooflint_plugins.models.hybrid.evaluate.results import ProcedureEstimate
from rooflint_plugins.models.hybrid.evaluate.system import System, system_of
from rooflint_plugins.models.hybrid.procedure.load import load_procedures
from rooflint_plugins.models.hybrid.procedure.records import Procedure

EXAMPLES = Path(__file__).parents[3] / "examples" / "procedures"
Estimator = Callable[..., ProcedureEstimate]

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
    ) -> ProcedureEstimate:
        return estimate(procedure(name), system(machine), values, EstimateOptions(refined))

    return call
