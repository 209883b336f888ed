"""Loops whose iterations are alike: in the lines that they access, as of time steps, or in work."""

from collections.abc import Iterator, Sequence

from rooflint.replay.program import ExitKind, ExpressionForm, ExpressionToken, ProgramNode

_LOOPS = (ProgramNode.LOOP, ProgramNode.REPEAT)
_OPERANDS = (ExpressionToken.CONSTANT, ExpressionToken.SLOT)


def is_repeated(code: Sequence[int], body: int, slot: int) -> bool:
    """Whether iterations of a loop with this body are alike.

    They read its index in ``slot`` nowhere, assign no variable that the next one could read, and
    leave the loop nowhere.
    """
    return _is_alike(code, body, slot, inside=False)


def _is_alike(code: Sequence[int], at: int, slot: int, *, inside: bool) -> bool:
    """``inside`` a further loop, which a break leaves."""
    if code[at] == ProgramNode.ASSIGN or _leaves(code, at, inside=inside):
        return False
    if any(_reads(code, each, slot) for each in _expressions(code, at)):
        return False
    within = inside or code[at] in _LOOPS
    return all(_is_alike(code, each, slot, inside=within) for each in parts_of(code, at))


def is_even(code: Sequence[int], at: int, slot: int) -> bool:
    """Whether the work of a node is the same whatever the index in ``slot``.

    No bound, condition or stride reads it, and no assignment is made that one of them could read.
    """
    if code[at] == ProgramNode.ASSIGN:
        return False
    if any(_reads(code, each, slot) for each in _measures(code, at)):
        return False
    return all(is_even(code, each, slot) for each in parts_of(code, at))


def _measures(code: Sequence[int], at: int) -> Iterator[int]:
    """Bounds, strides and conditions of a node itself: all expressions but the addresses."""
    kind = code[at]
    if kind == ProgramNode.BRANCH:
        yield code[at + 1]
    elif kind in (*_LOOPS, ProgramNode.WALK):
        yield from code[at + 2 : at + 5]
        if kind == ProgramNode.WALK:
            yield from code[at + 7 : at + 6 + 3 * code[at + 5] : 3]


def _leaves(code: Sequence[int], at: int, *, inside: bool) -> bool:
    if code[at] != ProgramNode.EXIT:
        return False
    return code[at + 1] == ExitKind.RETURN or (code[at + 1] == ExitKind.BREAK and not inside)


def parts_of(code: Sequence[int], at: int) -> Sequence[int]:
    """Nodes of a node."""
    kind = code[at]
    if kind == ProgramNode.SEQUENCE:
        return code[at + 2 : at + 2 + code[at + 1]]
    if kind == ProgramNode.BRANCH:
        return code[at + 2 : at + 4]
    return code[at + 5 : at + 6] if kind in _LOOPS else ()


def _expressions(code: Sequence[int], at: int) -> Iterator[int]:
    """Bounds, addresses, strides and conditions of a node itself."""
    kind = code[at]
    if kind == ProgramNode.BRANCH:
        yield code[at + 1]
    elif kind == ProgramNode.ACCESSES:
        yield from code[at + 2 : at + 2 + 2 * code[at + 1] : 2]
    elif kind in (*_LOOPS, ProgramNode.WALK):
        yield from code[at + 2 : at + 5]
        if kind == ProgramNode.WALK:
            for place in range(at + 6, at + 6 + 3 * code[at + 5], 3):
                yield from code[place : place + 2]


def _reads(code: Sequence[int], at: int, slot: int) -> bool:
    """Whether an expression has a slot in it."""
    count = code[at + 1]
    if code[at] == ExpressionForm.AFFINE:
        return slot in code[at + 3 : at + 3 + 2 * count : 2]
    position = at + 2
    while position < at + 2 + count:
        if code[position] == ExpressionToken.SLOT and code[position + 1] == slot:
            return True
        position += 2 if code[position] in _OPERANDS else 1
    return False
