"""x86 vector intrinsics by their names: loads, stores and arithmetic as what they are."""

import re
from typing import Final

from rooflint.frontend.lower.objects import places
from rooflint.frontend.lower.state.context import Context, Operand, Pointer
from rooflint.frontend.lower.state.dispatch import operand, value
from rooflint.frontend.lower.state.types import CType
from rooflint.frontend.parse.tree import Tree
from rooflint.ir import ZERO, Conversion, whole_number
from rooflint.ir.values import ArithmeticOp

_NAME = re.compile(
    r"_mm(?P<bits>256|512)?_(?P<op>[a-z]+?)(?P<one>1)?_(?P<type>pd|ps|sd|ss|ph|si128|si256|si512)$"
)
_BINARY: Final[dict[str, ArithmeticOp]] = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "max", "min": "min",
    "and": "and", "or": "or", "xor": "xor",
}  # fmt: skip
_FUSED = {"fmadd": 1, "fmsub": 1, "fnmadd": 1, "fnmsub": 1}
_LOADS = ("load", "loadu", "lddqu", "stream_load", "broadcast")
_STORES = ("store", "storeu", "stream")
_ELEMENT = {
    "pd": ("f64", 8),
    "ps": ("f32", 4),
    "sd": ("f64", 8),
    "ss": ("f32", 4),
    "ph": ("f16", 2),
}


def lower(context: Context, name: str, arguments: list[Tree]) -> Operand | None:
    """The value of an intrinsic that is modelled; None for any other function."""
    if name == "__builtin_nontemporal_store" and len(arguments) == 2:
        number, pointer = value(context, arguments[0]), operand(context, arguments[1])
        if isinstance(pointer, Pointer):
            access = places.access_of(places.pointee(context, pointer), write=True)
            context.emit_store(access, number, nontemporal=True)
            return ZERO
        return None
    if not name.startswith("_mm"):
        return None
    match = _NAME.match(name)
    if match is None:
        return None
    element, size = _ELEMENT.get(match["type"], ("i32", 4))
    width = int(match["bits"] or 128) // 8
    scalar = match["type"] in ("sd", "ss")
    type_ = element if scalar else f"{element}x{width // size}"
    ctype = CType("scalar", type_, size if scalar else width)
    op = match["op"]
    if op in _LOADS and arguments:
        pointer = operand(context, arguments[0])
        if isinstance(pointer, Pointer):
            found = places.pointee(context, pointer._replace(target=ctype))
            return context.emit_load(places.access_of(found, write=False))
        return None
    if op in _STORES and len(arguments) == 2:
        pointer = operand(context, arguments[0])
        if isinstance(pointer, Pointer):
            found = places.pointee(context, pointer._replace(target=ctype))
            number = value(context, arguments[1])
            access = places.access_of(found, write=True)
            context.emit_store(access, number, nontemporal=op == "stream")
            return ZERO
        return None
    if op in _BINARY and len(arguments) == 2:
        return context.emit_arithmetic(_BINARY[op], type_, *(value(context, a) for a in arguments))
    if op in _FUSED and len(arguments) == 3:
        return context.emit_arithmetic("fma", type_, *(value(context, a) for a in arguments))
    if op == "sqrt" and len(arguments) == 1:
        return context.emit_arithmetic("sqrt", type_, value(context, arguments[0]))
    if op in ("set", "setzero", "setr"):
        numbers = tuple(value(context, argument) for argument in arguments)
        return context.emit(
            Conversion(type=type_, args=numbers[:1]) if numbers else whole_number(type_, 0)
        )
    return None
