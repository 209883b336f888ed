"""The counts of one file, matched with the loops and branches of its functions."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from rooflint.incremental.function_outcomes import FunctionCounts
from rooflint.ir import Loop, SourceFunction, Span, Unit, walk
from rooflint.plugin_api.report import (
    BranchCountsReport,
    CountGapReport,
    FileCountsReport,
    LoopCountsReport,
)
from rooflint.profiles import BranchCounts, CountGap, FileCounts, LoopCounts, LoopProfile
from rooflint.program.run_counts import LoopKeyword, RunCounts
from rooflint.scenario.values import CountedLoop
from rooflint.workers.storage import compress, decompress
from rooflint.workers.wire import Codec

_COUNTS: Final = Codec[FileCounts](FileCounts)


def packed_counts(counts: FileCounts) -> bytes:
    """The counts of a file as they travel; WireError where they are too many."""
    return compress(_COUNTS, counts)


def run_counts(packed: bytes, path: str, report: FileCountsReport) -> RunCounts:
    """The counts of a file as weights take them; ``report`` is what ``CountedFile`` says of it."""
    profile = LoopProfile.of_counts(decompress(_COUNTS, packed))
    lines = Counter([each.line for each in report.branches])

    def calls(function: Span) -> int | None:
        answer = profile.calls(path, function)
        return None if isinstance(answer, CountGap) else answer

    return RunCounts(
        loops={LoopKeyword(each.line, each.column): each.iterations for each in report.loops},
        branches={
            each.line: each.probability
            for each in report.branches
            if each.probability is not None and lines[each.line] == 1
        },
        calls=calls,
    )


class CountedFile:
    """The counts of a file's functions, as ``packed_counts`` packed them."""

    def __init__(self, packed: bytes, unit: Unit) -> None:
        self._unit = unit
        self._profile = LoopProfile.of_counts(decompress(_COUNTS, packed))
        self._answers = {each.loop: (each, self._profile.loop(each)) for each in unit.places.loops}

    def report(self) -> FileCountsReport:
        """All that is counted, and the loops that are not."""
        return FileCountsReport(
            loops=tuple(self._counted_loops()),
            gaps=tuple(
                [
                    CountGapReport(place.loop.line, place.loop.column, answer.value)
                    for place, answer in self._answers.values()
                    if isinstance(answer, CountGap)
                ]
            ),
            branches=tuple(self._counted_branches()),
        )

    def of(self, source: SourceFunction) -> FunctionCounts:
        """The counts of a function; of a template's instance, those of all instances together."""
        calls = self._profile.calls(self._unit.path, source.span)
        return FunctionCounts(
            calls=None if isinstance(calls, CountGap) else calls,
            loops=tuple(sorted(self._loops(source), key=_trust)),
        )

    def _loops(self, source: SourceFunction) -> Iterator[CountedLoop]:
        for node in walk(source.function.body):
            if not isinstance(node, Loop) or not 0 <= node.origin < len(source.spans):
                continue
            place, answer = self._answers.get(source.spans[node.origin], (None, None))
            if place is not None and isinstance(answer, LoopCounts):
                yield CountedLoop(
                    origin=node.origin,
                    executions=answer.executions,
                    iterations=answer.iterations,
                    early_exit=place.early_exit,
                    inlined=not _ends_alike(place.function, source.span),
                )

    def _counted_loops(self) -> Iterator[LoopCountsReport]:
        for place, answer in self._answers.values():
            if isinstance(answer, LoopCounts):
                yield LoopCountsReport(
                    line=place.loop.line,
                    column=place.loop.column,
                    executions=answer.executions,
                    iterations=answer.iterations,
                )

    def _counted_branches(self) -> Iterator[BranchCountsReport]:
        for place in self._unit.places.branches:
            answer = self._profile.branch(place)
            if isinstance(answer, BranchCounts):
                line, column = place.keyword
                yield BranchCountsReport(
                    line=line,
                    column=column,
                    evaluations=answer.evaluations,
                    probability=answer.probability,
                )


def _ends_alike(first: Span, second: Span) -> bool:
    """Whether two spans are one function: a template's instance begins behind its parameters."""
    return first[2:] == second[2:]


def _trust(loop: CountedLoop) -> tuple[bool, bool, int]:
    """Loops of the function itself first, then those that run to their bound, then long ones.

    A mean over many iterations hides fewer odd executions than one over a few.
    """
    return loop.inlined, loop.early_exit, -loop.iterations
