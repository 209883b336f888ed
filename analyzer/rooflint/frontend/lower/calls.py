"""Calls: mathematical functions, small functions inlined, everything else opaque by name."""

import re
from typing import Final

from msgspec.structs import replace

from rooflint.frontend.lower import intrinsics
from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.expressions import compare
from rooflint.frontend.lower.inlining import body_of, forget, forget_variable, inline, inlined_place
from rooflint.frontend.lower.loops import algorithms
from rooflint.frontend.lower.objects import containers, places
from rooflint.frontend.lower.state.constants import evaluated_call
from rooflint.frontend.lower.state.context import Context, Operand, Place, Pointer
from rooflint.frontend.lower.state.dispatch import evaluates, locates, operand, place, statement
from rooflint.frontend.lower.state.numbers import (
    binary,
    common_type,
    converted,
    is_float,
    materialise,
)
from rooflint.frontend.lower.state.shared import Decl
from rooflint.frontend.lower.statements import block
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import ZERO, Call, CallValue, Const, Poly
from rooflint.ir.poly import function
from rooflint.ir.values import ArithmeticOp, RelationalOperator

_OPERATIONS: Final[dict[str, ArithmeticOp]] = {
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
_OPERATORS: Final[dict[str, ArithmeticOp]] = {
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
_COMPARISONS: Final[dict[str, RelationalOperator]] = {
    "operator<": "<", "operator>": ">", "operator<=": "<=", "operator>=": ">=",
    "operator==": "==", "operator!=": "!=",
}  # fmt: skip


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
        return _opaque_call(context, tree, decl, owner, arguments)
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
    inlined = inline(context, tree, decl, owner, arguments)
    if inlined is not None:
        return inlined
    overloaded = _overloaded(context, tree, name, owner, arguments)
    if overloaded is not None:
        return overloaded
    if decl.kind == kinds.FUNCTION and body_of(context, decl) is None and not context.inlining:
        context.unit.opaque_callees.add(decl.key)
    return _opaque_call(context, tree, decl, owner, arguments)


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
    return inlined_place(context, tree, decl, owner, arguments)


def _constructed(context: Context, tree: Tree, arguments: list[Tree]) -> Operand:
    if len(arguments) == 1:
        return operand(context, arguments[0])
    for argument in arguments:
        operand(context, argument)
    ctype = context.unit.types.of_cursor(tree[1])
    if ctype.is_float:
        return context.emit(Const(type=ctype.ir, spelling="complex"))
    return context.emit_opaque(ctype.name or "constructor")


def _mathematical(context: Context, tree: Tree, name: str, arguments: list[Tree]) -> Operand | None:
    match = _SUFFIXED.match(name)
    plain = name if name in _PURE or name in _OPERATIONS else match[1] if match else name
    op = _OPERATIONS.get(plain)
    if op is None and plain not in _PURE:
        return None
    ctype = context.unit.types.of_cursor(tree[1])
    mark = len(context.values), len(context.accesses)
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
    evaluated = evaluated_call(context, op or plain, type_, tuple(numbers))
    if evaluated is not None:
        context.discard(*mark)
        return context.emit(Const(type=type_, spelling=evaluated))
    if op is not None:
        return context.emit_arithmetic(op, type_, *numbers)
    return context.emit(CallValue(type=type_, args=tuple(numbers), callee=plain))


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
    if len(operands) == 2 and name in _COMPARISONS:
        left, right = operand(context, operands[0]), operand(context, operands[1])
        return compare(context, _COMPARISONS[name], left, right)
    return None


def _opaque_call(
    context: Context, tree: Tree, callee: Decl, owner: Tree | None, arguments: list[Tree]
) -> Operand:
    name = callee.name or context.clang.spelling(tree[1]) or "a function pointer"
    arrays: list[str] = []
    numbers: list[int] = []
    straight = context.loop is None
    for argument in ([owner] if owner is not None else []) + arguments:
        bare = argument
        while bare[0] in kinds.CASTS and len(bare[2]) == 1:
            bare = bare[2][0]
        if bare[0] == kinds.DECL_REF and (array := _array_name(context, bare)):
            arrays.append(array)
            continue
        if straight and not bare[2]:
            continue
        if argument[0] == kinds.LAMBDA:
            _run_once(context, name, argument)
            continue
        if straight and not context.unit.modified(argument):
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
        for decl in context.unit.handed_over(tree):
            forget_variable(context, decl)
    made = Call(name, tuple(arrays), origin=context.origin(tree[1]))
    context.nodes.append(
        replace(made, effects="none") if context.unit.has_no_effects(callee) else made
    )
    ctype = context.unit.types.of_cursor(tree[1])
    if ctype.shape == "pointer" and ctype.element is not None:
        shape = places.type_extents(ctype)
        if name in ALLOCATORS:
            base = context.base(f"{name}()", ctype, "heap", shape, places.LOCAL)
        else:
            base = context.base(f"{name}()", ctype, "unknown", shape)
        return Pointer(base, Poly.constant(0), ctype.element, ())
    return context.emit(CallValue(type=ctype.ir or "opaque", args=tuple(numbers), callee=name))


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


def _run_once(context: Context, name: str, tree: Tree) -> None:
    context.assume(f"the lambda handed to {name} runs once")
    context.nodes.extend(block(context, tree[2][-1:]))


@evaluates(kinds.NEW)
def _new(context: Context, tree: Tree) -> Operand:
    """Memory of its own, unless its place is given: ``new (place) double[n]``."""
    ctype = context.unit.types.of_cursor(tree[1])
    if ctype.shape != "pointer" or ctype.element is None or ctype.element.shape != "scalar":
        return context.emit_opaque("new")
    kinds_below = [context.unit.types.of_cursor(child[1]).shape for child in tree[2]]
    shape = places.type_extents(ctype)
    placed = any(each in ("pointer", "array", "other") for each in kinds_below)
    if placed:
        return Pointer(context.base("new()", ctype, "unknown", shape), ZERO, ctype.element, ())
    base = context.base("new()", ctype, "heap", shape, places.LOCAL)
    return Pointer(base, ZERO, ctype.element, ())


@evaluates(kinds.LAMBDA)
def lambda_expression(context: Context, tree: Tree) -> Operand:
    """A lambda that nothing calls here; its body is lowered where it is called."""
    context.lambdas.append(tree)
    return context.emit_opaque("lambda")


@evaluates(kinds.STATEMENT_EXPR)
def statement_expression(context: Context, tree: Tree) -> Operand:
    """GNU's ``({ ...; value; })``."""
    body = tree[2][0][2] if tree[2] else []
    for child in body[:-1]:
        statement(context, child)
    if body and body[-1][0] < kinds.UNEXPOSED_STMT:
        return operand(context, body[-1])
    return context.emit_opaque("statement expression")
