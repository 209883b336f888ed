"""Functions of a buffer that are the very objects of its last answer: known without a look at them.

Most of a keystroke's functions are such. To digest their contents would cost as much as the parse
of what was typed.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from rooflint.incremental.function_outcomes import (
    FunctionOutcome,
    FunctionOutcomes,
    FunctionQuestion,
)
from rooflint.ir import Unit
from rooflint.pipeline.files import FileResult, analyse_safely
from rooflint.pipeline.in_child import travels
from rooflint.pipeline.live.same_objects import are_same_values
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.report import KernelReport, MachineResult, SkippedModel
from rooflint.records import NamedTuple
from rooflint.scenario.call_costs import CallPricing

_NOT_PLAIN: Final = "its data has more than plain values, which an editor does not get"


class _KnownFunction(NamedTuple):
    question: FunctionQuestion
    outcome: FunctionOutcome


_KnownByName: TypeAlias = dict[str, list[_KnownFunction]]


class KnownFile:
    """The functions of one file with one set of settings."""

    def __init__(self) -> None:
        self._pricing = CallPricing()
        self._last: _KnownByName = {}

    def file_result(
        self, path: str, unit: Unit, setup: AnalysisSetup, outcomes: FunctionOutcomes
    ) -> FileResult:
        """The report of the file; ``outcomes`` has what other texts of it had."""
        unit = self._pricing.with_costs(unit, setup.scenario.calls)
        memo = _Memo(self._last, outcomes)
        result = analyse_safely(path, unit, setup, memo)
        self._last = memo.used
        return result


class _Memo:
    """Looks at the last answer first, then at the contents of the function."""

    def __init__(self, last: _KnownByName, outcomes: FunctionOutcomes) -> None:
        self._last = last
        self._outcomes = outcomes
        self.used: _KnownByName = {}

    def outcome(
        self, question: FunctionQuestion, compute: Callable[[], FunctionOutcome]
    ) -> FunctionOutcome:
        """As FunctionMemo has it."""
        name = question.source.function.name
        alike = (each for each in self._last.get(name, ()) if _is_same(each.question, question))
        known = next(alike, None)
        if known is None:
            outcome = self._outcomes.outcome(question, lambda: _travelling(compute()))
            known = _KnownFunction(question, outcome)
        self.used.setdefault(name, []).append(known)
        return known.outcome


def _is_same(one: FunctionQuestion, other: FunctionQuestion) -> bool:
    """Whether both have the same contents, as far as identity tells."""
    return (
        one.source is other.source
        and (one.scope, one.off, one.counts) == (other.scope, other.off, other.counts)
        and are_same_values(one.values, other.values)
    )


def _travelling(outcome: FunctionOutcome) -> FunctionOutcome:
    """The outcome without predictions that are another one at the other end of a pipe."""
    report = outcome.report
    return outcome._replace(report=report and report.with_kernels(_plain_kernel))


def _plain_kernel(kernel: KernelReport) -> KernelReport:
    if all(travels(p) for result in kernel.results for p in result.predictions):
        return kernel
    return kernel._replace(results=tuple(map(_plain_result, kernel.results)))


def _plain_result(result: MachineResult) -> MachineResult:
    lost = [p.model for p in result.predictions if not travels(p)]
    return result._replace(
        predictions=tuple([p for p in result.predictions if p.model not in lost]),
        skipped=(
            *result.skipped,
            *[SkippedModel(model, _NOT_PLAIN, failed=True) for model in lost],
        ),
    )
