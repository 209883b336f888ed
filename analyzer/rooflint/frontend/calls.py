"""Calls: mathematical functions, small functions inlined, everything else opaque by name."""

import re

from rooflint.frontend import algorithms, containers, intrinsics, kinds, places
from rooflint.frontend.assignments import assign
from rooflint.frontend.context import Context, Decl, Operand, Place, Pointer, Result
from rooflint.frontend.dispatch import evaluates, locates, operand, place, statement
from rooflint.frontend.expressions import compare
from rooflint.frontend.numbers import as_poly, binary, common_type, converted, is_float, materialise
from rooflint.frontend.statements import block, declare
from rooflint.frontend.tree import Tree
from rooflint.ir import Call, Poly
from rooflint.ir.poly import function

_OPERATIONS = {
    "sqrt": "sqrt", "fabs": "abs", "abs": "abs", "labs": "abs", "fmax": "max", "fmin": "min",
    "max": "max", "min": "min", "fma": "fma",
}  # fmt: skip
_PURE = frozenset(
    """
    exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh
    cosh tanh asinh acosh atanh cbrt hypot erf erfc tgamma lgamma floor ceil round trunc
    rint nearbyint lround lrint fmod remainder copysign ldexp frexp modf isnan isinf
    isfinite signbit fdim rsqrt cabs creal cimag carg conj cexp csqrt real imag norm arg
    llround llrint ilogb logb scalbn sincos
    """.split()
)
_SUFFIXED = re.compile(r"(?:__builtin_|__)?(\w+?)[fl]?$")
_OPERATORS = {
    "operator+": "add", "operator-": "sub", "operator*": "mul", "operator/": "div",
    "operator%": "rem",
}  # fmt: skip
_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
MAX_DEPTH = 6
MAX_BODY = 400
MAX_LOOPING_BODY = 120


def parts(context: Context, tree: Tree) -> tuple[Decl, Tree | None, list[Tree]]:
    """callee, the object of a method call, arguments."""
    _, cursor, below = tree
    decl = context.unit.referenced(cursor)
    if not below:
        return decl, None, []
    first = below[0]
    if first[0] == kinds.MEMBER_REF and context.unit.referenced(first[1]).key == decl.key:
        return decl, first[2][0] if first[2] else None, below[1:]
    if decl.name.startswith("operator") and decl.kind in (kinds.METHOD, kinds.FUNCTION):
        arguments = [
            child
            for child in below
            if child[0] != kinds.DECL_REF or context.unit.referenced(child[1]).key != decl.key
        ]
        if decl.kind == kinds.METHOD and arguments:
            return decl, arguments[0], arguments[1:]
        return decl, None, arguments
    if decl.kind == kinds.CONSTRUCTOR:
        return decl, None, below
    return decl, None, below[1:]


@evaluates(kinds.CALL)
def call(context: Context, tree: Tree) -> Operand:
    """The value of a call."""
    decl, owner, arguments = parts(context, tree)
    if decl.key in context.unit.opaque_callees:
        return _opaque_call(context, tree, decl.name, owner, arguments)
    if decl.kind == kinds.CONSTRUCTOR or not tree[2]:
        return _constructed(context, tree, arguments)
    if decl.kind == kinds.CONVERSION and owner is not None:
        return operand(context, owner)
    name = decl.name or context.clang.spelling(tree[1])
    if owner is not None:
        found = containers.method(context, name, owner, arguments)
        if found is not None:
            return found
    for attempt in (containers.free_function, algorithms.lower, intrinsics.lower):
        found = attempt(context, name, arguments)
        if found is not None:
            return found
    mathematical = _mathematical(context, tree, name, arguments)
    if mathematical is not None:
        return mathematical
    inlined = inline(context, decl, owner, arguments)
    if inlined is not None:
        return inlined
    overloaded = _overloaded(context, tree, name, owner, arguments)
    if overloaded is not None:
        return overloaded
    if decl.kind == kinds.FUNCTION and body_of(context, decl) is None and not context.inlining:
        context.unit.opaque_callees.add(decl.key)
    return _opaque_call(context, tree, name, owner, arguments)


