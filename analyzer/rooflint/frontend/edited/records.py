"""The record of an extraction, so that an edit of one function need not repeat all of it."""

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

from rooflint.frontend.edited.text_edits import TextEdit
from rooflint.frontend.equations.collected import FunctionPart, PartMarks
from rooflint.frontend.equations.extraction import ExtractedFile
from rooflint.frontend.lower.instances import LoweredCandidate
from rooflint.frontend.lower.state.declaration_keys import LocalNumbers
from rooflint.frontend.parse.plain_text import TextRanges
from rooflint.ir import Diagnostic
from rooflint.ir.equations import CounterStep
from rooflint.records import NamedTuple

InlineShape: TypeAlias = Literal["call", "expression", "statements", "returns-early"]
"""How calls of a function are lowered: they stay calls; an expression or statements stand in their
place; a body that returns early stays a call with no effect on the loop."""


class CalleeSummary(NamedTuple):
    """Answers that callers got about a function besides its body; None for none.

    lasting  clang's keys of the variables and members that it modifies
    """

    shape: InlineShape | None = None
    lasting: frozenset[str] | None = None
    never_returns: bool | None = None


class FunctionRecord(NamedTuple):
    """A function of the file; places are byte offsets in the text.

    opening    of the body's brace; -1 where the body has to stay as it is
    calls      positions of the file's functions that it calls, also by way of headers
    small      whether it may be put in place of a call, so that what it calls matters to callers
    templates  clang's keys of the instances that it calls
    inlined    positions of the functions that stand in place of calls in it
    lowered    what the loops of it gave; None for one without
    """

    begin: int
    opening: int
    end: int
    calls: frozenset[int]
    small: bool
    templates: tuple[str, ...]
    inlined: frozenset[int]
    summary: CalleeSummary
    lowered: LoweredCandidate | None = None


class ExposedTables(NamedTuple):
    """The variables whose exposure was asked for.

    exposing      of each, by clang's key, the offsets of the declarations that expose it
    declarations  offsets of all that stand outside of others
    whole         whether all code was seen
    """

    exposing: tuple[tuple[str, frozenset[int]], ...] = ()
    declarations: frozenset[int] = frozenset()
    whole: bool = True

    def after_edit(self, edit: TextEdit) -> "ExposedTables":
        """The same with all declarations where they are now."""
        return self._replace(
            exposing=tuple([(key, moved_offsets(by, edit)) for key, by in self.exposing]),
            declarations=moved_offsets(self.declarations, edit),
        )


class EquationParts(NamedTuple):
    """The parts of a file's equations.

    parts    of its functions, in the order in which they were read
    owners   of each, the position of the function in the file, -1 for one of a header
    end      where the last part ends
    steps    of counters, also of those that never grow
    """

    parts: tuple[FunctionPart, ...]
    owners: tuple[int, ...]
    end: PartMarks
    steps: tuple[CounterStep, ...]

    def range_of(self, number: int) -> tuple[PartMarks, PartMarks]:
        """Where the records of a part begin and end."""
        following = self.parts[number + 1 :]
        return self.parts[number].marks, following[0].marks if following else self.end


class RecordedErrors(NamedTuple):
    """The errors of a file, as in ``OpenParse``: all, those that are shown, and those of them that
    the project asks for itself."""

    all: tuple[Diagnostic, ...] = ()
    shown: tuple[Diagnostic, ...] = ()
    own: frozenset[Diagnostic] = frozenset()

    def on_lines(self, line: Callable[[int], int]) -> "RecordedErrors":
        """The same on the lines that ``line`` gives for each."""
        move = partial(_on_line, line)
        return RecordedErrors(
            all=tuple(map(move, self.all)),
            shown=tuple(map(move, self.shown)),
            own=frozenset(map(move, self.own)),
        )


def _on_line(line: Callable[[int], int], error: Diagnostic) -> Diagnostic:
    return error._replace(line=line(error.line))


class FileRecord(NamedTuple):
    """A file, and the parse that it was read in.

    arguments, others  libclang's arguments, and the files that lie in memory besides the source
    options            of libclang
    no_loops           offsets of ``do`` statements that run once, and of loops that never run
    inactive           ranges that ``#if`` leaves out; None where nothing asked for them
    has_lines          a key in the equations has the line of a declaration
    """

    text: bytes
    arguments: tuple[str, ...]
    others: tuple[tuple[str, bytes], ...]
    headers: str
    options: int
    errors: RecordedErrors
    assumptions: tuple[str, ...]
    functions: tuple[FunctionRecord, ...]
    no_loops: frozenset[int]
    tables: ExposedTables
    equations: EquationParts
    numbers: LocalNumbers
    inactive: TextRanges | None
    has_lines: bool


class RecordedFile(NamedTuple):
    """An extraction and its record; None where only a full extraction can follow."""

    found: ExtractedFile
    record: FileRecord | None


def moved_offsets(offsets: frozenset[int], edit: TextEdit) -> frozenset[int]:
    """Offsets outside of an edit, where they are now."""
    return frozenset(map(edit.offset, offsets))
