"""Calls: mathematical functions, small functions inlined, everything else opaque by name."""

from typing import Final, Literal

from msgspec.structs import replace

from rooflint.frontend.lower import intrinsics
from rooflint.frontend.lower.assignments import assign
from rooflint.frontend.lower.call_parts import CallParts, parts_of_call
from rooflint.frontend.lower.control.no_return import never_returns
from rooflint.frontend.lower.expressions import compare
from rooflint.frontend.lower.inlining import body_of, forget, forget_variable, inline, inlined_place
from rooflint.frontend.lower.literals import evaluate_integer, passed_operand
from rooflint.frontend.lower.loops import algorithms
from rooflint.frontend.lower.objects import containers, places
from rooflint.frontend.lower.objects.ends import end_of_object, ends_object
from rooflint.frontend.lower.state.arithmetic_types import common_type, is_float
from rooflint.frontend.lower.state.constants import evaluated_call
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import (
    evaluates,
    locates,
    operand,
    place,
    statement,
)
from rooflint.frontend.lower.state.numbers import binary, convert_value, materialise
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.lower.statements import block
from rooflint.frontend.lower.template_calls import complex_part, conversion
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import NO_RETURN, ZERO, Call, CallCost, CallValue, Const, Poly
from rooflint.ir.poly import function
from rooflint.ir.values import ArithmeticOp, RelationalOperator
from rooflint.library.calls import library_cost
from rooflint.library.mathematics import MATHEMATICAL
from rooflint.startup.late_pattern import late_pattern

_OPERATIONS: Final[dict[str, ArithmeticOp]] = {
    "sqrt": "sqrt", "fabs": "abs", "abs": "abs", "labs": "abs", "fmax": "max", "fmin": "min",
    "max": "max", "min": "min", "fma": "fma",
}  # fmt: skip
_SUFFIXED = late_pattern(r"(?:__builtin_|__)?(\w+?)[fl]?$")
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
_DECLARED: Final = kinds.METHODS | {kinds.FUNCTION, kinds.FUNCTION_TEMPLATE}
_EXTREMES: Final[dict[str | None, Literal["min", "max"]]] = {"min": "min", "max": "max"}
_COMPARISONS: Final[dict[str, RelationalOperator]] = {
    "operator<": "<", "operator>": ">", "operator<=": "<=", "operator>=": ">=",
    "operator==": "==", "operator!=": "!=",
}  # fmt: skip