@locates(kinds.CALL)
def called_place(context: Context, tree: Tree) -> Place | None:
    """Where the value of a call lives, for calls that give a reference to an element."""
    decl, owner, arguments = parts(context, tree)
    if decl.kind == kinds.CONSTRUCTOR:
        return place(context, arguments[0]) if len(arguments) == 1 else None
    if owner is not None:
        found = containers.element(context, decl.name, owner, arguments)
        if found is not None:
            return found
    elif decl.name == "operator*" and arguments:
        pointer = operand(context, arguments[0])
        return places.pointee(context, pointer) if isinstance(pointer, Pointer) else None
    return inlined_place(context, decl, owner, arguments)


def _constructed(context: Context, tree: Tree, arguments: list[Tree]) -> Operand:
    if len(arguments) == 1:
        return operand(context, arguments[0])
    for argument in arguments:
        operand(context, argument)
    ctype = context.unit.types.of_cursor(tree[1])
    if ctype.is_float:
        return context.emit("const", ctype.ir, name="complex")
    return context.emit("opaque", "opaque", name=ctype.name or "constructor")


def _mathematical(context: Context, tree: Tree, name: str, arguments: list[Tree]) -> Operand | None:
    match = _SUFFIXED.match(name)
    plain = name if name in _PURE or name in _OPERATIONS else match[1] if match else name
    op = _OPERATIONS.get(plain)
    if op is None and plain not in _PURE:
        return None
    ctype = context.unit.types.of_cursor(tree[1])
    found = [operand(context, argument) for argument in arguments]
    polys = [part for part in found if isinstance(part, Poly)]
    if op in ("min", "max") and len(polys) == 2 and (ctype.is_integer or not ctype.is_float):
        return function("min" if op == "min" else "max", *polys)
    numbers = [materialise(context, part) for part in found]
    type_ = ctype.ir if ctype.shape == "scalar" else ""
    if not type_ or type_ == "opaque":
        type_ = "f64"
        for number in numbers:
            type_ = common_type(type_, context.values[number].type)
    if is_float(type_):
        numbers = [converted(context, number, type_) for number in numbers]
    return context.emit(op or "call", type_, tuple(numbers), "" if op else plain)


def _overloaded(
    context: Context, tree: Tree, name: str, owner: Tree | None, arguments: list[Tree]
) -> Operand | None:
    """Operators of classes without a visible body (complex numbers, vector wrappers)."""
    operands = ([owner] if owner is not None else []) + arguments
    ctype = context.unit.types.of_cursor(tree[1])
    if len(operands) == 2 and name in _OPERATORS and ctype.is_float:
        left, right = operand(context, operands[0]), operand(context, operands[1])
        return binary(context, _OPERATORS[name], left, right)
    compound = _OPERATORS.get(name.removesuffix("="))
    if len(operands) == 2 and ctype.is_float and (name == "operator=" or compound):
        target = place(context, operands[0])
        if target is None:
            return None
        right = operand(context, operands[1])
        if compound:
            right = binary(context, compound, places.load(context, target), right)
        return assign(context, target, right)
    if len(operands) == 2 and name.removeprefix("operator") in _COMPARISONS:
        left, right = operand(context, operands[0]), operand(context, operands[1])
        return compare(context, name.removeprefix("operator"), left, right)
    return None


def _opaque_call(
    context: Context, tree: Tree, name: str, owner: Tree | None, arguments: list[Tree]
) -> Operand:
    name = name or "a function pointer"
    arrays: list[str] = []
    numbers: list[int] = []
    for argument in ([owner] if owner is not None else []) + arguments:
        if argument[0] == kinds.LAMBDA:
            _run_once(context, name, argument)
            continue
        if context.loop is None and not context.unit.modified(argument):
            arrays.extend(_arrays_named(context, argument))  # straight code: no work is counted
            _forget(context, argument)
            continue
        if argument[0] == kinds.DECL_REF and (array := _array_name(context, argument)):
            arrays.append(array)
            continue
        found = operand(context, argument)
        if isinstance(found, Pointer):
            arrays.append(found.array)
        else:
            numbers.append(materialise(context, found))
        _forget(context, argument)
    context.nodes.append(Call(name, tuple(arrays), "unknown", context.origin(tree[1])))
    ctype = context.unit.types.of_cursor(tree[1])
    if ctype.shape == "pointer" and ctype.element is not None:
        base = context.base(f"{name}()", ctype, "heap", places.type_extents(ctype))
        return Pointer(base, Poly.constant(0), ctype.element, ())
    return context.emit("call", ctype.ir or "opaque", tuple(numbers), name)


