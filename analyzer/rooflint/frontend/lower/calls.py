"""Calls: mathematical functions, small functions inlined, everything else opaque by name."""

import re

from msgspec.structs import replace

from rooflint.frontend.lower import intrinsics
from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.expressions import compare
from rooflint.frontend.lower.inlining import body_of, forget, forget_variable, inline, inlined_place
from rooflint.frontend.lower.loops import algorithms
from rooflint.frontend.lower.objects import containers, places
from rooflint.frontend.lower.state.constants import evaluated_call
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import evaluates, locates, operand, place, statement
from rooflint.frontend.lower.state.numbers import (
    binary,
    common_type,
    converted,
    is_float,
    materialise,
)
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.lower.statements import block
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ZERO, Call, Poly
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
ALLOCATORS = frozenset(
    """
    malloc calloc realloc aligned_alloc memalign valloc _mm_malloc __builtin_malloc
    __builtin_calloc __builtin_alloca alloca
    """.split()
)
"""Functions of the C library whose result is memory that nothing else points to."""
_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


def parts(
    context: LoweringContext, tree: SyntaxTree
) -> tuple[Decl, SyntaxTree | None, list[SyntaxTree]]:
    """callee, the object of a method call, arguments."""
    cursor, below = tree.cursor, tree.children
    decl = context.unit.referenced(cursor)
    if not below:
        return decl, None, []
    first = below[0]
    if first.kind == kinds.MEMBER_REF and context.unit.referenced(first.cursor).key == decl.key:
        return decl, first.children[0] if first.children else None, below[1:]
    if decl.name.startswith("operator") and decl.kind in (kinds.METHOD, kinds.FUNCTION):
        arguments = [
            child
            for child in below
            if child.kind != kinds.DECL_REF or context.unit.referenced(child.cursor).key != decl.key
        ]
        if decl.kind == kinds.METHOD and arguments:
            return decl, arguments[0], arguments[1:]
        return decl, None, arguments
    if decl.kind == kinds.CONSTRUCTOR:
        return decl, None, below
    return decl, None, below[1:]


@evaluates(kinds.CALL)
def call(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """The value of a call."""
    decl, owner, arguments = parts(context, tree)
    if decl.key in context.unit.callees.opaque:
        return _opaque_call(context, tree, decl, owner, arguments)
    if decl.kind == kinds.CONSTRUCTOR or not tree.children:
        return _constructed(context, tree, arguments)
    if decl.kind == kinds.CONVERSION and owner is not None:
        return operand(context, owner)
    name = decl.name or context.unit.clang.spelling(tree.cursor)
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
    inlined = inline(context, tree, decl, owner, arguments)
    if inlined is not None:
        return inlined
    overloaded = _overloaded(context, tree, name, owner, arguments)
    if overloaded is not None:
        return overloaded
    if (
        decl.kind == kinds.FUNCTION
        and body_of(context, decl) is None
        and not context.inlining.callees
    ):
        context.unit.callees.note_opaque(decl.key)
    return _opaque_call(context, tree, decl, owner, arguments)


@locates(kinds.CALL)
def called_place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
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
    return inlined_place(context, tree, decl, owner, arguments)


def _constructed(
    context: LoweringContext, tree: SyntaxTree, arguments: list[SyntaxTree]
) -> Operand:
    if len(arguments) == 1:
        return operand(context, arguments[0])
    for argument in arguments:
        operand(context, argument)
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.is_float:
        return context.emit("const", ctype.ir, name="complex")
    return context.emit("opaque", "opaque", name=ctype.name or "constructor")


def _mathematical(
    context: LoweringContext, tree: SyntaxTree, name: str, arguments: list[SyntaxTree]
) -> Operand | None:
    match = _SUFFIXED.match(name)
    plain = name if name in _PURE or name in _OPERATIONS else match[1] if match else name
    op = _OPERATIONS.get(plain)
    if op is None and plain not in _PURE:
        return None
    ctype = context.unit.types.of_cursor(tree.cursor)
    mark = len(context.statement.values), len(context.statement.accesses)
    found = [operand(context, argument) for argument in arguments]
    polys = [part for part in found if isinstance(part, Poly)]
    if op in ("min", "max") and len(polys) == 2 and (ctype.is_integer or not ctype.is_float):
        return function("min" if op == "min" else "max", *polys)
    numbers = [materialise(context, part) for part in found]
    type_ = ctype.ir if ctype.shape == "scalar" else ""
    if not type_ or type_ == "opaque":
        type_ = "f64"
        for number in numbers:
            type_ = common_type(type_, context.statement.values[number].type)
    if is_float(type_):
        numbers = [converted(context, number, type_) for number in numbers]
    evaluated = evaluated_call(context, op or plain, type_, tuple(numbers))
    if evaluated is not None:
        context.statement.discard(*mark)
        return context.emit("const", type_, name=evaluated)
    return context.emit(op or "call", type_, tuple(numbers), "" if op else plain)


def _overloaded(
    context: LoweringContext,
    tree: SyntaxTree,
    name: str,
    owner: SyntaxTree | None,
    arguments: list[SyntaxTree],
) -> Operand | None:
    """Operators of classes without a visible body (complex numbers, vector wrappers)."""
    operands = ([owner] if owner is not None else []) + arguments
    ctype = context.unit.types.of_cursor(tree.cursor)
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
    context: LoweringContext,
    tree: SyntaxTree,
    callee: Decl,
    owner: SyntaxTree | None,
    arguments: list[SyntaxTree],
) -> Operand:
    name = callee.name or context.unit.clang.spelling(tree.cursor) or "a function pointer"
    arrays: list[str] = []
    numbers: list[int] = []
    straight = context.flow.loop is None
    for argument in ([owner] if owner is not None else []) + arguments:
        bare = argument
        while bare.kind in kinds.CASTS and len(bare.children) == 1:
            bare = bare.children[0]
        if bare.kind == kinds.DECL_REF and (array := _array_name(context, bare)):
            arrays.append(array)
            continue
        if straight and not bare.children:
            continue
        if argument.kind == kinds.LAMBDA:
            _run_once(context, name, argument)
            continue
        if straight and not context.effects.modified(argument):
            arrays.extend(_arrays_named(context, argument))  # straight code: no work is counted
            forget(context, argument)
            continue
        found = operand(context, argument)
        if isinstance(found, Pointer):
            arrays.append(found.array)
        else:
            numbers.append(materialise(context, found))
        forget(context, argument)
    if not context.unit.is_c:
        for decl in context.effects.handed_over(tree):
            forget_variable(context, decl)
    made = Call(name, tuple(arrays), origin=context.origins.origin(tree.cursor))
    context.append(
        replace(made, effects="none") if context.effects.has_no_effects(callee) else made
    )
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.shape == "pointer" and ctype.element is not None:
        shape = places.type_extents(ctype)
        if name in ALLOCATORS:
            base = context.memory.base(f"{name}()", ctype, "heap", shape, places.LOCAL)
        else:
            base = context.memory.base(f"{name}()", ctype, "unknown", shape)
        return Pointer(base, Poly.constant(0), ctype.element, ())
    return context.emit("call", ctype.ir or "opaque", tuple(numbers), name)


