"""Members of records that a loop counts along, as ``p->n++`` does: variables of their own."""

from rooflint.frontend.lower.objects.places import type_extents
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import place
from rooflint.frontend.lower.state.operands import Pointer
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ZERO, Poly


def name_members(context: LoweringContext, tree: SyntaxTree, changed: frozenset[int]) -> None:
    """Gives members that the loop changes, as ``p->n++`` does, a key before it begins."""
    unit = context.unit
    fields = {k for k in changed if (d := unit.known(k)) is not None and d.kind == kinds.FIELD}
    if not fields:
        return
    mark = len(context.nodes)
    pending = context.begin_statement()
    extent = unit.source.extent(tree.cursor)
    waiting = [tree]
    while waiting:
        below = waiting.pop()
        waiting += below.children
        if below.kind != kinds.MEMBER_REF or unit.referenced(below.cursor).key not in fields:
            continue
        if _has_one_record(context, below, changed, extent):
            place(context, below)
    context.take_nodes(mark)
    context.resume_statement(pending)


def _has_one_record(
    context: LoweringContext, member: SyntaxTree, changed: frozenset[int], extent: tuple[int, int]
) -> bool:
    """Whether the member is the same record's in each iteration of the loop in ``extent``."""
    root = member
    while root.kind == kinds.MEMBER_REF and root.children:
        root = root.children[0]
    if root.kind == kinds.DECL_REF:
        decl = context.unit.referenced(root.cursor)
        begin, _ = context.unit.source.extent(decl.cursor)
        return decl.key not in changed and not extent[0] <= begin < extent[1]
    return root.kind in (kinds.MEMBER_REF, kinds.THIS)


def member_before(context: LoweringContext, key: int) -> Poly | Pointer | None:
    """The value before the loop of a member that nothing has set."""
    decl = context.unit.known(context.variables.member_fields.get(key, 0))
    if decl is None:
        return None
    name, ctype = context.variables.name_of(key), decl.ctype
    if ctype.shape == "pointer":
        base = context.memory.base(name, ctype, "member", type_extents(ctype))
        return Pointer(base, ZERO, ctype.element or ctype, ())
    return context.symbols.size(name) if ctype.shape == "scalar" and ctype.is_integer else None
