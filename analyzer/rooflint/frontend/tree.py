"""A function's syntax tree as plain tuples, from one recursive libclang visit.

A callback and a tuple a cursor is the cheapest walk there is from Python; properties are asked
for later, and only for the cursors that need them. Implicit casts and parentheses are left out:
their children hang on the cursor above.
"""

from collections.abc import Callable
from typing import TypeAlias

from rooflint.frontend import kinds
from rooflint.frontend.clang_c import BREAK, CONTINUE, Clang, Cursor, Visitor

Tree: TypeAlias = tuple[int, Cursor, list["Tree"]]
"""kind, cursor, children."""


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


def build(clang: Clang, root: Cursor, plain: bool = False) -> Tree:
    """The tree below ``root``, references to types and names left out.

    ``plain``: C that compiles, where a left-out cursor always has one child; it costs less.
    """
    walk = _PlainWalk(root) if plain else _Walk(root)
    clang.visitChildren(root, Visitor(walk.callback), None)
    return (root.kind, root, walk.finish())


_TRANSPARENT = (kinds.UNEXPOSED, kinds.PAREN)


class _PlainWalk:
    """Collects children by their parent's key; a left-out cursor shares its parent's list."""

    def __init__(self, root: Cursor) -> None:
        self.top: list[Tree] = []
        self.below: dict[int, list[Tree]] = {root.key: self.top}
        self.callback = self.make_callback()

    def finish(self) -> list[Tree]:
        """The trees directly below the root."""
        return self.top

    # The function made here runs once a cursor, some 20,000 times a file: it is the hot spot of
    # the front end, hence its local names.
    def make_callback(self) -> Callable[[Cursor, Cursor, object], int]:
        """The function that libclang calls for every cursor."""
        top, below, find, transparent = self.top, self.below, self.below.get, _TRANSPARENT

        def callback(cursor: Cursor, parent: Cursor, _: object) -> int:
            kind = cursor.kind
            if 40 <= kind < 49 or kind >= 400:  # names and types; attributes
                return 1
            key = parent.d1
            siblings = find(key if key > 1 else parent.d0, top)
            key = cursor.d1
            if key <= 1:
                key = cursor.d0
            if kind in transparent:
                below[key] = siblings
                return 2
            children: list[Tree] = []
            below[key] = children
            siblings.append((kind, cursor, children))
            return 2

        return callback


class _Walk(_PlainWalk):
    """Puts a left-out cursor back where it has no child or several, as in broken code."""

    def __init__(self, root: Cursor) -> None:
        self.hidden: dict[int, tuple[list[Tree], int, Cursor]] = {}
        self.filled: set[int] = set()
        super().__init__(root)

    def finish(self) -> list[Tree]:
        """The trees directly below the root."""
        for key in reversed([key for key in self.hidden if key not in self.filled]):
            siblings, position, cursor = self.hidden[key]
            siblings.insert(position, (kinds.UNEXPOSED, cursor, []))
        return self.top

    def make_callback(self) -> Callable[[Cursor, Cursor, object], int]:
        """The function that libclang calls for every cursor."""
        inner, hidden, filled, below = super().make_callback(), self.hidden, self.filled, self.below

        def callback(cursor: Cursor, parent: Cursor, _: object) -> int:
            kind = cursor.kind
            if 40 <= kind < kinds.OVERLOADED_REF or kind >= 400:
                return CONTINUE
            key = parent.key
            if key in hidden:
                if key in filled:
                    self._show(key)
                else:
                    filled.add(key)
            if kind in _TRANSPARENT:
                siblings = below.get(key, self.top)
                hidden[cursor.key] = (siblings, len(siblings), cursor)
            return inner(cursor, parent, None)

        return callback

    def _show(self, key: int) -> None:
        siblings, position, cursor = self.hidden.pop(key)
        children = siblings[position:]
        del siblings[position:]
        for other, (place, at, empty) in self.hidden.items():
            if place is siblings and at >= position and other not in self.filled:
                self.filled.add(other)
                children.append((kinds.UNEXPOSED, empty, []))
        siblings.append((kinds.UNEXPOSED, cursor, children))
        self.below[key] = children
