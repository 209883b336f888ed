"""Work of functions: operators, accesses to memory and divisions, by loop and path of a branch."""

from typing import Final

from rooflint.frontend.equations.position import CodePosition
from rooflint.frontend.equations.unmodelled import (
    UNCOUNTED,
    is_undeclared,
    is_unmodelled,
    lacks_statements,
)
from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir.equations import WorkSite

_OPERATORS: Final = frozenset((kinds.BINARY, kinds.COMPOUND_ASSIGN, kinds.CONDITIONAL))
_DIVISIONS: Final = frozenset(("div", "rem"))
_LITERALS: Final = frozenset((kinds.INTEGER, kinds.FLOATING))
_FREE: Final = frozenset((kinds.ADDRESS, kinds.PLUS))
TELLING: Final = UNCOUNTED | {
    kinds.VARIABLE, kinds.DECL_REF, kinds.DELETE, kinds.BINARY, kinds.COMPOUND_ASSIGN, kinds.UNARY,
}  # fmt: skip
"""Statements and operators that say something beside what is in them."""


class _OperatorCounts:
    """Operators at one place."""

    def __init__(self) -> None:
        self.operators = 0
        self.accesses = 0
        self.divisions = 0


class WorkCounter:
    """Counts the operators of a file where they lie.

    ``unmodelled``: results of functions with code whose work is not counted.
    """

    def __init__(self, unit: TranslationUnitContext, position: CodePosition) -> None:
        self.unmodelled: set[int] = set()
        self._unit = unit
        self._clang = unit.clang
        self._position = position
        self._counts: dict[tuple[int, int, int], _OperatorCounts] = {}

    def sites(self) -> tuple[WorkSite, ...]:
        """The work of all functions."""
        return tuple(
            [
                WorkSite(
                    function=function,
                    loop=loop,
                    arm=arm,
                    operators=each.operators,
                    accesses=each.accesses,
                    divisions=each.divisions,
                )
                for (function, loop, arm), each in self._counts.items()
            ]
        )

    @property
    def count_of_sites(self) -> int:
        """How many places with work there are so far."""
        return len(self._counts)

    def count(self, tree: SyntaxTree) -> None:
        """Counts a statement or an operator, without those in it."""
        kind = tree.kind
        if kind in _OPERATORS:
            counts = self._here()
            if kind != kinds.CONDITIONAL and self._divides(tree):
                counts.divisions += 1
            else:
                counts.operators += 1
        elif kind == kinds.SUBSCRIPT:
            self._here().accesses += 1
        elif kind == kinds.UNARY:
            operator = self._clang.getCursorUnaryOperatorKind(tree.cursor)
            if operator == kinds.DEREFERENCE:
                self._here().accesses += 1
            elif operator not in _FREE:
                self._here().operators += 1
        elif self._is_unmodelled(tree):
            self.note_unmodelled()

    def _is_unmodelled(self, tree: SyntaxTree) -> bool:
        unit = self._unit
        if tree.kind == kinds.DECL_REF:
            return unit.is_broken(tree.cursor) and is_undeclared(unit, tree)
        return is_unmodelled(unit, tree)

    def note_unmodelled(self) -> None:
        """The function that is being read has code whose work is not counted."""
        self.unmodelled.add(self._position.place.function)

    def note_block(self, tree: SyntaxTree) -> None:
        """Looks for statements of a block that do not compile, so that its tree lacks them."""
        if self._unit.is_broken(tree.cursor) and lacks_statements(self._unit, tree):
            self.note_unmodelled()

    def _here(self) -> _OperatorCounts:
        place = self._position.place
        key = (place.function, place.loop, place.arm)
        counts = self._counts.get(key)
        if counts is None:
            counts = self._counts[key] = _OperatorCounts()
        return counts

    def _divides(self, tree: SyntaxTree) -> bool:
        operator = self._clang.getCursorBinaryOperatorKind(tree.cursor)
        name = kinds.BINARY_NAMES.get(operator) or kinds.COMPOUND_NAMES.get(operator)
        return name in _DIVISIONS and tree.children[-1].kind not in _LITERALS
