"""Expressions: one handler a cursor kind; each gives an operand or, for an lvalue, a place."""

import re

from rooflint.frontend import kinds, places
from rooflint.frontend.context import Context, Operand, Place, Pointer
from rooflint.frontend.dispatch import (
    evaluates,
    locates,
    opaque,
    opaque_access,
    operand,
    place,
    value,
)
from rooflint.frontend.numbers import (
    as_poly,
    binary,
    common_type,
    converted,
    is_float,
    materialise,
    moved,
)
from rooflint.frontend.tree import Tree
from rooflint.frontend.types import CType
from rooflint.ir import ONE, ZERO, Poly
from rooflint.ir.poly import function

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*$")


@locates(kinds.DECL_REF)
def _variable(context: Context, tree: Tree) -> Place | None:
    decl = context.unit.referenced(tree[1])
    known = context.env.get(decl.key)
    return known if isinstance(known, Place) else places.variable_place(context, decl)


@locates(kinds.UNARY)
def _unary_place(context: Context, tree: Tree) -> Place | None:
    _, cursor, below = tree
    operator = context.clang.getCursorUnaryOperatorKind(cursor)
    if not below:
        return None
    if operator == kinds.DEREFERENCE:
        pointer = operand(context, below[0])
        return places.pointee(context, pointer) if isinstance(pointer, Pointer) else None
    if operator in (kinds.PRE_INC, kinds.PRE_DEC):
        operand(context, tree)
        return place(context, below[0])
    return None


@locates(*kinds.CASTS)
def _cast_place(context: Context, tree: Tree) -> Place | None:
    return place(context, tree[2][-1]) if tree[2] else None


@locates(kinds.BINARY, kinds.COMPOUND_ASSIGN)
def _assigned_place(context: Context, tree: Tree) -> Place | None:
    _, cursor, below = tree
    if len(below) != 2:
        return None
    operand(context, tree)
    comma = context.clang.getCursorBinaryOperatorKind(cursor) == kinds.COMMA
    return place(context, below[1 if comma else 0])


@locates(kinds.SUBSCRIPT)
def _subscripted(context: Context, tree: Tree) -> Place | None:
    below = tree[2]
    if len(below) != 2:
        return None
    base, index = operand(context, below[0]), operand(context, below[1])
    if not isinstance(base, Pointer):
        base, index = index, base  # C allows 2[a]
    if not isinstance(base, Pointer):
        return None
    return places.pointee(context, moved(base, as_poly(context, index)))


@locates(kinds.MEMBER_REF)
def _member_place(context: Context, tree: Tree) -> Place | None:
    _, cursor, below = tree
    decl = context.unit.referenced(cursor)
    if decl.kind in (kinds.METHOD, kinds.FUNCTION):
        return None
    if decl.kind in (kinds.VARIABLE, kinds.ENUM_CONSTANT):
        return places.variable_place(context, decl)
    if not below or below[0][0] == kinds.THIS:
        return places.own_field(context, decl)
    if below[0][0] == kinds.CALL and context.unit.types.of_cursor(below[0][1]).shape != "pointer":
        base = place(context, below[0])
        return places.field(context, base, decl, arrow=False) if base else None
    inner = operand(context, below[0])
    if isinstance(inner, Pointer):
        target = context.unit.types.of_cursor(below[0][1])
        arrow = target.shape == "pointer"
        return places.field(context, places.pointee(context, inner), decl, arrow)
    return None


# -- reading ---------------------------------------------------------------------------------------


@evaluates(kinds.DECL_REF)
def _decl_ref(context: Context, tree: Tree) -> Operand:
    decl = context.unit.referenced(tree[1])
    known = context.env.get(decl.key)
    if known is not None:
        return places.load(context, known) if isinstance(known, Place) else known
    ctype = decl.ctype
    if ctype.shape == "scalar":
        if not ctype.is_integer:
            return context.read_scalar(context.name(decl), decl.key, ctype.ir)
        constant = (
            _constant(context, decl.key, tree)
            if ctype.const or decl.kind != kinds.PARAMETER
            else None
        )
        if decl.kind == kinds.ENUM_CONSTANT or ctype.const:
            if constant is not None:
                return constant
        symbol = context.size(context.name(decl))
        context.env[decl.key] = symbol
        return symbol
    if ctype.shape in ("array", "pointer"):
        pointer = places.decayed(context, decl)
        context.env[decl.key] = pointer
        return pointer
    if ctype.shape == "record":
        return places.load(context, places.variable_place(context, decl))
    folded = evaluate_integer(context, tree)  # a template's non-type argument
    if folded is not None:
        return Poly.constant(folded)
    return context.emit("opaque", "opaque", name=decl.name or "a dependent name")


