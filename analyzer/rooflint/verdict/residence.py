"""The time of a loop if its data were in a nearer level, from the terms of its verdict."""

from collections.abc import Iterator, Sequence

from rooflint.plugin_api.terms import LimiterKind, TimeTerm
from rooflint.plugin_api.verdict import TimeRelation, Verdict
from rooflint.records import NamedTuple
from rooflint.verdict.combine import combine


class LevelTime(NamedTuple):
    """Cycles per iteration with the data in a level."""

    level: str
    cycles: float


def nearer_times(verdict: Verdict) -> Iterator[LevelTime]:
    """The levels between the core and the one that the data come from now, the farthest first.

    A nearer level leaves out the links beyond it, and waiting for pages.
    """
    if verdict.time.relation is not TimeRelation.EQUALS:
        return
    levels = [
        term.resource.level
        for term in verdict.terms
        if term.resource.kind is LimiterKind.LINK and term.cycles > 0
    ]
    for place in range(len(levels) - 2, -1, -1):
        beyond = set(levels[place + 1 :])
        near = combine(_without(verdict.terms, beyond), _without(verdict.floors, beyond))
        yield LevelTime(levels[place], near.now_cy)


def _without(terms: Sequence[TimeTerm], levels: set[str]) -> list[TimeTerm]:
    """The terms but those of the levels' links."""
    return [
        term
        for term in terms
        if term.resource.level not in levels and term.resource.kind is not LimiterKind.PAGE_WALKS
    ]
