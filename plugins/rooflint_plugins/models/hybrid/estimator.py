"""The model as the estimator of ``rooflint estimate``: procedure files and loops of the source."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rooflint.errors import ConfigurationError, UsageError, near_miss
from rooflint.facts import facts_of
from rooflint.ir import Function
from rooflint.plugin_api.estimator import EstimatePicture, EstimateRequest, EstimateSection
from rooflint.plugin_api.prediction import Json
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import canonical

from rooflint_plugins.models.hybrid.answers import (
    Formula,
    ProcedureAnswer,
    answer_of,
    answer_of_nest,
)
from rooflint_plugins.models.hybrid.derive.bound import bound, plain_sidecar
from rooflint_plugins.models.hybrid.evaluate.balance_formula import balance_equation
from rooflint_plugins.models.hybrid.evaluate.evaluator import SCALED, EstimateOptions
from rooflint_plugins.models.hybrid.evaluate.system import system_of
from rooflint_plugins.models.hybrid.procedure.expression import ExpressionError
from rooflint_plugins.models.hybrid.procedure.load import load_procedures, quantity
from rooflint_plugins.models.hybrid.procedure.records import Procedure
from rooflint_plugins.models.hybrid.text.data import answer_data
from rooflint_plugins.models.hybrid.text.page import section_of
from rooflint_plugins.models.hybrid.text.picture import picture_of
from rooflint_plugins.models.hybrid.text.text_answer import answers_text, answers_yaml

PROCEDURE_FILES = (".yaml", ".yml")


class AnsweredProcedures(NamedTuple):
    """The answers to one request; see ``rooflint.plugin_api.estimator.EstimateSet``."""

    answers: tuple[ProcedureAnswer, ...]
    refusals: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be estimated."""
        return not self.answers

    @property
    def is_feasible(self) -> bool:
        """Whether all procedures fit their machines."""
        return all(answer.estimate.feasible for answer in self.answers)

    def text(self) -> str:
        """All answers as text."""
        return answers_text(self.answers)

    def procedures(self) -> str:
        """The procedures as one file."""
        return answers_yaml(self.answers)

    def data(self) -> list[Json]:
        """JSON values of each answer."""
        return [answer_data(answer) for answer in self.answers]

    def sections(self) -> list[EstimateSection]:
        """Each answer for a page."""
        return [section_of(answer) for answer in self.answers]

    def picture(self) -> EstimatePicture:
        """The first answer's picture."""
        return picture_of(self.answers[0])


def answer_request(request: EstimateRequest) -> AnsweredProcedures:
    """Every procedure on every machine; of several functions, those that cannot be are refused."""
    systems = [system_of(machine) for machine in request.machines]
    values = dict(_value(text) for text in request.values)
    options = EstimateOptions(refined=request.refined)
    formula: Formula | None = None
    if request.balance:
        formula = partial(balance_equation, wanted=request.balance)
    procedures, functions = _procedures(request)
    answers: list[ProcedureAnswer] = []
    refusals: list[str] = []
    usable: set[str] = set()
    for procedure in procedures:
        for machine, system in zip(request.machines, systems, strict=True):
            if procedure.stages:
                answers.append(answer_of(procedure, system, values, options, formula))
                continue
            try:
                nest = bound(procedure, functions, machine, values, options)
            except ConfigurationError as error:
                if len(procedures) == 1:
                    raise
                refusals.append(str(error))
                continue
            usable |= nest.names
            answers.append(answer_of_nest(nest, options, formula))
    if usable:
        _check_used(values, usable)
    return AnsweredProcedures(tuple(answers), tuple(refusals))


def _value(text: str) -> tuple[str, float]:
    name, separator, value = text.partition("=")
    name = canonical(name)
    if not separator or not name:
        raise UsageError(f"-D {text}: expected NAME=VALUE, such as -D N=4096 or -D BW=32GB/s")
    try:
        return name, quantity(value).value({})
    except ExpressionError as error:
        raise UsageError(
            f"-D {text}: {error}, expected a number such as 4096, 1e6 or 32GB/s"
        ) from None


def _check_used(values: dict[str, float], usable: set[str]) -> None:
    for name in values:
        if name not in usable and name not in SCALED:
            hint = near_miss(name, usable) or f"; there are {', '.join(sorted(usable))}"
            raise UsageError(f"-D {name}: the procedure has no such size or parameter{hint}")


def _procedures(request: EstimateRequest) -> tuple[tuple[Procedure, ...], tuple[Function, ...]]:
    if request.path.suffix in PROCEDURE_FILES:
        procedures = _chosen(request.path, request.procedure)
        return procedures, _bound_functions(request, procedures)
    functions = _functions_with_work(request)
    sidecars = [plain_sidecar(function.name, str(request.path)) for function in functions]
    return tuple(sidecars), functions


def _chosen(path: Path, name: str | None) -> tuple[Procedure, ...]:
    procedures = load_procedures(path)
    if name is None:
        return procedures
    chosen = tuple([procedure for procedure in procedures if procedure.name == name])
    if not chosen:
        raise _unknown_name(name, f"{path} has no '{name}'", [p.name for p in procedures])
    return chosen


def _bound_functions(
    request: EstimateRequest, procedures: Sequence[Procedure]
) -> tuple[Function, ...]:
    sidecars = [procedure for procedure in procedures if not procedure.stages]
    if not sidecars:
        return ()
    sidecar = sidecars[0]
    path = request.source or (sidecar.bind.file if sidecar.bind else "")
    if not path:
        message = f"{sidecar.file}: '{sidecar.name}' has no stages and names no bind.file"
        raise UsageError(f"{message}; name the source with --source FILE")
    if request.source is None and not Path(path).is_absolute():
        path = str(Path(sidecar.file).parent / path)
    return request.functions(path)


def _functions_with_work(request: EstimateRequest) -> tuple[Function, ...]:
    path, name = str(request.path), request.procedure
    functions = request.functions(path)
    if name is not None:
        named = tuple([function for function in functions if function.name == name])
        if not named:
            raise _unknown_name(
                name, f"{path} has no function '{name}'", [f.name for f in functions]
            )
        return named
    with_work = tuple([f for f in functions if any(facts.work.flops for facts in facts_of(f))])
    if not with_work:
        raise UsageError(f"estimate: {path} has no loop with floating-point operations")
    return with_work


def _unknown_name(name: str, message: str, names: Sequence[str]) -> UsageError:
    return UsageError(f"--procedure: {message}, it has {', '.join(names)}{near_miss(name, names)}")
