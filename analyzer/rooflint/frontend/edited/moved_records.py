"""Functions and equations around an edit, on the lines where they are now."""

from rooflint.frontend.edited.records import FunctionRecord, moved_offsets
from rooflint.frontend.edited.surroundings import OtherWayError
from rooflint.frontend.edited.text_edits import TextEdit
from rooflint.frontend.moved_lines import LineMove, names_lines
from rooflint.ir import SourceFunction
from rooflint.ir.equations import Equations

_LINE_END = ord("\n")


class LineMoves:
    """Where the lines of a text went; those inside of the edit went nowhere."""

    def __init__(self, text: bytes, edit: TextEdit) -> None:
        first = text.count(b"\n", 0, edit.begin) + 1
        last = first + text.count(b"\n", edit.begin, edit.end)
        count = text.count(b"\n") + 2
        numbers = {
            **{line: line for line in range(1, first)},
            **{line: line + edit.lines for line in range(last + 1, count + 1)},
            **_border_lines(text, edit, first, last),
        }
        self.added = edit.lines
        self.move = LineMove(numbers)


def _border_lines(text: bytes, edit: TextEdit, first: int, last: int) -> dict[int, int]:
    """The lines that an edit begins and ends in; of one with code on both sides of it, nobody knows
    which side is meant."""
    before = edit.begin > 0 and text[edit.begin - 1] != _LINE_END
    behind = edit.end < len(text) and text[edit.end] != _LINE_END
    numbers: dict[int, int] = {}
    if before and not (behind and first == last and edit.lines):
        numbers[first] = first
    if behind and not (before and first == last):
        numbers[last] = last + edit.lines
    return numbers


def moved_function(record: FunctionRecord, edit: TextEdit, moves: LineMoves) -> FunctionRecord:
    """The record of a function that the edit leaves alone; raises OtherWayError where a place of it
    lies inside of the edit, and KeyError as ``moved_functions`` does."""
    begin, end, lowered = edit.offset(record.begin), edit.offset(record.end), record.lowered
    if lowered is not None:
        if any(edit.begin < each < edit.end for each in lowered.seen | lowered.gotos):
            raise OtherWayError
        lowered = lowered._replace(
            candidate=lowered.candidate._replace(begin=begin, end=end),
            functions=moved_functions(lowered.functions, moves),
            seen=moved_offsets(lowered.seen, edit),
            gotos=moved_offsets(lowered.gotos, edit),
        )
    return record._replace(
        begin=begin,
        opening=record.opening if record.opening < 0 else edit.offset(record.opening),
        end=end,
        lowered=lowered,
    )


def moved_functions(
    functions: tuple[SourceFunction, ...], moves: LineMoves
) -> tuple[SourceFunction, ...]:
    """Functions around the edit; raises KeyError for a place inside of it, or for a variable that
    is called after its line."""
    if not moves.added:
        return functions
    if any(map(names_lines, functions)):
        raise KeyError
    return tuple(map(moves.move.function, functions))


def moved_equations(equations: Equations, moves: LineMoves) -> Equations:
    """Equations of other functions; raises KeyError for a place inside of the edit."""
    return moves.move.equations(equations) if moves.added else equations