def _constant(context: Context, key: int, tree: Tree) -> Poly | None:
    known = context.unit.constants
    if key not in known:
        known[key] = evaluate_integer(context, tree)
    found = known[key]
    return None if found is None else Poly.constant(found)


def evaluate_integer(context: Context, tree: Tree) -> int | None:
    """The integer libclang folds a constant expression to, or None."""
    clang = context.clang
    result = clang.Cursor_Evaluate(tree[1])
    if not result:
        return None
    number = (
        clang.EvalResult_getAsLongLong(result) if clang.EvalResult_getKind(result) == 1 else None
    )
    clang.EvalResult_dispose(result)
    return number


@evaluates(kinds.INTEGER)
def _integer(context: Context, tree: Tree) -> Operand:
    match = _INTEGER.match(context.unit.source.text(tree[1]))
    if match is None:
        number = evaluate_integer(context, tree)
        return opaque(context, tree) if number is None else Poly.constant(number)
    digits = match[1].replace("'", "")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return Poly.constant(int(digits, 8 if octal else 0))


@evaluates(kinds.CHARACTER, kinds.SIZEOF)
def _evaluated(context: Context, tree: Tree) -> Operand:
    number = evaluate_integer(context, tree)
    if number is not None:
        return Poly.constant(number)
    if tree[0] == kinds.SIZEOF:
        return context.size("".join(context.unit.source.text(tree[1]).split()) or "sizeof")
    return opaque(context, tree)


@evaluates(kinds.BOOL_LITERAL)
def _boolean(context: Context, tree: Tree) -> Operand:
    return ONE if context.unit.source.text(tree[1]) == "true" else ZERO


@evaluates(kinds.FLOATING)
def _floating(context: Context, tree: Tree) -> Operand:
    text = context.unit.source.text(tree[1])
    if text:
        type_ = {"f": "f32", "F": "f32", "l": "f80", "L": "f80"}.get(text[-1], "f64")
        hexadecimal = text[:2] in ("0x", "0X")
        type_ = "f64" if hexadecimal and "p" not in text.lower() else type_
        return context.emit("const", type_, name=text)
    type_ = context.unit.types.of_cursor(tree[1]).ir
    result = context.clang.Cursor_Evaluate(tree[1])
    number = context.clang.EvalResult_getAsDouble(result) if result else 0.0
    if result:
        context.clang.EvalResult_dispose(result)
    return context.emit("const", type_, name=repr(number) if result else "?")


@evaluates(kinds.STRING)
def _string(context: Context, tree: Tree) -> Operand:
    return context.emit("const", "ptr", name="string")


@evaluates(kinds.SUBSCRIPT)
def _subscript(context: Context, tree: Tree) -> Operand:
    found = place(context, tree)
    return opaque_access(context, tree) if found is None else places.load(context, found)


@evaluates(kinds.MEMBER_REF)
def _member(context: Context, tree: Tree) -> Operand:
    decl = context.unit.referenced(tree[1])
    if decl.kind == kinds.ENUM_CONSTANT:
        return _decl_ref(context, tree)
    if decl.kind in (kinds.METHOD, kinds.FUNCTION):
        return opaque(context, tree)
    if decl.kind == kinds.VARIABLE:
        return _decl_ref(context, tree)
    found = place(context, tree)
    return opaque_access(context, tree) if found is None else places.load(context, found)


# -- operators -------------------------------------------------------------------------------------


