"""Equations of a file without their places: code that only lies elsewhere has the same solution.

Lines and columns are told from the rest and numbered in their order, which is all that a program's
solution rests on: which of two statements comes first, and which lie in one line or one function.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from msgspec.structs import replace

from rooflint.incremental.store import content_key
from rooflint.ir.equations import (
    BoundedLoop,
    DefinedFunction,
    Equations,
    LineRecord,
)
from rooflint.ir.unit import Span
from rooflint.pipeline.files import PlacelessForm
from rooflint.records import NamedTuple
from rooflint.workers.wire import Codec

_Point: TypeAlias = tuple[int, int]
_Record = TypeVar("_Record", bound=LineRecord)


class FilePlaces(NamedTuple):
    """Lines and columns that equations of a file name, in order; column 0 stands for the line."""

    points: tuple[tuple[int, int], ...] = ()


PLACES: Final = Codec[FilePlaces](FilePlaces)
_EQUATIONS: Final = Codec[Equations](Equations)


def placeless_form(file: Equations) -> PlacelessForm:
    """The parts of a file's equations."""
    if file.comments or _has_loops_in_headers(file) or _has_calls_of_instances(file):
        return PlacelessForm(digest=content_key("in full", _EQUATIONS.canonical(file)))
    points = tuple(sorted(_points(file)))
    numbers = _Numbers(points)
    bare = replace(
        file,
        equations=_on_numbers(file.equations, numbers),
        branches=_on_numbers(file.branches, numbers),
        calls=_on_numbers(file.calls, numbers),
        pointer_calls=_on_numbers(file.pointer_calls, numbers),
        functions=tuple(map(numbers.of_function, file.functions)),
        loops=tuple(map(numbers.of_loop, file.loops)),
    )
    return PlacelessForm(
        digest=content_key(_EQUATIONS.canonical(bare)), places=PLACES.encode(FilePlaces(points))
    )


class _Numbers:
    """Places by their numbers in the order of a file; line 0 is none."""

    def __init__(self, points: Iterable[_Point]) -> None:
        self._numbers = {point: number for number, point in enumerate(points, start=1)}

    def of_line(self, line: int) -> int:
        return self._numbers[line, 0] if line else 0

    def of_function(self, function: DefinedFunction) -> DefinedFunction:
        if function.span is None or function.header:
            return function
        return replace(function, span=self._of_span(function.span))

    def of_loop(self, loop: BoundedLoop) -> BoundedLoop:
        return loop if loop.header else replace(loop, span=self._of_span(loop.span))

    def _of_span(self, span: Span) -> Span:
        return Span(
            line=self.of_line(span.line),
            column=self._numbers[span[:2]],
            end_line=self.of_line(span.end_line),
            end_column=self._numbers[span[2:]],
        )


def _on_numbers(records: tuple[_Record, ...], numbers: _Numbers) -> tuple[_Record, ...]:
    return tuple([replace(each, line=numbers.of_line(each.line)) for each in records])


def _points(file: Equations) -> set[_Point]:
    """All places of the file itself; those of headers stay where they are."""
    lines = [each.line for each in _line_records(file) if each.line]
    points = [point for span in _own_spans(file) for point in (span[:2], span[2:])]
    return {*points, *((line, 0) for line in lines), *((line, 0) for line, _ in points)}


def _line_records(file: Equations) -> Iterator[LineRecord]:
    yield from file.equations
    yield from file.branches
    yield from file.calls
    yield from file.pointer_calls


def _own_spans(file: Equations) -> Iterator[Span]:
    for each in file.functions:
        if each.span is not None and not each.header:
            yield each.span
    for loop in file.loops:
        if not loop.header:
            yield loop.span


def _has_loops_in_headers(file: Equations) -> bool:
    """Whether a loop of the file lies in a function of a header, whose places stay."""
    in_headers = {each.result for each in file.functions if each.header}
    return any(loop.function in in_headers and not loop.header for loop in file.loops)


def _has_calls_of_instances(file: Equations) -> bool:
    """Whether a call's cost is that of its line and of a type that only an instance of a template
    tells."""
    return not all(call.signature for call in file.pointer_calls)
