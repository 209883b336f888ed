"""Modules that a child needs for any file with a loop: front end, plan of a core, and replay.

A child imports each where it is needed; a command that loads its modules at once imports this.
"""

from rooflint.core import data_branches, plan, rests, rows
from rooflint.core.vectorize import clang
from rooflint.frontend.equations import extraction
from rooflint.memory.engine import counting, samples
from rooflint.pipeline import excerpts
from rooflint.pipeline.weights import run_program
from rooflint.scenario import call_costs
from rooflint.workers import confinement

__all__ = [
    "call_costs",
    "clang",
    "confinement",
    "counting",
    "data_branches",
    "excerpts",
    "extraction",
    "plan",
    "rests",
    "rows",
    "run_program",
    "samples",
]