@evaluates(kinds.CALL)
def call(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """The value of a call."""
    parts = parts_of_call(context, tree)
    callee = parts.callee
    if callee.key in context.function.opaque:
        return _opaque_call(context, parts)
    if callee.kind == kinds.CONSTRUCTOR or not tree.children:
        return _constructed(context, parts)
    if ends_object(context, parts):
        return end_of_object(context, parts)
    if callee.kind == kinds.CONVERSION and parts.owner is not None:
        return operand(context, parts.owner)
    name = callee.name or context.unit.clang.spelling(tree.cursor) or parts.member
    for attempt in (conversion, complex_part, _library_call, _mathematical, _inlined, _overloaded):
        result = attempt(context, parts, name)
        if result is not None:
            return result
    if (
        callee.kind == kinds.FUNCTION
        and body_of(context, callee) is None
        and not context.inlining.callees
    ):
        context.function.note_opaque(callee.key)
    return _opaque_call(context, parts)


@locates(kinds.CALL)
def called_place(context: LoweringContext, tree: SyntaxTree) -> Lvalue | None:
    """Where the value of a call lives, for calls that give a reference to an element."""
    parts = parts_of_call(context, tree)
    callee, owner, arguments = parts.callee, parts.owner, parts.arguments
    if callee.kind == kinds.CONSTRUCTOR:
        return place(context, arguments[0]) if len(arguments) == 1 else None
    if owner is not None:
        element = containers.element(context, callee.name, owner, arguments)
        if element is not None:
            return element
    elif callee.name == "operator*" and arguments:
        pointer = operand(context, arguments[0])
        return places.pointee(context, pointer) if isinstance(pointer, Pointer) else None
    return inlined_place(context, parts)


def _constructed(context: LoweringContext, parts: CallParts) -> Operand:
    if len(parts.arguments) == 1:
        return operand(context, parts.arguments[0])
    for argument in parts.arguments:
        operand(context, argument)
    ctype = context.unit.types.of_cursor(parts.tree.cursor)
    if ctype.is_float:
        return context.emit(Const(type=ctype.ir, spelling="complex"))
    if context.flow.loop is not None:
        cost = _cost(context, parts, parts.callee.name)
        if cost is not None:  # a library's: others are put in place, or part of a body's cost
            origin = context.origins.origin(parts.tree.cursor)
            context.append(Call(parts.callee.name, cost=cost, origin=origin))
    return context.emit_opaque(ctype.name or "constructor")


def _library_call(context: LoweringContext, parts: CallParts, name: str) -> Operand | None:
    """A method of a container, an algorithm of the standard library, or an intrinsic."""
    if parts.owner is not None:
        result = containers.method(context, name, parts.owner, parts.arguments)
        if result is not None or parts.member:
            return result
    for attempt in (containers.free_function, algorithms.lower, intrinsics.lower):
        result = attempt(context, name, parts.arguments)
        if result is not None:
            return result
    return None


def _inlined(context: LoweringContext, parts: CallParts, name: str) -> Operand | None:
    del name
    return inline(context, parts)


def _plain_name(name: str) -> str:
    """``sqrt`` of ``sqrtf``, ``sqrtl`` and ``__builtin_sqrt``."""
    if name in MATHEMATICAL or name in _OPERATIONS:
        return name
    match = _SUFFIXED.match(name)
    return match[1] if match else name


def _mathematical(context: LoweringContext, parts: CallParts, name: str) -> Operand | None:
    plain = _plain_name(name)
    op = _OPERATIONS.get(plain)
    if parts.owner is not None or (op is None and plain not in MATHEMATICAL):
        return None  # an object's own method may do anything
    statement = context.statement
    ctype = context.unit.types.of_cursor(parts.tree.cursor)
    mark = len(statement.values), len(statement.accesses)
    operands = [operand(context, argument) for argument in parts.arguments]
    polys = [each for each in operands if isinstance(each, Poly)]
    if op in _EXTREMES and len(polys) == 2 and not ctype.is_float:
        return function(_EXTREMES[op], *polys)
    numbers = [materialise(context, each) for each in operands]
    type_ = _computed_type(context, ctype, numbers)
    if is_float(type_):
        numbers = [convert_value(context, number, type_) for number in numbers]
    evaluated = evaluated_call(context, op or plain, type_, tuple(numbers))
    if evaluated is not None:
        statement.discard(*mark)
        return context.emit(Const(type=type_, spelling=evaluated))
    if op is not None:
        return context.emit_arithmetic(op, type_, *numbers)
    return context.emit(CallValue(type=type_, args=tuple(numbers), callee=plain))


def _computed_type(context: LoweringContext, ctype: CType, numbers: list[int]) -> str:
    """The type of a mathematical function; where it depends on a template, that of its operands."""
    if ctype.shape == "scalar" and ctype.ir not in ("", "opaque"):
        return ctype.ir
    type_ = "f64"
    for number in numbers:
        type_ = common_type(type_, context.statement.values[number].type)
    return type_


def _overloaded(context: LoweringContext, parts: CallParts, name: str) -> Operand | None:
    """Operators of classes without a visible body (complex numbers, vector wrappers)."""
    if len(parts.operands) != 2:
        return None
    first, second = parts.operands
    compound = _OPERATORS.get(name.removesuffix("="))
    if context.unit.types.of_cursor(parts.tree.cursor).is_float:
        if name in _OPERATORS:
            left, right = operand(context, first), operand(context, second)
            return binary(context, _OPERATORS[name], left, right)
        if name == "operator=" or compound:
            return _overloaded_assignment(context, compound, first, second)
    if name in _COMPARISONS:
        left, right = operand(context, first), operand(context, second)
        return compare(context, _COMPARISONS[name], left, right)
    return None


def _overloaded_assignment(
    context: LoweringContext, op: ArithmeticOp | None, left: SyntaxTree, right: SyntaxTree
) -> Operand | None:
    """``left = right``, or ``left op= right``."""
    target = place(context, left)
    if target is None:
        return None
    result = operand(context, right)
    if op:
        result = binary(context, op, places.load(context, target), result)
    return assign(context, target, result, left.cursor)


def _opaque_call(context: LoweringContext, parts: CallParts) -> Operand:
    _callee, cursor = parts.callee, parts.tree.cursor
    name = _called_name(context, parts)
    given = _Arguments()
    for argument in parts.operands:
        if argument.kind == kinds.LAMBDA and not _is_skipped(context, argument):
            _run_once(context, name, argument)
        else:
            _hand_over(context, argument, given)
    if not context.unit.is_c:
        for decl in context.effects.handed_over(parts.tree):
            forget_variable(context, decl, cursor)
    context.append(_call_node(context, parts, name, given))
    ctype = context.unit.types.of_cursor(cursor)
    if ctype.shape == "pointer" and ctype.element is not None:
        return _memory_of(context, name, parts.tree, ctype.element, own=name in ALLOCATORS)
    return context.emit(
        CallValue(type=ctype.ir or "opaque", args=tuple(given.numbers), callee=name)
    )


def _call_node(context: LoweringContext, parts: CallParts, name: str, given: "_Arguments") -> Call:
    """The call as a node, with its effects on the control flow."""
    origin = context.origins.origin(parts.tree.cursor)
    made = Call(name, tuple(given.arrays), integers=tuple(given.integers), origin=origin)
    if context.effects.has_no_effects(parts.callee):
        return replace(made, effects="none")
    if never_returns(context.unit, parts.callee):
        context.flow.exit_function(NO_RETURN)
        return replace(made, effects="no-return")
    if context.flow.loop is None:
        return made
    return replace(made, cost=_cost(context, parts, name), target=_target(context, parts))


def _called_name(context: LoweringContext, parts: CallParts) -> str:
    """The function's name; for a pointer, that of the variable or member that holds it."""
    name = parts.callee.name or context.unit.clang.spelling(parts.tree.cursor) or parts.member
    if name:
        return name
    held = parts.tree.children[0] if parts.tree.children else None
    while held is not None and held.kind not in (kinds.DECL_REF, kinds.MEMBER_REF):
        held = held.children[0] if held.children else None
    pointer = "" if held is None else context.unit.clang.spelling(held.cursor)
    return f"a function pointer: {pointer}" if pointer else "a function pointer"


def _cost(context: LoweringContext, parts: CallParts, name: str) -> CallCost | None:
    """The cycles of a call of a library's function; what files define has its cost from them."""
    if not parts.callee.key:
        return None
    length = evaluate_integer(context, parts.arguments[-1]) if parts.arguments else None
    key = context.unit.keys.function(parts.callee.cursor)
    owner = context.unit.clang.getCursorSemanticParent(parts.callee.cursor)
    return library_cost(name, key, length, context.unit.clang.spelling(owner))


def _target(context: LoweringContext, parts: CallParts) -> str:
    """The key of the callee, or the type of the functions that a pointer leads to."""
    keys = context.unit.keys
    if parts.callee.kind in _DECLARED:
        return keys.function(parts.callee.cursor)
    return keys.signature(parts.tree.children[0].cursor) if parts.tree.children else ""


def _memory_of(
    context: LoweringContext, callee: str, call: SyntaxTree, target: CType, *, own: bool
) -> Pointer:
    """A pointer to what a call returns: memory of its ``own``, or any memory."""
    ctype = context.unit.types.of_cursor(call.cursor)
    shape = places.type_extents(ctype)
    name = context.memory.name_of_returned(callee, context.unit.source.text(call.cursor), own=own)
    if own:
        base = context.memory.base(name, ctype, "heap", shape, places.LOCAL)
    else:
        base = context.memory.base(name, ctype, "unknown", shape)
    return Pointer(base, ZERO, target, ())


def _is_skipped(context: LoweringContext, argument: SyntaxTree) -> bool:
    """Whether an argument without parts of its own is in straight code, where no work counts."""
    return context.flow.loop is None and not argument.children


class _Arguments:
    """Arrays, integers and numbers of values for a callee whose body is not seen."""

    def __init__(self) -> None:
        self.arrays: list[str] = []
        self.integers: dict[Poly, None] = {}
        self.numbers: list[int] = []


def _hand_over(context: LoweringContext, argument: SyntaxTree, given: _Arguments) -> None:
    """Notes the array or the value that an argument hands to a callee whose body is not seen."""
    bare = argument
    while bare.kind in kinds.CASTS and len(bare.children) == 1:
        bare = bare.children[0]
    if bare.kind == kinds.DECL_REF and (array := _array_name(context, bare)):
        given.arrays.append(array)
        return
    if _is_skipped(context, bare):
        _hand_over_names(context, bare, given)
        return
    if context.flow.loop is None and not context.effects.modified(argument):
        _hand_over_names(context, argument, given)  # straight code: no work is counted
    else:
        result = passed_operand(context, argument)
        if isinstance(result, Pointer):
            given.arrays.append(result.array)
        else:
            given.numbers.append(materialise(context, result))
    forget(context, argument)


def _hand_over_names(context: LoweringContext, tree: SyntaxTree, given: _Arguments) -> None:
    """Notes the arrays, pointers and integers that an expression mentions."""
    if tree.kind == kinds.DECL_REF:
        array = _array_name(context, tree)
        known = context.env.get(context.unit.referenced(tree.cursor).key)
        if array:
            given.arrays.append(array)
        elif isinstance(known, Poly) and known.value is None:
            given.integers[known] = None
    for child in tree.children:
        _hand_over_names(context, child, given)


def _array_name(context: LoweringContext, tree: SyntaxTree) -> str:
    """The array that a plain argument hands over; empty for anything else."""
    decl = context.unit.referenced(tree.cursor)
    known = context.env.get(decl.key)
    if known is not None:
        return known.array if isinstance(known, Pointer) else ""
    return context.variables.name(decl) if decl.ctype.shape in ("array", "pointer") else ""


def _run_once(context: LoweringContext, name: str, tree: SyntaxTree) -> None:
    context.assume(f"the lambda passed to {name} runs once")
    context.append(*block(context, tree.children[-1:]))


@evaluates(kinds.NEW)
def _new(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """Memory of its own, unless its place is given: ``new (place) double[n]``."""
    ctype = context.unit.types.of_cursor(tree.cursor)
    if ctype.shape != "pointer" or ctype.element is None or ctype.element.shape != "scalar":
        return context.emit_opaque("new")
    shapes = {context.unit.types.of_cursor(child.cursor).shape for child in tree.children}
    own = shapes.isdisjoint(("pointer", "array", "other"))
    return _memory_of(context, "new", tree, ctype.element, own=own)


@evaluates(kinds.LAMBDA)
def lambda_expression(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """A lambda that nothing calls here; its body is lowered where it is called."""
    context.function.defer(tree)
    return context.emit_opaque("lambda")


@evaluates(kinds.STATEMENT_EXPR)
def statement_expression(context: LoweringContext, tree: SyntaxTree) -> Operand:
    """GNU's ``({ ...; value; })``."""
    body = tree.children[0].children if tree.children else []
    pending = context.begin_statement()  # what the expression around has computed already
    for child in body[:-1]:
        statement(context, child)
    context.resume_statement(pending)
    if body and body[-1].kind < kinds.UNEXPOSED_STMT:
        return operand(context, body[-1])
    return context.emit_opaque("statement expression")
