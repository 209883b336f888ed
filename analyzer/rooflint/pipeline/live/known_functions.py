"""Functions of a buffer that are the very objects of its last answer: known without a look at them.

Most of a keystroke's functions are such. To digest their contents would cost as much as the parse
of what was typed.
"""

from collections.abc import Callable
from typing import Final

from rooflint.incremental.function_outcomes import (
    AboutFunction,
    FunctionOutcome,
    FunctionOutcomes,
    FunctionQuestion,
)
from rooflint.ir import Unit
from rooflint.pipeline.files import FileResult, analyse_safely
from rooflint.pipeline.in_child import travels
from rooflint.pipeline.live.same_objects import AnswersOfText
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.plugin_api.report import KernelReport, MachineResult, SkippedModel
from rooflint.records import NamedTuple
from rooflint.scenario.call_costs import CallPricing

_NOT_PLAIN: Final = "its data has more than plain values, which an editor does not get"


class KnownFile:
    """The functions of one file with one set of settings."""

    def __init__(self) -> None:
        self._pricing = CallPricing()
        self._answers = AnswersOfText()

    def file_result(
        self, path: str, unit: Unit, setup: AnalysisSetup, outcomes: FunctionOutcomes
    ) -> FileResult:
        """The report of the file; ``outcomes`` has what other texts of it had."""
        unit = self._pricing.with_costs(unit, setup.scenario.calls)
        self._answers.begin_text()
        return analyse_safely(path, unit, setup, _Memo(self._answers, outcomes))


class _Memo(NamedTuple):
    """Looks at the last text first, then at the contents of the function."""

    answers: AnswersOfText
    outcomes: FunctionOutcomes

    def outcome(
        self, question: FunctionQuestion, compute: Callable[[], FunctionOutcome]
    ) -> FunctionOutcome:
        """As FunctionMemo has it."""
        conditions = (question.scope, question.off, question.counts)
        about = AboutFunction(source=question.source, values=question.values, conditions=conditions)
        return self.answers.answer(
            about, lambda: self.outcomes.outcome(question, lambda: _travelling(compute()))
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
