"""gcov's JSON: counts of lines and branches, right at ``-O0`` only.

At ``-O0`` the test of a loop is a jump back to the body, taken once an iteration, that falls
through once an execution unless the loop is left elsewhere. Tests joined by ``&&`` jump out, all
but the last. The test ends the loop, so its branches are the last of its line.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from rooflint.ir.unit import LoopPlace, Span
from rooflint.profiles.content import Count, decode_json
from rooflint.profiles.places import CountGap, LoopAnswer, LoopCounts
from rooflint.profiles.problems import ProfileError, ProfileProblem
from rooflint.profiles.source_paths import normal_path
from rooflint.records import NamedTuple


class _Jump(msgspec.Struct):
    count: Count
    fallthrough: bool
    throw: bool


class _Line(msgspec.Struct):
    line_number: int
    count: Count
    branches: list[_Jump]
    function_name: str = ""


class _Function(msgspec.Struct):
    name: str
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    execution_count: Count


class _File(msgspec.Struct):
    file: str
    functions: list[_Function]
    lines: list[_Line]


class _Document(msgspec.Struct):
    files: list[_File]
    current_working_directory: str = ""


class ConditionalJump(NamedTuple):
    """A conditional jump: how often it was taken, and how often not."""

    jumps: int
    falls: int


class LineRecord(NamedTuple):
    """``branches``: None where the line has jumps that no test at ``-O0`` makes."""

    executions: int
    branches: tuple[ConditionalJump, ...] | None


class FunctionLines(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of an instance of a function; ``extent`` begins at its name."""

    path: str
    extent: Span
    executions: int
    lines: Mapping[int, LineRecord]

    def loop(self, place: LoopPlace) -> LoopAnswer:
        """Counts of a loop of this function."""
        if not place.test.terms:
            return CountGap.UNREADABLE_TEST
        line = self.lines.get(place.test.line)
        if line is None:
            return CountGap.CHANGED_SOURCE
        test = _branches_of_test(line, place.test.terms) if place.test.closes_line else None
        if test is None:
            return CountGap.SHARED_LINE
        iterations = test[-1].jumps
        tested_out = test[-1].falls + sum([each.jumps for each in test[:-1]])
        executions: int | None = tested_out
        if place.early_exit:
            before = self.lines.get(place.line_before)
            executions = before.executions if before is not None else None
        if not place.post_test:
            return LoopCounts(executions, iterations)
        # Each execution of a ``do`` runs the body once before the first jump back.
        if executions is None:
            return CountGap.SHARED_LINE
        return LoopCounts(executions, iterations + executions)


def _branches_of_test(line: LineRecord, terms: int) -> tuple[ConditionalJump, ...] | None:
    """The jumps of a loop's test, each reached where the one before it falls through."""
    if line.branches is None or len(line.branches) < terms:
        return None
    test = line.branches[-terms:]
    chained = all(one.falls == other.jumps + other.falls for one, other in pairwise(test))
    return test if chained else None


def read_gcov(path: str, content: bytes) -> tuple[FunctionLines, ...]:
    """The functions of a data file; ProfileError for one of an optimised build."""
    document = decode_json(path, content, _Document)
    if any(_is_optimised(file) for file in document.files):
        raise ProfileError(path, ProfileProblem.OPTIMISED)
    folder = document.current_working_directory
    return tuple([each for file in document.files for each in _functions(file, folder)])


def _is_optimised(file: _File) -> bool:
    """Inlined functions lose their lines, or run lines without being called."""
    idle = {each.name for each in file.functions if not each.execution_count}
    return any(
        line.count and (not line.function_name or line.function_name in idle) for line in file.lines
    )


def _functions(file: _File, folder: str) -> list[FunctionLines]:
    lines: dict[str, dict[int, LineRecord]] = {}
    for line in file.lines:
        record = LineRecord(line.count, _test_branches(line.branches))
        lines.setdefault(line.function_name, {})[line.line_number] = record
    path = normal_path(file.file, folder)
    return [
        FunctionLines(
            path=path,
            extent=_extent(each),
            executions=each.execution_count,
            lines=lines.get(each.name, {}),
        )
        for each in file.functions
    ]


def _extent(function: _Function) -> Span:
    """gcov names the column of the closing brace, and spans end behind it."""
    return Span(
        line=function.start_line,
        column=function.start_column,
        end_line=function.end_line,
        end_column=function.end_column + 1,
    )


def _test_branches(jumps: Sequence[_Jump]) -> tuple[ConditionalJump, ...] | None:
    """Pairs of a jump and its fall-through; calls that may throw make pairs that test nothing."""
    if len(jumps) % 2:
        return None
    branches = []
    for one, other in zip(jumps[::2], jumps[1::2], strict=True):
        if one.throw or other.throw:
            continue
        if one.fallthrough == other.fallthrough:
            return None
        taken, not_taken = (other, one) if one.fallthrough else (one, other)
        branches.append(ConditionalJump(taken.count, not_taken.count))
    return tuple(branches)
