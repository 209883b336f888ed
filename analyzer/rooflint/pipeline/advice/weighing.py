"""A file that is a program of its own: its weights, and the advice for the loops that take time."""

from typing import TYPE_CHECKING

from rooflint.ir import Unit
from rooflint.pipeline.advice.loop_advice import Adviser
from rooflint.pipeline.advice.merging import with_advice
from rooflint.pipeline.advice.places import advised_loops
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.trials import BISECTIONS, NO_BISECTIONS

if TYPE_CHECKING:
    from rooflint.pipeline.weights.run_program import RunProgram


class AnalysedProgram:
    """The program of one file and its result, to be weighed and advised."""

    def __init__(self, program: "RunProgram", unit: Unit, setup: AnalysisSetup) -> None:
        self._program, self._unit, self._setup = program, unit, setup

    def weighed(self, result: FileResult, adviser: Adviser, *, timed: bool) -> FileResult:
        """The result with weights and advice; ``timed``: a profile tells shares of the time."""
        (report,) = self._program.weighed((result.report,), timed=timed)
        if self._setup.advice is None:
            return result._replace(report=report)
        chosen = advised_loops((report,), in_full=self._setup.advice.in_full)
        loops = chosen.get(report.path, frozenset())
        # where only the loops of most time are told, the doubts of a program state break-evens
        bisections = BISECTIONS if self._setup.advice.in_full else NO_BISECTIONS
        advice = adviser.advice(report.path, self._unit, self._setup, loops, bisections)
        result = with_advice(result._replace(report=report), advice)
        report = self._program.with_findings_weighed(result.report, timed=timed)
        return result._replace(report=report)
