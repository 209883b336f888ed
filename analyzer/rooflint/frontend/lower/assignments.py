"""What an assignment does: a store, a scalar's new value, or a new closed form."""

from rooflint.frontend.lower.objects import extents, places
from rooflint.frontend.lower.objects.memory import repoint
from rooflint.frontend.lower.state.context import Context, Operand, Place, Pointer
from rooflint.frontend.lower.state.numbers import as_poly, converted, materialise
from rooflint.ir import ZERO, Poly


def assign(context: Context, target: Place, result: Operand) -> Operand:
    """Gives ``target`` a value and returns what it then holds."""
    ctype = target.ctype
    if target.array:
        if ctype.shape == "record":
            return _copy_record(context, target, result)
        number = converted(context, materialise(context, result), ctype.ir or "opaque")
        context.emit_store(places.access_of(target, write=True), number)
        return number
    if ctype.shape == "pointer":
        return _assign_pointer(context, target, result)
    if ctype.is_integer:
        return _assign_integer(context, target, result)
    number = converted(context, materialise(context, result), ctype.ir or "opaque")
    context.write_scalar(target.name, target.key, ctype.ir or "opaque", number)
    return number


def _assign_pointer(context: Context, target: Place, result: Operand) -> Operand:
    if isinstance(result, Pointer) and result.array.endswith("()"):
        # what a call returns is the variable's own memory, and gets its name
        element = target.ctype.element or result.target
        shape = places.type_extents(target.ctype)
        made = context.arrays[result.array]
        repoint(context, target.name)
        base = context.base(target.name, target.ctype, made.storage, shape, made.provenance)
        if base != result.array:
            context.arrays.pop(result.array, None)
        same = result.target == element
        result = Pointer(base, ZERO, element, (), result.extents if same else ())
    variable = extents.is_variable(target.ctype)
    if isinstance(result, Pointer) and variable:
        known = context.variable_types.get(target.key)
        context.env[target.key] = extents.cast(context, result, target.ctype, known)
    elif isinstance(result, Pointer):
        pointee = target.ctype.element
        if pointee is not None and pointee.bytes not in (0, result.target.bytes):
            result = result._replace(target=pointee, subscripts=None if result.offset else ())
        context.env[target.key] = result
    else:
        ctype = target.ctype
        repoint(context, target.name)
        base = context.base(target.name, ctype, "unknown", places.type_extents(ctype))
        context.env[target.key] = Pointer(base, ZERO, ctype.element or ctype, ())
    if context.loop is not None:
        context.loop.defined.add(target.key)
    return result


def _assign_integer(context: Context, target: Place, result: Operand) -> Operand:
    poly = as_poly(context, result)
    computed = not isinstance(result, Poly) or not result.names().isdisjoint(context.active)
    if computed and not isinstance(result, Poly):
        context.write_scalar(target.name, target.key, target.ctype.ir, materialise(context, result))
        context.note_scalar(poly, target.name, target.key)
        context.stated[target.key] = poly
    elif context.loop is not None:
        context.loop.defined.add(target.key)
    context.env[target.key] = poly
    return poly


def _copy_record(context: Context, target: Place, result: Operand) -> Operand:
    if isinstance(result, Pointer):
        source = places.pointee(context, result)
        number = context.emit_load(places.access_of(source, write=False))
    else:
        number = materialise(context, result)
    context.emit_store(places.access_of(target, write=True), number)
    return number
