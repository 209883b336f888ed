"""The lint: matches rules, applies guards, prices changes, and reports those that pay."""

from rooflint.incremental.function_outcomes import FunctionMemo
from rooflint.ir import Unit
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup


def lint_file(
    path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None
) -> FileResult:
    """The task of the pipeline that gives the findings of one file."""
    from rooflint.lint.files import lint_safely  # noqa: PLC0415 - 0.1 s that only a lint pays

    return lint_safely(path, unit, setup, memo)
