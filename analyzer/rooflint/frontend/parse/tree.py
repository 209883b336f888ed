"""A function's syntax tree, from one recursive libclang visit.

A callback and a small record a cursor is the cheapest walk there is from Python; properties are
asked for later, and only for the cursors that need them. Implicit casts and parentheses are left
out: their children hang on the cursor above.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import BREAK, CONTINUE, RECURSE, Clang, Cursor, Visitor
from rooflint.frontend.parse.folding import folded_integer, is_never_true


class SyntaxTree(Struct, frozen=True, gc=False):
    """A cursor, its kind (``kinds``), and the trees of the cursors directly below it."""

    kind: int
    cursor: Cursor
    children: list["SyntaxTree"]


_LABELS: Final = frozenset((kinds.LABEL, kinds.CASE, kinds.DEFAULT))
_AROUND_VALUES: Final = frozenset((kinds.UNEXPOSED, kinds.PAREN, *kinds.CASTS))


def without_casts(tree: SyntaxTree) -> SyntaxTree:
    """The expression inside of parentheses and casts, those that nobody wrote included."""
    while tree.kind in _AROUND_VALUES and tree.children:
        tree = tree.children[-1]
    return tree


def visit(clang: Clang, root: Cursor, callback: Callable[[Cursor, Cursor], int]) -> None:
    """Calls ``callback(cursor, parent)`` below ``root``; what it raises is raised here.

    libclang would swallow an exception inside the callback and end the walk in silence.
    """
    raised: list[BaseException] = []

    def guarded(cursor: Cursor, parent: Cursor, _: object) -> int:
        try:
            return callback(cursor, parent)
        except BaseException as error:
            raised.append(error)
            return BREAK

    clang.visitChildren(root, Visitor(guarded), None)
    if raised:
        raise raised[0]


def child_cursors(clang: Clang, parent: Cursor) -> list[Cursor]:
    """The cursors right below ``parent``, references to types and names included."""
    children: list[Cursor] = []

    def callback(cursor: Cursor, _: Cursor) -> int:
        children.append(Cursor.from_buffer_copy(cursor))
        return CONTINUE

    visit(clang, parent, callback)
    return children


def build(
    clang: Clang, root: Cursor, broken: bool = False, no_loops: list[Cursor] | None = None
) -> SyntaxTree:
    """The tree below ``root``, references to types and names left out.

    Of an ``if`` whose condition is a constant, the path that runs stands in its place. ``broken``:
    the unit has errors, so that a plain walk would likely be in vain; ``no_loops`` gets each ``do``
    statement that runs once, in whose place a block stands, and the loops on paths that never run.
    """
    if not broken:
        walk = _TreeWalk(root)
        clang.visitChildren(root, Visitor(walk.callback), None)
        if walk.is_plain():
            _fold(clang, walk.conditioned, no_loops)
            return SyntaxTree(root.kind, root, walk.top)
    careful = _CarefulTreeWalk(root)
    clang.visitChildren(root, Visitor(careful.callback), None)
    careful.see_through()
    _fold(clang, careful.conditioned, no_loops)
    return SyntaxTree(root.kind, root, careful.top)


def has_loop(tree: SyntaxTree) -> bool:
    """Whether a loop statement lies below."""
    return any(child.kind in kinds.LOOPS or has_loop(child) for child in tree.children)


ConditionedStatement: TypeAlias = tuple[list[SyntaxTree], int]
"""An ``if`` or ``do`` statement: the list that holds its tree, and its position there."""


def _fold(
    clang: Clang, statements: list[ConditionedStatement], no_loops: list[Cursor] | None
) -> None:
    """Puts in the place of statements with constant conditions what runs of them, inner ones first.

    So no compiler has code for ``if (DEBUG) ...`` where the macro is 0. ``statements``: outer ones
    first.
    """
    for siblings, position in reversed(statements):
        statement = siblings[position]
        if statement.kind == kinds.DO:
            runs, gone = _block_of_do(clang, statement), [statement.cursor]
        else:
            runs, dead = _path_of_if(clang, statement)
            gone = _loops_in(dead)
        if runs is not None:
            siblings[position] = runs
            if no_loops is not None:
                no_loops += gone


def _block_of_do(clang: Clang, statement: SyntaxTree) -> SyntaxTree | None:
    """The block that ``do { ... } while (0)`` is, as macros have it.

    Where a ``break`` or ``continue`` leaves the body, it stays a loop, of one iteration.
    """
    if len(statement.children) != 2:
        return None
    body, condition = statement.children
    if not is_never_true(clang, condition.cursor) or _jumps(body, kinds.JUMPS):
        return None
    return SyntaxTree(kinds.COMPOUND, statement.cursor, [body])


def _path_of_if(
    clang: Clang, statement: SyntaxTree
) -> tuple[SyntaxTree | None, Sequence[SyntaxTree]]:
    """The path that an ``if`` with a constant condition takes, and the one that it never takes.

    None where jumps may lead into the other one, and where variables or calls are evaluated first.
    """
    condition, *paths = statement.children or [statement]
    if not paths or len(paths) > 2 or condition.kind >= kinds.UNEXPOSED_STMT:
        return None, ()
    holds = folded_integer(clang, condition.cursor)
    if holds is None or _acts(clang, condition):
        return None, ()
    taken, dead = (paths[:1], paths[1:]) if holds else (paths[1:], paths[:1])
    if any(map(_has_label, dead)):
        return None, ()
    return (taken[0] if taken else SyntaxTree(kinds.NULL, statement.cursor, [])), dead


def _acts(clang: Clang, expression: SyntaxTree) -> bool:
    """Whether an expression calls functions or changes variables."""
    kind, cursor = expression.kind, expression.cursor
    if kind in (kinds.CALL, kinds.COMPOUND_ASSIGN):
        return True
    if kind == kinds.BINARY and clang.getCursorBinaryOperatorKind(cursor) == kinds.ASSIGN:
        return True
    if kind == kinds.UNARY and clang.getCursorUnaryOperatorKind(cursor) in kinds.STEPS:
        return True
    return any(_acts(clang, child) for child in expression.children)


def _has_label(tree: SyntaxTree) -> bool:
    """Whether a jump may lead into a statement; ways of a ``switch`` inside of it are none."""
    return tree.kind in _LABELS or any(map(_has_label, tree.children))


def _loops_in(trees: Iterable[SyntaxTree]) -> list[Cursor]:
    found: list[Cursor] = []
    for tree in trees:
        found += [tree.cursor] if tree.kind in kinds.LOOPS else []
        found += _loops_in(tree.children)
    return found


def _jumps(tree: SyntaxTree, jumps: frozenset[int]) -> bool:
    """Whether one of ``jumps`` leaves the statement."""
    if tree.kind in kinds.LOOPS or tree.kind == kinds.LAMBDA:
        return False
    inside = jumps - {kinds.BREAK} if tree.kind == kinds.SWITCH else jumps
    return tree.kind in jumps or any(_jumps(child, inside) for child in tree.children)


_LEFT_OUT, _LEAF, _SEEN_THROUGH, _CONDITIONED = 1, 2, 3, 4
_KINDS_END = 1024
_roles = {
    **dict.fromkeys((*range(40, kinds.OVERLOADED_REF), *range(400, 500)), _LEFT_OUT),
    **dict.fromkeys((kinds.UNEXPOSED, kinds.PAREN), _SEEN_THROUGH),
    **dict.fromkeys(
        (kinds.DECL_REF, kinds.INTEGER, kinds.FLOATING, kinds.STRING, kinds.CHARACTER), _LEAF
    ),
    kinds.DO: _CONDITIONED,
    kinds.IF: _CONDITIONED,
}
_ROLES = tuple(_roles.get(kind) for kind in range(_KINDS_END))
"""The role of a kind: names, types and attributes are left out."""
_NO_CHILDREN: list[SyntaxTree] = []


class _TreeWalk:
    """Collects children by their parent's key.

    Takes every cursor that is seen through to have one child, as all of code without errors have;
    ``is_plain`` tells in the end.
    """

    def __init__(self, root: Cursor) -> None:
        self.top: list[SyntaxTree] = []
        self.conditioned: list[ConditionedStatement] = []
        self._through: dict[int, list[SyntaxTree]] = {}
        self._odd: list[int] = []
        self.callback = self._make_callback({root.key: self.top})

    # The function made here runs once a cursor, some 20,000 times a file: it is the hot spot of
    # the front end, hence its local names, plain numbers and the order of its tests.
    def _make_callback(
        self, below: dict[int, list[SyntaxTree]]
    ) -> Callable[[Cursor, Cursor, object], int]:
        """The function that libclang calls for every cursor."""
        top, find, roles, through, odd = self.top, below.get, _ROLES, self._through, self._odd
        none, take, tree = _NO_CHILDREN, through.pop, SyntaxTree
        conditioned = self.conditioned

        def callback(cursor: Cursor, parent: Cursor, _: object) -> int:
            kind = cursor.kind
            role = roles[kind]
            if role == 1:
                return 1
            above = parent.d1
            siblings = find(above)
            if siblings is None:
                siblings = take(above, None)
                if siblings is None:
                    if above > 1:
                        siblings = top
                        odd.append(parent.kind)
                    else:
                        siblings = find(parent.d0, top)
            if role is None:
                children: list[SyntaxTree] = []
                key = cursor.d1
                below[key if key > 1 else cursor.d0] = children
                siblings.append(tree(kind, cursor, children))
                return 2
            if role == 2:
                siblings.append(tree(kind, cursor, none))
                return 1
            if role == 4:
                parts: list[SyntaxTree] = []
                below[cursor.d1] = parts
                conditioned.append((siblings, len(siblings)))
                siblings.append(tree(kind, cursor, parts))
                return 2
            through[cursor.d1] = siblings
            return 2

        return callback

    def is_plain(self) -> bool:
        """Whether every cursor that was seen through had one child."""
        return not self._through and all(_ROLES[kind] != _SEEN_THROUGH for kind in self._odd)


class _CarefulTreeWalk:
    """Collects children by their parent's key; leaves what is seen through in place first."""

    def __init__(self, root: Cursor) -> None:
        self.top: list[SyntaxTree] = []
        self.conditioned: list[ConditionedStatement] = []
        self._hiding: list[tuple[list[SyntaxTree], int, list[SyntaxTree]]] = []
        self._below = {root.key: self.top}

    def callback(self, cursor: Cursor, parent: Cursor, _: object) -> int:
        """Visitor that libclang calls for every cursor."""
        siblings = self._below.get(parent.d1)
        if siblings is None:
            siblings = self.top if parent.d1 > 1 else self._below.get(parent.d0, self.top)
        kind = cursor.kind
        role = _ROLES[kind]
        if role == _LEFT_OUT:
            return CONTINUE
        if role == _LEAF:
            siblings.append(SyntaxTree(kind, cursor, _NO_CHILDREN))
            return CONTINUE
        children: list[SyntaxTree] = []
        self._below[cursor.key] = children
        if role == _SEEN_THROUGH:
            self._hiding.append((siblings, len(siblings), children))
            kind = kinds.UNEXPOSED
        elif role == _CONDITIONED:
            self.conditioned.append((siblings, len(siblings)))
        siblings.append(SyntaxTree(kind, cursor, children))
        return RECURSE

    def see_through(self) -> None:
        """Puts the only child of a cursor that is seen through in its place, inner ones first.

        Broken code leaves such cursors without a child or with several; those stay.
        """
        for siblings, position, children in reversed(self._hiding):
            try:
                (siblings[position],) = children
            except ValueError:
                continue


MAX_BODY = 400
"""Cursors of a function that may stand in place of its calls."""


def size_of(tree: SyntaxTree, limit: int) -> int:
    """Cursors below, counted up to ``limit``."""
    count = 0
    stack = [tree]
    while stack and count < limit:
        below = stack.pop().children
        count += len(below)
        stack.extend(below)
    return count
