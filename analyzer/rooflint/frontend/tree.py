"""A function's syntax tree as plain tuples, from one recursive libclang visit.

A callback and a tuple a cursor is the cheapest walk there is from Python; properties are asked
for later, and only for the cursors that need them. Implicit casts and parentheses are left out:
their children hang on the cursor above.
"""

from collections.abc import Callable
from typing import TypeAlias

from rooflint.frontend import kinds
from rooflint.frontend.clang_c import BREAK, CONTINUE, RECURSE, Clang, Cursor, Visitor

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
        except BaseException as error:  # noqa: BLE001 - re-raised below
            raised.append(error)
            return BREAK

    clang.visitChildren(root, Visitor(guarded), None)
    if raised:
        raise raised[0]


def build(clang: Clang, root: Cursor) -> Tree:
    """The tree below ``root``, references to types and names left out."""
    top: list[Tree] = []
    below: dict[int, list[Tree]] = {root.key: top}
    find = below.get
    hidden: dict[int, tuple[list[Tree], int, Cursor]] = {}
    filled: set[int] = set()

    # This body runs once a cursor, some 20,000 times a file: it is the hot spot of the front end.
    def callback(cursor: Cursor, parent: Cursor, _: object) -> int:
        kind = cursor.kind
        if 40 <= kind < kinds.OVERLOADED_REF or kind >= 400:
            return CONTINUE
        key = parent.d1
        if key <= 1:
            key = parent.d0
        siblings = find(key, top)
        if key in hidden:
            if key in filled:
                siblings = _shown(below, hidden, filled, key)
            else:
                filled.add(key)
        key = cursor.d1
        if key <= 1:
            key = cursor.d0
        if kind in _TRANSPARENT:
            below[key] = siblings
            hidden[key] = (siblings, len(siblings), cursor)
            return RECURSE
        children: list[Tree] = []
        below[key] = children
        siblings.append((kind, cursor, children))
        return RECURSE

    clang.visitChildren(root, Visitor(callback), None)
    if len(filled) < len(hidden):
        for key in reversed([key for key in hidden if key not in filled]):
            siblings, position, cursor = hidden[key]
            siblings.insert(position, (kinds.UNEXPOSED, cursor, []))
    return (root.kind, root, top)


_TRANSPARENT = (kinds.UNEXPOSED, kinds.PAREN)


def _shown(
    below: dict[int, list[Tree]],
    hidden: dict[int, tuple[list[Tree], int, Cursor]],
    filled: set[int],
    key: int,
) -> list[Tree]:
    """Puts back a cursor that turns out to have several children, as broken code has."""
    siblings, position, cursor = hidden.pop(key)
    children = siblings[position:]
    del siblings[position:]
    for other, (place, at, empty) in hidden.items():
        if place is siblings and at >= position and other not in filled:
            filled.add(other)
            children.append((kinds.UNEXPOSED, empty, []))
    siblings.append((kinds.UNEXPOSED, cursor, children))
    below[key] = children
    return children