def _arrays_named(context: LoweringContext, tree: SyntaxTree) -> list[str]:
    """Arrays and pointers that an expression mentions."""
    found = [_array_name(context, tree)] if tree.kind == kinds.DECL_REF else []
    for child in tree.children:
        found += _arrays_named(context, child)
    return [name for name in found if name]


def _array_name(context: LoweringContext, tree: SyntaxTree) -> str:
    """The array that a plain argument hands over; empty for anything else."""
    decl = context.unit.referenced(tree.cursor)
    known = context.env.get(decl.key)
    if known is not None:
        return known.array if isinstance(known, Pointer) else ""
    return context.variables.name(decl) if decl.ctype.shape in ("array", "pointer") else ""


def _run_once(context: LoweringContext, name: str, tree: SyntaxTree) -> None:
    context.assume(f"the lambda handed to {name} runs once")
    context.append(*block(context, tree.children[-1:]))


@evaluates(kinds.NEW)
def _new(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """Memory of its own, unless its place is given: ``new (place) double[n]``."""
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.shape != "pointer" or ctype.element is None or ctype.element.shape != "scalar":
        return context.emit("opaque", "opaque", name="new")
    kinds_below = [context.unit.types.of_cursor(child.cursor).shape for child in tree.children]
    shape = places.type_extents(ctype)
    placed = any(each in ("pointer", "array", "other") for each in kinds_below)
    if placed:
        return Pointer(
            context.memory.base("new()", ctype, "unknown", shape), ZERO, ctype.element, ()
        )
    base = context.memory.base("new()", ctype, "heap", shape, places.LOCAL)
    return Pointer(base, ZERO, ctype.element, ())


@evaluates(kinds.LAMBDA)
def lambda_expression(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """A lambda that nothing calls here; its body is lowered where it is called."""
    context.function.defer(tree)
    return context.emit("opaque", "opaque", name="lambda")


@evaluates(kinds.STATEMENT_EXPR)
def statement_expression(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """GNU's ``({ ...; value; })``."""
    body = tree.children[0].children if tree.children else []
    for child in body[:-1]:
        statement(context, child)
    if body and body[-1].kind < kinds.UNEXPOSED_STMT:
        return operand(context, body[-1])
    return context.emit("opaque", "opaque", name="statement expression")
