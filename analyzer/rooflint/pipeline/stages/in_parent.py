"""The last stage of a file in the parent, where a child may not have what the analysis needs."""

from typing import Final

from rooflint.pipeline.advice.loop_advice import Adviser
from rooflint.pipeline.advice.weighing import AnalysedProgram
from rooflint.pipeline.files import FileResult, FileTask, failed_file, file_task
from rooflint.pipeline.in_child import SCENARIOS, Answer
from rooflint.pipeline.stages.run_files import PendingFile
from rooflint.pipeline.weights.run_program import RunProgram
from rooflint.registry import Registry

EMPTY: Final = "its process answered nothing"


def analysed_here(
    file: PendingFile,
    answer: Answer,
    registry: Registry,
    linter: FileTask | None,
    *,
    timed: bool,
) -> FileResult:
    """The result of a file whose child has only read it; one by itself has weights and advice."""
    path, setup = file.path, file.setup
    assert setup is not None
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
    adviser = Adviser(registry.models, registry.rules, linter)
    return analysed.weighed(result, adviser, timed=timed)
