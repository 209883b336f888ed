"""Calls in templates that nothing instantiates: libclang resolves neither types nor members."""

from rooflint.frontend.lower.call_parts import CallParts
from rooflint.frontend.lower.expressions import cast
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import operand, value
from rooflint.frontend.lower.state.operands import Operand
from rooflint.ir import Const, Conversion


def conversion(context: LoweringContext, parts: CallParts, name: str) -> Operand | None:
    """``T(x)`` in a template, which may construct anything until T is known: of a call without a
    callee, the first operand is what is called, and no number can be called."""
    del name
    types, children = context.unit.types, parts.tree.children
    if parts.callee.key or not children or parts.member:
        return None
    made = types.of_cursor(parts.tree.cursor)
    if made.is_float and made.ir.startswith("c"):
        for child in children:
            value(context, child)
        return context.emit(Const(type=made.ir, spelling="complex"))
    if len(children) != 1:
        return None
    if types.of_cursor(children[0].cursor).shape != "scalar":
        return None
    return cast(context, operand(context, children[0]), types.of_cursor(parts.tree.cursor))


def complex_part(context: LoweringContext, parts: CallParts, name: str) -> Operand | None:
    """``z.real()`` in a template."""
    if not parts.member or name not in ("real", "imag") or parts.arguments or parts.owner is None:
        return None
    ctype = context.unit.types.of_cursor(parts.owner.cursor)
    if not ctype.is_float or not ctype.ir.startswith("c"):
        return None
    bits = int(ctype.ir[1:]) // 2
    return context.emit(Conversion(type=f"f{bits}", args=(value(context, parts.owner),)))
