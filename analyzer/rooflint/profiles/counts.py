"""The records of a format by function: instances and runs together, stale ones apart."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from rooflint.ir.unit import LoopPlace, Span
from rooflint.profiles.places import CountGap, LoopAnswer
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

    @property
    def executions(self) -> int:
        """Calls of the function."""
        ...

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop inside ``extent``."""
        ...


_Instance = TypeVar("_Instance", bound=CountRecord)


class RecordedFunctions(Generic[_Instance]):
    """Finds the records of a function by its file and extent."""

    def __init__(self, records: Iterable[_Instance]) -> None:
        self._by_path: dict[str, dict[tuple[int, int], list[_Instance]]] = {}
        for each in records:
            functions = self._by_path.setdefault(each.path, {})
            functions.setdefault(each.extent[2:], []).append(each)
        self._ends = {path: sorted(functions) for path, functions in self._by_path.items()}
        self._paths = RecordedPaths(self._by_path)

    def __bool__(self) -> bool:
        return bool(self._by_path)

    def of_file(self, path: str) -> Iterator[_Instance]:
        """All records of a file."""
        recorded = self._paths.of(path)
        for instances in self._by_path.get(recorded or "", {}).values():
            yield from instances

    def of(self, path: str, function: Span) -> list[_Instance] | CountGap:
        """All instances of a function in all runs; a gap where there is none."""
        recorded = self._paths.of(path)
        if recorded is None:
            return CountGap.UNKNOWN_FILE
        functions = self._by_path[recorded]
        instances = [
            each for each in functions.get(function[2:], []) if each.extent[:2] >= function[:2]
        ]
        return instances or _why_missing(function, [each[0].extent for each in functions.values()])

    def around(
        self, place: tuple[int, int], path: str, function: Span
    ) -> list[_Instance] | CountGap:
        """The records that count ``place``: a lambda's inside the function, or the function's own.

        Compilers record a lambda as a function of its own, and also count its text as a part of the
        function around it, once for each time that it is made.
        """
        own = self.of(path, function)
        if isinstance(own, CountGap):
            return own
        ends = self._ends[own[0].path]
        inside = ends[bisect_right(ends, place) : bisect_left(ends, function[2:])]
        for end in inside:
            lambdas = [
                each
                for each in self._by_path[own[0].path][end]
                if function[:2] < each.extent[:2] <= place
            ]
            if lambdas:
                return lambdas
        return own

    def unmatched(self, sources: Iterable[str]) -> tuple[str, ...]:
        """Files of the profiles that none of ``sources`` is."""
        matched = {self._paths.of(each) for each in sources}
        return tuple(sorted(set(self._by_path) - matched))


def _why_missing(function: Span, extents: Iterable[Span]) -> CountGap:
    overlapping = any(
        each.line <= function.end_line and function.line <= each.end_line for each in extents
    )
    return CountGap.CHANGED_SOURCE if overlapping else CountGap.NO_RECORD