def _arrays_named(context: Context, tree: Tree) -> list[str]:
    """Arrays and pointers that an expression mentions."""
    found = [_array_name(context, tree)] if tree[0] == kinds.DECL_REF else []
    for child in tree[2]:
        found += _arrays_named(context, child)
    return [name for name in found if name]


def _array_name(context: Context, tree: Tree) -> str:
    """The array that a plain argument hands over; empty for anything else."""
    decl = context.unit.referenced(tree[1])
    known = context.env.get(decl.key)
    if known is not None:
        return known.array if isinstance(known, Pointer) else ""
    return context.name(decl) if decl.ctype.shape in ("array", "pointer") else ""


def _forget(context: Context, argument: Tree) -> None:
    """A callee may change what ``&n`` hands it."""
    if argument[0] != kinds.UNARY or not argument[2] or argument[2][0][0] != kinds.DECL_REF:
        return
    decl = context.unit.referenced(argument[2][0][1])
    if isinstance(context.env.get(decl.key), Poly):
        name = context.name(decl)
        context.env[decl.key] = context.unknown(name, f"{name} is set by a call")


def _run_once(context: Context, name: str, tree: Tree) -> None:
    context.assume(f"the lambda handed to {name} runs once")
    context.nodes.extend(block(context, tree[2][-1:]))


@evaluates(kinds.LAMBDA)
def lambda_expression(context: Context, tree: Tree) -> Operand:
    """A lambda that nothing calls here; its body is lowered where it is called."""
    context.lambdas.append(tree)
    return context.emit("opaque", "opaque", name="lambda")


@evaluates(kinds.STATEMENT_EXPR)
def statement_expression(context: Context, tree: Tree) -> Operand:
    """GNU's ``({ ...; value; })``."""
    body = tree[2][0][2] if tree[2] else []
    for child in body[:-1]:
        statement(context, child)
    if body and body[-1][0] < kinds.UNEXPOSED_STMT:
        return operand(context, body[-1])
    return context.emit("opaque", "opaque", name="statement expression")


# -- inlining --------------------------------------------------------------------------------------


def body_of(context: Context, decl: Decl) -> tuple[list[Tree], list[Tree]] | None:
    """Parameters and statements of a function whose body is at hand and small; else None."""
    if decl.kind not in (kinds.FUNCTION, kinds.METHOD) or len(context.inlining) >= MAX_DEPTH:
        return None
    if any(decl.key == other.key for other in context.inlining):
        return None
    tree = context.unit.tree(decl.cursor)
    if not tree[2] or tree[2][-1][0] != kinds.COMPOUND:
        definition = context.clang.getCursorDefinition(decl.cursor)
        if not definition.d0 or definition.kind not in (kinds.FUNCTION, kinds.METHOD):
            return None
        tree = context.unit.tree(definition)
        if not tree[2] or tree[2][-1][0] != kinds.COMPOUND:
            return None
    if size_of(tree, MAX_BODY) >= MAX_BODY:
        return None
    return [child for child in tree[2] if child[0] == kinds.PARAMETER], tree[2][-1][2]


def size_of(tree: Tree, limit: int) -> int:
    """Cursors below, counted up to ``limit``."""
    count = 0
    stack = [tree]
    while stack and count < limit:
        below = stack.pop()[2]
        count += len(below)
        stack.extend(below)
    return count


