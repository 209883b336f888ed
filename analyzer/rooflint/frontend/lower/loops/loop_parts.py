"""The parts of a loop statement, also where the source leaves some out."""

from typing import Final

from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import Header, Statement
from rooflint.ir.nodes import LoopForm
from rooflint.records import NamedTuple


class Parts(NamedTuple):
    """A loop statement's parts; None where the source leaves one out."""

    init: SyntaxTree | None
    condition: SyntaxTree | None
    step: SyntaxTree | None
    body: SyntaxTree
    form: LoopForm


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


def source_header(
    context: LoweringContext, parts: Parts, control: int, keeps_index: bool
) -> Header:
    """How the source writes the loop that counts by the variable ``control``; 0 stands for none."""
    decl = context.unit.known(context.variables.member_fields.get(control, control))
    declares = sets = False
    if control and parts.init is not None:
        declares = any(child.cursor.d0 == control for child in parts.init.children)
        sets = declares or _assigns(context, parts.init, control)
    return Header(
        index_type=decl.ctype.ir if decl is not None else "",
        sets_index=sets,
        declares_index=declares,
        keeps_index=keeps_index,
    )


def _assigns(context: LoweringContext, init: SyntaxTree, key: int) -> bool:
    """Whether ``i = 0``, or one of several with commas between them, sets the variable."""
    if init.kind != kinds.BINARY or len(init.children) != 2:
        return False
    operator = context.unit.clang.getCursorBinaryOperatorKind(init.cursor)
    if operator == kinds.COMMA:
        return any(_assigns(context, part, key) for part in init.children)
    target = init.children[0]
    return operator == kinds.ASSIGN and context.unit.referenced(target.cursor).key == key


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
