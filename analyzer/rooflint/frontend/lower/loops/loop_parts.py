"""The parts of a loop statement, also where the source leaves some out."""

from typing import NamedTuple

from rooflint.frontend.lower.state.context import Context
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import Header, Statement
from rooflint.ir.nodes import LoopForm


class Parts(NamedTuple):
    """A loop statement's parts; None where the source leaves one out."""

    init: Tree | None
    condition: Tree | None
    step: Tree | None
    body: Tree
    form: LoopForm


def parts_of(context: Context, tree: Tree) -> Parts:
    """The parts of a ``for``, ``while`` or ``do``."""
    kind, _, below = tree
    if kind == kinds.DO:
        return Parts(None, below[-1], None, below[0], "do")
    if kind == kinds.WHILE:
        return Parts(None, below[-2], None, below[-1], "while")
    body = below[-1]
    if len(below) == 4:
        return Parts(below[0], below[1], below[2], body, "for")
    slots: list[Tree | None] = [None, None, None]
    for slot, part in zip(_filled_slots(context, tree), below[:-1], strict=False):
        slots[slot] = part
    return Parts(slots[0], slots[1], slots[2], body, "for")


def source_header(context: Context, parts: Parts, control: int, keeps_index: bool) -> Header:
    """How the source writes the loop that counts by the variable ``control``; 0 stands for none."""
    decl = context.unit.known(context.member_fields.get(control, control))
    declares = sets = False
    if control and parts.init is not None:
        declares = any(child[1].d0 == control for child in parts.init[2])
        sets = declares or _assigns(context, parts.init, control)
    return Header(
        index_type=decl.ctype.ir if decl is not None else "",
        sets_index=sets,
        declares_index=declares,
        keeps_index=keeps_index,
    )


def _assigns(context: Context, init: Tree, key: int) -> bool:
    """Whether ``i = 0``, or one of several with commas between them, sets the variable."""
    if init[0] != kinds.BINARY or len(init[2]) != 2:
        return False
    operator = context.clang.getCursorBinaryOperatorKind(init[1])
    if operator == kinds.COMMA:
        return any(_assigns(context, part, key) for part in init[2])
    target = init[2][0]
    return operator == kinds.ASSIGN and context.unit.referenced(target[1]).key == key


def _filled_slots(context: Context, tree: Tree) -> list[int]:
    """Which of the three parts of a ``for`` header are there; libclang leaves null parts out."""
    source = context.unit.source
    begin = source.extent(tree[1])[0]
    text = source.blanked
    position = text.find(b"(", begin)
    if begin < 0 or position < 0 or source.in_macro(tree[1]):
        return [_slot_by_kind(context, part) for part in tree[2][:-1]]
    filled, slot, depth, content = [], 0, 0, False
    while position < len(text):
        position += 1
        char = text[position : position + 1]
        if char in b"([{" and char:
            depth += 1
        elif char in b")]}" and char:
            depth -= 1
        if depth < 0 or (char == b";" and depth == 0):
            if content:
                filled.append(slot)
            slot, content = slot + 1, False
            if depth < 0:
                break
        elif char.strip():
            content = True
    return filled


def _slot_by_kind(context: Context, part: Tree) -> int:
    if part[0] == kinds.DECL_STMT:
        return 0
    comparing = part[0] == kinds.BINARY and (
        context.clang.getCursorBinaryOperatorKind(part[1]) in kinds.COMPARISONS
    )
    return 1 if comparing else 2


def does_something(statement_: Statement) -> bool:
    """Whether running a statement changes anything."""
    return any(
        value.op not in ("const", "index", "scalar", "carried") for value in statement_.values
    )