@evaluates(kinds.UNARY)
def _unary(context: Context, tree: Tree) -> Operand:
    _, cursor, below = tree
    operator = context.clang.getCursorUnaryOperatorKind(cursor)
    if not below:
        return _evaluated(context, tree)
    if operator in kinds.STEPS:
        return _step(context, below[0], operator)
    if operator == kinds.DEREFERENCE:
        found = place(context, tree)
        return opaque_access(context, tree) if found is None else places.load(context, found)
    if operator == kinds.ADDRESS:
        found = place(context, below[0])
        pointer = places.address(found) if found else None
        if pointer is None:
            name = found.name if found else "?"
            return context.emit("index", "ptr", name=f"&{name}")
        return pointer
    inner = operand(context, below[0])
    if operator == kinds.MINUS:
        if isinstance(inner, Poly):
            return -inner
        number = materialise(context, inner)
        return context.emit("neg", context.values[number].type, (number,))
    if operator == kinds.LOGICAL_NOT:
        return context.emit("not", "bool", (materialise(context, inner),))
    if operator == kinds.NOT:
        if isinstance(inner, Poly):
            return -inner - 1
        number = materialise(context, inner)
        return context.emit("not", context.values[number].type, (number,))
    return inner


def _step(context: Context, target: Tree, operator: int) -> Operand:
    found = place(context, target)
    if found is None:
        return opaque_access(context, target)
    before = places.load(context, found)
    step = kinds.STEPS[operator]
    after: Operand
    if isinstance(before, Pointer):
        after = moved(before, Poly.constant(step))
    else:
        after = binary(context, "add" if step > 0 else "sub", before, ONE)
    assign(context, found, after)
    return before if operator in (kinds.POST_INC, kinds.POST_DEC) else after


@evaluates(kinds.BINARY)
def _binary(context: Context, tree: Tree) -> Operand:
    _, cursor, below = tree
    if len(below) != 2:
        return opaque(context, tree)
    operator = context.clang.getCursorBinaryOperatorKind(cursor)
    if operator == kinds.ASSIGN:
        return _assignment(context, below)
    left = operand(context, below[0])
    right = operand(context, below[1])
    if operator == kinds.COMMA:
        return right
    name = kinds.BINARY_NAMES.get(operator)
    if name is None:
        return opaque(context, tree)
    if name in ("&&", "||"):
        a, b = materialise(context, left), materialise(context, right)
        return context.emit("and" if name == "&&" else "or", "bool", (a, b))
    if operator in kinds.COMPARISONS:
        return compare(context, name, left, right)
    return binary(context, name, left, right)


def compare(context: Context, name: str, left: Operand, right: Operand) -> int:
    """``left name right`` as a value; its type is that of the operands compared."""
    a, b = materialise(context, left), materialise(context, right)
    type_ = common_type(context.values[a].type, context.values[b].type)
    a, b = converted(context, a, type_), converted(context, b, type_)
    return context.emit("compare", type_, (a, b), name)


def _assignment(context: Context, below: list[Tree]) -> Operand:
    target = below[0]
    # C evaluates in no fixed order; the value first reads as people read it: load, compute, store
    result = operand(context, below[1])
    found = place(context, target)
    if found is None:
        return opaque_access(context, target)
    return assign(context, found, result)


def assign(context: Context, target: Place, result: Operand) -> Operand:
    """Gives ``target`` a value and returns what it then holds."""
    ctype = target.ctype
    if target.array:
        if ctype.shape == "record":
            return _copy_record(context, target, result)
        number = converted(context, materialise(context, result), ctype.ir or "opaque")
        context.emit_access("store", places.access_of(target, write=True), (number,))
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
        extents = places.type_extents(target.ctype)
        base = context.base(target.name, target.ctype, "heap", extents)
        if base != result.array:
            context.arrays.pop(result.array, None)
        same = result.target == element
        result = Pointer(base, ZERO, element, (), result.extents if same else ())
    if isinstance(result, Pointer):
        element = target.ctype.element
        same = element is None or element.bytes == result.target.bytes or not element.bytes
        if not same and element is not None:
            result = result._replace(target=element, subscripts=None if result.offset else ())
        context.env[target.key] = result
    else:
        ctype = target.ctype
        base = context.base(target.name, ctype, "heap", places.type_extents(ctype))
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
    elif context.loop is not None:
        context.loop.defined.add(target.key)
    context.env[target.key] = poly
    return poly


def _copy_record(context: Context, target: Place, result: Operand) -> Operand:
    if isinstance(result, Pointer):
        source = places.pointee(context, result)
        number = context.emit_access("load", places.access_of(source, write=False))
    else:
        number = materialise(context, result)
    context.emit_access("store", places.access_of(target, write=True), (number,))
    return number


