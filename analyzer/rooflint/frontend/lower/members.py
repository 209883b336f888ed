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
    begin, end = unit.source.extent(tree.cursor)
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        waiting += each.children
        if each.kind != kinds.MEMBER_REF or unit.referenced(each.cursor).key not in fields:
            continue
        root = each
        while root.kind == kinds.MEMBER_REF and root.children:
            root = root.children[0]
        if root.kind == kinds.DECL_REF:
            decl = unit.referenced(root.cursor)
            if decl.key in changed or begin <= unit.source.extent(decl.cursor)[0] < end:
                continue  # another record in each iteration
        if root.kind in (kinds.DECL_REF, kinds.MEMBER_REF, kinds.THIS):
            place(context, each)
    context.take_nodes(mark)
    context.resume_statement(pending)


def member_before(context: LoweringContext, key: int) -> Poly | Pointer | None:
    """What a member that nothing has set holds before the loop."""
    decl = context.unit.known(context.variables.member_fields.get(key, 0))
    if decl is None:
        return None
    name, ctype = context.variables.name_of(key), decl.ctype
    if ctype.shape == "pointer":
        base = context.memory.base(name, ctype, "member", type_extents(ctype))
        return Pointer(base, ZERO, ctype.element or ctype, ())
    return context.symbols.size(name) if ctype.shape == "scalar" and ctype.is_integer else None
