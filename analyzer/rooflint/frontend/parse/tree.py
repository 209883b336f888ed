"""A function's syntax tree, from one recursive libclang visit.

A callback and a small record a cursor is the cheapest walk there is from Python; properties are
asked for later, and only for the cursors that need them. Implicit casts and parentheses are left
out: their children hang on the cursor above.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import BREAK, CONTINUE, RECURSE, Clang, Cursor, Visitor
from rooflint.frontend.parse.folding import is_never_true


class SyntaxTree(Struct, frozen=True, gc=False):
    """A cursor, its kind (``kinds``), and the trees of the cursors directly below it."""

    kind: int
    cursor: Cursor
    children: list["SyntaxTree"]


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
    clang: Clang, root: Cursor, broken: bool = False, blocks: list[Cursor] | None = None
) -> SyntaxTree:
    """The tree below ``root``, references to types and names left out.

    ``broken``: the unit has errors, so that a plain walk would likely be in vain; ``blocks`` gets
    each ``do`` statement that runs once: a block stands in its place.
    """
    if not broken:
        walk = _TreeWalk(root)
        clang.visitChildren(root, Visitor(walk.callback), None)
        if walk.is_plain():
            _open_blocks(clang, walk.dos, blocks)
            return SyntaxTree(root.kind, root, walk.top)
    careful = _CarefulTreeWalk(root)
    clang.visitChildren(root, Visitor(careful.callback), None)
    careful.see_through()
    _open_blocks(clang, careful.dos, blocks)
    return SyntaxTree(root.kind, root, careful.top)


def has_loop(tree: SyntaxTree) -> bool:
    """Whether a loop statement lies below."""
    return any(child.kind in kinds.LOOPS or has_loop(child) for child in tree.children)


DoStatement: TypeAlias = tuple[list[SyntaxTree], int]
"""A ``do`` statement: the list that holds its tree, and its position there."""


def _open_blocks(clang: Clang, dos: list[DoStatement], blocks: list[Cursor] | None) -> None:
    """Makes a block of ``do { ... } while (0)``, as macros have it.

    Where a ``break`` or ``continue`` leaves the body, it stays a loop, of one iteration.
    """
    for siblings, position in dos:
        statement = siblings[position]
        if len(statement.children) == 2:
            body, condition = statement.children
            if is_never_true(clang, condition.cursor) and not _jumps(body, kinds.JUMPS):
                siblings[position] = SyntaxTree(kinds.COMPOUND, statement.cursor, [body])
                if blocks is not None:
                    blocks.append(statement.cursor)


def _jumps(tree: SyntaxTree, jumps: frozenset[int]) -> bool:
    """Whether one of ``jumps`` leaves the statement."""
    if tree.kind in kinds.LOOPS or tree.kind == kinds.LAMBDA:
        return False
    inside = jumps - {kinds.BREAK} if tree.kind == kinds.SWITCH else jumps
    return tree.kind in jumps or any(_jumps(child, inside) for child in tree.children)


_LEFT_OUT, _LEAF, _SEEN_THROUGH, _DO = 1, 2, 3, 4
_KINDS_END = 1024
_roles = {
    **dict.fromkeys((*range(40, kinds.OVERLOADED_REF), *range(400, 500)), _LEFT_OUT),
    **dict.fromkeys((kinds.UNEXPOSED, kinds.PAREN), _SEEN_THROUGH),
    **dict.fromkeys(
        (kinds.DECL_REF, kinds.INTEGER, kinds.FLOATING, kinds.STRING, kinds.CHARACTER), _LEAF
    ),
    kinds.DO: _DO,
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
        self.dos: list[DoStatement] = []
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
        none, take, tree, dos = _NO_CHILDREN, through.pop, SyntaxTree, self.dos

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
                body: list[SyntaxTree] = []
                below[cursor.d1] = body
                dos.append((siblings, len(siblings)))
                siblings.append(tree(kind, cursor, body))
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
        self.dos: list[DoStatement] = []
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
        elif role == _DO:
            self.dos.append((siblings, len(siblings)))
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
