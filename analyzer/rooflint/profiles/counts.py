"""Counts of all profiles of a run together: instances and runs add up, stale functions do not."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Protocol

from rooflint.ir.unit import Span
from rooflint.profiles.places import CountGap, LoopAnswer, LoopPlace, sum_of
from rooflint.profiles.source_paths import RecordedPaths


class CountRecord(Protocol):
    """Counts of one instance of a function in one run."""

    @property
    def path(self) -> str:
        """The source file, as the compiler named it."""
        ...

    @property
    def extent(self) -> Span:
        """The definition, or the part of it from name or brace to the closing brace."""
        ...

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop inside ``extent``."""
        ...


class ExecutionCounts:
    """Answers for loops from records of one format."""

    def __init__(self, records: Iterable[CountRecord]) -> None:
        self._by_path: dict[str, dict[tuple[int, int], list[CountRecord]]] = {}
        for each in records:
            functions = self._by_path.setdefault(each.path, {})
            functions.setdefault(each.extent[2:], []).append(each)
        self._paths = RecordedPaths(self._by_path)

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop over all instances of its function and all runs."""
        path = self._paths.of(place.path)
        if path is None:
            return CountGap.UNKNOWN_FILE
        functions = self._by_path[path]
        instances = [
            each
            for each in functions.get(place.function[2:], [])
            if each.extent[:2] >= place.function[:2]
        ]
        if not instances:
            return _why_missing(place.function, [each[0] for each in functions.values()])
        return reduce(sum_of, [each.loop(place) for each in instances])

    def unmatched(self, sources: Iterable[str]) -> tuple[str, ...]:
        """Files of the profiles that none of ``sources`` is."""
        matched = {self._paths.of(each) for each in sources}
        return tuple(sorted(set(self._by_path) - matched))


def _why_missing(function: Span, records: Sequence[CountRecord]) -> CountGap:
    overlapping = any(
        each.extent.line <= function.end_line and function.line <= each.extent.end_line
        for each in records
    )
    return CountGap.CHANGED_SOURCE if overlapping else CountGap.NO_RECORD
