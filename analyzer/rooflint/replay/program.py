"""Access programs: a function at given sizes and addresses as one array of integers.

Both replays read the same array. A node begins with its kind:

========  ======================================================================================
SEQUENCE  number of nodes, their positions
LOOP      slot of the index, lower, upper, step, position of the body
REPEAT    as LOOP, of iterations that all access the same lines in the same order
WALK      slot, lower, upper, step, number of references; of each: address, bytes moved by one
          iteration, number of the reference
ACCESSES  number of references; of each: address, number of the reference
BRANCH    condition, position of its first and second side, side where the condition is unknown
          (2: both, one after the other)
EXIT      ``BREAK``, ``CONTINUE`` or ``RETURN``
ASSIGN    slot, value
========  ======================================================================================

Bounds, addresses and conditions are positions of expressions: ``AFFINE``, number of terms,
constant, then slot and factor of each term; or ``POSTFIX``, number of tokens, the tokens.
"""

from array import array
from collections.abc import Iterable, Sequence
from enum import IntEnum, IntFlag
from typing import Final

from rooflint.ir import Loop, Statement
from rooflint.records import NamedTuple

MOST_REFERENCES = 256
"""In one walk or one group of accesses; longer groups are split."""
REFERENCE_STEPS = 2
"""Setting up a reference of a walk takes the kernel 20 to 30 ns, a touch of a line 14."""
UNKNOWN_VALUE = -(2**63)
"""Of a condition that the data decide."""


class ProgramNode(IntEnum):
    """Kinds of nodes."""

    SEQUENCE = 0
    LOOP = 1
    WALK = 2
    ACCESSES = 3
    BRANCH = 4
    EXIT = 5
    ASSIGN = 6
    REPEAT = 7


class ExpressionForm(IntEnum):
    """Kinds of expressions."""

    AFFINE = 0
    POSTFIX = 1


class ExpressionToken(IntEnum):
    """Parts of a postfix expression; the first two are followed by their operand."""

    CONSTANT = 0
    SLOT = 1
    ADD = 2
    MULTIPLY = 3
    FLOORDIV = 4
    MOD = 5
    MIN = 6
    MAX = 7
    SELECT = 8
    CEILLOG = 9
    LESS = 10
    LESS_EQUAL = 11
    EQUAL = 12
    NOT_EQUAL = 13
    AND = 14
    OR = 15
    NOT = 16


class ExitKind(IntEnum):
    """How control leaves; ``GO_ON``: not at all."""

    GO_ON = 0
    BREAK = 1
    CONTINUE = 2
    RETURN = 3


class ReferenceKind(IntFlag):
    """Properties of a reference."""

    LOAD = 0
    WRITES = 1
    NONTEMPORAL = 2


class RowPadding(NamedTuple):
    """More bytes at the end of each row of one array."""

    array: str
    row_bytes: int
    more_bytes: int

    def moved(self, offset: int) -> int:
        """Where an offset or a stride of the array goes: by as many pads as rows are nearest."""
        rows = (2 * offset + self.row_bytes) // (2 * self.row_bytes)
        return offset + rows * self.more_bytes


class ProgramReference(NamedTuple):
    """One access of the source; ``loops`` around its ``statement``, the outermost first."""

    array: str
    bytes: int
    kind: ReferenceKind
    statement: Statement
    loops: tuple[Loop, ...]


class LeftOut(NamedTuple):
    """A part of the function that the program does not have, with the reason in words.

    ``arrays`` that it may access; ``is_call``: of a function whose accesses are not known.
    """

    arrays: tuple[str, ...]
    reason: str
    is_call: bool = False


class AccessProgram(NamedTuple):
    """The integers, the position of the first node, and the meaning of references.

    ``data_bytes``: that all arrays take, None where nobody has said.
    """

    code: Sequence[int]
    root: int
    slots: int
    references: tuple[ProgramReference, ...]
    left_out: tuple[LeftOut, ...] = ()
    data_bytes: int | None = None


LARGEST: Final = (1 << 63) - 1
"""Integer of a program; what is larger counts as that."""


class ProgramWriter:
    """Appends nodes and expressions; equal expressions are written once."""

    def __init__(self) -> None:
        self.code: array[int] = array("q")
        self._known: dict[tuple[int, ...], int] = {}

    def node(self, kind: ProgramNode, *parts: int) -> int:
        """Writes a node; its position."""
        return self._append((int(kind), *parts))

    def affine(self, constant: int, terms: Iterable[tuple[int, int]]) -> int:
        """``constant`` and a sum of slot times factor."""
        listed = list(terms)
        flat = [part for term in listed for part in term]
        return self._once((int(ExpressionForm.AFFINE), len(listed), constant, *flat))

    def postfix(self, tokens: Sequence[int]) -> int:
        """An expression over a stack."""
        return self._once((int(ExpressionForm.POSTFIX), len(tokens), *tokens))

    def _once(self, parts: tuple[int, ...]) -> int:
        position = self._known.get(parts)
        if position is None:
            position = self._known[parts] = self._append(parts)
        return position

    def _append(self, parts: tuple[int, ...]) -> int:
        position = len(self.code)
        # trips beyond all budgets, or UINT64_MAX in a comparison
        if max(parts) > LARGEST or min(parts) < -LARGEST - 1:
            parts = tuple([min(max(part, -LARGEST - 1), LARGEST) for part in parts])
        self.code.extend(parts)
        return position
