"""Uses of containers that a name tells: their elements and their lengths.

Beside those of the C++ library, class templates of a project are containers that grow like them.
"""

from typing import Final

from rooflint.frontend.lower.objects.containers import CONTIGUOUS
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

ELEMENTS: Final = frozenset(("operator[]", "at", "front", "back"))
LENGTHS: Final = frozenset(("size", "length"))
CHANGES: Final = frozenset(("resize", "reserve", "assign", "push_back", "emplace_back", "clear"))
_NAMES: Final = ELEMENTS | LENGTHS | CHANGES
_NAMED: Final = frozenset((kinds.VARIABLE, kinds.PARAMETER, kinds.FIELD))
_OTHERS: Final = frozenset(("deque", "list", "forward_list"))
_HOLDERS: Final = CONTIGUOUS | _OTHERS
_EXTENT: Final = late_pattern(r"<.*,\s*(\d+)[uUlL]*>\s*$")


class ContainerUse(NamedTuple):
    """A call of a container's method: what it is called on, None where that has no name."""

    method: str
    owner: Cursor | None
    extent: int | None
    arguments: list[SyntaxTree]


def container_use(context: LoweringContext, call: SyntaxTree) -> ContainerUse | None:
    """The use of a container that a call is; None for any other call."""
    clang = context.unit.clang
    callee = clang.getCursorReferenced(call.cursor)
    if callee.kind != kinds.METHOD or not call.children:
        return None
    method = clang.spelling(callee)
    if method not in _NAMES:
        return None
    owner, *arguments = call.children
    if method == "operator[]":
        arguments = arguments[1:]
    elif owner.kind == kinds.MEMBER_REF and owner.children:
        owner = owner.children[0]
    else:
        return None
    if not is_container(context, owner.cursor):
        return None
    return ContainerUse(
        method=method,
        owner=named_container(context, owner),
        extent=fixed_extent(context, owner.cursor),
        arguments=arguments,
    )


def is_container(context: LoweringContext, cursor: Cursor) -> bool:
    """Whether the type of a name or an expression is a container, of the library or a project."""
    types = context.unit.types
    template = types.of_cursor(cursor).template
    return template in _HOLDERS or (bool(template) and types.grows(cursor))


def fixed_extent(context: LoweringContext, cursor: Cursor) -> int | None:
    """The number of elements that a type fixes: of arrays; else None."""
    ctype = context.unit.types.of_cursor(cursor)
    match = _EXTENT.search(ctype.name) if ctype.template == "array" else None
    return None if match is None else int(match[1])


def named_container(context: LoweringContext, tree: SyntaxTree) -> Cursor | None:
    """The variable, parameter or member that an expression names; None for any other."""
    while tree.kind in (kinds.UNEXPOSED, kinds.PAREN) and len(tree.children) == 1:
        tree = tree.children[0]
    if tree.kind not in (kinds.DECL_REF, kinds.MEMBER_REF):
        return None
    named = context.unit.clang.getCursorReferenced(tree.cursor)
    return named if named.kind in _NAMED else None
