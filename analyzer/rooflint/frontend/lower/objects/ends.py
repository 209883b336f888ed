"""The ends of objects that code calls by name, where the class declares no destructor."""

from msgspec.structs import replace

from rooflint.frontend.lower.call_parts import CallParts
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.operands import Operand
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.destructors import (
    declared_destructors,
    ends_scalar,
    is_implicit,
)
from rooflint.ir import Call, Const


def ends_object(context: LoweringContext, parts: CallParts) -> bool:
    """Whether it is a destructor that no class declares, or one of a number."""
    clang = context.unit.clang
    if parts.callee.key:
        return parts.callee.kind == kinds.DESTRUCTOR and is_implicit(clang, parts.callee.cursor)
    return ends_scalar(clang, parts.tree)


def end_of_object(context: LoweringContext, parts: CallParts) -> Operand:
    """Calls what the bases and members of the object declare."""
    unit, callee = context.unit, parts.callee
    if callee.key:
        origin = context.origins.origin(parts.tree.cursor)
        owner = unit.clang.getCursorSemanticParent(callee.cursor)
        for each in declared_destructors(unit.clang, owner):
            call = Call(unit.clang.spelling(each), origin=origin)
            if context.flow.loop is not None:
                call = replace(call, target=unit.keys.function(each))
            context.append(call)
    return context.emit(Const(type="i32", spelling="0"))
