"""Forward ``goto`` within a block as branches, whose arms have the code that it skips.

Sections begin at labels. Of ``if (c) goto L;`` one arm is the code at ``L``, the other is the code
that follows, each up to the nearest label that both reach. A block where this would take code twice
stays as written, and so does one with jumps back, or into it from inside a loop or a switch.
"""

from collections.abc import Callable, Sequence
from typing import Final

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.records import NamedTuple

MAX_LABELS: Final = 12
"""Of a block: each ``if`` with a ``goto`` tries the labels behind it."""
_ENDING: Final = frozenset(
    (kinds.CONTINUE, kinds.BREAK, kinds.RETURN, kinds.THROW, kinds.GOTO, kinds.INDIRECT_GOTO)
)
NOWHERE: Final = MAX_LABELS + 2
"""Behind all sections: where control falls from statements that end in a jump."""

LabelQuery = Callable[[SyntaxTree], str]


class _UnstructuredError(Exception):
    """The jumps of a block are no nest of branches."""


def without_forward_jumps(tree: SyntaxTree, label: LabelQuery) -> SyntaxTree | None:
    """The block with branches in place of its forward jumps; None where there are none, or no nest
    of branches does the same. ``label``: the label that a statement bears or a ``goto`` names."""
    labelled = sum(child.kind == kinds.LABEL for child in tree.children)
    if not 0 < labelled <= MAX_LABELS:
        return None
    block = _LabelledBlock(tree.children, label)
    if not any(block.jumps(child) for child in tree.children):
        return None
    try:
        return SyntaxTree(tree.kind, tree.cursor, block.statements())
    except _UnstructuredError:
        return None


class _LabelledBlock:
    """The sections of a block; ``starts`` has the section of each label."""

    def __init__(self, statements: Sequence[SyntaxTree], label: LabelQuery) -> None:
        self.sections: list[list[SyntaxTree]] = [[]]
        self.starts: dict[str, int] = {}
        self.label = label
        self.used: set[int] = set()
        for statement in statements:
            if statement.kind == kinds.LABEL:
                self.sections.append([])
                self._name(statement)
            self.sections[-1].append(statement)

    def _name(self, statement: SyntaxTree) -> None:
        while statement.kind == kinds.LABEL:
            self.starts[self.label(statement)] = len(self.sections) - 1
            if not statement.children:
                return
            statement = statement.children[0]

    def jumps(self, tree: SyntaxTree) -> bool:
        """Whether a ``goto`` to a label of the block stands at or below a statement."""
        if tree.kind == kinds.GOTO:
            return self.label(tree) in self.starts
        return tree.kind >= kinds.UNEXPOSED_STMT and any(map(self.jumps, tree.children))

    def statements(self) -> list[SyntaxTree]:
        """All statements, without jumps to labels of the block."""
        return self._path(self.sections[0], 1, len(self.sections))

    def _path(self, statements: Sequence[SyntaxTree], after: int, stop: int) -> list[SyntaxTree]:
        """The code from these statements to the begin of section ``stop``; behind them control
        falls into section ``after``."""
        made: list[SyntaxTree] = []
        for position, statement in enumerate(statements):
            if not self.jumps(statement):
                made.append(statement)
                if statement.kind in _ENDING:
                    return made
                continue
            rest = statements[position + 1 :]
            if statement.kind == kinds.LABEL:
                return made + self._path([*statement.children, *rest], after, stop)
            if statement.kind == kinds.GOTO:
                return made + self._from(self.starts[self.label(statement)], stop)
            branch, join = self._branch(statement, rest, after, stop)
            return [*made, branch, *self._from(join, stop)]
        return made + self._from(after, stop)

    def _from(self, section: int, stop: int) -> list[SyntaxTree]:
        if section == stop:
            return []
        if section > stop or section in self.used:
            raise _UnstructuredError
        self.used.add(section)
        return self._path(self.sections[section], section + 1, stop)

    def _branch(
        self, tree: SyntaxTree, rest: Sequence[SyntaxTree], after: int, stop: int
    ) -> tuple[SyntaxTree, int]:
        """An ``if`` with jumps, and the section where its ways meet."""
        ways = self._ways(tree, rest, after)
        before = set(self.used)
        for join in range(after, stop + 1):
            self.used = set(before)
            try:
                blocks = [self._arm(way, join) for way in ways]
            except _UnstructuredError:
                continue
            return SyntaxTree(tree.kind, tree.cursor, [tree.children[0], *blocks]), join
        raise _UnstructuredError

    def _arm(self, way: "_ArmPath", join: int) -> SyntaxTree:
        return SyntaxTree(kinds.COMPOUND, way.cursor, self._path(way.statements, way.after, join))

    def _ways(self, tree: SyntaxTree, rest: Sequence[SyntaxTree], after: int) -> list["_ArmPath"]:
        """The two arms of an ``if``, with what follows each; a jump may only end one."""
        if tree.kind != kinds.IF or not 2 <= len(tree.children) <= 3:
            raise _UnstructuredError
        condition, *arms = tree.children
        first = [*arms, *rest, tree][1].cursor
        ways = []
        for arm, cursor in ((arms[:1], arms[0].cursor), (arms[1:], first)):
            statements = [each for part in arm for each in _statements(part)]
            jumps = bool(statements) and statements[-1].kind == kinds.GOTO
            if jumps != any(map(self.jumps, statements)) or self.jumps(condition):
                raise _UnstructuredError
            if jumps:
                ways.append(_ArmPath(cursor, statements, NOWHERE))
            else:
                ways.append(_ArmPath(cursor, [*statements, *rest], after))
        return ways


class _ArmPath(NamedTuple):
    """Statements of an arm, where they stand, and the section behind them."""

    cursor: Cursor
    statements: list[SyntaxTree]
    after: int


def _statements(arm: SyntaxTree) -> Sequence[SyntaxTree]:
    return arm.children if arm.kind == kinds.COMPOUND else [arm]
