"""The parts of a loop statement, also where the source leaves some out."""

from typing import Final, NamedTuple

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Statement


class Parts(NamedTuple):
    """A loop statement's parts; None where the source leaves one out."""

    init: SyntaxTree | None
    condition: SyntaxTree | None
    step: SyntaxTree | None
    body: SyntaxTree
    form: str


def parts_of(context: LoweringContext, tree: SyntaxTree) -> Parts:
    """The parts of a ``for``, ``while`` or ``do``."""
    kind, below = tree.kind, tree.children
    if kind == kinds.DO:
        return Parts(None, below[-1], None, below[0], "do")
    if kind == kinds.WHILE:
        return Parts(None, below[-2], None, below[-1], "while")
    body = below[-1]
    if len(below) == 4:
        return Parts(below[0], below[1], below[2], body, "for")
    slots: list[SyntaxTree | None] = [None, None, None]
    for slot, part in zip(_filled_slots(context, tree), below[:-1], strict=False):
        slots[slot] = part
    return Parts(slots[0], slots[1], slots[2], body, "for")


def _filled_slots(context: LoweringContext, tree: SyntaxTree) -> list[int]:
    """Which of the three parts of a ``for`` header are there; libclang leaves null parts out."""
    source = context.unit.source
    begin = source.extent(tree.cursor)[0]
    text = source.blanked
    position = text.find(b"(", begin)
    if begin < 0 or position < 0 or source.in_macro(tree.cursor):
        return [_slot_by_kind(context, part) for part in tree.children[:-1]]
    filled, slot, depth, content = [], 0, 0, False
    for at in range(position + 1, len(text)):
        character = text[at : at + 1]
        depth += _DEPTHS.get(character, 0)
        if depth < 0 or (character == b";" and depth == 0):
            if content:
                filled.append(slot)
            slot, content = slot + 1, False
            if depth < 0:
                break
        elif not character.isspace():
            content = True
    return filled


_DEPTHS: Final = {b"(": 1, b"[": 1, b"{": 1, b")": -1, b"]": -1, b"}": -1}


def _slot_by_kind(context: LoweringContext, part: SyntaxTree) -> int:
    if part.kind == kinds.DECL_STMT:
        return 0
    comparing = part.kind == kinds.BINARY and (
        context.unit.clang.getCursorBinaryOperatorKind(part.cursor) in kinds.COMPARISONS
    )
    return 1 if comparing else 2


def does_something(statement_: Statement) -> bool:
    """Whether running a statement changes anything."""
    return any(
        value.op not in ("const", "index", "scalar", "carried") for value in statement_.values
    )
