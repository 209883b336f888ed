"""The last stage of a file in the parent, where a child may not have what the analysis needs."""

from typing import Final

from rooflint.pipeline.advice.loop_advice import Adviser
from rooflint.pipeline.advice.weighing import AnalysedProgram
from rooflint.pipeline.files import FileResult, FileTask, failed_file, file_task
from rooflint.pipeline.in_child import SCENARIOS, Answer
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.weights.run_program import RunProgram

EMPTY: Final = "its process answered nothing"


def analysed_here(
    path: str,
    answer: Answer,
    setup: AnalysisSetup,
    linter: FileTask | None,
    adviser: Adviser,
    *,
    timed: bool,
) -> FileResult:
    """The result of a file whose child has only read it; one by itself has weights and advice."""
    if answer.unit is None:
        return FileResult(failed_file(path, EMPTY))
    setup = setup._replace(scenario=SCENARIOS.decode(answer.scenario))
    result = file_task(setup, linter)(path, answer.unit, setup)
    if not answer.equations:
        return result
    program = RunProgram()
    program.add_packed([answer.equations])
    program.of_file(path, (setup.sizes, setup.configured), setup.counts)
    analysed = AnalysedProgram(program, answer.unit, setup)
    return analysed.weighed(result, adviser, timed=timed)
