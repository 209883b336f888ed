"""Bodies with several returns as trees of branches in which nothing follows a return."""

from collections.abc import Sequence
from typing import Final

from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree

_OTHER_WAYS: Final = frozenset(
    (*kinds.LOOPS, kinds.SWITCH, kinds.GOTO, kinds.INDIRECT_GOTO, kinds.LABEL, kinds.THROW,
     kinds.TRY)
)  # fmt: skip
"""Statements through which control goes otherwise than by branches."""
_RETURNS: Final = frozenset((kinds.RETURN,))


def structured_returns(statements: Sequence[SyntaxTree]) -> list[SyntaxTree] | None:
    """The same statements with those behind a path that returns on the other path.

    ``if (c) return a; s; return b;`` becomes ``if (c) return a; else { s; return b; }``. None where
    a path returns in some of its cases only, or where loops and jumps lie around.
    """
    if any(_has(each, _OTHER_WAYS) for each in statements):
        return None
    return _structured(list(statements))


def _structured(statements: list[SyntaxTree]) -> list[SyntaxTree] | None:
    for position, each in enumerate(statements):
        before, behind = statements[:position], statements[position + 1 :]
        if each.kind == kinds.RETURN:
            return [*before, each] if each.children else before
        if _has(each, _RETURNS):
            branch = _branch(each, behind)
            return None if branch is None else [*before, branch]
    return statements


def _branch(tree: SyntaxTree, behind: list[SyntaxTree]) -> SyntaxTree | None:
    """A branch with ``behind`` on the path that does not return."""
    condition, *paths = tree.children
    declares = condition.kind in (kinds.DECL_STMT, kinds.VARIABLE)
    if tree.kind != kinds.IF or declares or len(paths) not in (1, 2):
        return None
    arms = [_block(path) for path in paths]
    arms += [[]] * (2 - len(arms))
    if not any(map(_returns, arms)):  # what follows would run behind both
        return None
    blocks: list[SyntaxTree] = []
    for arm in arms:
        made = _structured(arm if _returns(arm) else arm + behind)
        if made is None:
            return None
        blocks.append(SyntaxTree(kinds.COMPOUND, tree.cursor, made))
    return SyntaxTree(kinds.IF, tree.cursor, [condition, *blocks])


def _block(path: SyntaxTree) -> list[SyntaxTree]:
    return path.children if path.kind == kinds.COMPOUND else [path]


def _returns(statements: list[SyntaxTree]) -> bool:
    """Whether all ways through the statements end in a return."""
    return any(_always_returns(each) for each in statements)


def _always_returns(tree: SyntaxTree) -> bool:
    if tree.kind == kinds.IF and len(tree.children) == 3:
        return all(_returns(_block(path)) for path in tree.children[1:])
    return tree.kind == kinds.RETURN


def _has(tree: SyntaxTree, sought: frozenset[int]) -> bool:
    if tree.kind == kinds.LAMBDA:
        return False
    return tree.kind in sought or any(_has(child, sought) for child in tree.children)
