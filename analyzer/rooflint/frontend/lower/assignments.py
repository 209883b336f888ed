"""Lowering of assignments: a store, a scalar's new value, or a new closed form."""

from rooflint.frontend.lower.objects import extents, places
from rooflint.frontend.lower.objects.records import MemberCopy
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.numbers import as_poly, convert_value, materialise
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer
from rooflint.frontend.parse.clang_c import Cursor
from rooflint.ir import ZERO, Poly


def assign(
    context: LoweringContext, target: Lvalue, result: Operand, cursor: Cursor | None = None
) -> Operand:
    """Gives ``target`` a value and returns what it then holds.

    ``cursor``: the assignment, None where the source has none, as for the parameter of a function
    that stands in place of its call.
    """
    ctype = target.ctype
    if target.array:
        if ctype.shape == "record":
            return _copy_record(context, target, result, cursor)
        number = convert_value(context, materialise(context, result), ctype.ir or "opaque")
        context.memory.note_pointer(target.array, ctype)
        context.emit_store(places.access_of(target, write=True), number)
        return number
    if ctype.shape == "pointer":
        if cursor is not None:
            context.note_definition(target.name, target.key, "ptr", None, cursor)
        return _assign_pointer(context, target, result)
    if ctype.is_integer:
        return _assign_integer(context, target, result, cursor)
    number = convert_value(context, materialise(context, result), ctype.ir or "opaque")
    context.write_scalar(target.name, target.key, ctype.ir or "opaque", number)
    return number


def _assign_pointer(context: LoweringContext, target: Lvalue, result: Operand) -> Operand:
    if isinstance(result, Pointer) and context.memory.is_returned(result.array):
        result = _named_after(context, target, result)
    variable = extents.is_variable(target.ctype)
    if isinstance(result, Pointer) and variable:
        known = context.memory.variable_extents.get(target.key)
        context.bind(target.key, extents.cast(context, result, target.ctype, known))
    elif isinstance(result, Pointer):
        pointee = target.ctype.element
        if pointee is not None and pointee.bytes not in (0, result.target.bytes):
            result = result._replace(target=pointee, subscripts=None if result.offset else ())
        context.bind(target.key, result)
    else:
        ctype = target.ctype
        context.memory.repoint(target.name)
        base = context.memory.base(target.name, ctype, "unknown", places.type_extents(ctype))
        context.bind(target.key, Pointer(base, ZERO, ctype.element or ctype, ()))
    context.flow.define(target.key)
    return result


def _named_after(context: LoweringContext, target: Lvalue, result: Pointer) -> Pointer:
    """The memory that a call returns, named after the variable that receives it.

    What another variable or member holds, or code has accessed, keeps its name: it is the same.
    """
    if result.array in context.memory.used or _is_held(context, result.array):
        return result
    element = target.ctype.element or result.target
    shape = places.type_extents(target.ctype)
    made = context.memory.arrays[result.array]
    context.memory.repoint(target.name)
    base = context.memory.base(target.name, target.ctype, made.storage, shape, made.provenance)
    context.memory.forget(result.array)
    same = result.target == element
    return Pointer(base, ZERO, element, (), result.extents if same else ())


def _is_held(context: LoweringContext, array: str) -> bool:
    """Whether a variable or member points into an array."""
    held = context.env.values()
    return any(isinstance(each, Pointer) and each.array == array for each in held)


def _assign_integer(
    context: LoweringContext, target: Lvalue, result: Operand, cursor: Cursor | None
) -> Operand:
    poly = as_poly(context, result)
    if not isinstance(result, Poly):
        context.write_scalar(target.name, target.key, target.ctype.ir, materialise(context, result))
        context.symbols.note_scalar(poly, target.name, target.key, target.ctype.ir)
        context.symbols.state(target.key, poly)
    else:
        if cursor is not None:
            context.note_definition(target.name, target.key, target.ctype.ir, poly, cursor)
        context.flow.define(target.key)
    context.bind(target.key, poly)
    return poly


def _copy_record(
    context: LoweringContext, target: Lvalue, result: Operand, cursor: Cursor | None
) -> Operand:
    if isinstance(result, Pointer):
        if cursor is not None and copy_members(context, target, result, cursor):
            return result
        source = places.pointee(context, result)
        number = context.emit_load(places.access_of(source, write=False))
    else:
        number = materialise(context, result)
    context.emit_store(places.access_of(target, write=True), number)
    return number


def copy_members(context: LoweringContext, target: Lvalue, source: Pointer, cursor: Cursor) -> bool:
    """Copies a record of a few scalars, of the type of ``cursor``, where members of it are
    variables of their own; whether they are."""
    copy = MemberCopy(context, target, source, cursor)
    if not copy.moves_variables:
        return False
    for member, value in copy.values():
        assign(context, member, value)
    return True
