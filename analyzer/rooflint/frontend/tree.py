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
    transparent = (kinds.UNEXPOSED, kinds.PAREN)

    # This body runs once a cursor, some 20,000 times a file: it is the hot spot of the front end.
    def callback(cursor: Cursor, parent: Cursor, _: object) -> int:
        kind = cursor.kind
        if 40 <= kind < kinds.OVERLOADED_REF or kind >= 400:
            return CONTINUE
        key = parent.d1
        siblings = find(key if key > 1 else parent.d0, top)
        key = cursor.d1
        if key <= 1:
            key = cursor.d0
        if kind in transparent:
            below[key] = siblings
            return RECURSE
        children: list[Tree] = []
        below[key] = children
        siblings.append((kind, cursor, children))
        return RECURSE

    clang.visitChildren(root, Visitor(callback), None)
    return (root.kind, root, top)
