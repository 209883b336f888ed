"""Builtins on bits and x86 vector intrinsics by their names: loads, stores and arithmetic."""

import re
from typing import Final

from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.dispatch import operand, value
from rooflint.frontend.lower.state.numbers import convert_value, materialise
from rooflint.frontend.lower.state.operands import Lvalue, Operand, Pointer
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse.tree import SyntaxTree
from rooflint.ir import ZERO, CallValue, Conversion, whole_number
from rooflint.ir.values import ArithmeticOp
from rooflint.library.bit_operations import BIT_FUNCTIONS, BitFunction
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

_NAME = late_pattern(
    r"_mm(?P<bits>256|512)?_(?P<op>[a-z]+?)(?P<one>1)?_(?P<type>pd|ps|sd|ss|ph|si128|si256|si512)$"
)
_ARITHMETIC: Final[dict[str, tuple[ArithmeticOp, int]]] = {
    "fmadd": ("fma", 3), "fmsub": ("fma", 3), "fnmadd": ("fma", 3), "fnmsub": ("fma", 3),
    "add": ("add", 2), "sub": ("sub", 2), "mul": ("mul", 2), "div": ("div", 2),
    "max": ("max", 2), "min": ("min", 2), "and": ("and", 2), "or": ("or", 2), "xor": ("xor", 2),
    "sqrt": ("sqrt", 1),
}  # fmt: skip
"""The operation of the IR, and how many operands it has."""
_LOADS = ("load", "loadu", "lddqu", "stream_load", "broadcast")
_STORES = ("store", "storeu", "stream")
_SETS = ("set", "setzero", "setr")
_ELEMENT = {
    "pd": ("f64", 8),
    "ps": ("f32", 4),
    "sd": ("f64", 8),
    "ss": ("f32", 4),
    "ph": ("f16", 2),
}


class VectorType(NamedTuple):
    """The type an intrinsic computes in: its name in the IR and its size in bytes."""

    name: str
    bytes: int


def lower(context: LoweringContext, name: str, arguments: list[SyntaxTree]) -> Operand | None:
    """The value of an intrinsic that is modelled; None for any other function."""
    if name == "__builtin_nontemporal_store" and len(arguments) == 2:
        return _nontemporal_store(context, arguments)
    function = BIT_FUNCTIONS.get(name)
    if function is not None and arguments:
        return _on_bits(context, name, function, arguments)
    if not name.startswith("_mm"):
        return None
    match = _NAME.match(name)
    if match is None:
        return None
    op, type_ = match["op"], _vector_type(match)
    if op in _LOADS and arguments:
        return _load(context, type_, arguments)
    if op in _STORES and len(arguments) == 2:
        return _store(context, op, type_, arguments)
    operation, operands = _ARITHMETIC.get(op, (None, 0))
    if operation is not None and operands == len(arguments):
        numbers = [value(context, argument) for argument in arguments]
        return context.emit_arithmetic(operation, type_.name, *numbers)
    return _broadcast(context, type_, arguments) if op in _SETS else None


def _vector_type(match: re.Match[str]) -> VectorType:
    element, size = _ELEMENT.get(match["type"], ("i32", 4))
    if match["type"] in ("sd", "ss"):
        return VectorType(element, size)
    width = int(match["bits"] or 128) // 8
    return VectorType(f"{element}x{width // size}", width)


def _on_bits(
    context: LoweringContext, name: str, function: BitFunction, arguments: list[SyntaxTree]
) -> Operand:
    """A value, since compilers make an instruction of it."""
    first, *others = [materialise(context, operand(context, each)) for each in arguments]
    numbers = (convert_value(context, first, function.operand), *others)
    return context.emit(CallValue(type=function.result, args=numbers, callee=name))


def _nontemporal_store(context: LoweringContext, arguments: list[SyntaxTree]) -> Operand | None:
    number, pointer = value(context, arguments[0]), operand(context, arguments[1])
    if not isinstance(pointer, Pointer):
        return None
    access = places.access_of(places.pointee(context, pointer), write=True)
    context.emit_store(access, number, nontemporal=True)
    return ZERO


def _load(
    context: LoweringContext, type_: VectorType, arguments: list[SyntaxTree]
) -> Operand | None:
    lvalue = _pointee(context, type_, arguments[0])
    if lvalue is None:
        return None
    return context.emit_load(places.access_of(lvalue, write=False))


def _store(
    context: LoweringContext, op: str, type_: VectorType, arguments: list[SyntaxTree]
) -> Operand | None:
    lvalue = _pointee(context, type_, arguments[0])
    if lvalue is None:
        return None
    number = value(context, arguments[1])
    access = places.access_of(lvalue, write=True)
    context.emit_store(access, number, nontemporal=op == "stream")
    return ZERO


def _pointee(context: LoweringContext, type_: VectorType, argument: SyntaxTree) -> Lvalue | None:
    pointer = operand(context, argument)
    if not isinstance(pointer, Pointer):
        return None
    ctype = CType("scalar", type_.name, type_.bytes)
    return places.pointee(context, pointer._replace(target=ctype))


def _broadcast(context: LoweringContext, type_: VectorType, arguments: list[SyntaxTree]) -> Operand:
    numbers = tuple(value(context, argument) for argument in arguments)
    if numbers:
        return context.emit(Conversion(type=type_.name, args=numbers[:1]))
    return context.emit(whole_number(type_.name, 0))
