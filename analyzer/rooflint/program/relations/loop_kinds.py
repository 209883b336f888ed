"""Kinds of loops, whose typical trips stand in place of a count."""

from rooflint.ir.equations import ChoiceTerm, QuantityTerm
from rooflint.program.linking import ProgramLoop
from rooflint.scenario.roles import LoopKind


def kind_of_loop(loop: ProgramLoop) -> LoopKind:
    """By its header, and for time steps by its body."""
    if loop.loop.form == "range-for":
        return "container"
    if loop.steps:
        return "stepping"
    if loop.resumes:
        return "resuming"
    return loop.reads or loop.loop.pattern


def is_row_loop(loop: ProgramLoop) -> bool:
    """Whether it runs from one element of an array to another: ``p[i]`` to ``p[i+1]``."""
    lower, upper = loop.loop.lower, loop.loop.upper
    return (
        isinstance(lower, ChoiceTerm)
        and isinstance(upper, ChoiceTerm)
        and isinstance(lower.alternatives[0], QuantityTerm)
        and lower == upper
    )