@evaluates(kinds.COMPOUND_ASSIGN)
def _compound(context: Context, tree: Tree) -> Operand:
    _, cursor, below = tree
    name = kinds.COMPOUND_NAMES.get(context.clang.getCursorBinaryOperatorKind(cursor))
    if name is None or len(below) != 2:
        return opaque(context, tree)
    found = place(context, below[0])
    if found is None:
        operand(context, below[1])
        return opaque_access(context, below[0])
    right = operand(context, below[1])
    left = places.load(context, found)
    if isinstance(left, Poly) and isinstance(right, Poly):
        # a sum over loop indices is work; a step by a constant is addressing
        if not right.names().isdisjoint(context.active) and context.changes(found.key):
            number = context.read_scalar(found.name, found.key, found.ctype.ir)
            right_number = materialise(context, right)
            result = context.emit(name, found.ctype.ir, (number, right_number))
            context.closed[result] = as_poly(context, binary(context, name, left, right))
            return assign(context, found, result)
    return assign(context, found, binary(context, name, left, right))


@evaluates(kinds.CONDITIONAL)
def _conditional(context: Context, tree: Tree) -> Operand:
    below = tree[2]
    if len(below) != 3:
        return opaque(context, tree)
    chosen = minimum_or_maximum(context, below)
    if chosen is not None:
        return chosen
    condition = value(context, below[0])
    then, orelse = operand(context, below[1]), operand(context, below[2])
    if isinstance(then, Pointer) and isinstance(orelse, Pointer):
        return (
            then if then == orelse else context.emit("opaque", "ptr", name="either of two pointers")
        )
    a, b = materialise(context, then), materialise(context, orelse)
    type_ = common_type(context.values[a].type, context.values[b].type)
    if is_float(type_):
        a, b = converted(context, a, type_), converted(context, b, type_)
    return context.emit("select", type_, (condition, a, b))


def minimum_or_maximum(context: Context, below: list[Tree]) -> Poly | None:
    """``a < b ? a : b`` over closed forms as ``min(a, b)``; nothing is emitted either way."""
    condition = below[0]
    if condition[0] != kinds.BINARY or len(condition[2]) != 2:
        return None
    operator = context.clang.getCursorBinaryOperatorKind(condition[1])
    if operator not in kinds.COMPARISONS:
        return None
    mark = (len(context.values), len(context.accesses), dict(context.env))
    parts = [operand(context, part) for part in (*condition[2], *below[1:])]
    if all(isinstance(part, Poly) for part in parts):
        left, right, then, orelse = (part for part in parts if isinstance(part, Poly))
        found = extreme(kinds.BINARY_NAMES[operator], left, right, then, orelse)
        if found is not None:
            return found
    del context.values[mark[0] :], context.accesses[mark[1] :]
    context.env = mark[2]
    return None


def extreme(name: str, left: Poly, right: Poly, then: Poly, orelse: Poly) -> Poly | None:
    """``left name right ? then : orelse`` as a min or max of the two, where it is one."""
    if name[0] not in "<>" or {then, orelse} != {left, right}:
        return None
    smaller = (name[0] == "<") == (then == left)
    return function("min" if smaller else "max", left, right)


@evaluates(*kinds.CASTS)
def _cast(context: Context, tree: Tree) -> Operand:
    below = tree[2]
    if not below:
        return opaque(context, tree)
    ctype = context.unit.types.of_cursor(tree[1])
    inner = operand(context, below[-1])
    return cast(context, inner, ctype)


def cast(context: Context, inner: Operand, ctype: CType) -> Operand:
    """An operand in another type."""
    if ctype.shape == "pointer" and isinstance(inner, Pointer) and ctype.element is not None:
        if ctype.element.bytes == inner.target.bytes or ctype.element.shape == "void":
            return inner
        return inner._replace(target=ctype.element, subscripts=None if inner.offset else ())
    if ctype.shape != "scalar" or isinstance(inner, Pointer):
        return inner
    if isinstance(inner, Poly) and ctype.is_integer:
        return inner
    number = materialise(context, inner)
    if context.values[number].type == "opaque":
        return context.emit("convert", ctype.ir, (number,))
    return converted(context, number, ctype.ir)


@evaluates(kinds.INIT_LIST)
def _init_list(context: Context, tree: Tree) -> Operand:
    if len(tree[2]) == 1:
        return operand(context, tree[2][0])
    return opaque(context, tree)