def inline(
    context: Context, decl: Decl, owner: Tree | None, arguments: list[Tree]
) -> Operand | None:
    """The call's value with the callee's body lowered in place; None when that is not done."""
    body = body_of(context, decl)
    if body is None:
        return None
    parameters, statements = body
    simple = _returned_expression(statements)
    if simple is None and not (context.loop is not None and _fits(statements)):
        return None
    mark = len(context.scope)
    if simple is None:
        pending = context.begin_statement()
    try:
        if not _bind(context, parameters, arguments):
            return None
        this = _enter(context, decl, owner)
        try:
            if simple is None:
                context.finish_statement(statements[0][1] if statements else decl.cursor)
                context.results.append(None)
                context.nodes.extend(block(context, statements))
            else:
                for child in statements[:-1]:
                    for variable in child[2]:
                        declare(context, variable)
                return operand(context, simple)
        finally:
            context.inlining.pop()
            context.this = this
    finally:
        context.release(mark)
        if simple is None:
            context.resume_statement(pending)
    return _result(context)


def _result(context: Context) -> Operand:
    result = context.results.pop()
    while context.results and result is not None and context.results[-1] is None:
        context.results.pop()
        break
    if result is None:
        return Poly.constant(0)
    if isinstance(result, Result):
        return context.emit("scalar", result.type, name=result.name)
    return result


def _enter(context: Context, decl: Decl, owner: Tree | None) -> Place | None:
    this = context.this
    if owner is not None and decl.kind == kinds.METHOD:
        found = operand(context, owner) if owner[0] != kinds.THIS else None
        context.this = places.pointee(context, found) if isinstance(found, Pointer) else this
    context.inlining.append(decl)
    return this


def inlined_place(
    context: Context, decl: Decl, owner: Tree | None, arguments: list[Tree]
) -> Place | None:
    """The lvalue that an accessor of one ``return`` gives."""
    body = body_of(context, decl)
    simple = _returned_expression(body[1]) if body is not None else None
    mark = len(context.scope)
    if body is None or simple is None or not _bind(context, body[0], arguments):
        return None
    this = _enter(context, decl, owner)
    try:
        for child in body[1][:-1]:
            for variable in child[2]:
                declare(context, variable)
        return place(context, simple)
    finally:
        context.inlining.pop()
        context.release(mark)
        context.this = this


def _returned_expression(statements: list[Tree]) -> Tree | None:
    """The expression of a body that is local variables and one ``return``."""
    if not statements or statements[-1][0] != kinds.RETURN or not statements[-1][2]:
        return None
    if any(child[0] != kinds.DECL_STMT for child in statements[:-1]):
        return None
    return statements[-1][2][0]


def _fits(statements: list[Tree]) -> bool:
    """Whether a body may stand in place of its call: it returns at its end, if at all.

    One with loops must be short: its nests are reported where they are written anyway.
    """
    if any(child[0] == kinds.RETURN for child in statements[:-1]):
        return False
    stack = [child for s in statements for child in ([s] if s[0] != kinds.RETURN else [])]
    count, loops = 0, False
    while stack:
        tree = stack.pop()
        if tree[0] == kinds.RETURN:
            return False
        loops = loops or tree[0] in kinds.LOOPS
        count += 1
        if tree[0] != kinds.LAMBDA:
            stack.extend(tree[2])
    return not loops or count <= MAX_LOOPING_BODY


def _bind(context: Context, parameters: list[Tree], arguments: list[Tree]) -> bool:
    if len(arguments) < len(parameters):
        return False
    for parameter, argument in zip(parameters, arguments, strict=False):
        decl = context.unit.declared(parameter[1])
        if decl.ctype.reference or decl.ctype.shape == "record":
            found = place(context, argument)
            if found is not None and (found.array or found.key):
                context.env[decl.key] = found
                continue
        if argument[0] == kinds.LAMBDA:
            continue
        result = operand(context, argument)
        if isinstance(result, Pointer) and decl.ctype.shape != "pointer":
            context.env[decl.key] = (
                places.pointee(context, result) if decl.ctype.shape == "record" else result
            )
        elif decl.ctype.is_integer:
            context.env[decl.key] = as_poly(context, result)
        else:
            assign(context, Place(decl.ctype, name=context.claim(decl), key=decl.key), result)
    return True
