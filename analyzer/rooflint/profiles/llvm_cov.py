"""``llvm-cov export``: counts of regions with columns, exact at every level of optimisation.

A region's count holds for its text without the regions inside it. A loop runs its body as often as
the innermost region at the body's first character, and begins as often as the one at its keyword.
"""

from typing import Final

import msgspec

from rooflint.ir.unit import BranchPlace, LoopPlace, Span
from rooflint.profiles.content import Count, decode_json
from rooflint.profiles.places import (
    BranchAnswer,
    BranchCounts,
    CountGap,
    LoopAnswer,
    LoopCounts,
)
from rooflint.profiles.source_paths import normal_path

_CODE: Final = 0
_EXPANSION: Final = 1
"""Kinds of regions; the others are skipped text (2), gaps (3) and branches (4)."""
_OWN_FILE: Final = 0
"""Number of the file that holds the function; higher numbers are texts of macros."""


class CountedRegion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stretch of text and how often it ran, without the regions inside it.

    ``file`` is 0 for the function's own text, and numbers the text of a macro otherwise; a use of a
    macro (``kind`` 1, plain code has 0) names the number of that text in ``expanded``.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    count: Count
    file: int
    expanded: int
    kind: int

    def has(self, place: tuple[int, int]) -> bool:
        """Whether a character of the region's file lies in it."""
        return (self.line, self.column) <= place < (self.end_line, self.end_column)


class BranchRegion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A condition and how often it was true and false."""

    line: int
    column: int
    end_line: int
    end_column: int
    true: Count
    false: Count
    file: int
    expanded: int
    kind: int


class _ExportedFunction(msgspec.Struct):
    filenames: list[str]
    regions: tuple[CountedRegion, ...]
    branches: tuple[BranchRegion, ...] = ()


class _ExportedProgram(msgspec.Struct):
    functions: list[_ExportedFunction] = []


class _Export(msgspec.Struct):
    data: list[_ExportedProgram]


class FunctionRegions(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of an instance of a function; ``extent`` is its body, from brace to brace."""

    path: str
    extent: Span
    regions: tuple[CountedRegion, ...]
    branches: tuple[BranchRegion, ...]

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop of this function."""
        keyword, body = self._innermost(place.loop[:2]), self._innermost(place.body)
        if keyword is None or body is None:
            return CountGap.CHANGED_SOURCE
        if body.kind == _EXPANSION and body.has((place.loop.line, place.loop.column)):
            return self._loop_of_macro(body)
        return LoopCounts(keyword.count, body.count)

    def branch(self, place: BranchPlace) -> BranchAnswer:
        """Counts of an ``if`` of this function."""
        keyword, then = self._innermost(place.keyword), self._innermost(place.then)
        if keyword is None or then is None:
            return CountGap.CHANGED_SOURCE
        if then.kind == _EXPANSION and then.has(place.keyword):
            return CountGap.INSIDE_BRANCH_MACRO
        return BranchCounts(keyword.count, then.count)

    @property
    def executions(self) -> int:
        """Calls of the function."""
        return self.regions[0].count

    def _innermost(self, place: tuple[int, int]) -> CountedRegion | None:
        around = [each for each in self.regions if each.file == _OWN_FILE and each.has(place)]
        return max(
            around,
            key=lambda each: (each.line, each.column, -each.end_line, -each.end_column),
            default=None,
        )

    def _loop_of_macro(self, use: CountedRegion) -> LoopAnswer:
        """The only condition of a macro that writes a loop and its body is that of the loop."""
        conditions = [each for each in self.branches if each.file == use.expanded]
        uses = [
            each for each in self.regions if each.kind == _EXPANSION and each.file == use.expanded
        ]
        if len(conditions) != 1 or uses:
            return CountGap.INSIDE_MACRO
        return LoopCounts(use.count, conditions[0].true)


def read_llvm_cov(path: str, content: bytes) -> tuple[FunctionRegions, ...]:
    """The functions of an export."""
    export = decode_json(path, content, _Export)
    functions = [_counts(each) for program in export.data for each in program.functions]
    return tuple([each for each in functions if each is not None])


def _counts(function: _ExportedFunction) -> FunctionRegions | None:
    """None for a function that a macro writes: no place of its own text."""
    regions = tuple([each for each in function.regions if each.kind in (_CODE, _EXPANSION)])
    if not regions or not function.filenames:
        return None
    whole = regions[0]
    if whole.kind != _CODE or whole.file != _OWN_FILE:
        return None
    return FunctionRegions(
        path=normal_path(function.filenames[_OWN_FILE]),
        extent=Span(
            line=whole.line,
            column=whole.column,
            end_line=whole.end_line,
            end_column=whole.end_column,
        ),
        regions=regions,
        branches=function.branches,
    )
