"""Processes of a benchmark: started confined, watched, and read."""

from rooflint.measure.program import Program, RunSettings
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal


def run_program(program: Program, settings: RunSettings, seconds: float) -> ProcessRun:
    """One process, ended after ``seconds`` of wall time at the latest."""
    raise NotImplementedError


def refusal_of(program: Program, settings: RunSettings, run: ProcessRun) -> MeasureRefusal | None:
    """Why a process gave no measurement; None where it ran to its end."""
    raise NotImplementedError
